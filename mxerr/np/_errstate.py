"""Which floating-point errors raise: NumPy's `errstate` for the operators of libmxerr."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mxerr import _native

P = ParamSpec("P")
T = TypeVar("T")

_library = _native.library()


def _wanted(name: str, mode: str | None, before: int) -> int:
    if mode is None:
        return before
    if mode not in ("raise", "ignore"):
        raise ValueError(f"errstate: parameter {name!r}: expected 'raise' or 'ignore', got {mode!r}")
    return int(mode == "raise")


class errstate:  # noqa: N801 - NumPy's name
    """Let floating-point errors raise, for the operators of this thread within a block or a function.

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

    __slots__ = ("_before", "_modes")

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
        self._before: list[int] | None = None

    def __enter__(self) -> None:
        if self._before is not None:
            raise TypeError("errstate: the same object cannot be entered twice")
        before = [ctypes.c_int() for _ in self._modes]
        _library.MXGetErrState(*before)
        self._before = [error.value for error in before]
        modes = zip(self._modes.items(), self._before, strict=True)
        _library.MXSetErrState(*[_wanted(name, mode, error) for (name, mode), error in modes])

    def __exit__(self, *_: object) -> None:
        before, self._before = self._before, None
        if before is not None:
            _library.MXSetErrState(*before)

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
