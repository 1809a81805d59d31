"""Notes of what the Python side does, for `mxerr.trace`: off unless a recorder is set.

The steps of a call and of an error ask for `recorder` and do nothing where it is None.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Event(NamedTuple):
    """Something that happened.

    Attributes
    ----------
    time : int
        When, in nanoseconds of the monotonic clock.
    thread : int
        The native id of the thread.
    side : str
        ``"C"`` or ``"Python"``.
    phase : str
        ``"enter"``, ``"leave"`` or ``"raise"``.
    name : str
        What: ``"transpose.infer_shape"``, ``"invoke transpose"``, ``"look up"``, ...
    """

    time: int
    thread: int
    side: str
    phase: str
    name: str


class Recorder:
    """Keeps the last events of the Python side.

    Parameters
    ----------
    capacity : int
        How many; older ones are dropped and counted.

    Examples
    --------
    >>> notes = Recorder(10)
    >>> with notes.step("read"):
    ...     pass
    >>> [(event.phase, event.name) for event in notes.events]
    [('enter', 'read'), ('leave', 'read')]
    """

    def __init__(self, capacity: int) -> None:
        self.events: deque[Event] = deque(maxlen=capacity)
        self.dropped = 0

    def note(self, phase: str, name: str) -> None:
        """Note an event of the calling thread."""
        self.dropped += len(self.events) == self.events.maxlen
        self.events.append(Event(time.monotonic_ns(), threading.get_native_id(), "Python", phase, name))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Note that a step was entered and left, also where it raises."""
        self.note("enter", name)
        try:
            yield
        except BaseException:
            self.note("raise", name)
            raise
        finally:
            self.note("leave", name)


recorder: Recorder | None = None
"""Where events go now; None: nowhere."""
