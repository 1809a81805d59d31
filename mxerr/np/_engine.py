"""When operators run: at once, or queued on worker threads; and waiting for what is queued."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from functools import cache
from types import FrameType

from mxerr import _native

_TYPES = {"naive": 0, "threaded": 1, "NaiveEngine": 0, "ThreadedEngine": 1}
_NAMES = ("NaiveEngine", "ThreadedEngine")

_library = _native.library()

queues: bool = False
"""Whether operators are queued now: what `name_origin` is to be called for."""


class engine:  # noqa: N801 - a function in all but name, as numpy.errstate is
    """Choose when the operators of the process run; as a context manager, for a block.

    With the threaded engine, a call of an operator checks its arguments, shapes and types, raises what is
    wrong with them, and queues the rest; it returns at once, with an array that is still to be computed.
    Worker threads run what is queued, in the order that the arrays ask for. What fails there spoils the
    call's arrays, and those that are made of them. `asnumpy`, `wait_to_read` and whatever else looks at a
    spoiled array raises the error, each time; `waitall` does once. The traceback has the line that queued the
    operator.

    Operators without a result, such as `save`, always run at once, after what their arrays wait for.
    Floating-point errors and fail points are those of the time of the call.

    Parameters
    ----------
    type : {"naive", "threaded", "NaiveEngine", "ThreadedEngine"}
        At once, or queued; MXNet's names or short ones.

    Attributes
    ----------
    type : str
        MXNet's name of the engine that was chosen.

    Raises
    ------
    ValueError
        If there is no such engine.

    Examples
    --------
    >>> from mxerr import np
    >>> with np.engine("threaded"):
    ...     ratio = np.divide([1.0, 2.0], [4.0, 2.0])
    ...     total = np.sum(ratio)
    >>> total.asnumpy()
    array(1.25)
    """

    def __init__(self, type: str) -> None:
        if type not in _TYPES:
            expected = ", ".join(map(repr, _TYPES))
            raise ValueError(f"engine: expected one of {expected}, got {type!r}")
        self.type = _NAMES[_TYPES[type]]
        self._before = _type_now()
        _set(_TYPES[type])

    def __enter__(self) -> engine:
        return self

    def __exit__(self, *_: object) -> None:
        _set(self._before)

    def __repr__(self) -> str:
        return f"<engine {self.type}>"


def _type_now() -> int:
    number = ctypes.c_int()
    _library.MXEngineGetType(number)
    return number.value


def _set(type: int) -> None:
    global queues
    _library.MXEngineSetType(type)
    queues = bool(type)
    if queues:
        _finish_at_exit()


def name_origin() -> None:
    """Tell C the line that queues an operator: the innermost one outside of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("mxerr."):
        frame = frame.f_back
    if frame is not None:
        code = frame.f_code
        _library.MXEngineSetOrigin(
            os.fsencode(code.co_filename), code.co_name.encode("utf-8", "backslashreplace"), frame.f_lineno
        )


@cache
def _finish_at_exit() -> None:
    """Let the queue end before the interpreter does; an error that nobody saw is then shown on stderr."""
    atexit.register(waitall)


def waitall() -> None:
    """Wait for all that is queued.

    Raises
    ------
    mxerr.NativeError
        The oldest error that was not raised yet; the others are then forgotten, but for the arrays that they
        spoilt.

    Examples
    --------
    >>> from mxerr import np
    >>> with np.engine("threaded"):
    ...     picked = np.take([1, 2], [7])
    >>> np.waitall()
    Traceback (most recent call last):
        ...
    mxerr.error.IndexError: ...
    >>> np.waitall()
    """
    __tracebackhide__ = True
    _library.MXNDArrayWaitAll()
