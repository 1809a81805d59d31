"""One timeline of a call: the steps of the Python side and the stages of the C operators."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mxerr import _native, argument, timeline
from mxerr.timeline import Event, Recorder

_C_PHASES = ("enter", "leave", "raise")


class Trace:
    """The events of a `trace` block; complete when the block is left.

    Attributes
    ----------
    events : list of Event
        Both sides in the order of time.
    dropped : int
        Events for which there was no room: the oldest of a thread, or of the Python side.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.dropped = 0

    def __str__(self) -> str:
        """Give a table: time since the first event in microseconds, thread, side, and what, indented."""
        if not self.events:
            return "no events"
        begin, depths, lines = self.events[0].time, dict[int, int](), []
        threads = {thread: n for n, thread in enumerate(dict.fromkeys(e.thread for e in self.events), 1)}
        for event in self.events:
            depth = depths.get(event.thread, 0) - (event.phase == "leave")
            depths[event.thread] = depth + (event.phase == "enter")
            mark = {"enter": ">", "leave": "<", "raise": "!"}[event.phase]
            time = (event.time - begin) / 1000
            what = f"{'  ' * depth}{mark} {event.name}"
            lines.append(f"{time:10.1f} µs  {threads[event.thread]:2}  {event.side:6}  {what}")
        return "\n".join([*lines, f"{self.dropped} events dropped"] if self.dropped else lines)

    def to_chrome(self) -> dict[str, Any]:
        """Give the events in Chrome's Trace Event Format, which Perfetto opens.

        Returns
        -------
        dict
            To be written as JSON; times in microseconds of the monotonic clock.
        """
        phases = {"enter": "B", "leave": "E", "raise": "i"}
        events = [
            {
                "name": e.name,
                "cat": e.side,
                "ph": phases[e.phase],
                "ts": e.time / 1000,
                "pid": os.getpid(),
                "tid": e.thread,
            }
            | ({"s": "t"} if e.phase == "raise" else {})
            for e in self.events
        ]
        return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"dropped": self.dropped}}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_chrome` to a file.

        Parameters
        ----------
        path : str or path-like
            The file; it is replaced at once, when all is written.
        """
        import json  # slow to import, and few programs need it

        target = Path(path)
        partial = target.with_name(target.name + ".part")
        partial.write_text(json.dumps(self.to_chrome()), encoding="utf-8")
        partial.replace(target)


@contextmanager
def trace(capacity: int = 65536) -> Iterator[Trace]:
    """Record what happens in a ``with`` block, on all threads.

    Parameters
    ----------
    capacity : int
        Room for events: of each thread's C side, and of the Python side.

    Yields
    ------
    Trace
        Filled when the block is left, also where it raises.

    Raises
    ------
    RuntimeError
        If a trace runs already.
    TypeError
        If `capacity` is no integer.
    ValueError
        If it is not positive, or too large.

    Examples
    --------
    >>> from mxerr import np
    >>> with trace() as recorded:
    ...     result = np.array([[1, 2]]).T
    >>> [event.name for event in recorded.events if event.phase == "enter"][:3]
    ['call transpose', 'invoke transpose', 'transpose.parse']
    """
    if timeline.recorder is not None:
        raise RuntimeError("trace: a trace runs already; expected none")
    library = _native.library()
    library.MXTraceStart(argument.integer("trace: capacity", capacity, *argument.INT))
    recorder = timeline.recorder = Recorder(capacity)
    result = Trace()
    try:
        yield result
    finally:
        timeline.recorder = None
        library.MXTraceStop()
        c_events, dropped = _take(library)
        result.events = sorted([*recorder.events, *c_events], key=lambda event: event.time)
        result.dropped = recorder.dropped + dropped


def _take(library: Any) -> tuple[list[Event], int]:
    """Take the C side's events: how many there are, then all of them."""
    count, dropped = ctypes.c_int(), ctypes.c_int64()
    library.MXTraceTake(0, None, count, dropped)
    events = (_native.TraceEvent * count.value)()
    library.MXTraceTake(len(events), events, count, dropped)
    return [
        Event(e.time_ns, e.thread, "C", _C_PHASES[e.type], f"{e.op_name.decode()}.{e.stage_name.decode()}")
        for e in events[: count.value]
    ], dropped.value
