"""From a report to a traceback: C frames as real frames of Python.

A C frame is the frame of a generator that never starts: its code carries the C file, function and line,
its locals are the C values, and it has no caller, so it keeps nothing of the failing program alive.
How C source lines reach tracebacks is the business of `mxerr.source`.
"""

from __future__ import annotations

import builtins
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from functools import cache, lru_cache
from types import FunctionType, TracebackType
from typing import Any, Final, NamedTuple

from mxerr import source
from mxerr.report import NativeFrame, NativeReport

VARIABLE: Final = "MXERR_FRAMES"
"""The environment variable with the number of C frames that a traceback has at most, or ``all``."""

MOST: Final = 64
"""The number where the variable says nothing: as many as a record of ``mxerr.h`` has room for."""

PYTHON: Final = "queued"
"""The value of a frame that is none of C, but the line of Python that queued the operator of that name."""

# TracebackType takes lines as C ints.
_MAX_LINE = 2**31 - 1
_GLOBALS = {"__name__": "<C>", "__builtins__": builtins}
# Locals that tell IPython, pytest and rich to leave a frame, or what led to it, out.
_ORDERS = {"__tracebackhide__", "__debuggerskip__", "_rich_traceback_omit", "_rich_traceback_guard"}


class NativeValue(str):
    """A C value, as C printed it; shown without quotes.

    Examples
    --------
    >>> NativeValue("[0,0,1]")
    [0,0,1]
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self) if self.isprintable() else super().__repr__()


class _Struct:
    """A C struct in what a debugger evaluates: ``axes.ndim`` is the local variable of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, member: str) -> Any:
        name = f"{object.__getattribute__(self, '_name')}.{member}"
        # this frame's caller is the expression, which the debugger gave the locals of the C frame
        variables = sys._getframe(1).f_locals
        if name in variables:
            return variables[name]
        if any(variable.startswith(f"{name}.") for variable in variables):
            return _Struct(name)
        raise AttributeError(f"{name}: C gave no such value")


class _Place(NamedTuple):
    """A C line, ready to become a frame: a generator function, and the line as Python can take it."""

    function: Callable[..., Generator[None, None, None]]
    line: int


_Ready = tuple[Callable[..., Generator[None, None, None]], list[NativeValue], int]
"""A C frame, ready to become one of Python: its function, its arguments, and the line."""


def traceback_of(report: NativeReport, inner: TracebackType | None = None) -> TracebackType | None:
    """Make the traceback of a report's C frames.

    Parameters
    ----------
    report : NativeReport
        The report; its last frame becomes the last entry.

    Returns
    -------
    types.TracebackType or None
        The outermost entry; None where the report has no frames.

    Examples
    --------
    >>> frame = NativeFrame("infer_shape", "/no/such/op.c", 7, (("ndim", "3"),))
    >>> tb = traceback_of(NativeReport("bad", "bad", frames=(frame,)))
    >>> tb.tb_frame.f_code.co_name, tb.tb_lineno, tb.tb_frame.f_locals["ndim"]
    ('infer_shape', 7, 3)
    """
    entry = inner
    condition = report.check.condition if report.check else ""
    for generate, values, line in _ready(report.frames, report.frames_omitted, report.source_root, condition):
        generator: Any = generate(*values)
        # every instruction stands for the line
        entry = TracebackType(entry, generator.gi_frame, 0, line)
    return entry


# Errors repeat, and their traceback is made of the same frames.
@lru_cache(maxsize=256)
def _ready(frames: tuple[NativeFrame, ...], omitted: int, root: str, condition: str) -> tuple[_Ready, ...]:
    """Make all of the frames that can be shared; the innermost comes first."""
    ready = []
    for frame in reversed(_with_gap(frames, omitted)):
        function, file, line, values = frame[:4]
        in_binary = bool(frame.library) and not file
        if in_binary:
            from mxerr import binary  # there already: it has made such a frame

            file, line = binary.place(frame)
        names = tuple([name for name, _ in values])
        generate, line = _place(file, root, function, line, names, condition, in_binary)
        ready.append((generate, [NativeValue(text) for _, text in values], line))
        condition = ""  # it belongs to the innermost frame alone
    return tuple(ready)


def _with_gap(frames: tuple[NativeFrame, ...], omitted: int) -> tuple[NativeFrame, ...]:
    """Put one frame in the place of those from the middle: that C dropped, and that are more than wanted."""
    kept = min(len(frames), _most())
    cut = len(frames) - kept
    if not omitted and not cut:
        return frames
    switch = f"; {VARIABLE}=all shows {cut} of them" if cut else ""
    gap = NativeFrame(f"[{omitted + cut} C frames omitted{switch}]")
    return (*frames[: kept // 2], gap, *frames[kept // 2 + cut :])


@cache
def _most() -> int:
    """Read how many C frames a traceback has at most."""
    text = os.environ.get(VARIABLE, "").strip()
    if text == "all":
        return sys.maxsize
    if text.isdecimal():
        return int(text)
    if text:
        warnings.warn(
            f"{VARIABLE}: expected a number or 'all', got {text!r}; a traceback has up to {MOST} C frames",
            stacklevel=2,
        )
    return MOST


@lru_cache(maxsize=1024)
def _place(
    file: str, root: str, function: str, line: int, names: tuple[str, ...], condition: str, in_binary: bool
) -> _Place:
    """Make the code of a C line; its first line is that of the C function, where the source tells."""
    if not 0 < line <= _MAX_LINE:
        line = 0
    if PYTHON in names or in_binary:  # the lines are not for `source` to find
        filename, lines = file if file.isprintable() else repr(file)[1:-1], source.SourceLines()
    else:
        filename, lines = source.find(file, root, line)
    first_line = source.function_line(lines, function, line)
    columns = source.check_columns(lines, line, condition)
    code = _TEMPLATE.replace(
        co_filename=filename,
        co_name=_shown(function),
        co_qualname=_shown(function),
        co_varnames=_local_names(names),
        co_argcount=len(names),
        co_nlocals=len(names),
        co_firstlineno=first_line,
        co_linetable=_line_table(line - first_line, columns),
    )
    return _Place(FunctionType(code, _globals(names)), line)


def _globals(names: Iterable[str]) -> dict[str, Any]:
    """Make the globals of a frame: nothing but what lets a debugger's ``p axes.ndim`` find that local."""
    structs = {name.partition(".")[0] for name in names if "." in name}
    # tools look for names of their own, which begin with underscores
    return {name: _Struct(name) for name in structs if not name.startswith("_")} | _GLOBALS


def _shown(name: str) -> str:
    """Spell a name in one line of printable characters, at least one."""
    return (name if name.isprintable() else repr(name)[1:-1]) or "?"


def _local_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names that every tool shows, each as a local of its own."""
    seen: Counter[str] = Counter()
    unique = []
    for name in map(_shown, names):
        seen[name] += 1
        # pytest leaves out what begins with @
        order = name in _ORDERS or name.startswith("@")
        unique.append(f"C {name}" if order else name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(unique)


def _template() -> Generator[None]:
    yield


_TEMPLATE = _template.__code__


def _line_table(delta: int, columns: tuple[int, int] | None) -> bytes:
    """Encode one position for all instructions: so many lines below the first, with columns or without.

    The compiler would give the first instructions the function's first line, and a frame that has not
    started would stand there. The encoding is that of Objects/locations.md in CPython's source: entries
    of up to eight code units, without columns (13) or with them (14).
    """
    code_units = len(_TEMPLATE.co_code) // 2
    kind, spans = 13, b""
    if columns is not None:
        kind, spans = 14, b"\0" + _varint(columns[0] + 1) + _varint(columns[1] + 1)
    table = b""
    for start in range(0, code_units, 8):
        units = min(8, code_units - start)
        table += bytes([0x80 | kind << 3 | units - 1]) + _varint(0 if start else delta << 1) + spans
    return table


def _varint(number: int) -> bytes:
    """Encode six bits a byte, the lowest first; bit 6 says that more follow."""
    digits = []
    while number > 63:
        digits.append(number & 63 | 64)
        number >>= 6
    return bytes([*digits, number])
