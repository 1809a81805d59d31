"""What counts as a kind, the name of an error type that C states before a colon."""

from __future__ import annotations

import re
from collections.abc import Callable

PATTERN = r"[A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z_][A-Za-z0-9_]*+)*+"
"""A kind as a regular expression: an ASCII identifier, dots allowed."""

_SHAPE = re.compile(PATTERN)
_ENDINGS = ("Error", "Exception", "Warning")
# These end a program, a generator or a task. No text, whoever wrote it, may do that.
RESERVED = frozenset(
    {"BaseException", "CancelledError", "GeneratorExit", "KeyboardInterrupt", "SystemExit"}
    | {"StopIteration", "StopAsyncIteration"}
)
"""Names that no text may raise, and no class be registered for."""


def bare(name: str) -> str:
    """Take the prefix ``mxnet.error.`` or ``mxerr.error.`` off a kind.

    Examples
    --------
    >>> bare("mxnet.error.ValueError")
    'ValueError'
    """
    return name.removeprefix("mxnet.error.").removeprefix("mxerr.error.")


def is_kind(name: str, known: Callable[[str], bool]) -> bool:
    """Tell a kind from a word that merely stands before a colon.

    Parameters
    ----------
    name : str
        The name, without a prefix.
    known : callable
        Says whether a class is registered for a kind.

    Returns
    -------
    bool
        True for an identifier that is known or ends in Error, Exception or Warning, unless it names one of
        the exceptions that no text may raise, such as SystemExit.

    Examples
    --------
    >>> is_kind("QuotaError", lambda name: False), is_kind("axis2", lambda name: False)
    (True, False)
    """
    last = name.rpartition(".")[2]
    if _SHAPE.fullmatch(name) is None or last in RESERVED:
        return False
    return last.endswith(_ENDINGS) or known(name)
