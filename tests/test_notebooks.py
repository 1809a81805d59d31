"""Notebooks are tests: each is run and shows what is committed; and what checks that can fail."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import DeadKernelError

FOLDER = Path(__file__).parents[1] / "notebooks"
WALK = FOLDER / "01_transpose_valueerror.ipynb"


def load(path):
    """Import a program by its path: the folder of the notebooks is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check = load(FOLDER / "check.py")


def row(path):
    extra = check.missing_extra(path)
    marks = [pytest.mark.skip(f"needs the extra mxerr[{extra}]")] if extra else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [row(path) for path in check.NOTEBOOKS])
def test_a_notebook_shows_what_is_committed(path):
    notebook = check.read(path)
    if found := list(check.faults(notebook, check.run(notebook))):
        pytest.fail("\n".join(found), pytrace=False)


def test_nbval_passes(tmp_path):
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
    paths = [path for path in check.NOTEBOOKS if not check.missing_extra(path)]
    # from the folder of the notebooks: at the root, -m would put the source tree before an installed mxerr
    result = subprocess.run(
        [*command, *(path.name for path in paths)],
        cwd=FOLDER,
        env={**os.environ, "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    print(result.stdout)
    cells = sum(len(check.code_cells(check.read(path))) for path in paths)
    assert cells > 30
    assert f"= {cells} passed in " in result.stdout, result.stderr
    assert result.returncode == 0


# ---- the check can fail ----


@pytest.fixture(scope="module")
def unchanged():
    """The first cells of the walk, and the same run now."""
    notebook = beginning(WALK)
    return notebook, check.run(notebook)


def beginning(path):
    notebook = check.read(path)
    notebook.cells = notebook.cells[:3]
    return notebook


def faults_of_copy(change, unchanged, tmp_path):
    """Change the first cell of a copy of the walk; returns the faults that are found in the copy."""
    copied = tmp_path / WALK.name
    notebook = beginning(WALK)
    change(notebook, notebook.cells[2])
    nbformat.write(notebook, copied)
    notebook = check.read(copied)
    same_code = [cell.source for cell in notebook.cells] == [cell.source for cell in unchanged[0].cells]
    return list(check.faults(notebook, unchanged[1] if same_code else check.run(notebook)))


def code(old, new):
    def change(notebook, cell):
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def traceback(old, new):
    def change(notebook, cell):
        text = check.normal("\n".join(cell.outputs[0].traceback))
        assert old in text
        cell.outputs[0].traceback = text.replace(old, new).splitlines()

    return change


def update(**changes):
    return lambda notebook, cell: cell.update(changes)


def no_error_here_nor_there(notebook, cell):
    """What nbval passes: the cell is tagged, and it raises neither as committed nor when run."""
    cell.source = "1 + 1"
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)]


def another_class_of_the_same_name(notebook, cell):
    """What nbval passes: the name and the text of the error are right, but it is not from C."""
    *before, call = cell.source.splitlines()
    handler = f"try:\n    {call}\nexcept ValueError as e:\n    raise ValueError(str(e)) from None"
    cell.source = "\n".join([*before, handler])


def foreign_kernel(notebook, cell):
    notebook.metadata.kernelspec.name = "conda-env-work-py"


def version_of_python(notebook, cell):
    notebook.metadata.language_info.version = "3.11.7"


def test_an_unchanged_copy_has_no_faults(unchanged, tmp_path):
    assert not faults_of_copy(lambda notebook, cell: None, unchanged, tmp_path)


def test_colours_counts_and_context_are_no_faults(unchanged, tmp_path):
    for old, new in (("In[*]", "In[7]"), ("File lib", "  9 int x;\nFile lib")):
        assert not faults_of_copy(traceback(old, new), unchanged, tmp_path)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/a b/mxerr/", "lib/src/op.c"),
        ("~/venv/site-packages/mxerr/", "lib/include/mxerr/mxerr.h"),
        ("/mxerr/lib/src/venv/site-packages/", "mxerr/np/_ndarray.py"),
    ],
)
def test_files_of_the_project_have_the_same_name_in_every_folder(folder, name):
    for colour in ("", "\x1b[36m"):
        assert check.normal(f"{colour}File {colour}{folder}{name}:7, in f()") == f"File {name}:7, in f()"
    assert check.normal(f"File {name}:7, in f()") == f"File {name}:7, in f()"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (code("(0, 0, 1)", "(2, 0, 1)"), "tagged raises-exception, and does not raise when run"),
        (no_error_here_nor_there, "tagged raises-exception, and does not raise as committed"),
        (update(metadata={}), "raises when run, and is not tagged raises-exception"),
        (code("(0, 0, 1)", "(0, 1, 3)"), '+  "ename": "MXNetError"'),
        (code("(0, 0, 1)", "(1, 1, 2)"), "+ValueError: Check failed: axes_set.size == axes.ndim (2 vs. 3)"),
        (another_class_of_the_same_name, "-File lib/src/ops/transpose.c"),
        (traceback("in transpose_infer_shape", "in transpose_infer_type"), "+File lib/src/ops/transpose.c"),
        (traceback("File lib/src/invoke.c", "File lib/src/op.h"), "+File lib/src/invoke.c"),
        (traceback("MXERR_CHECK_EQ(axes_set.size", "MXERR_CHECK_EQ(size"), "+---> "),
        (traceback("lib/src/invoke.c:", "lib/src/invoke.c:1"), "+File lib/src/invoke.c"),
        (traceback("File lib/src", "File /home/me/lib/src"), "names a folder of a machine"),
        (update(execution_count=None, outputs=[]), "not run from the top: expected count 1, got None"),
        (update(execution_count=7), "not run from the top: expected count 1, got 7"),
        (update(metadata={"tags": ["raises-exception"], "execution": {}}), "of a machine: execution"),
        (foreign_kernel, "conda-env-work-py"),
        (version_of_python, "3.11.7"),
    ],
)
def test_a_doctored_copy_has_a_fault(change, fault, unchanged, tmp_path):
    assert fault in "\n".join(faults_of_copy(change, unchanged, tmp_path))


def test_a_cell_that_ends_its_kernel_is_reported_at_once():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os\nos.abort()")])
    begin = time.monotonic()
    with pytest.raises(DeadKernelError):
        check.run(notebook)
    assert time.monotonic() - begin < 100  # and not after the timeout of a cell, 300


# ---- the program ----


def program(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["check.py", *map(str, arguments)])
    return check.main()


def test_the_program_says_what_is_wrong_and_rewriting_mends_it(unchanged, tmp_path, monkeypatch, capsys):
    copied = tmp_path / WALK.name
    notebook = beginning(WALK)
    notebook.metadata.kernelspec.name = "other"
    notebook.cells[2].update(execution_count=3, outputs=[])
    nbformat.write(notebook, copied)
    assert program(monkeypatch, copied) == 1
    assert capsys.readouterr().out.startswith(f"{copied}:\n  metadata: expected")
    assert program(monkeypatch, "--rewrite", copied) == 0
    assert capsys.readouterr().out == f"{copied}:\n  as committed\n"
    assert not list(check.faults(check.read(copied), unchanged[1]))


def test_a_notebook_whose_extra_is_missing_is_not_run(tmp_path, monkeypatch, capsys):
    copied = tmp_path / WALK.name
    copied.write_text("no notebook")
    monkeypatch.setitem(check.EXTRAS, WALK.name, "nowhere_to_be_found")
    assert program(monkeypatch, "--rewrite", copied) == 0
    assert capsys.readouterr().out == f"{copied}:\n  not run: it needs the extra mxerr[nowhere_to_be_found]\n"
    assert copied.read_text() == "no notebook"


def test_a_notebook_with_a_fault_is_not_rewritten(tmp_path, monkeypatch, capsys):
    copied = tmp_path / WALK.name
    notebook = beginning(WALK)
    notebook.cells[2].metadata = {}
    nbformat.write(notebook, copied)
    before = copied.read_bytes()
    assert program(monkeypatch, "--rewrite", copied) == 1
    assert "raises when run, and is not tagged raises-exception" in capsys.readouterr().out
    assert copied.read_bytes() == before
