"""The functions that a C or C++ source exports, with their types for ctypes.

It reads what a small library is written with: functions marked ``MXERR_EXPORT``, whose parameters are
numbers, texts and pointers. It is no C parser; a type that it does not know is left to ctypes.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

from mxerr.library import STATUS

Prototype = tuple[Any, Any]
"""Result type, and a tuple of argument types; None where one of them is not known."""

_IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*', re.S | re.M
)
_FUNCTION = re.compile(r"\bMXERR_EXPORT\s+([\w\s*:]*?[\s*])(\w+)\s*\(([^()]*)\)")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict|struct|enum|inline|extern|std)\b|::")

_C_TYPES: Final = {
    "bool": ctypes.c_bool,
    "_Bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "signed char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short,
    "unsigned short": ctypes.c_ushort,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint,
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    "ssize_t": ctypes.c_ssize_t,
    "ptrdiff_t": ctypes.c_ssize_t,
    "intptr_t": ctypes.c_ssize_t,
    "uintptr_t": ctypes.c_size_t,
} | {
    f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}

_SPECIAL: Final = {"int": STATUS, "void": None}
"""What results of these types mean."""


def read(source: str) -> dict[str, Prototype]:
    """Read the exported functions of a source.

    Parameters
    ----------
    source : str
        C or C++ text.

    Returns
    -------
    dict of str to (result type, argument types)
        The functions in their order; an ``int`` result is a status. The argument types are None where one of
        them is not known.

    Examples
    --------
    >>> read("MXERR_EXPORT double half(double x) { return x / 2; }")
    {'half': (<class 'ctypes.c_double'>, (<class 'ctypes.c_double'>,))}
    """
    text = _IGNORED.sub(" ", source)
    return {name: _prototype(result, arguments) for result, name, arguments in _FUNCTION.findall(text)}


def _prototype(result: str, arguments: str) -> Prototype:
    base, stars = _words(result)
    restype: Any = _c_type(base, stars) or STATUS
    if not stars and base in _SPECIAL:
        restype = _SPECIAL[base]
    if arguments.strip() in ("", "void"):
        return restype, ()
    types = [_parameter(argument) for argument in arguments.split(",")]
    return restype, None if None in types else tuple(types)


def _parameter(text: str) -> Any:
    """Give the type of a parameter, with or without its name; None where it is not known."""
    base, stars = _words(text)
    return _c_type(base if base in _C_TYPES else base.rpartition(" ")[0], stars)


def _words(text: str) -> tuple[str, int]:
    """Split into the words of a declaration, without qualifiers, and the number of its stars."""
    stars = text.count("*") + text.count("[")
    words = re.findall(r"\w+", _QUALIFIERS.sub(" ", re.sub(r"\[[^]]*\]", " ", text)))
    return " ".join(words), stars


def _c_type(base: str, stars: int) -> Any:
    result: Any = _C_TYPES.get(base)
    if base == "char" and stars:
        result, stars = ctypes.c_char_p, stars - 1
    if result is None:
        return ctypes.c_void_p if stars else None  # void, a struct, a name of the source's own
    for _ in range(stars):
        result = ctypes.POINTER(result)
    return result
