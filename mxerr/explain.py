"""One native error, explained: its way from Python to C, the check, the values, the kind; text and HTML.

The HTML needs no script, fetches nothing, and takes its colours from the page, so it is read in light and in
dark, by eye, by keyboard and by a screen reader; it says no more than the text.
"""

from __future__ import annotations

import html
import linecache
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import NamedTuple

from mxerr.excerpt import CFrame, is_native, of_report, printable
from mxerr.registry import GLOBAL
from mxerr.render import place, shorten, spell
from mxerr.report import NativeReport

_BOX = "border: 1px solid; border-radius: 4px; padding: 0.3em 0.6em; margin: 0.2em 0"
_RULE = "border-top: 2px dashed; margin: 0.6em 0 0.3em; padding-top: 0.2em; font-weight: bold"
_WAY = "list-style: none; padding: 0"
_CODE = "font-family: monospace; white-space: pre-wrap; color: inherit; background: transparent; padding: 0"


class Step(NamedTuple):
    """A step of the way: a function, where it is, and its line; a crossing has no place.

    Attributes
    ----------
    title : str
        The function, or what happens.
    place : str
        File and line; empty at the crossing from Python into C.
    code : str
        The line.
    """

    title: str
    place: str = ""
    code: str = ""


class Explanation:
    """What is known of a native error.

    Parameters
    ----------
    error : BaseException
        The error; it carries a report as ``native``.
    report : NativeReport
        That report.
    name : callable
        Names the file and line of a frame.

    Examples
    --------
    >>> from mxerr import np
    >>> try:
    ...     np.array([[1, 2]]).transpose((0, 0))
    ... except ValueError as error:
    ...     print(str(Explanation(error, error.native)).splitlines()[0])
    mxerr.error.ValueError: Repeated axis in transpose. param.axes = [0,0]
    """

    def __init__(
        self, error: BaseException, report: NativeReport, name: Callable[[CFrame], str] = place
    ) -> None:
        self._error = error
        self._name = name
        self._report = report

    def __repr__(self) -> str:
        return "\n".join([self._title(), *self._text()])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """Give the explanation as a fragment of HTML."""
        way = "".join(map(_html_step, self.way()))
        sections = "".join(_html_section(title, rows) for title, rows in self.sections())
        title = _escape(self._title())
        return (
            f'<section aria-label="Explanation of {title}"><p><strong>{title}</strong></p>'
            f'<p>The way of the error</p><ol aria-label="The way of the error" style="{_WAY}">{way}</ol>'
            f"{sections}</section>"
        )

    def way(self) -> list[Step]:
        """Get the way from the outermost Python function to the C line that failed."""
        crossing = f"Python calls C: {self._report.function or 'a function'} returned {self._report.status}"
        native = [Step(printable(f.function), self._name(f), _line(f)) for f in of_report(self._report)]
        return [*self._python_steps(), Step(crossing), *native]

    def sections(self) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
        """Get the facts: a title, and rows of a name and what it is."""
        report = self._report
        if report.check:
            yield "The check that failed", [("condition", spell(report.check))]
        values = [
            (f"{name}, in {frame.function}", shorten(text))
            for frame in report.frames
            for name, text in frame.values
        ]
        if values:
            yield "The C values", values
        yield "The kind", list(self._kind())
        raw = (
            shorten(report.raw.decode("utf-8", "backslashreplace")) or "none: C left a record, field by field"
        )
        more = [(name, shorten(repr(data))) for name, data in report.attributes]
        code = [("code", str(report.code))] if report.code is not None else []
        yield "What C left", [("text", shorten(report.text)), ("raw text", raw), *code, *more]

    def _title(self) -> str:
        cls = type(self._error)
        return shorten(f"{cls.__module__}.{cls.__qualname__}: {self._report.message}")

    def _kind(self) -> Iterator[tuple[str, str]]:
        kind = self._report.kind
        cls = type(self._error)
        yield "stated by C", kind or "none"
        registered = GLOBAL.lookup(kind)
        if registered is cls:
            yield "registered as", f"{cls.__module__}.{cls.__qualname__}"
        elif kind:
            yield "registered as", "nothing for every library; see mxerr.error.register"
        yield "caught by", ", ".join(base.__qualname__ for base in cls.__mro__ if issubclass(base, Exception))

    def _python_steps(self) -> Iterator[Step]:
        entry: TracebackType | None = self._error.__traceback__
        while entry is not None:
            code = entry.tb_frame.f_code
            hidden = is_native(entry.tb_frame) or entry.tb_frame.f_locals.get("__tracebackhide__", False)
            if not hidden and not _of_shell(entry):
                frame = CFrame(code.co_name, code.co_filename, entry.tb_lineno or 0, _python_lines(entry))
                yield Step(printable(frame.function), self._name(frame), _line(frame))
            entry = entry.tb_next

    def _text(self) -> Iterator[str]:
        yield "\nThe way of the error:"
        for step in self.way():
            yield f"  {step.title}, {step.place}" if step.place else f"  ---- {step.title} ----"
            if step.code:
                yield f"      {step.code}"
        for title, rows in self.sections():
            yield f"\n{title}:"
            yield from (f"  {name}: {text}" for name, text in rows)


def _of_shell(entry: TracebackType) -> bool:
    return str(entry.tb_frame.f_globals.get("__name__")).startswith("IPython.")


def _python_lines(entry: TracebackType) -> list[str]:
    return linecache.getlines(entry.tb_frame.f_code.co_filename, entry.tb_frame.f_globals)


def _line(frame: CFrame) -> str:
    return shorten(frame.lines[frame.line - 1].strip()) if 0 < frame.line <= len(frame.lines) else ""


def _html_step(step: Step) -> str:
    if not step.place:
        return f'<li style="{_RULE}">{_escape(step.title)}</li>'
    code = f'<br><code style="{_CODE}">{_escape(step.code)}</code>' if step.code else ""
    title = f"<strong>{_escape(step.title)}</strong>, {_escape(step.place)}"
    return f'<li><div style="{_BOX}">{title}{code}</div></li>'


def _html_section(title: str, rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th scope="row" style="text-align: left">{_escape(name)}</th>'
        f'<td style="text-align: left"><code style="{_CODE}">{_escape(text)}</code></td></tr>'
        for name, text in rows
    )
    return f'<table><caption style="text-align: left">{_escape(title)}</caption>{cells}</table>'


def _escape(text: str) -> str:
    return html.escape(printable(text))
