"""Exceptions that ctypes ignores: raised on entry of a Python function that C calls, before its first line.

A Ctrl-C during a long call of C is such a one: Python acts on it where it next runs Python code, which is on
entry of the callback. ctypes prints it, gives C an undefined value, and C goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def from_entry(function: F) -> F:
    """Make the `try` with which a function begins cover the very entry of the function.

    A RecursionError comes still earlier, before there is a frame that could catch it.

    Parameters
    ----------
    function : function
        The function; it is changed.

    Returns
    -------
    function
        The same.

    Examples
    --------
    >>> def call():
    ...     try:
    ...         return 0
    ...     except BaseException:
    ...         return -1
    >>> from_entry(call)()
    0
    """
    python: Any = function  # written in Python, unlike other callables
    code = python.__code__
    python.__code__ = code.replace(co_exceptiontable=_extended(code.co_exceptiontable))
    return function


def _extended(table: bytes) -> bytes:
    """Put an entry before the first one of a table: its handler, from the first instruction on.

    The table has four numbers for a `try`: start, length, handler, depth of the stack. A byte has six bits of
    a number, and bit 6 where more follow; the first byte of the four has bit 7. So says
    Objects/exception_handling_notes.txt in CPython's source.
    """
    numbers = [0]
    for byte in table:
        numbers[-1] = numbers[-1] << 6 | byte & 0x3F
        if not byte & 0x40:
            numbers.append(0)
    start, _, handler, depth = numbers[:4]
    entry = [0x80]  # the start: 0
    for number in (start, handler, depth):
        entry += [number >> 12 & 0x3F | 0x40, number >> 6 & 0x3F | 0x40, number & 0x3F]
    return bytes(entry) + table
