"""How Python values are spelled for C, by the type that C gives a parameter."""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import index
from typing import Any

import numpy


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


_PACK: dict[str, Callable[[Any], str]] = {
    "bool": lambda value: str(bool(index(value)) if not isinstance(value, numpy.bool_) else bool(value)),
    "int": lambda value: str(index(value)),
    "float": lambda value: repr(float(value)),
    "int or float": lambda value: str(index(value)) if hasattr(value, "__index__") else repr(float(value)),
    "tuple of int": _tuple_text,
    "int or tuple of int": _tuple_text,
    "dtype": lambda value: numpy.dtype(value).name,
    "str": os.fspath,
    "index expression": _index_text,
}
"""How a Python value is spelled for C, by the type that C gives its parameter."""


_INT = frozenset((int,))


def packer(kind: str) -> Callable[[Any], bytes]:
    """Make the function that spells the values of a parameter; the most usual ones without much ado.

    Parameters
    ----------
    kind : str
        What C calls the type of the parameter.

    Returns
    -------
    callable
        From a value to its text. What cannot be spelled goes as it is: C says what it expected and what came.

    Examples
    --------
    >>> pack = packer("tuple of int or None")
    >>> pack((2, 3)), pack(2), pack(None), pack("abc")
    (b'(2, 3)', b'2', b'None', b'abc')
    """
    optional = kind.endswith(" or None")
    spell = _PACK[kind.removesuffix(" or None")]
    takes_tuples = spell is _tuple_text

    def pack(value: Any) -> bytes:
        if value is None and optional:
            return b"None"
        if takes_tuples and type(value) is tuple and _INT.issuperset(map(type, value)):
            return repr(value).encode()
        text: Any
        try:
            text = spell(value)
        except (TypeError, ValueError, OverflowError):
            text = str(value)
        data: bytes = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        return data.replace(b"\0", b"\\x00") if b"\0" in data else data

    return pack
