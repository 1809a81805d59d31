"""Ctrl-C for C: a call that the user can stop, where its loops poll with ``MXERR_POLL``."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mxerr.library import Library

_SWITCH: Final = "mxerr_interruptible"


@contextmanager
def interruptible(library: Library) -> Iterator[None]:
    """Let the user stop C code of a library, in a ``with`` block on the main thread.

    Python notes a Ctrl-C, or the stop button of a notebook, at once, but acts when C comes back, which may
    be never. In the block it is C that is told: the next ``MXERR_POLL()`` fails, and what C has called
    unwinds as after any error. On other threads, and for libraries without the kit, the block changes
    nothing.

    Parameters
    ----------
    library : Library
        The library.

    Raises
    ------
    KeyboardInterrupt
        If the user asked to stop. Its traceback has the C frames, where C noticed.

    Examples
    --------
    >>> import mxerr
    >>> library = mxerr.build('''
    ... MXERR_EXPORT int count(int n) {
    ...   for (int i = 0; i < n; i++) MXERR_POLL();
    ...   return 0;
    ... }''')
    >>> with interruptible(library):
    ...     library.count(1000)
    0
    """
    __tracebackhide__ = True
    try:
        switch = library.unchecked(_SWITCH)
    except AttributeError:  # it is not written with the kit
        switch = None
    if switch is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    switch.argtypes, switch.restype = (ctypes.c_bool,), ctypes.c_bool
    switch(True)
    try:
        yield
    except BaseException as error:
        if switch(False):
            raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
        raise
    if switch(False):
        raise KeyboardInterrupt
