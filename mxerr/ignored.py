"""Exceptions that ctypes ignores: raised in a Python function that C calls, before its first line.

A Ctrl-C during a long call of C is such a one: Python acts on it where it next runs Python code, which is at
the beginning of the callback. ctypes tells `sys.unraisablehook` of it, gives C an undefined value, and C goes
on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

Tell = Callable[[BaseException, FrameType | None], None]
"""Gets the exception, and the frame that called C; None on a thread where C was not called by Python."""

_watched: WeakKeyDictionary[Callable[..., Any], Tell] = WeakKeyDictionary()
# the hook that was there; None before ours is needed
_previous: Callable[[Any], object] | None = None


# as Python 3.13 names the function, in place of giving it
_ADDRESS = re.compile(r"ctypes callback function <.* at 0x([0-9a-f]+)>$", re.S)


def watch(function: Callable[..., Any], tell: Tell) -> Callable[..., Any]:
    """Ask to be told of exceptions that ctypes would ignore.

    Parameters
    ----------
    function : function
        What ctypes calls.
    tell : callable
        Gets the exception without the frame of `function`, and the frame that called C.

    Returns
    -------
    function
        The function itself.

    Examples
    --------
    >>> import ctypes
    >>> told = []
    >>> def fail():
    ...     raise KeyboardInterrupt
    >>> pointer = ctypes.CFUNCTYPE(None)(watch(fail, lambda error, caller: told.append(error)))
    >>> pointer()
    >>> told
    [KeyboardInterrupt()]
    """
    global _previous
    if _previous is None:
        _previous, sys.unraisablehook = sys.unraisablehook, _hook
    _watched[function] = tell
    return function


def _hook(unraisable: Any) -> None:
    """Stand before the hook that was there: `sys.unraisablehook`."""
    tell = _find(unraisable)
    error = unraisable.exc_value
    if tell is None or error is None:
        (_previous or sys.__unraisablehook__)(unraisable)
        return
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    tell(error, sys._getframe().f_back)


def _find(unraisable: Any) -> Tell | None:
    function = unraisable.object
    if function is None:
        found = _ADDRESS.search(unraisable.err_msg or "")
        address = int(found[1], 16) if found else 0
        return next((tell for key, tell in list(_watched.items()) if id(key) == address), None)
    try:
        return _watched.get(function)
    except TypeError:  # it cannot be a key
        return None
