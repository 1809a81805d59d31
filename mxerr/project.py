"""Writes a new project, a small C library with its Python package, from the files in ``mxerr/template``.

The header of the kit is copied into it. So meson-python is all that its build needs, in build isolation too,
where an `mxerr` that no package index has could not be found. And the C stays together with the header that
it was written for.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from mxerr import compiler

_ENDING: Final = ".in"  # else tools would take templates for what is made of them
_NAME: Final = re.compile("[A-Za-z](?:[A-Za-z0-9_]{0,62}[A-Za-z0-9])?")  # as Python, C and packages allow it
_USED: Final = frozenset(
    {"tests", "pytest", "nbval", "ipykernel", "mxerr"}
)  # also where they are not installed


def create(folder: Path) -> list[str]:
    """Write a project that is complete: it builds, and passes its tests.

    Parameters
    ----------
    folder : pathlib.Path
        The folder to be made. Its name is the name of the package, and what C functions begin with.

    Returns
    -------
    list of str
        The files, as their paths in the folder.

    Raises
    ------
    ValueError
        If a package cannot have the name.
    OSError
        If the folder exists, or cannot be made; then nothing is left behind.
    ImportError
        If only the source tree of mxerr is there, and nothing was installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = create(Path(folder) / "bank")
    >>> files[-2:]
    ['src/bank/mxerr.h', 'tests/test_bank.py']
    """
    folder = folder.absolute()
    _check_name(folder.name)
    texts = dict(sorted(_texts(folder.name)))
    if folder.exists() or folder.is_symlink():
        raise FileExistsError(f"{folder} is there already")
    if not folder.parent.is_dir():
        raise NotADirectoryError(f"{folder.parent} is no folder")
    # all or nothing: it gets its name when it is complete
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as work:
        for name, text in texts.items():
            file = Path(work, folder.name, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="\n")
        Path(work, folder.name).rename(folder)
    return list(texts)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        rule = "up to 64 letters a-z, digits and _, a letter first, no _ last"
        raise ValueError(f"name: expected {rule}, got {name!r}")
    if keyword.iskeyword(name):
        raise ValueError(f"name: {name!r} is a keyword of Python")
    if name in sys.stdlib_module_names:
        raise ValueError(f"name: {name!r} is a module of Python's standard library")
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.origin is not None:  # a mere folder has no origin
        raise ValueError(f"name: {name!r} is a module that is there already: {spec.origin}")
    if name in _USED:
        raise ValueError(f"name: {name!r} is what the tests of the project are run with, or their folder")


def _texts(name: str) -> Iterator[tuple[str, str]]:
    words = {"mylib": name, "MXERR_VERSION": metadata.version("mxerr")}

    def fill(text: str) -> str:
        return re.sub("|".join(words), lambda word: words[word[0]], text)

    for path, file in _files(resources.files("mxerr") / "template"):
        yield fill(path.removesuffix(_ENDING)), fill(file.read_text("utf-8"))
    header = Path(compiler.get_include(), "mxerr", "mxerr.h")
    yield f"src/{name}/mxerr.h", header.read_text("utf-8")


def _files(folder: Traversable, path: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{path}{entry.name}/")
        else:
            yield f"{path}{entry.name}", entry
