"""Reads the prototypes of a C header, so that nobody types argument types twice: ``mxerr[headers]``.

The header is preprocessed and parsed in Python (pcpp, pycparser): no compiler is needed, nor the headers of
the system. What is C++ alone, behind ``__cplusplus``, is left out.
"""

from __future__ import annotations

import ctypes
import io
import operator
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mxerr.library import STATUS, Prototypes

try:
    import pcpp
    from pycparser import CParser, c_ast
except ImportError as error:
    raise ImportError(
        "mxerr.headers: pcpp and pycparser are missing: pip install 'mxerr[headers]'"
    ) from error

_NAMES: Final = {
    **{f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{"size_t": "size_t", "ssize_t": "ssize_t", "bool": "bool", "wchar_t": "wchar"},
    **{"intptr_t": "ssize_t", "uintptr_t": "size_t", "ptrdiff_t": "ssize_t"},
}
# Words of a basic type in the order of their names, and how ctypes spells it. "int" may be left out.
_BASIC: Final = {
    "char": "char",
    "char unsigned": "ubyte",
    "short": "short",
    "short unsigned": "ushort",
    "": "int",
    "unsigned": "uint",
    "long": "long",
    "long unsigned": "ulong",
    "long long": "longlong",
    "long long unsigned": "ulonglong",
    "float": "float",
    "double": "double",
    "double long": "longdouble",
    "_Bool": "bool",
}
# What the parser has to know: the types above, which have no other meaning to it, and some that stay opaque.
_PRELUDE: Final = "".join(f"typedef int {name};\n" for name in (*_NAMES, "FILE", "sig_atomic_t", "va_list"))
_DEFINED: Final = (
    "__attribute__(x)",
    "__declspec(x)",
    "__asm__(x)",
    "__extension__",
    "__restrict",
    "__inline",
)
_OPERATORS: Final[dict[str, Callable[..., int]]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod},
    **{
        "<<": operator.lshift,
        ">>": operator.rshift,
        "|": operator.or_,
        "&": operator.and_,
        "^": operator.xor,
    },
}
_UNARY: Final[dict[str, Callable[..., int]]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}


def read(
    path: str | os.PathLike[str],
    *,
    include: Sequence[str | os.PathLike[str]] = (),
    define: Mapping[str, str] | None = None,
    status: Collection[str] = ("int",),
) -> Prototypes:
    """Read the functions that a header declares.

    Parameters
    ----------
    path : str or path-like
        The header.
    include : sequence of str or path-like
        Where the headers lie that it includes, besides its own folder. One that is not found is left out.
    define : mapping of str to str, optional
        Macros to define first.
    status : collection of str
        Result types, as the header spells them, that mean a status. What returns another integer is not
        checked.

    Returns
    -------
    mapping of str to (restype, argtypes)
        For `mxerr.Library`. ``const char *`` is `ctypes.c_char_p`; pointers to void, to ``char`` and to types
        that the header does not complete are `ctypes.c_void_p`. A function with a variable number of
        arguments has the types of the named ones.

    Raises
    ------
    ImportError
        On import of this module: if ``mxerr[headers]`` is not installed.
    OSError
        If the header cannot be read.
    ValueError
        If it is no C that can be parsed; the message says where.

    Examples
    --------
    >>> from mxerr import _native
    >>> prototypes = read(_native.source_root() / "lib/include/mxerr/c_api.h")
    >>> [argument.__name__ for argument in prototypes["MXGetVersion"][1]]
    ['LP_c_int']
    """
    text = _preprocess(Path(path), include, define or {})
    try:
        unit = CParser().parse(f"{_PRELUDE}#line 1\n{text}", str(path))
    except Exception as error:  # its ParseError, which has had more than one home
        raise ValueError(f"headers.read: {path}: expected declarations of C, got {error}") from error
    types = _Types()
    found = {}
    for node in unit.ext[_PRELUDE.count("\n") :]:
        if isinstance(node, c_ast.Typedef):
            types.define(node)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            if "static" not in node.storage:
                found[node.name] = types.prototype(node.type, status)
        elif isinstance(node, c_ast.Decl):
            types.of(node.type)  # a struct or enum alone
    return found


def _preprocess(path: Path, include: Sequence[str | os.PathLike[str]], define: Mapping[str, str]) -> str:
    preprocessor = _Preprocessor()
    preprocessor.line_directive = None
    for name in _DEFINED:
        preprocessor.define(name)
    for name, value in define.items():
        preprocessor.define(f"{name} {value}")
    for folder in (path.parent, *include):
        preprocessor.add_path(os.fspath(folder))
    preprocessor.parse(path.read_text("utf-8", "replace"), str(path))
    output = io.StringIO()
    preprocessor.write(output)
    return output.getvalue()


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # it has no annotations
    """Leaves out what it does not find."""

    def on_include_not_found(self, *place: object) -> None:
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)


class _Types:
    """The ctypes types of C types, with what a header has defined so far."""

    def __init__(self) -> None:
        self.typedefs: dict[str, Any] = {}
        self.tags: dict[tuple[type, str], Any] = {}
        self.constants: dict[str, int] = {}

    def define(self, node: Any) -> None:
        """Take over a typedef; a struct without a name has this one."""
        compound = getattr(node.type, "type", None)
        if isinstance(compound, c_ast.Struct | c_ast.Union) and compound.name is None:
            compound.name = node.name
        self.typedefs[node.name] = node.type
        self.of(node.type)

    def prototype(self, function: Any, status: Collection[str]) -> tuple[Any, tuple[Any, ...]]:
        result = self.of(function.type)
        if isinstance(function.type, c_ast.TypeDecl) and self._spelled(function.type.type) in status:
            result = STATUS
        elif result is STATUS:
            result = int  # the C int as a number
        return result, self._arguments(function)

    def _arguments(self, function: Any) -> tuple[Any, ...]:
        parameters = function.args.params if function.args else []
        types = [self.of(p.type) for p in parameters if not isinstance(p, c_ast.EllipsisParam | c_ast.ID)]
        # an array is passed by its address
        types = [ctypes.POINTER(t._type_) if issubclass(t, ctypes.Array) else t for t in types if t]
        return tuple(types)

    def of(self, node: Any) -> Any:
        """Give the ctypes type of a declaration; None for void and for what is not complete."""
        if isinstance(node, c_ast.TypeDecl | c_ast.Typename | c_ast.Decl):
            return self.of(node.type)
        if isinstance(node, c_ast.PtrDecl):
            return self._pointer(node.type)
        if isinstance(node, c_ast.ArrayDecl):
            return self.of(node.type) * (self._number(node.dim) if node.dim else 0)
        if isinstance(node, c_ast.FuncDecl):
            return ctypes.CFUNCTYPE(self.of(node.type), *self._arguments(node))
        if isinstance(node, c_ast.Enum):
            return self._enum(node)
        if isinstance(node, c_ast.Struct | c_ast.Union):
            return self._compound(node)
        return self._named(node.names)

    def _named(self, names: Sequence[str]) -> Any:
        name = names[-1]
        if sorted(names) == ["char", "signed"]:
            return ctypes.c_byte
        if name in self.typedefs:
            return self.of(self.typedefs[name])
        if name in _NAMES:
            return getattr(ctypes, f"c_{_NAMES[name]}")
        basic = _BASIC.get(" ".join(sorted(word for word in names if word not in {"int", "signed"})))
        return getattr(ctypes, f"c_{basic}") if basic else None

    def _pointer(self, target: Any) -> Any:
        pointed = self.of(target)
        if pointed is ctypes.c_char:
            return ctypes.c_char_p if "const" in getattr(target, "quals", ()) else ctypes.c_void_p
        if pointed is None:
            return ctypes.c_void_p
        # a pointer to a function is what CFUNCTYPE gives
        return pointed if isinstance(target, c_ast.FuncDecl) else ctypes.POINTER(pointed)

    def _enum(self, node: Any) -> Any:
        value = -1
        for item in node.values.enumerators if node.values else ():
            value = self._number(item.value) if item.value else value + 1
            self.constants[item.name] = value
        return ctypes.c_int

    def _compound(self, node: Any) -> Any:
        key = (type(node), node.name or f"anonymous {node.coord}")
        if node.decls is None:
            return self.tags.get(key)
        if key not in self.tags:
            base = ctypes.Structure if isinstance(node, c_ast.Struct) else ctypes.Union
            made: Any = type(node.name or "anonymous", (base,), {})
            self.tags[key] = made  # its own fields may point to it
            fields = [self._field(number, decl) for number, decl in enumerate(node.decls)]
            made._anonymous_ = tuple(name for name, *_ in fields if name.startswith("anonymous_"))
            made._fields_ = fields
        return self.tags[key]

    def _field(self, number: int, decl: Any) -> tuple[Any, ...]:
        bits = (self._number(decl.bitsize),) if getattr(decl, "bitsize", None) else ()
        return (decl.name or f"anonymous_{number}", self.of(decl.type), *bits)

    def _spelled(self, node: Any) -> str:
        return " ".join(node.names) if isinstance(node, c_ast.IdentifierType) else f"enum {node.name}"

    def _number(self, node: Any) -> int:
        """Compute a constant expression."""
        if isinstance(node, c_ast.Constant):
            return ord(node.value[1]) if node.type == "char" else int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID) and node.name in self.constants:
            return self.constants[node.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            return ctypes.sizeof(self.of(node.expr))
        if isinstance(node, c_ast.UnaryOp) and node.op in _UNARY:
            return _UNARY[node.op](self._number(node.expr))
        if isinstance(node, c_ast.BinaryOp) and node.op in _OPERATORS:
            return _OPERATORS[node.op](self._number(node.left), self._number(node.right))
        raise ValueError(f"headers.read: {node.coord}: expected a constant whole number")
