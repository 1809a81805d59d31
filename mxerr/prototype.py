"""The functions that a C or C++ source exports, with their types for ctypes.

It reads what a small library is written with: functions marked ``MXERR_EXPORT``, whose parameters are
numbers, texts and pointers. It is no C parser; a type that it does not know is left to ctypes.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final, NamedTuple

from mxerr.library import STATUS


class Function(NamedTuple):
    """An exported function.

    Attributes
    ----------
    declaration : str
        What C says of it, in one line.
    restype : type or None
        Its result type; that of an ``int`` is a status.
    argtypes : tuple of type, or None
        Its argument types; None where one of them is not known.
    line : int
        The line of its name in the source, counted from 1.
    """

    declaration: str
    restype: Any
    argtypes: tuple[Any, ...] | None
    line: int

    @property
    def returns_struct(self) -> bool:
        """Whether the result is a struct, a union or a class, about which ctypes would have to be told."""
        result = self.declaration.partition("(")[0]
        base, stars = _words(result.rpartition(" ")[0])
        return not stars and "*" not in result and base not in _C_TYPES and bool(_STRUCT.search(result))

    @property
    def prototype(self) -> tuple[Any, Any]:
        """Result and argument types, as `mxerr.library.Library` takes them."""
        return self.restype, self.argtypes


_IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*', re.S | re.M
)
_NESTED: Final = r"[^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*"  # pointers to functions have parentheses
_FUNCTION = re.compile(rf"\bMXERR_EXPORT\s+([\w\s*:]*?[\s*])(\w+)\s*\(({_NESTED})\)")
_INNERMOST = re.compile(r"\([^()]*\)")
_POINTER: Final = "@"  # stands for what was in parentheses, to a function or an array; C has no such sign
_STRUCT = re.compile(r"\b(?:struct|union|class)\b|::")
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


def read(source: str) -> dict[str, Function]:
    """Read the exported functions of a source.

    Parameters
    ----------
    source : str
        C or C++ text.

    Returns
    -------
    dict of str to Function
        The functions in their order.

    Examples
    --------
    >>> read("MXERR_EXPORT double half(double x) { return x / 2; }")["half"].declaration
    'double half(double x)'
    """
    # as many lines as before, so that they can be counted
    text = _IGNORED.sub(lambda found: " " + "\n" * found[0].count("\n"), source)
    marked = (found for found in _FUNCTION.finditer(text) if "static" not in found[1].split())
    return {found[2]: _function(found) for found in marked}


def _function(found: re.Match[str]) -> Function:
    result, name, arguments = found.groups()
    declaration = " ".join(f"{result}{name}({arguments})".split())
    line = found.string.count("\n", 0, found.start(2)) + 1
    base, stars = _words(result)
    restype: Any = _c_type(base, stars) or STATUS
    if not stars and base in _SPECIAL:
        restype = _SPECIAL[base]
    if arguments.strip() in ("", "void"):
        return Function(declaration, restype, (), line)
    types = [_parameter(argument) for argument in _split(arguments)]
    return Function(declaration, restype, None if None in types else tuple(types), line)


def _split(arguments: str) -> list[str]:
    """Split at the commas that are in no parentheses; what was in those is gone."""
    while (flat := _INNERMOST.sub(_POINTER, arguments)) != arguments:
        arguments = flat
    return arguments.split(",")


def _parameter(text: str) -> Any:
    """Give the type of a parameter, with or without its name; None where it is not known."""
    if _POINTER in text:
        return ctypes.c_void_p
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
