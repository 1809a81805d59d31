"""The library of ``tests/data/caller.c``, which calls back, for the tests of callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_double, c_int
from pathlib import Path
from typing import Any

from support.compiler import DATA, compile_c

from mxerr import Library
from mxerr.callback import callback, pending
from mxerr.library import STATUS

Visitor = CFUNCTYPE(c_int, c_int)
Function = CFUNCTYPE(c_double, c_double)
Listener = CFUNCTYPE(None)

PROTOTYPES = {
    "caller_visit": (STATUS, (POINTER(c_int), c_int, Visitor)),
    "caller_visit_and_clean": (STATUS, (Visitor, Visitor)),
    "caller_keep": (STATUS, (Visitor,)),
    "caller_visit_kept": (STATUS, (c_int,)),
    "caller_ignore": (STATUS, (Visitor, c_int)),
    "caller_sum": (c_double, (Function, c_int)),
    "caller_notify": (None, (Listener,)),
    "caller_spawn": (STATUS, (Visitor,)),
    "caller_interrupted": (STATUS, (c_int, Visitor)),
}


def compile_caller(path: Path) -> Path:
    """Compile it to a file."""
    return compile_c((DATA / "caller.c").read_text("utf-8"), path, "-pthread")


@contextmanager
def loaded(path: Path, capfd: Any) -> Iterator[Library]:
    """Load it; whatever a test does with it, nothing is left to be raised, and nothing printed."""
    yield Library(path, prototypes=PROTOTYPES, source_root=path.parent)
    assert pending == []
    assert capfd.readouterr() == ("", "")


def raiser(error: BaseException, prototype: Any = Visitor, **options: Any) -> Any:
    """Make a callback that raises an exception."""

    @callback(prototype, **options)
    def fail(*args: object) -> Any:
        raise error

    return fail
