"""What C prints, in the cell that caused it.

A kernel hands on what Python prints. What C prints goes to the process: into a buffer of C first, and from
there to a pipe that the kernel reads when it comes to it, in a later cell perhaps. In a terminal both go the
same way, and only the buffer is in between.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


def flush() -> None:
    """Write out what C has in its buffers."""
    # on Windows each C runtime has buffers of its own, and there is no way to all of them
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)


@contextmanager
def shown(shell: Any) -> Iterator[None]:
    """Have the shell show what C prints in a ``with`` block: afterwards, and where Python prints."""
    if not hasattr(shell, "kernel"):
        sys.stdout.flush()
        try:
            yield
        finally:
            flush()
        return
    flush()  # it is not of this block
    with ExitStack() as stack:
        stack.enter_context(_collected(1, lambda text: print(text, end="")))
        stack.enter_context(_collected(2, lambda text: print(text, end="", file=sys.stderr)))
        try:
            yield
        finally:
            flush()


@contextmanager
def _collected(descriptor: int, write: Any) -> Iterator[None]:
    """Collect what is written to a file of the process."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(descriptor)
        os.dup2(file.fileno(), descriptor)
        try:
            yield
        finally:
            os.dup2(before, descriptor)
            os.close(before)
            file.seek(0)
            text = file.read().decode("utf-8", "backslashreplace")
            if text:
                write(text)
