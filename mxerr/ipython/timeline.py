"""A trace as a picture and a table, in HTML; as text it is the table alone.

The HTML needs no script, fetches nothing and takes its colours from the page, as that of `mxerr.explain`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mxerr.timeline import Event
from mxerr.trace import Trace

_MOST_EVENTS: Final = 500  # in HTML; a trace that is saved has all
_WIDTH: Final = 1000
_ROW: Final = 22
_LETTER: Final = 7.5  # the width of a letter in the picture
_MARKS: Final = {"enter": "enters", "leave": "leaves", "raise": "raises"}


class Span(NamedTuple):
    """A step from where it is entered to where it is left.

    Attributes
    ----------
    name, side : str
        As in `mxerr.timeline.Event`.
    thread : int
        Its thread, numbered from 0 in the order in which they appear.
    depth : int
        How many other steps of the thread it lies in.
    begin, end : float
        When, in microseconds since the first event.
    failed : bool
        Whether it was left by an error.
    """

    name: str
    side: str
    thread: int
    depth: int
    begin: float
    end: float
    failed: bool


def spans(events: Sequence[Event]) -> list[Span]:
    """Pair what is entered with what is left; what is never left lasts to the end.

    Examples
    --------
    >>> events = [Event(0, 7, "C", "enter", "f"), Event(3000, 7, "C", "leave", "f")]
    >>> spans(events)
    [Span(name='f', side='C', thread=0, depth=0, begin=0.0, end=3.0, failed=False)]
    """
    if not events:
        return []
    first, last = events[0].time, events[-1].time
    threads = {thread: number for number, thread in enumerate(dict.fromkeys(e.thread for e in events))}
    waiting: dict[int, list[tuple[Event, bool]]] = {thread: [] for thread in threads}
    found: list[Span] = []

    def close(open_: list[tuple[Event, bool]], end: int) -> None:
        event, failed = open_.pop()
        times = (event.time - first) / 1000, (end - first) / 1000
        found.append(Span(event.name, event.side, threads[event.thread], len(open_), *times, failed))

    for event in events:
        open_ = waiting[event.thread]
        if event.phase == "enter":
            open_.append((event, False))
        elif event.phase == "raise" and open_:
            open_[-1] = (open_[-1][0], True)
        elif event.phase == "leave" and any(other.name == event.name for other, _ in open_):
            while open_[-1][0].name != event.name:  # their end was dropped
                close(open_, event.time)
            close(open_, event.time)
    for open_ in waiting.values():
        while open_:
            close(open_, last)
    return sorted(found, key=lambda span: (span.thread, span.begin, span.depth))


class Timeline:
    """Shows a trace.

    Parameters
    ----------
    trace : Trace
        The trace.

    Examples
    --------
    >>> Timeline(Trace())
    no events
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __repr__(self) -> str:
        return str(self._trace)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """Give the trace as a fragment of HTML: a picture, and a table with the same facts."""
        events = self._trace.events[:_MOST_EVENTS]
        if not events:
            return "<p>no events</p>"
        return f"<figure>{_picture(spans(events))}</figure>{''.join(self._table(events))}"

    def _table(self, events: Sequence[Event]) -> Iterator[str]:
        left, dropped = len(self._trace.events) - len(events), self._trace.dropped
        notes = [f"{len(events)} events"]
        notes += [f"{left} more events"] if left else []
        notes += [f"{dropped} events dropped"] if dropped else []
        yield f"<details><summary>{'; '.join(notes)}</summary><table>"
        titles = "".join(f'<th scope="col">{title}</th>' for title in ("µs", "thread", "side", "what"))
        yield f"<thead><tr>{titles}</tr></thead><tbody>"
        threads = {thread: number for number, thread in enumerate(dict.fromkeys(e.thread for e in events), 1)}
        for event in events:
            time = f"{(event.time - events[0].time) / 1000:.1f}"
            what = f"{_MARKS[event.phase]} {html.escape(event.name)}"
            cells = (time, threads[event.thread], event.side, what)
            yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        yield "</tbody></table></details>"


def _picture(found: Sequence[Span]) -> str:
    """Draw each thread as rows of bars, the steps within a step below it."""
    depths = [
        max((s.depth + 1 for s in found if s.thread == n), default=0) for n in range(1 + found[-1].thread)
    ]
    tops = [sum(depths[:n]) + n for n in range(len(depths))]
    height = (sum(depths) + len(depths)) * _ROW
    scale = _WIDTH / (max(span.end for span in found) or 1)
    bars = "".join(_bar(span, (tops[span.thread] + span.depth) * _ROW, scale) for span in found)
    label = f"Timeline of {len(found)} steps, {max(span.end for span in found):.1f} microseconds"
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {height}" width="100%" '
        f'style="max-width: 70em; font: 12px monospace; fill: currentColor">{bars}</svg>'
    )


def _bar(span: Span, y: float, scale: float) -> str:
    x, width = span.begin * scale, max(1.0, (span.end - span.begin) * scale)
    facts = f"{span.name}, {span.side}, {span.end - span.begin:.1f} µs{', raises' if span.failed else ''}"
    opacity = 0.35 if span.side == "C" else 0.12
    dashes = ' stroke-dasharray="4 2" stroke-width="2"' if span.failed else ""
    text = f"{'! ' if span.failed else ''}{span.name}"
    label = ""
    if len(text) * _LETTER < width:
        label = f'<text x="{x + 4:.1f}" y="{y + _ROW - 8}">{html.escape(text)}</text>'
    place = f'x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 3}"'
    bar = f'<rect {place} fill-opacity="{opacity}" stroke="currentColor"{dashes}/>'
    return f"<g><title>{html.escape(facts)}</title>{bar}{label}</g>"
