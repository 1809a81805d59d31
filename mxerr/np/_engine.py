"""When operators run: at once, or queued on worker threads; and waiting for what is queued."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from functools import cache
from types import CodeType, FrameType
from weakref import ReferenceType, ref

from mxerr import _native
from mxerr.np import _host

_TYPES = {"naive": 0, "threaded": 1, "NaiveEngine": 0, "ThreadedEngine": 1}
_NAMES = ("NaiveEngine", "ThreadedEngine")

_library = _native.library()
_host.register()

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

    Blocks may overlap, on several threads too: the one that was entered last counts, until it is left. Where
    very many calls are queued, the next one waits until some have ended.

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
        if not isinstance(type, str) or type not in _TYPES:
            expected = ", ".join(map(repr, _TYPES))
            raise ValueError(f"engine: expected one of {expected}, got {type!r}")
        self.type = _NAMES[_TYPES[type]]
        with _lock:
            _slots[-1].choose(self)
            _apply()

    def __enter__(self) -> engine:
        with _lock:
            for slot in _slots:
                slot.take_back(self)  # it was chosen for the block
            _slots.append(_Slot(self))
            _apply()
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            for slot in _slots:
                slot.take_back(self)
            for slot in reversed(_slots[1:]):
                if slot.block is self:  # the innermost, where there are several
                    _slots.remove(slot)
                    break
            _apply()

    def __repr__(self) -> str:
        return f"<engine {self.type}>"


class _Slot:
    """What is chosen for the program, or until a block ends.

    Blocks of several threads may end in any order. What is chosen without a block counts until another one
    is, or the block around it ends, or it is entered as a block itself.
    """

    def __init__(self, block: engine | None) -> None:
        self.block = block
        self._type = _TYPES[block.type] if block else 0
        self._chosen: list[tuple[ReferenceType[engine], int]] = []

    def type_now(self) -> int:
        return self._chosen[-1][1] if self._chosen else self._type

    def choose(self, choice: engine) -> None:
        # one that nobody has can have no block; of such ones in a row the last counts
        kept: list[tuple[ReferenceType[engine], int]] = []
        for entry in self._chosen:
            if kept and kept[-1][0]() is None and entry[0]() is None:
                kept.pop()
            kept.append(entry)
        self._chosen = [*kept, (ref(choice), _TYPES[choice.type])]

    def take_back(self, choice: engine) -> None:
        self._chosen = [entry for entry in self._chosen if entry[0]() is not choice]


_lock = threading.RLock()
_slots = [_Slot(None)]


def _apply() -> None:
    global queues
    type = _slots[-1].type_now()
    _library.MXEngineSetType(type)
    queues = bool(type)
    if queues:
        _finish_at_exit()


def name_origin() -> None:
    """Tell C the line that queues an operator: the innermost one outside of this package.

    A module may have any name, or none, and code no lines: none of that is to fail here.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is not None:
        code = frame.f_code
        _library.MXEngineSetOrigin(_file_name(code), _bytes(code.co_name), frame.f_lineno or 0)


def _is_ours(frame: FrameType) -> bool:
    # not by methods of what may be of a class of its own
    name = dict.get(frame.f_globals, "__name__")
    return isinstance(name, str) and str.startswith(name, "mxerr.")


def _file_name(code: CodeType) -> bytes:
    try:
        return os.fsencode(code.co_filename)
    except UnicodeEncodeError:
        return _bytes(code.co_filename)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


@cache
def _finish_at_exit() -> None:
    """Let the queue end before the interpreter does; an error that nobody saw is then shown on stderr."""
    atexit.register(waitall)


def waitall() -> None:
    """Wait for all that is queued; not for what other threads queue meanwhile.

    As in all waits for operators, signals such as Ctrl-C are handled meanwhile, on the main thread.

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
