"""C source lines for Python's tracebacks: where a file lies, what it says, and how `linecache` serves it.

Everything that shows a traceback asks `linecache` for lines, so that is where C files are put. Three things
need care. A name must never lead a tool to text that is not the C line, such as a file of the same name in
the working folder. Tools take the lines for Python: IPython tokenises them, pytest and stack_data parse
them, and what C holds in a comment can make that fail in ways that nobody catches; see `SourceLines`. And
`linecache.clearcache` must not bring those ways back; see `find`.
"""

from __future__ import annotations

import linecache
import re
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

MAX_BYTES: Final = 10 * 2**20
"""Larger files are not read: IPython would take seconds to show a line of one."""

MAX_WIDTH: Final = 1000
"""Longer lines are cut."""

_MAX_FILES = 1024
_files: dict[str, SourceLines] = {}
_lazy: dict[str, Callable[[], list[str]]] = {}

# What a C file may hold and a terminal, or `str.splitlines`, would act on: control characters, ends of line
# that are none in C, marks that change the direction of writing.
_UNPRINTABLE = re.compile("[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
_NAME = re.compile(r"(?<!\w)(\w+)(?:<.*>)?$")
_RELATION = re.compile(r" (==|!=|<=|>=|<|>) ")
# From 3.13 on `inspect` looks for a function's source where its code says that it begins.
_STARTS_AT_FUNCTION = sys.version_info >= (3, 13)


class _Block(list[str]):
    """Lines of C for `inspect.getblock`: to its tokeniser they are none, sliced they are all there."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __getitem__(self, key: Any, /) -> Any:
        return list(super().__iter__()) if isinstance(key, slice) else super().__getitem__(key)


class SourceLines(list[str]):
    r"""The lines of a C file: a list that keeps Python from reading C.

    - ``lines[start:]`` is what `inspect.getblock` tokenises, to cut it behind the function that begins
      there. It gets that function (before Python 3.13, where it does not look at the function's first
      line, all that follows), and nothing to tokenise.
    - Who iterates over all lines, as pytest and stack_data do, has Python parse them, prepared for no more
      than a SyntaxError. A byte order mark in front, which nobody sees, gives them one before anything
      else in the file is looked at.

    Examples
    --------
    >>> import ast
    >>> lines = SourceLines(["check(a, b);\n"])
    >>> lines[0]
    'check(a, b);\n'
    >>> ast.parse("".join(tuple(lines)))
    Traceback (most recent call last):
        ...
    SyntaxError: invalid non-printable character U+FEFF
    """

    def __iter__(self) -> Iterator[str]:
        lines = super().__iter__()
        return chain(("\ufeff" + line for line in islice(lines, 1)), lines)

    def __getitem__(self, key: Any, /) -> Any:
        lines = super().__getitem__(key)
        if isinstance(key, slice) and key.stop is None and key.step is None:
            return _Block(_function(lines) if _STARTS_AT_FUNCTION else lines)
        return lines


def _function(lines: Sequence[str]) -> Sequence[str]:
    """Cut behind the first closing brace in column 0, the end of a C function in every common style."""
    end = next((i for i, line in enumerate(lines, 1) if line.startswith("}")), len(lines))
    return lines[:end]


def find(file: str, root: str, line: int) -> tuple[str, SourceLines]:
    """Find the file of a C line, and have `linecache` serve its lines under the name that is shown for it.

    They stay what they were when first asked for, through changes of the file and through
    ``linecache.clearcache()``: `linecache.updatecache` is wrapped to put them back.

    Parameters
    ----------
    file : str
        The name that C gave.
    root : str
        The folder below which relative names lie; empty for none. The working folder is never tried.
    line : int
        The line, counted from 1.

    Returns
    -------
    name : str
        The path of the file. Angle brackets, Python's sign for code without a file, are around it where a
        tool that followed it would not come upon the C line.
    lines : SourceLines
        The lines with their ends; empty where there is no such line.

    Examples
    --------
    >>> find("src/op.c", "/no/such/folder", 7)
    ('<src/op.c>', [])
    """
    if not file:
        return "<native>", SourceLines()
    path = str(Path(root).absolute() / file) if root else file
    name = path if _can_be_followed(path) else _bracketed(path)
    lines = _load(path)
    if lines and 0 < line <= len(lines):
        _keep(name, lines)
        return name, lines
    leads_nowhere = lines is None and Path(file).is_absolute()
    return name if leads_nowhere else _bracketed(name if lines else file), SourceLines()


def serve_lazily(name: str, make: Callable[[], list[str]]) -> None:
    """Have `linecache` serve lines that are made when it is asked for them; `name` is in angle brackets."""
    if name not in _files and len(_lazy) < _MAX_FILES:
        _lazy[name] = make
    _survive_clearcache()


def _can_be_followed(path: str) -> bool:
    """Whether tools can do no harm with a path; those of Python files they take for Python."""
    return Path(path).is_absolute() and path.isprintable() and not path.endswith((".py", ".pyc"))


def _bracketed(name: str) -> str:
    return f"<{name if name.isprintable() else repr(name)[1:-1]}>"


def _keep(name: str, lines: SourceLines) -> None:
    """Give lines to `linecache`, to be served until many other files have followed."""
    modules = getattr(sys.modules.get("inspect"), "modulesbyfile", {})
    for old in list(_files)[: max(0, len(_files) - _MAX_FILES)]:
        for table in (_files, linecache.cache, modules):
            table.pop(old, None)
    _files[name] = lines
    # An entry without a time of change is never checked against the disk.
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    # IPython and pytest ask `inspect` for the module of each frame, more than once. It would look through
    # all modules each time, milliseconds where there are thousands, to find that none has this file.
    modules[name] = "<C>"
    _survive_clearcache()


@cache
def _survive_clearcache() -> None:
    read_python = linecache.updatecache

    def updatecache(filename: str, module_globals: dict[str, Any] | None = None) -> list[str]:
        lines = _files.get(filename)
        lines = SourceLines(make()) if (make := _lazy.pop(filename, None)) else lines
        if lines is None:
            return read_python(filename, module_globals)
        _keep(filename, lines)
        return lines

    linecache.updatecache = updatecache


@lru_cache(maxsize=_MAX_FILES)
def _load(path: str) -> SourceLines | None:
    """Read a regular file, and nothing else: opening a pipe would wait for a writer. None for no file."""
    if not Path(path).is_absolute():
        return None
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        return SourceLines()
    try:
        with Path(path).open("rb") as file:
            # no more than it says, for files of /proc say 0 and have no end
            return SourceLines(_lines(file.read(status.st_size)))
    except OSError:
        return SourceLines()


def _lines(source: bytes) -> list[str]:
    """Split as C compilers do: LF, CR LF and CR end a line, and nothing else that does for Python."""
    text = source.decode("utf-8-sig", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    lines = _UNPRINTABLE.sub(_escape, text).split("\n")
    if not lines[-1]:
        lines.pop()
    # stack_data mistakes white space alone for an indentation, and cuts it from all other lines
    shown = ["" if line.isspace() else line for line in lines]
    return [f"{line if len(line) <= MAX_WIDTH else line[:MAX_WIDTH] + ' ...'}\n" for line in shown]


def _escape(found: re.Match[str]) -> str:
    return " " if found[0] in "\v\f" else ascii(found[0])[1:-1]


def function_line(lines: Sequence[str], function: str, line: int) -> int:
    r"""Find the line where a C function begins.

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
        parenthesis; `line` itself where none comes before the end of another function.

    Examples
    --------
    >>> function_line(["int f(int x)\n", "{\n", "  fail();\n"], "f", 3)
    1
    """
    name = _NAME.search(function.partition("(")[0][-MAX_WIDTH:])
    if name is None or not 0 < line <= len(lines):
        return line
    head = re.compile(rf"(?:[A-Za-z_].*)?\b{name[1]}\s*\((?!.*;\s*$)")
    for number in range(line, 0, -1):
        if head.match(lines[number - 1]):
            return number
        if number < line and lines[number - 1].startswith("}"):
            break
    return line


def check_columns(lines: Sequence[str], line: int, condition: str) -> tuple[int, int] | None:
    r"""Find where a C line spells the operands of a check.

    Parameters
    ----------
    lines : sequence of str
        The file.
    line : int
        The line of the check, counted from 1.
    condition : str
        The source text of the check's condition; empty for none.

    Returns
    -------
    tuple of (int, int) or None
        First and last column, for a caret under each; None where the condition does not stand in the line
        exactly once, or where carets would not stand below it.

    Examples
    --------
    >>> check_columns(["  MXERR_CHECK_EQ(a, b, text);\n"], 1, "a == b")
    (17, 21)
    """
    found = find_condition(lines[line - 1], condition) if 0 < line <= len(lines) else None
    if found is None:
        return None
    before = lines[line - 1][: found[1]].lstrip()
    return found if before.isascii() and "\t" not in before else None


def find_condition(text: str, condition: str) -> tuple[int, int] | None:
    """Find where a line spells the operands of a check.

    Parameters
    ----------
    text : str
        The line.
    condition : str
        As for `check_columns`.

    Returns
    -------
    tuple of (int, int) or None
        Where they begin and end in `text`; None where they do not stand there exactly once.

    Examples
    --------
    >>> find_condition("CHECK(a == b);", "a == b")
    (6, 12)
    """
    if not 0 < len(condition) <= MAX_WIDTH:
        return None
    operands = [re.escape(operand) for operand in _RELATION.split(condition)[::2]]
    pattern = r"(?<!\w)" + r"\s*(?:,|==|!=|[<>]=?)\s*".join(operands) + r"(?!\w)"
    found = list(re.finditer(pattern, text))
    return found[0].span() if len(found) == 1 else None
