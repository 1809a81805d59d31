"""Makes a Python function of each C operator: signature, defaults and docstring from the operator table."""

from __future__ import annotations

import ast
import ctypes
import difflib
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

from mxerr import _native
from mxerr.np import _operators
from mxerr.np._methods import by_name, operators

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
    namespace: dict[str, Any] = {
        "operator": operator,
        "refuse": _refuse,
        "__name__": f"mxerr.np{'.random' if prefix else ''}",
    }
    exec(_definition(operator, python_name), namespace)  # names come from the C table, none from users
    function = namespace[python_name]
    function.__doc__ = _docstring(operator)
    _sign(function, name.decode())
    operators[name.decode()] = function
    return function


def _sign(function: Any, name: str) -> None:
    """Show the signature without what only catches unknown names; the array's method has it, too."""
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    function.__signature__ = signature.replace(parameters=parameters)
    if name in by_name:
        parameters[0] = parameters[0].replace(name="self")
        by_name[name].__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]


def nearest(name: str, names: Iterable[str]) -> str:
    """Ask whether another name was meant, at the end of a text.

    Examples
    --------
    >>> nearest("keepdim", ["axis", "keepdims"]), nearest("x", ["axis"])
    ("; did you mean 'keepdims'?", '')
    """
    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _refuse(function: Any, unknown: dict[str, Any]) -> None:
    """Say what Python says of an argument that there is not, and what may have been meant."""
    __tracebackhide__ = True
    name = next(iter(unknown))
    raise TypeError(
        f"{function.__name__}() got an unexpected keyword argument {name!r}"
        f"{nearest(name, inspect.signature(function).parameters)}"
    )


def _definition(operator: _operators.Operator, python_name: str) -> Any:
    """Compile ``def name(inputs, params=defaults): return operator((inputs,), (params,))``, or with `out`."""
    defaults = [f"{p}={_default(d)}" if d is not None else p for p, d in _parameters(operator)]
    star = "*" if operator.variadic else ""
    inputs = "".join(f"{star}{name}, " for name in operator.inputs)
    params = "".join(f"{name}, " for name in operator.params)
    takes, passes = (["*", "out=None"], ", out") if operator.takes_out else ([], "")
    source = f"""
def {python_name}({", ".join([*operator.inputs, *defaults, *takes, "**unknown"])}):
    __tracebackhide__ = True
    if unknown:
        refuse({python_name}, unknown)
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
    about, raises, rest = operator.doc.partition("\n\nRaises\n------\n")
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
        about,
        "Parameters\n----------\n" + "\n".join(entries),
        f"Returns\n-------\n{'list of ndarray' if operator.many_outputs else 'ndarray'}",
        raises.strip("\n") + "\n" + rest,
    ]
    return "\n\n".join(section for section in sections if section) + "\n"
