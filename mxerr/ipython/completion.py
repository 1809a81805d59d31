"""Completes the arguments of the magics; their names IPython completes itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mxerr.ipython.settings import CHOICES
from mxerr.registry import GLOBAL

_DISPATCHER: Final = "complete_command"
_CELL: Final = ("--flags", "--isolated", "--timeout")
WORDS: Final[dict[str, Sequence[str]]] = {
    "%mxerr": ("explain", "frames", "kinds", "last", "status"),
    "%%mxerr_c": _CELL,
    "%%mxerr_cpp": _CELL,
    "%%mxerr_raises": ("--in", "--match"),
    "%%mxerr_trace": ("--save",),
}
"""What can follow each magic; `%%mxerr_raises` also takes a kind, and `%mxerr frames` how many."""


def complete(shell: Any, event: Any) -> list[str]:
    """Say what can stand where the cursor is; IPython leaves out what does not begin as it was typed.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell.
    event : types.SimpleNamespace
        IPython's: `line` is the line up to the cursor, `command` its first word.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> complete(None, SimpleNamespace(line="%mxerr frames s", command="%mxerr"))
    ['full', 'short']
    """
    before = event.line.split()[1:]
    if not event.line[-1:].isspace():
        before = before[:-1]  # the last word is being typed
    if event.command == "%mxerr":
        if before:
            return sorted(CHOICES) if before == ["frames"] else []
        return list(WORDS["%mxerr"])
    kinds = sorted(GLOBAL.classes) if event.command == "%%mxerr_raises" and not before else []
    return [*WORDS[event.command], *kinds]


class Completion:
    """Completers in a shell, with what they took the place of.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell.
    """

    def __init__(self, shell: Any) -> None:
        self._completers: dict[str, Any] = shell.strdispatchers[_DISPATCHER].strs
        self._before = {magic: self._completers.pop(magic, None) for magic in WORDS}
        for magic in WORDS:
            shell.set_hook(_DISPATCHER, complete, str_key=magic)

    def remove(self) -> None:
        """Take the completers out, and put back what was there."""
        for magic, own in self._before.items():
            self._completers.pop(magic, None)
            if own is not None:
                self._completers[magic] = own
