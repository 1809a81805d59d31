"""Arguments that C takes as numbers and texts: what does not fit is refused by name, and never cut."""

from __future__ import annotations

import operator
from typing import Any

INT = -(2**31), 2**31 - 1
"""The range of a C int."""


def integer(
    name: str,
    value: Any,
    least: int,
    most: int,
    *,
    invalid: type[Exception] = ValueError,
    wrong: type[Exception] = TypeError,
) -> int:
    """Take an integer of a range.

    Parameters
    ----------
    name : str
        What the text of an error begins with, such as ``"trace: capacity"``.
    value : object
        What came.
    least, most : int
        The range, both included.
    invalid, wrong : type
        The classes for an integer out of range, and for what is no integer.

    Returns
    -------
    int
        The value.

    Raises
    ------
    TypeError, or `wrong`
        If it is no integer.
    ValueError, or `invalid`
        If it is out of range.

    Examples
    --------
    >>> integer("trace: capacity", 0, 1, 2**31 - 1)
    Traceback (most recent call last):
        ...
    ValueError: trace: capacity: expected an integer from 1 to 2147483647, got 0
    """
    expected = f"{name}: expected an integer from {least} to {most}, got"
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(f"{expected} {value!r}") from None
    if not least <= number <= most:
        raise invalid(f"{expected} {number}")
    return number


def text(
    name: str, value: Any, *, invalid: type[Exception] = ValueError, wrong: type[Exception] = TypeError
) -> bytes:
    """Take a text, as the bytes of a C string.

    Parameters
    ----------
    name : str
        As for `integer`.
    value : object
        What came.
    invalid, wrong : type
        The classes for a text that C would cut, and for what is no text.

    Returns
    -------
    bytes
        The text in UTF-8; what no encoding has is escaped.

    Raises
    ------
    TypeError, or `wrong`
        If it is no str.
    ValueError, or `invalid`
        If it has a NUL, at which C would cut it.

    Examples
    --------
    >>> text("failpoint: message", "ValueError: injected")
    b'ValueError: injected'
    """
    if not isinstance(value, str):
        raise wrong(f"{name}: expected a str, got {value!r}")
    if "\0" in value:
        raise invalid(f"{name}: expected a text without NUL, got {value!r}")
    return value.encode("utf-8", "backslashreplace")
