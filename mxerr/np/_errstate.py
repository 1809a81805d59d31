"""Which floating-point errors raise: NumPy's `errstate` for the operators of libmxerr."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps
from typing import ParamSpec, TypeVar

from mxerr import _native

P = ParamSpec("P")
T = TypeVar("T")

_library = _native.library()


Modes = tuple[int, ...]

used: bool = False
"""Whether a block was ever entered: from then on `apply` is to be called before each operator."""

_modes: ContextVar[Modes | None] = ContextVar("mxerr_errstate", default=None)
"""What is wanted in this context; None where no block is entered. A task of asyncio has its own."""


class _Thread(threading.local):
    """What C has for a thread: it knows threads, and no contexts."""

    before: Modes | None = None  # what it had before a block; None outside of all
    now: Modes | None = None


_thread = _Thread()


def _read() -> Modes:
    errors = [ctypes.c_int() for _ in range(4)]
    _library.MXGetErrState(*errors)
    return tuple(error.value for error in errors)


def apply() -> None:
    """Tell C what is wanted in this context, if it has something else for this thread."""
    modes = _modes.get()
    if modes == _thread.now:
        return
    if _thread.before is None:
        _thread.before = _read()
    _library.MXSetErrState(*(modes or _thread.before))
    _thread.now = modes
    if modes is None:
        _thread.before = None


def _wanted(name: str, mode: str | None, before: int) -> int:
    if mode is None:
        return before
    if mode not in ("raise", "ignore"):
        raise ValueError(f"errstate: parameter {name!r}: expected 'raise' or 'ignore', got {mode!r}")
    return int(mode == "raise")


class errstate:  # noqa: N801 - NumPy's name
    """Let floating-point errors raise, for the operators within a block or a function.

    It holds for the thread, or the task of asyncio, that enters the block, as NumPy's does.

    Elsewhere operators give infinities and not-a-number without a word. NumPy's other modes (``"warn"``,
    ``"call"``, ``"print"``, ``"log"``) are not implemented.

    Parameters
    ----------
    divide, over, under, invalid : {"raise", "ignore"}, optional
        What becomes of a division by zero, of a result that is too large, of one that is too small, and of
        one that is not-a-number. By default what `all` says.
    all : {"raise", "ignore"}, optional
        What becomes of those that are not given. By default what it was before.

    Raises
    ------
    ValueError
        If a mode is another one.
    TypeError
        If the same object is entered twice.

    Examples
    --------
    >>> from mxerr import np
    >>> np.log(0.0)
    array(-inf)
    >>> with np.errstate(divide="raise"):
    ...     np.log(0.0)
    Traceback (most recent call last):
    ...
    mxerr.error.FloatingPointError: Check failed: !(raised & FE_DIVBYZERO): divide by zero encountered in log
    """

    __slots__ = ("_modes", "_token")

    def __init__(
        self,
        *,
        all: str | None = None,
        divide: str | None = None,
        over: str | None = None,
        under: str | None = None,
        invalid: str | None = None,
    ) -> None:
        _wanted("all", all, 0)
        modes = {"divide": divide, "over": over, "under": under, "invalid": invalid}
        for name, mode in modes.items():
            _wanted(name, mode, 0)
        self._modes = {name: all if mode is None else mode for name, mode in modes.items()}
        self._token: Token[Modes | None] | None = None

    def __enter__(self) -> None:
        global used
        if self._token is not None:
            raise TypeError("errstate: the same object cannot be entered twice")
        used = True
        before = _modes.get() or _read()
        modes = zip(self._modes.items(), before, strict=True)
        self._token = _modes.set(tuple(_wanted(name, mode, error) for (name, mode), error in modes))
        apply()

    def __exit__(self, *_: object) -> None:
        token, self._token = self._token, None
        if token is not None:
            _modes.reset(token)
            apply()

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        """Make a function in which the errors raise; each call enters an object of its own.

        Parameters
        ----------
        function : callable
            The function.

        Returns
        -------
        callable
            The function within `errstate`.
        """

        @wraps(function)
        def within(*args: P.args, **kwargs: P.kwargs) -> T:
            __tracebackhide__ = True
            with errstate(**self._modes):
                return function(*args, **kwargs)

        return within
