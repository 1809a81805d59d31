"""From a report to a traceback: C frames as real frames of Python.

A C frame is the frame of a generator that never starts: its code carries the C file, function and line,
its locals are the C values, and it has no caller, so it keeps nothing of the failing program alive.
How C source lines reach tracebacks is the business of `mxerr.source`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Generator
from functools import lru_cache
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

from mxerr import source
from mxerr.report import Check, NativeFrame, NativeReport

# The compiler and TracebackType take lines as C ints.
_MAX_LINE = 2**31 - 1
_GLOBALS = {"__name__": "<C>", "__builtins__": builtins}


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


class _Place(NamedTuple):
    """A C line, ready to become a frame: its code, and the instruction that stands for the line."""

    code: CodeType
    instruction: int
    line: int


def traceback_of(report: NativeReport) -> TracebackType | None:
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
    >>> frame = NativeFrame("infer_shape", "no/such/op.c", 7, (("ndim", "3"),))
    >>> tb = traceback_of(NativeReport("bad", "bad", frames=(frame,)))
    >>> tb.tb_frame.f_code.co_name, tb.tb_lineno, tb.tb_frame.f_locals
    ('infer_shape', 7, {'ndim': 3})
    """
    entry: TracebackType | None = None
    check = report.check  # it belongs to the innermost frame alone
    for frame in reversed(_with_gap(report)):
        place = _place(
            source.locate(frame.file, report.source_root),
            frame.function or "?",
            frame.line if 0 < frame.line <= _MAX_LINE else 0,
            tuple([name for name, _ in frame.values]),
            check,
        )
        entry = TracebackType(entry, _frame(place.code, frame.values), place.instruction, place.line)
        check = None
    return entry


def _with_gap(report: NativeReport) -> tuple[NativeFrame, ...]:
    """Put one frame in the place of those that C dropped from the middle."""
    if not report.frames_omitted:
        return report.frames
    middle = len(report.frames) // 2
    gap = NativeFrame(f"[{report.frames_omitted} C frames omitted]")
    return (*report.frames[:middle], gap, *report.frames[middle:])


def _frame(code: CodeType, values: tuple[tuple[str, str], ...]) -> FrameType:
    generator: Generator[None, None, None] = FunctionType(code, _GLOBALS)(*[NativeValue(v) for _, v in values])
    frame: FrameType = generator.gi_frame
    return frame


@lru_cache(maxsize=1024)
def _place(
    filename: str, function: str, line: int, names: tuple[str, ...], check: Check | None
) -> _Place:
    """Compile the code of a C line; its first line is that of the C function, where the source tells."""
    lines = source.load(filename)
    first_line = source.function_line(lines, function, line)
    columns = source.check_columns(lines, line, check)
    code = _compile(filename, first_line, line, len(names), columns).replace(
        co_name=function, co_qualname=function, co_varnames=names
    )
    positions = [position[0] for position in code.co_positions()]
    instruction = 2 * positions.index(line) if line in positions else 0
    return _Place(code, instruction, line)


def _compile(
    filename: str, first_line: int, line: int, arguments: int, columns: tuple[int, int] | None
) -> CodeType:
    """Compile ``def f(v0, v1, ...): yield`` with every position where the C source has it."""
    names = [ast.arg(f"v{i}") for i in range(arguments)]
    body = ast.Expr(ast.Yield())
    extra: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeAlias") else {}
    function = ast.FunctionDef(
        "f", ast.arguments([], names, None, [], [], None, []), [body], [], None, None, **extra
    )
    # Columns of -1 tell the compiler that there are none: no caret is better than a wrong one.
    for node in ast.walk(function):
        _set_position(node, first_line, (-1, -1))
    for node in ast.walk(body):
        _set_position(node, line, columns or (-1, -1))
    module = compile(ast.Module([function], []), filename, "exec")
    code: CodeType = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return code


def _set_position(node: ast.AST, line: int, columns: tuple[int, int]) -> None:
    position: Any = node
    position.lineno = position.end_lineno = line
    position.col_offset, position.end_col_offset = columns
