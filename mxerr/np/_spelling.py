"""How Python values are spelled for C, by the type that C gives a parameter."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Set
from operator import index
from typing import Any

import numpy

_NO_NUMBERS = (str, bytes, bytearray, memoryview, Mapping, Set)
"""What could pass as a number or a list of numbers, as C reads texts and Python runs through all of these."""


def _tuple_text(value: Any) -> str:
    return str(tuple(map(index, value)) if numpy.iterable(value) else index(value))


def _index_text(value: Any) -> str:
    """Spell an index expression as it stands between brackets."""
    return ", ".join(map(_index_item_text, value if isinstance(value, tuple) else (value,)))


def _index_item_text(item: Any) -> str:
    if item is None or item is Ellipsis:
        return "None" if item is None else "..."
    if isinstance(item, slice):
        bounds = [item.start, item.stop] if item.step is None else [item.start, item.stop, item.step]
        return ":".join("" if bound is None else str(index(bound)) for bound in bounds)
    if isinstance(item, bool | numpy.bool_):
        raise TypeError("a bool is no position")
    return str(index(item))


def _bool_text(value: Any) -> str:
    if value is True or value is False:
        return str(value)
    return str(bool(value if isinstance(value, numpy.bool_) else index(value)))


def _float_text(value: Any) -> str:
    # NumPy reads arrays of texts, and drops imaginary parts
    if getattr(getattr(value, "dtype", None), "kind", "f") not in "biuf":
        raise TypeError("expected a real number")
    return repr(float(value))


def _number_text(value: Any) -> str:
    return str(index(value)) if isinstance(value, int) or _is_whole(value) else _float_text(value)


def _is_whole(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return True


def _dtype_text(value: Any) -> str:
    try:
        return str(numpy.dtype(value).name)
    except TypeError:
        if isinstance(value, str):
            return value  # the name of a type that there is not
        raise


_PACK: dict[str, Callable[[Any], str]] = {
    "bool": _bool_text,
    "int": lambda value: str(index(value)),
    "float": _float_text,
    "int or float": _number_text,
    "tuple of int": _tuple_text,
    "int or tuple of int": _tuple_text,
    "dtype": _dtype_text,
    "index expression": _index_text,
}
"""How a Python value is spelled for C, by the type that C gives its parameter."""


_INT = frozenset((int,))
_PLAIN = frozenset((bool, int, float, tuple, list, slice))
"""Types that are none of `_NO_NUMBERS`, without asking: that takes as long as a call of C."""


def packer(kind: str, place: str) -> Callable[[Any], bytes]:
    """Make the function that spells the values of a parameter; the most usual ones without much ado.

    Parameters
    ----------
    kind : str
        What C calls the type of the parameter.
    place : str
        The operator and the parameter, for the text of an error.

    Returns
    -------
    callable
        From a value to its text. What cannot be spelled goes as its `repr`, which C takes for nothing else: C
        says what it expected and what came. A parameter that is a text takes any, and raises TypeError for
        what is none.

    Examples
    --------
    >>> pack = packer("tuple of int or None", "transpose: parameter 'axes'")
    >>> pack((2, 3)), pack(2), pack(None), pack("2")
    (b'(2, 3)', b'2', b'None', b"'2'")
    """
    if kind == "str":
        return lambda value: _text(value, place)
    optional = kind.endswith(" or None")
    spell = _PACK[kind.removesuffix(" or None")]
    takes_texts = spell is _dtype_text
    takes_tuples = spell is _tuple_text

    def pack(value: Any) -> bytes:
        if value is None and optional:
            return b"None"
        if takes_tuples and type(value) is tuple and _INT.issuperset(map(type, value)):
            return repr(value).encode()
        try:
            if type(value) not in _PLAIN and not takes_texts and isinstance(value, _NO_NUMBERS):
                raise TypeError("no number")
            text = spell(value)
        except (TypeError, ValueError, OverflowError):
            text = repr(value)
        data = text.encode("utf-8", "backslashreplace")
        return data.replace(b"\0", b"\\x00") if b"\0" in data else data

    return pack


def _text(value: Any, place: str) -> bytes:
    try:
        text = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{place}: expected a str or a path, got {value!r}") from None
    if b"\0" in text:
        raise ValueError(f"{place}: expected a text without NUL, got {value!r}")
    return text
