"""The functions that a C or C++ source exports, with their types for ctypes.

It reads what a small library is written with: functions marked ``MXERR_EXPORT``, whose results and parameters
are numbers, texts and pointers. It is no C parser. A parameter that it does not know is left to ctypes; a
result that it does not know could be anything, and is said to be `UNKNOWN`.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final, NamedTuple

UNKNOWN: Final = object()
"""As the result type of a function: it is not known, or two declarations of the function say two things."""


class Function(NamedTuple):
    """An exported function.

    Attributes
    ----------
    declaration : str
        What C says of it, in one line.
    restype : type, None, or UNKNOWN
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
    def prototype(self) -> tuple[Any, Any]:
        """Result and argument types, as `mxerr.library.Library` takes them."""
        return self.restype, self.argtypes


_IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*', re.S | re.M
)
_NESTED: Final = r"[^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*"  # pointers to functions have parentheses
_FUNCTION = re.compile(rf"\bMXERR_EXPORT\s+((?:[\w\s*:&<>,]*?[\s*&>])?)(\w+)\s*\(({_NESTED})\)")
_ATTRIBUTE = re.compile(
    rf"\b(?:__attribute__|__attribute|__declspec|alignas|_Alignas)\s*\({_NESTED}\)|\[\[[^]]*\]\]"
)
_INNERMOST = re.compile(r"\([^()]*\)")
_POINTER: Final = "@"  # stands for what was in parentheses, to a function or an array; C has no such sign
_QUALIFIERS = re.compile(
    r"\b(?:const|volatile|__restrict|restrict|inline|__inline|_Noreturn|__extension__|extern|std)\b|::"
)

_NUMBER_WORDS: Final = ("signed", "unsigned", "short", "long", "char", "int", "double")  # in this order
_MOST_TYPEDEFS: Final = 20  # one of another of another: in C++ also of itself

_C_TYPES: Final = {
    "bool": ctypes.c_bool,
    "_Bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "signed char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short,
    "unsigned short": ctypes.c_ushort,
    "int": ctypes.c_int,  # as a result it is a status: `mxerr.library.STATUS`
    "unsigned": ctypes.c_uint,
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "long double": ctypes.c_longdouble,
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


def read(source: str, typedefs: str = "") -> dict[str, Function]:
    """Read the exported functions of a source.

    Parameters
    ----------
    source : str
        C or C++ text.
    typedefs : str
        Where names of types are looked up; by default in `source`.

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
    text = _IGNORED.sub(_blank, source)
    functions: dict[str, Function] = {}
    for found in _FUNCTION.finditer(_ATTRIBUTE.sub(_blank, text)):
        if "static" not in found[1].split():
            function = _function(found, typedefs or text)
            functions[found[2]] = _merged(functions.get(found[2], function), function)
    return functions


def _blank(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def _merged(earlier: Function, later: Function) -> Function:
    """Join two declarations of a function: ``f()`` says nothing of the arguments in C."""
    if earlier.restype is later.restype:
        if earlier.argtypes == later.argtypes or not earlier.argtypes:
            return later
        if not later.argtypes:
            return later._replace(argtypes=earlier.argtypes)
    return later._replace(declaration=f"{earlier.declaration}; {later.declaration}", restype=UNKNOWN)


def _function(found: re.Match[str], typedefs: str) -> Function:
    result, name, arguments = found.groups()
    declaration = " ".join(f"{result}{name}({arguments})".split())
    line = found.string.count("\n", 0, found.start(2)) + 1
    words, stars = _words(result)
    base, more = _resolved(words, typedefs)
    restype: Any = _c_type(base, stars + more)
    if restype is None and base != "void":
        restype = UNKNOWN
    if arguments.strip() in ("", "void"):
        return Function(declaration, restype, (), line)
    types = [_parameter(argument, typedefs) for argument in _split(arguments)]
    return Function(declaration, restype, None if None in types else tuple(types), line)


def _split(arguments: str) -> list[str]:
    """Split at the commas that are in no parentheses; what was in those is gone."""
    while (flat := _INNERMOST.sub(_POINTER, arguments)) != arguments:
        arguments = flat
    return arguments.split(",")


def _parameter(text: str, typedefs: str) -> Any:
    """Give the type of a parameter, with or without its name; None where it is not known."""
    if _POINTER in text:
        return ctypes.c_void_p
    words, stars = _words(text)
    base, more = _resolved(words, typedefs)
    if base not in _C_TYPES and not more:
        base, more = _resolved(words[:-1], typedefs)  # the last one is its name
    return _c_type(base, stars + more)


def _words(text: str) -> tuple[list[str], int]:
    """Split into the words of a declaration, without qualifiers, and the number of its stars."""
    stars = text.count("*") + text.count("[") + text.count("&")  # C++ passes a reference as a pointer
    return re.findall(r"\w+", _QUALIFIERS.sub(" ", re.sub(r"\[[^]]*\]", " ", text))), stars


def _resolved(words: list[str], typedefs: str) -> tuple[str, int]:
    """Name a type as `_C_TYPES` does, and give the number of stars that typedefs add."""
    base, stars = _spelled(words), 0
    for _ in range(_MOST_TYPEDEFS):
        if base in _C_TYPES or not base.isidentifier():
            break
        stated = re.findall(
            rf"\btypedef\s([\w\s*:]*?[\s*]){base}\s*;|\busing\s+{base}\s*=([\w\s*:]+);", typedefs
        )
        meant = {(_spelled(words), more) for words, more in (_words("".join(one)) for one in stated)}
        if len(meant) != 1:  # or two that differ, as within #if
            break
        ((base, more),) = meant
        stars += more
    return base, stars


def _spelled(words: list[str]) -> str:
    """Join the words of a type; C takes those of a number in any order, and does without some."""
    if words and set(words) <= set(_NUMBER_WORDS):
        left_out = {"signed"} - ({"signed"} if "char" in words else set())
        kept = sorted((word for word in words if word not in left_out), key=_NUMBER_WORDS.index)
        return " ".join(word for word in kept if word != "int" or len(kept) == 1) or "int"
    return " ".join(words)


def _c_type(base: str, stars: int) -> Any:
    result: Any = _C_TYPES.get(base)
    if base == "char" and stars:
        result, stars = ctypes.c_char_p, stars - 1
    if result is None:
        return ctypes.c_void_p if stars else None  # void, a struct, a name of the source's own
    for _ in range(stars):
        result = ctypes.POINTER(result)
    return result
