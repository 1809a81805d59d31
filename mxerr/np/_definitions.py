"""Makes a Python function of each C operator: signature, defaults and docstring from the operator table."""

from __future__ import annotations

import ast
import ctypes
import textwrap
from typing import Any

from mxerr import _native
from mxerr.np import _operators
from mxerr.np._methods import operators

_library = _native.library()


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
    operator = _operators.find(name.decode())
    python_name = name.decode().removeprefix(prefix)
    namespace: dict[str, Any] = {"operator": operator, "__name__": f"mxerr.np{'.random' if prefix else ''}"}
    exec(_definition(operator, python_name), namespace)  # names come from the C table, none from users
    function = namespace[python_name]
    function.__doc__ = _docstring(operator)
    operators[name.decode()] = function
    return function


def _definition(operator: _operators.Operator, python_name: str) -> Any:
    """Compile ``def name(inputs, params=defaults): return operator((inputs,), (params,))``, or with `out`."""
    defaults = [f"{p}={_default(d)}" if d is not None else p for p, d in _parameters(operator)]
    star = "*" if operator.variadic else ""
    inputs = "".join(f"{star}{name}, " for name in operator.inputs)
    params = "".join(f"{name}, " for name in operator.params)
    takes, passes = (["*", "out=None"], ", out") if operator.takes_out else ([], "")
    source = f"""
def {python_name}({", ".join([*operator.inputs, *defaults, *takes])}):
    __tracebackhide__ = True
    return operator(({inputs}), ({params}){passes})
"""
    return compile(source, f"<mxerr operator {operator.name.decode()}>", "exec")


def _parameters(operator: _operators.Operator) -> list[tuple[str, bytes | None]]:
    return list(zip(operator.params, operator.defaults, strict=True))


def _default(text: bytes) -> str:
    """Spell a default of the table in Python: a literal as it is, a name of a dtype as a string."""
    try:
        ast.literal_eval(text.decode())
    except ValueError:
        return repr(text.decode())
    return text.decode()


_OUT_ENTRY = """out : ndarray, optional
    An array that takes the result, and is returned: of its shape, else ValueError, and of a type that it can
    be cast to by NumPy's rule 'same_kind', else TypeError. Such a call is never queued."""


def _docstring(operator: _operators.Operator) -> str:
    """The operator's docstring as numpydoc has it: its own text with the tables of parameters put in."""
    summary, _, rest = operator.doc.partition("\n\n")
    entries = [
        f"{name} : {'sequence of array_like' if operator.variadic else 'array_like'}"
        for name in operator.inputs
    ]
    for name, kind, default, doc in zip(
        operator.params, operator.types, operator.defaults, operator.docs, strict=True
    ):
        optional = "" if default is None else f", default {default.decode()}"
        entries.append(f"{name} : {kind}{optional}\n{textwrap.indent(textwrap.fill(doc, 100), '    ')}")
    if operator.takes_out:
        entries.append(_OUT_ENTRY)
    sections = [
        summary,
        "Parameters\n----------\n" + "\n".join(entries),
        f"Returns\n-------\n{'list of ndarray' if operator.many_outputs else 'ndarray'}",
        rest,
    ]
    return "\n\n".join(section for section in sections if section) + "\n"
