"""Runs the notebooks and compares all that they show with what is committed, or stores it.

    python notebooks/check.py                 say what differs
    python notebooks/check.py --rewrite       store what the notebooks show now

A notebook whose extra is not installed is not run, and said to be so.

nbval compares outputs too, but no tracebacks, and it passes a cell tagged ``raises-exception`` that does not
raise. Here every output counts.
"""

from __future__ import annotations

import argparse
import copy
import difflib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbval.kernel import (  # type: ignore[import-untyped]  # nbval has no annotations
    CURRENT_ENV_KERNEL_NAME,
    NbvalKernelspecManager,
)

FOLDER = Path(__file__).parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
EXTRAS = {"03_jax_errors.ipynb": "jax"}  # what a notebook needs: the extra, and its module of the same name
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"jupyter", "tags"}

Notebook = Any  # nbformat's NotebookNode, a dictionary with attributes; so are cells and outputs
Cell = Any
Output = dict[str, Any]

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What stands before the project's own files differs from machine to machine.
_FOLDER = re.compile(r"(File (?:\x1b\[[0-9;]*m)*)[^\n]*/(?=(?:lib/src|lib/include|(?<!lib/include/)mxerr)/)")
_COUNT = re.compile(r"\bIn\[\d+\]")
# How many lines around the marked one are shown is IPython's choice: 9.18 shows others than 8.18 and 9.9.
_CONTEXT = re.compile(r"^ *\d+\b.*\n?", re.MULTILINE)


def missing_extra(path: Path) -> str:
    """Name the extra that a notebook needs and that is not installed; empty where it can be run."""
    extra = EXTRAS.get(path.name, "")
    return extra if extra and importlib.util.find_spec(extra) is None else ""


def read(path: Path) -> Notebook:
    """Read a notebook.

    Raises
    ------
    nbformat.ValidationError
        If it is none.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat has no annotations
    nbformat.validate(notebook)
    return notebook


def run(notebook: Notebook) -> Notebook:
    """Run a notebook in the current environment, past cells that fail, without the user's settings."""
    result = copy.deepcopy(notebook)
    specs = NbvalKernelspecManager()
    kernel = AsyncKernelManager(kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=specs)
    client = NotebookClient(result, kernel, allow_errors=True, timeout=300, record_timing=False)
    with tempfile.TemporaryDirectory() as settings:
        client.execute(
            cleanup_kc=True,
            cwd=str(FOLDER),
            env={**os.environ, "IPYTHONDIR": settings},
            stderr=subprocess.DEVNULL,
        )
    return result


def code_cells(notebook: Notebook) -> list[Cell]:
    """List the cells that run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def joined(outputs: list[Output]) -> list[Output]:
    """Join what a kernel sent of one stream in pieces."""
    result: list[Output] = []
    for output in copy.deepcopy(outputs):
        if result and "text" in output and result[-1].get("name") == output["name"]:
            result[-1]["text"] += output["text"]
        else:
            result.append(output)
    return result


def normal(traceback: str) -> str:
    """Give a traceback of IPython without colours, counts, the machine's folders, and context lines."""
    plain = _FOLDER.sub(r"\1", _COLOUR.sub("", traceback))
    return _CONTEXT.sub("", _COUNT.sub("In[*]", plain))


def shown(cell: Cell) -> list[Output]:
    """What a cell shows, in a form that is the same on every machine."""
    outputs = joined(cell.outputs)
    for output in outputs:
        output.pop("execution_count", None)
        if "traceback" in output:
            output["traceback"] = normal("\n".join(output["traceback"]))
    return outputs


# ---- faults ----


def faults(committed: Notebook, fresh: Notebook) -> Iterator[str]:
    """Say all that is wrong with a notebook, given the same notebook run now; nothing where it is right."""
    if committed.metadata != METADATA:
        yield f"metadata: expected {METADATA}, got {dict(committed.metadata)}"
    cells = zip(code_cells(committed), code_cells(fresh), strict=True)
    for number, (before, after) in enumerate(cells, 1):
        for fault in _faults_of_cell(number, before, after):
            yield f"cell {before.id}: {fault}"


def _faults_of_cell(number: int, before: Cell, after: Cell) -> Iterator[str]:
    if before.execution_count != number:
        yield f"not run from the top: expected count {number}, got {before.execution_count}"
    if foreign := set(before.metadata) - CELL_METADATA:
        yield f"metadata of a machine: {', '.join(sorted(foreign))}"
    for output in before.outputs:
        if any(_FOLDER.search(line) for line in output.get("traceback", [])):
            yield "a traceback names a folder of a machine"
    for cell, when in ((before, "as committed"), (after, "when run")):
        tagged = "raises-exception" in before.metadata.get("tags", [])
        raises = any(output.output_type == "error" for output in cell.outputs)
        if tagged and not raises:
            yield f"tagged raises-exception, and does not raise {when}"
        if raises and not tagged:
            yield f"raises {when}, and is not tagged raises-exception"
    if shown(before) != shown(after):
        yield f"shows something else:\n{_difference(shown(before), shown(after))}"


def _difference(before: list[Output], after: list[Output]) -> str:
    old, new = (
        json.dumps(side, indent=1, sort_keys=True).replace("\\n", "\n").splitlines()
        for side in (before, after)
    )
    return "\n".join(difflib.unified_diff(old, new, "committed", "now", lineterm=""))


# ---- the program ----


def storable(fresh: Notebook) -> Notebook:
    """Give a notebook that was run without what belongs to one machine."""
    notebook = copy.deepcopy(fresh)
    notebook.metadata = METADATA
    for number, cell in enumerate(code_cells(notebook), 1):
        cell.execution_count = number
        cell.metadata = {key: cell.metadata[key] for key in CELL_METADATA if key in cell.metadata}
        cell.outputs = joined(cell.outputs)
        for output in cell.outputs:
            if "traceback" in output:
                output["traceback"] = [_FOLDER.sub(r"\1", line) for line in output["traceback"]]
    return notebook


def main() -> int:
    """Check or rewrite notebooks; returns 1 where one has faults. One with faults is not rewritten."""
    parser = argparse.ArgumentParser(description="Run notebooks and compare what they show.")
    parser.add_argument("--rewrite", action="store_true", help="store what they show, instead")
    parser.add_argument("notebooks", nargs="*", type=Path, default=NOTEBOOKS, help="by default all")
    args = parser.parse_args()
    status = 0
    for path in args.notebooks:
        if extra := missing_extra(path):
            print(f"{path}:\n  not run: it needs the extra mxerr[{extra}]")
            continue
        committed = read(path)
        fresh = run(committed)
        if args.rewrite:
            committed = storable(fresh)
        found = list(faults(committed, fresh))
        if args.rewrite and not found:
            nbformat.write(committed, path)  # type: ignore[no-untyped-call]  # as above
        print(f"{path}:", *(found or ["as committed"]), sep="\n  ")
        status = status or bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main())
