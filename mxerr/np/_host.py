"""What Python does for libmxerr: signal handlers run while C waits, and exceptions are kept."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from functools import partial
from typing import Any

from mxerr import _native, raised

_library = _native.library()


def _listen() -> Iterator[int]:
    """Let Python handle signals each time that this goes on; give the number of what a handler raised, or 0.

    Python runs the handlers at the beginning of a function, or where a generator goes on. What they raise at
    the beginning of a function that C called would be printed and lost, so this is a generator. Handlers also
    run where a loop goes round: what they raise there is caught by the loop around it.
    """
    failed: BaseException | None = None
    while True:
        try:
            while True:
                try:
                    while True:
                        number = 0
                        if failed is not None:
                            number, failed = raised.keep(failed, raised.below_catcher(failed)), None
                        yield number
                except GeneratorExit:
                    return
                except BaseException as exception:  # whatever it is, it is raised again behind C
                    if failed is not None and failed is not exception:
                        exception.__context__ = failed
                    failed = exception
        except BaseException as exception:  # as above
            if failed is not None and failed is not exception:
                exception.__context__ = failed
            failed = exception


def _poll(_depth: int) -> Any:
    """Make what C calls for a depth; no Python function, at whose beginning a signal handler could raise."""
    listener = _listen()
    next(listener)
    return _native.HostPoll(partial(next, listener, 0))


# one for each depth, as a handler may wait itself, while its generator runs
_HOST = _native.Host(
    (_native.HostPoll * _native.POLL_DEPTH)(*map(_poll, range(_native.POLL_DEPTH))),
    _native.HostRelease(raised.release),
)


def register() -> None:
    """Tell C whom to call, until Python ends; and Python, whom to tell that it found an exception."""
    raised.found = _library.unchecked("MXExceptionRelease")
    _library.MXHostRegister(_HOST)
    atexit.register(_library.MXHostRegister, _native.Host())
