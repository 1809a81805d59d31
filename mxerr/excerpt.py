"""What is printed of a C frame, as data: where it is, the lines around, what is marked in them, the values.

How that looks is the business of `mxerr.render`; which frames of a traceback are shown, of the caller.
"""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Any, Final, NamedTuple

from mxerr import source
from mxerr.report import Check, NativeFrame, NativeReport

Token = tuple[Any, str]
"""A piece of a C line: its Pygments token type, None without Pygments, and its text."""

_MAX_COLUMNS: Final = 400
_LEXED_BEFORE: Final = 200  # lines of the function above the first shown one, to know what a line is part of


class CFrame(NamedTuple):
    """A C function in a traceback, with all that is printed of it.

    Attributes
    ----------
    function, file, library : str
        As in `NativeFrame`; `file` is where the source was looked for.
    line : int
        The line, 0 where it is not known.
    lines : sequence of str
        All lines of the file; empty where it cannot be read.
    values : tuple of (str, str)
        Named C values.
    check : Check or None
        The check that failed on the line.
    """

    function: str
    file: str
    line: int
    lines: Sequence[str] = ()
    values: tuple[tuple[str, str], ...] = ()
    check: Check | None = None
    library: str = ""


def is_native(frame: FrameType) -> bool:
    """Tell a C frame, as `mxerr.frames` makes them, from one of Python.

    Examples
    --------
    >>> import sys
    >>> is_native(sys._getframe())
    False
    """
    return frame.f_globals.get("__name__") == "<C>"


def of_entry(entry: TracebackType, check: Check | None = None) -> CFrame:
    """Get what is printed of a traceback's entry.

    Parameters
    ----------
    entry : types.TracebackType
        An entry whose frame is a C frame.
    check : Check or None
        The check that failed there.

    Returns
    -------
    CFrame
        The frame.
    """
    frame = entry.tb_frame
    file = frame.f_code.co_filename
    lines = linecache.getlines(file, frame.f_globals)
    values = tuple((name, str(value)) for name, value in frame.f_locals.items())
    return CFrame(frame.f_code.co_name, file, entry.tb_lineno or 0, lines, values, check)


def of_report(report: NativeReport) -> list[CFrame]:
    """Get what is printed of a report's frames, the innermost last.

    Examples
    --------
    >>> frame = NativeFrame("infer_shape", "op.c", 7)
    >>> [(shown.function, shown.line) for shown in of_report(NativeReport("bad", "bad", frames=(frame,)))]
    [('infer_shape', 7)]
    """
    last = len(report.frames) - 1
    return [
        _of_frame(frame, report.source_root, report.check if i == last else None)
        for i, frame in enumerate(report.frames)
    ]


def _of_frame(frame: NativeFrame, root: str, check: Check | None) -> CFrame:
    file, lines = source.find(frame.file, root, frame.line)
    return CFrame(frame.function or "?", file, frame.line, lines, frame.values, check, frame.library)


class Line(NamedTuple):
    """A line of C, ready to be printed.

    Attributes
    ----------
    number : int
        Counted from 1.
    tokens : tuple of (token type, str)
        The text in pieces, without the end of the line.
    failing : bool
        Whether this is the line of the frame.
    marked : (int, int) or None
        First and last column of the condition that failed.
    """

    number: int
    tokens: tuple[Token, ...]
    failing: bool = False
    marked: tuple[int, int] | None = None


def lines_around(frame: CFrame, before: int, after: int) -> list[Line]:
    r"""Get the lines around that of a frame, indented no more than they must be.

    Parameters
    ----------
    frame : CFrame
        The frame.
    before, after : int
        How many lines to show before and after its own.

    Returns
    -------
    list of Line
        The lines; empty where the source is not there, or has no such line.

    Examples
    --------
    >>> frame = CFrame("f", "f.c", 2, ["int f(int a) {\n", "  CHECK(a > 0);\n", "}\n"], (), Check("a > 0"))
    >>> [(line.number, line.failing, line.marked) for line in lines_around(frame, 1, 0)]
    [(1, False, None), (2, True, (8, 13))]
    """
    if not 0 < frame.line <= len(frame.lines):
        return []
    first = max(1, frame.line - before)
    last = min(len(frame.lines), frame.line + after)
    begin = max(first - _LEXED_BEFORE, source.function_line(frame.lines, frame.function, first), 1)
    texts = tuple(map(_printable, frame.lines[begin - 1 : last]))
    shown = textwrap.dedent("\n".join(texts[first - begin :])).split("\n")
    tokens = _tokens(texts, frame.file.rstrip(">").endswith((".c", ".h")))[first - begin :]
    return [
        _line(frame, first + i, texts[first - begin + i], text, tokens[i]) for i, text in enumerate(shown)
    ]


def _line(frame: CFrame, number: int, whole: str, shown: str, tokens: tuple[Token, ...]) -> Line:
    tokens = _without_indent(tokens, len(whole) - len(shown)) if shown else ()
    if number != frame.line:
        return Line(number, tokens)
    condition = frame.check.condition if frame.check else ""
    return Line(number, tokens, True, source.find_condition(shown, condition))


def _printable(line: str) -> str:
    """One line that a terminal takes for nothing else, and not without end."""
    text = line.rstrip("\r\n").expandtabs(4)
    return printable(text if len(text) <= _MAX_COLUMNS else f"{text[:_MAX_COLUMNS]} ...")


def printable(text: str) -> str:
    r"""Escape what no line can show, or what a terminal would obey.

    Examples
    --------
    >>> print(printable("two\nlines, \x1b[31mred"))
    two\nlines, \x1b[31mred
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _without_indent(tokens: tuple[Token, ...], count: int) -> tuple[Token, ...]:
    kept = []
    for kind, text in tokens:
        if count < len(text):
            kept.append((kind, text[count:]))
        count = max(0, count - len(text))
    return tuple(kept)


@lru_cache(maxsize=256)
def _tokens(lines: tuple[str, ...], plain_c: bool) -> list[tuple[Token, ...]]:
    """Split lines into C tokens, a tuple for each line; one token a line without Pygments."""
    try:
        from pygments.lexers.c_cpp import CLexer, CppLexer
    except ImportError:
        return [((None, line),) for line in lines]
    result: list[list[Token]] = [[]]
    lexer = CLexer if plain_c else CppLexer
    for kind, text in lexer(stripnl=False, ensurenl=False).get_tokens("\n".join(lines)):
        first, *more = text.split("\n")
        result[-1].append((kind, first))
        result.extend([(kind, piece)] for piece in more)
    return [tuple(_joined(line)) for line in result]


def _joined(tokens: Iterable[Token]) -> Iterator[Token]:
    """Join neighbours of one type, and blanks with what is before them: each piece costs two colour codes."""
    last_kind, last_text = None, ""
    for kind, text in tokens:
        if last_text and (kind is last_kind or text.isspace()):
            last_text += text
        elif text:
            if last_text:
                yield last_kind, last_text
            last_kind, last_text = kind, text
    if last_text:
        yield last_kind, last_text
