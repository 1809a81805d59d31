"""Python functions that C calls: an exception in one comes out of the C call as the same object.

ctypes prints what a callback raises, and C goes on with a zero. Here the exception is kept aside, C gets a
value that says failure, and the call of `mxerr.Library` that led to the callback raises when it returns. How
the call finds out costs a call that succeeds nothing: see `StatusTable`.
"""

from __future__ import annotations

import atexit
import ctypes
import operator
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any, Final, NamedTuple
from weakref import WeakSet

from mxerr import ignored, raised

Function = Callable[..., Any]

_INTEGERS: Final = frozenset("bBhHiIlLqQ")
_REALS: Final = frozenset("fdg")
# what all function types derive from
_FUNCTION: Final[Any] = ctypes.CFUNCTYPE(None).__mro__[1]


class StatusTable(dict[int, int]):
    """A function's statuses of success, each its own result; all others are missing.

    While an exception of a callback waits to be raised, all tables are empty: then every status is missing,
    and who looks one up in vain asks `take`.
    """

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        with _lock:
            super().__init__({} if pending else {0: 0})
            _tables.add(self)

    # tables are told apart as objects, by the set of all of them
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


class _Failure(NamedTuple):
    """An exception that waits to be raised: by the Python frame that called C, or by any where none did."""

    error: BaseException
    function: Function
    caller: FrameType | None


# it is taken in destructors too, which run anywhere
_lock = threading.RLock()
if sys.platform != "win32":  # the child of a fork is to find it free, and what it guards whole
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_tables: WeakSet[StatusTable] = WeakSet()
_alive: dict[int, Any] = {}  # by id, as ctypes makes function pointers unhashable

pending: Final[list[_Failure]] = []
"""The exceptions that wait to be raised; see `take`."""

CAPACITY: Final = 64
"""How many exceptions are kept that no call has asked for; they keep their frames alive."""

# whose callers are gone, the latest of them: see `_report_rest`
_lost: Final[deque[_Failure]] = deque(maxlen=CAPACITY)


def take(caller: FrameType | None) -> BaseException | None:
    """Take the exception that a callback raised during a call.

    Parameters
    ----------
    caller : frame
        The Python frame that called C.

    Returns
    -------
    BaseException or None
        What the first callback that failed raised, or one that ends the program, as Ctrl-C does. One that
        failed on a thread which C made, with no Python beneath it, belongs to the next call that asks.
    """
    with _lock:
        for number, failure in enumerate(pending):
            if failure.caller is None or failure.caller is caller:
                pending[number:] = (later for later in pending[number:] if later.caller is not failure.caller)
                _fill_tables()
                return failure.error
        _give_up()
    return None


def _give_up() -> None:
    """Wait no longer for callers that have ended, as tables stay empty meanwhile."""
    running = set()
    for frame in sys._current_frames().values():
        above: FrameType | None = frame
        while above is not None:
            running.add(above)
            above = above.f_back
    _lost.extend(failure._replace(caller=None) for failure in pending if failure.caller not in running)
    pending[:] = (failure for failure in pending if failure.caller in running)
    _fill_tables()


def _keep(failure: _Failure) -> None:
    with _lock:
        if len(pending) >= CAPACITY:  # calls that go around `mxerr.Library` ask for none
            _give_up()
        for number, earlier in enumerate(pending):
            if earlier.caller is failure.caller:
                if isinstance(earlier.error, Exception) and not isinstance(failure.error, Exception):
                    # who waits is to be ended, whatever failed before; that one is not called again either
                    raised.set_context(failure.error, earlier.error)
                    pending.insert(number, failure)
                    return
                # C went on and called another callback, to clean up: the first cause is what counts
                said = f"{_place(failure.function)} raised {raised.describe(failure.error)}"
                raised.note(earlier.error, f"mxerr: afterwards {said}")
                return
        pending.append(failure)
        _fill_tables()


def _fill_tables() -> None:
    for table in _tables:
        if pending:
            table.pop(0, None)
        else:
            table[0] = 0


@atexit.register
def _report_rest() -> None:
    """Show what no call has raised: it went around `mxerr.Library`, or Ctrl-C came before it."""
    for error, function, _ in (*_lost, *pending):
        said = f"{_place(function)} raised this below C, and no checked call came to raise it"
        raised.note(error, f"mxerr: {said}")
        sys.excepthook(type(error), error, raised.traceback(error))
    pending.clear()
    _lost.clear()


def callback(prototype: Any, *, failure: Any = None) -> Callable[[Function], Any]:
    """Make a Python function callable from C; what it raises, the C call raises.

    C sees that the callback failed by the value it gets, and reports that as it does any failure. The call
    of a `mxerr.Library` function in which this happened raises the very exception, of whatever class, with a
    traceback from the caller through the C functions to the callback; also where C took no notice and
    returned success. Until then the callback is not run again: C gets `failure` at once.

    Parameters
    ----------
    prototype : type
        A function type, as ``ctypes.CFUNCTYPE(restype, *argtypes)`` makes them.
    failure : object
        What C gets where the function raises. By default -1 for a signed integer, all ones for an unsigned
        one and a character, False, not-a-number or NULL for what else C can be given.

    Returns
    -------
    callable
        A decorator. It gives the function pointer to pass to C: an instance of `prototype` with a method
        ``unregister``. It lives until that is called, or until the end of a ``with`` block over it, as C may
        have kept the pointer.

    Raises
    ------
    TypeError
        If `prototype` is no function type. In the C call: if the function returns what `prototype` has no
        room for, such as None in place of a status.

    Examples
    --------
    >>> import ctypes
    >>> from ctypes import c_char_p, c_int, c_size_t, c_void_p
    >>> from mxerr import Library
    >>> Compare = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
    >>> bsearch = (c_void_p, (c_char_p, c_char_p, c_size_t, c_size_t, Compare))
    >>> libc = Library(ctypes.CDLL(None), prototypes={"bsearch": bsearch})
    >>> @callback(Compare)
    ... def compare(key, element):
    ...     raise LookupError("cannot compare")
    >>> libc.bsearch(b"b", b"abc", 3, 1, compare)
    Traceback (most recent call last):
        ...
    LookupError: cannot compare
    >>> compare.unregister()
    """
    if not (isinstance(prototype, type) and issubclass(prototype, _FUNCTION)):
        raise TypeError(f"callback: expected a type made by ctypes.CFUNCTYPE, got {prototype!r}")
    restype: Any = prototype._restype_  # type: ignore[attr-defined]  # ctypes' own name for it
    value = _failure(restype) if failure is None else failure
    _converted(restype, value)

    def decorate(function: Function) -> Any:
        return _registered(prototype)(_guarded(function, restype, value))

    return decorate


@cache
def _registered(prototype: Any) -> Any:
    """Make the type of the callbacks of a function type; C functions that take the latter take it too."""

    class Callback(prototype):  # type: ignore[misc]
        _flags_, _restype_, _argtypes_ = prototype._flags_, prototype._restype_, prototype._argtypes_

        def __init__(self, function: Function) -> None:
            _alive[id(self)] = self

        def unregister(self) -> None:
            """Let the callback go; C must not call it any more."""
            _alive.pop(id(self), None)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *exception: object) -> None:
            self.unregister()

    Callback.__qualname__ = f"Callback[{prototype.__qualname__}]"
    return Callback


def _leave_room(frames: int = 24) -> None:
    """Raise a RecursionError already this many frames before the limit.

    At the limit there would be no frame in which to catch the one of a callback that is called from within,
    and C would go on.
    """
    if frames:
        _leave_room(frames - 1)


def _guarded(function: Function, restype: Any, failure: Any) -> Function:
    """Wrap a function so that nothing is raised into ctypes."""

    def call(*args: Any) -> Any:
        try:
            caller = sys._getframe().f_back
            if pending and any(one.function is function and one.caller is caller for one in pending):
                return failure
            _leave_room()
            result = function(*args)
            return _converted(restype, result, function)
        except BaseException as error:
            # every sort, as C can carry none; this frame is no part of the story
            BaseException.with_traceback(error, raised.below_catcher(error))
            _keep(_Failure(error, function, sys._getframe().f_back))
            return failure

    return ignored.from_entry(call)


def _failure(restype: Any) -> Any:
    code = getattr(restype, "_type_", None)
    if code in _INTEGERS:
        return restype(-1).value
    return float("nan") if code in _REALS else {"?": False, "c": b"\xff"}.get(code or "")


def _converted(restype: Any, result: Any, function: Function | None = None) -> Any:
    """Give a result as ctypes takes it; ctypes itself would print an error, and C would see a zero."""
    if restype is None:
        return None
    try:
        if restype._type_ not in _INTEGERS:
            restype(result)
            return result
        number = operator.index(result)
        if restype(number).value == number:
            return number
    except (TypeError, ValueError):
        pass
    place = _place(function) if function else "failure"
    raise TypeError(f"callback: {place}: expected a result for {restype.__name__}, got {result!r}")


def _place(function: Function) -> str:
    code = getattr(function, "__code__", None)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
    return f"{getattr(function, '__qualname__', repr(function))}{where}"
