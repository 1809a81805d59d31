"""Makes a Python function of each C operator: signature, defaults and docstring from the operator table."""

from __future__ import annotations

import ast
import ctypes
import textwrap
from collections.abc import Callable
from operator import index
from typing import Any

import numpy

from mxerr import _native
from mxerr.np._ndarray import array, ndarray, operators

_library = _native.library()


def _shape_text(value: Any) -> str:
    return str(value if value is None else tuple(map(index, value)) if numpy.iterable(value) else index(value))


_PACK: dict[str, Callable[[Any], str]] = {
    "float": lambda value: repr(float(value)),
    "tuple of int or None": _shape_text,
    "dtype": lambda value: numpy.dtype(value).name,
}
"""How a Python value is spelled for C, by the type that C gives its parameter."""


def _pack(kind: str, value: Any) -> bytes:
    try:
        text = _PACK[kind](value)
    except (TypeError, ValueError, OverflowError):
        text = str(value)  # C says what it expected and what came
    return text.encode("utf-8", "backslashreplace").replace(b"\0", b"\\x00")


class Operator:
    """One entry of the operator table, ready to be called.

    Parameters
    ----------
    info : OpInfo
        The entry.
    """

    def __init__(self, info: _native.OpInfo) -> None:
        columns = range(info.num_params)
        self.name: bytes = info.name
        self.doc = info.doc.decode()
        self.inputs = [info.input_names[i].decode() for i in range(info.num_inputs)]
        self.params = [info.param_names[i].decode() for i in columns]
        self.types = [info.param_types[i].decode() for i in columns]
        self.defaults = [info.param_defaults[i] for i in columns]
        self.docs = [info.param_docs[i].decode() for i in columns]
        self._input_array = ctypes.c_void_p * info.num_inputs
        self._value_array = ctypes.c_char_p * info.num_params
        self._keys = self._value_array(*[info.param_names[i] for i in columns])

    def __call__(self, inputs: tuple[Any, ...], values: tuple[Any, ...]) -> ndarray:
        """Run the operator.

        Parameters
        ----------
        inputs : tuple of array_like
            Its inputs.
        values : tuple
            A value for each of its parameters.

        Returns
        -------
        ndarray
            Its output.
        """
        __tracebackhide__ = True
        arrays = [a if isinstance(a, ndarray) else array(a) for a in inputs]
        count = ctypes.c_int()
        outputs = _native.Handles()
        _library.MXImperativeInvoke(
            self.name,
            len(arrays),
            self._input_array(*[a.handle for a in arrays]),
            len(values),
            self._keys,
            self._value_array(*map(_pack, self.types, values)),
            count,
            outputs,
        )
        return ndarray(outputs[0])


def functions(prefix: str) -> dict[str, Any]:
    """Make the functions of all operators whose name begins with a prefix.

    Parameters
    ----------
    prefix : str
        ``"random_"``, or empty for all operators that are not random.

    Returns
    -------
    dict of str to function
        The functions by name, without the prefix.
    """
    count = ctypes.c_int()
    names = _native.Strings()
    _library.MXListAllOpNames(count, names)
    chosen = [n for n in names[: count.value] if n.startswith(b"random_") == (prefix == "random_")]
    return {name.decode().removeprefix(prefix): _function(name, prefix) for name in chosen}


def _function(name: bytes, prefix: str) -> Any:
    info = ctypes.POINTER(_native.OpInfo)()
    _library.MXOpGetInfo(name, info)
    operator = Operator(info.contents)
    python_name = name.decode().removeprefix(prefix)
    namespace: dict[str, Any] = {"operator": operator, "__name__": f"mxerr.np{'.random' if prefix else ''}"}
    exec(_definition(operator, python_name), namespace)  # names come from the C table, none from users
    function = namespace[python_name]
    function.__doc__ = _docstring(operator)
    operators[name.decode()] = function
    return function


def _definition(operator: Operator, python_name: str) -> Any:
    """Compile ``def name(inputs, params=defaults): return operator((inputs,), (params,))``."""
    defaults = [f"{p}={_default(d)}" if d is not None else p for p, d in _parameters(operator)]
    source = f"""
def {python_name}({", ".join([*operator.inputs, *defaults])}):
    __tracebackhide__ = True
    return operator(({"".join(f"{i}, " for i in operator.inputs)}), ({"".join(f"{p}, " for p in operator.params)}))
"""
    return compile(source, f"<mxerr operator {operator.name.decode()}>", "exec")


def _parameters(operator: Operator) -> list[tuple[str, bytes | None]]:
    return list(zip(operator.params, operator.defaults, strict=True))


def _default(text: bytes) -> str:
    """Spell a default of the table in Python: a literal as it is, a name of a dtype as a string."""
    try:
        ast.literal_eval(text.decode())
    except ValueError:
        return repr(text.decode())
    return text.decode()


def _docstring(operator: Operator) -> str:
    """The operator's docstring as numpydoc has it: its own text with the tables of parameters put in."""
    summary, _, rest = operator.doc.partition("\n\n")
    entries = [f"{name} : array_like" for name in operator.inputs]
    for name, kind, default, doc in zip(
        operator.params, operator.types, operator.defaults, operator.docs, strict=True
    ):
        optional = "" if default is None else f", default {default.decode()}"
        entries.append(f"{name} : {kind}{optional}\n{textwrap.indent(textwrap.fill(doc, 100), '    ')}")
    sections = [summary, "Parameters\n----------\n" + "\n".join(entries), "Returns\n-------\nndarray", rest]
    return "\n\n".join(section for section in sections if section) + "\n"
