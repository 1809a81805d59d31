"""The IPython extension: ``%load_ext mxerr``.

Tracebacks show C frames as C, errors reach the front end as errors, and ``%mxerr`` explains the last one.
``%unload_ext mxerr`` puts back what was there.
"""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary

from mxerr.ipython import formatter, output
from mxerr.ipython.cells import CellMagics
from mxerr.ipython.completion import Completion
from mxerr.ipython.magics import MxerrMagics, Registration
from mxerr.ipython.settings import SETTINGS, add_plumbing
from mxerr.ipython.show import ShowTraceback

__all__ = ["SETTINGS", "Extension", "add_plumbing", "load_ipython_extension", "unload_ipython_extension"]


class Extension:
    """What is put into one shell, and taken out again.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._formatter = shell.InteractiveTB
        self._show = ShowTraceback(shell)
        formatter.swap_in(self._formatter)
        if shell in _left:
            SETTINGS.frames, formatter.state_of(self._formatter).last = _left.pop(shell)
        else:
            SETTINGS.read(os.environ)
        self._show.install()
        self._magics = Registration(shell, MxerrMagics, CellMagics)
        self._completion = Completion(shell)
        self._events = shell.events
        self._events.register("post_run_cell", _flush)

    def unload(self) -> None:
        """Put back what was there."""
        _left[self._shell] = SETTINGS.frames, formatter.state_of(self._formatter).last
        self._events.unregister("post_run_cell", _flush)
        self._completion.remove()
        self._magics.remove()
        self._show.remove()
        formatter.swap_out(self._formatter)


def _flush(result: Any) -> None:
    """See to it that what C printed in a cell does not wait for the next one."""
    output.flush()


_loaded: WeakKeyDictionary[Any, Extension] = WeakKeyDictionary()


_left: WeakKeyDictionary[Any, tuple[str, BaseException | None]] = WeakKeyDictionary()
"""What the user chose and the last error, of shells that the extension was taken out of: for %reload_ext."""


def load_ipython_extension(shell: Any) -> None:
    """Load the extension into a shell; where it is loaded already, nothing happens."""
    if shell not in _loaded:
        _loaded[shell] = Extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take the extension out of a shell."""
    extension = _loaded.pop(shell, None)
    if extension is not None:
        extension.unload()
