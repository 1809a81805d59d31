"""C source lines for Python's tracebacks: where a file lies, what it says, and how `linecache` serves it.

Everything that shows a traceback asks `linecache` for lines, so that is where C files are put. Two things
need care. A relative name must never find a file of that name in the working folder. And
`inspect.getsourcelines`, which plain IPython calls for every frame, tokenises what it gets as Python; C is
not, and one apostrophe in a comment would end in a dump of IPython's own failure. See `SourceLines`.
"""

from __future__ import annotations

import linecache
import re
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, overload

from mxerr.report import Check

MAX_BYTES: Final = 32 * 2**20
"""Larger files are not read."""

_MAX_SEEDED = 4096
_seeded: dict[str, SourceLines] = {}
_IDENTIFIER = re.compile(r"\w+$")
_RELATION = re.compile(r" (==|!=|<=|>=|<|>) ")


class _Block(list[str]):
    """The lines of a C function; to a tokeniser it is empty, sliced it is whole."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    @overload
    def __getitem__(self, key: Any, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[str]: ...
    def __getitem__(self, key: Any, /) -> Any:
        return list(super().__iter__()) if isinstance(key, slice) else super().__getitem__(key)


class SourceLines(list[str]):
    """The lines of a C file.

    An ordinary list, but for one slice: ``lines[start:]`` is what `inspect.getblock` tokenises, and cuts to
    the function that begins at ``start``. It gets that function, and nothing to tokenise.
    """

    @overload
    def __getitem__(self, key: Any, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[str]: ...
    def __getitem__(self, key: Any, /) -> Any:
        lines = super().__getitem__(key)
        if isinstance(key, slice) and key.stop is None and key.step is None:
            return _Block(_function(lines))
        return lines


def _function(lines: Sequence[str]) -> Sequence[str]:
    """Cut behind the first closing brace in column 0, the end of a C function in every common style."""
    end = next((i for i, line in enumerate(lines, 1) if line.startswith("}")), len(lines))
    return lines[:end]


@lru_cache(maxsize=1024)
def locate(file: str, root: str) -> str:
    """Say under which name a C file is shown.

    Parameters
    ----------
    file : str
        The name that C gave.
    root : str
        The folder below which relative names lie; empty for none. The working folder is never tried.

    Returns
    -------
    str
        The path below `root` where there is such a file, else `file` itself, and ``<native>`` for no name.

    Examples
    --------
    >>> locate("src/op.c", "/no/such/folder")
    'src/op.c'
    """
    if not file:
        return "<native>"
    file = file.replace("\0", "\\x00")
    path = Path(root, file)
    return str(path) if root and _is_file(path) else file


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def load(filename: str) -> SourceLines:
    """Read a C file and give its lines to `linecache`; there they stay what they were at the first error.

    Parameters
    ----------
    filename : str
        A name from `locate`. A relative one is known to lie nowhere.

    Returns
    -------
    SourceLines
        The lines with their ends; empty where there is no such file, or no text.

    Examples
    --------
    >>> load("no/such/file.c")
    []
    """
    lines = _seeded.get(filename)
    if lines is None:
        if len(_seeded) >= _MAX_SEEDED:
            _forget()
        lines = _seeded[filename] = SourceLines(_read(filename))
    # An entry without a time of change is never checked against the disk, nor looked for on sys.path.
    linecache.cache[filename] = (sum(map(len, lines)), None, lines, filename)
    return lines


def _forget() -> None:
    for filename in _seeded:
        linecache.cache.pop(filename, None)
    _seeded.clear()


def _read(filename: str) -> list[str]:
    path = Path(filename)
    if not path.is_absolute() or not _is_file(path):
        return []
    try:
        if path.stat().st_size > MAX_BYTES:
            return []
        text = path.read_bytes().decode("utf-8", "backslashreplace")
    except OSError:
        return []
    # only these end a line in C; str.splitlines knows more
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\\x00").split("\n")
    return [line + "\n" for line in (lines[:-1] if lines[-1] == "" else lines)]


def function_line(lines: Sequence[str], function: str, line: int) -> int:
    """Find the line where a C function begins.

    Parameters
    ----------
    lines : sequence of str
        The file.
    function : str
        The function's name, as C or C++ prints it.
    line : int
        A line of the function, counted from 1.

    Returns
    -------
    int
        The nearest line at or above `line` that begins in column 0 and names the function before a
        parenthesis; `line` itself where there is none.

    Examples
    --------
    >>> function_line(["int f(int x)\\n", "{\\n", "  fail();\\n"], "f", 3)
    1
    """
    name = _IDENTIFIER.search(function)
    if name is None or not 0 < line <= len(lines):
        return line
    head = re.compile(rf"[A-Za-z_].*\b{name[0]}\s*\(|{name[0]}\s*\(")
    return next((n for n in range(line, 0, -1) if head.match(lines[n - 1])), line)


def check_columns(lines: Sequence[str], line: int, check: Check | None) -> tuple[int, int] | None:
    """Find where a C line spells the operands of a check.

    Parameters
    ----------
    lines : sequence of str
        The file.
    line : int
        The line of the check, counted from 1.
    check : Check or None
        The check.

    Returns
    -------
    tuple of (int, int) or None
        First and last column in bytes of UTF-8, as Python's compiler counts; None where the condition does
        not stand in the line exactly once.

    Examples
    --------
    >>> check_columns(["  MXERR_CHECK_EQ(a, b, text);\\n"], 1, Check("a == b", "1", "2"))
    (17, 21)
    """
    if check is None or not 0 < line <= len(lines):
        return None
    text = lines[line - 1]
    operands = [re.escape(operand) for operand in _RELATION.split(check.condition)[::2]]
    found = list(re.finditer(r"(?<!\w)" + r"\s*(?:,|==|!=|[<>]=?)\s*".join(operands) + r"(?!\w)", text))
    if len(found) != 1:
        return None
    begin, end = found[0].span()
    return len(text[:begin].encode()), len(text[:end].encode())
