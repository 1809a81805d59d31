"""Errors put into the stages of C operators on purpose, to test what becomes of them."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mxerr import _native, argument

ENVIRONMENT: Final = "MXERR_FAILPOINTS"
"""The variable that `set_from_environment` reads."""

_SPEC = re.compile(r"\s*(?P<name>[\w.]+)(?:@(?P<after>\d+))?(?:\*(?P<times>\d+))?\s*=\s*(?P<message>.+?)\s*")
_active: set[str] = set()
_lock = threading.Lock()
if sys.platform != "win32":  # the child of a fork is to find it free
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def names() -> list[str]:
    """List all fail points.

    Returns
    -------
    list of str
        Each stage of each operator.

    Examples
    --------
    >>> names()[:2]
    ['abs.parse', 'abs.infer_shape']
    """
    count, found = ctypes.c_int(), _native.Strings()
    _native.library().MXListFailPoints(count, found)
    return [name.decode() for name in found[: count.value]]


@contextmanager
def failpoint(name: str, message: str, *, after: int = 0, times: int | None = None) -> Iterator[None]:
    """Make a stage of an operator fail within a ``with`` block, on all threads.

    Parameters
    ----------
    name : str
        One of `names`.
    message : str
        What C says; ``"ValueError: injected"`` has the kind ValueError. An empty one leaves the stage out, as
        a bug might: what comes after it finds out, which is an InternalError. ``forward`` cannot be left out.
    after : int
        How often the stage goes well first.
    times : int, optional
        How often it then fails; by default always.

    Raises
    ------
    ValueError
        If there is no such fail point (the text lists the known ones), it is set already, a number is out of
        range, the message has a NUL, or the stage cannot be left out.
    TypeError
        If `message` is no str, or `after` or `times` no integer.

    Examples
    --------
    >>> from mxerr import np
    >>> with failpoint("transpose.infer_shape", "IndexError: injected"):
    ...     np.array([[1, 2]]).T
    Traceback (most recent call last):
        ...
    mxerr.error.IndexError: injected
    """
    _check(name)
    with _lock:
        if name in _active:
            raise ValueError(f"failpoint: {name!r} is set already; expected one that is not")
        _set(name, message, after, times)
        _active.add(name)
    try:
        yield
    finally:
        with _lock:
            _active.discard(name)
            _native.library().MXFailPointClear(name.encode())


def set_from_environment() -> None:
    """Set the fail points of the environment variable MXERR_FAILPOINTS, for the rest of the process.

    `failpoint` refuses to set them once more.

    It holds entries ``NAME[@AFTER][*TIMES]=MESSAGE`` with semicolons between them.

    Raises
    ------
    ValueError
        If an entry has another form, or names no fail point.
    """
    for entry in filter(str.strip, os.environ.get(ENVIRONMENT, "").split(";")):
        spec = _SPEC.fullmatch(entry)
        if spec is None:
            raise ValueError(f"{ENVIRONMENT}: expected NAME[@AFTER][*TIMES]=MESSAGE, got {entry!r}")
        _check(spec["name"])
        times = None if spec["times"] is None else int(spec["times"])
        with _lock:
            _set(spec["name"], spec["message"], int(spec["after"] or 0), times)
            _active.add(spec["name"])  # `failpoint` would clear it


def _check(name: str) -> None:
    if name not in (known := names()):
        raise ValueError(f"failpoint: there is no {name!r}; expected one of {', '.join(known)}")


def _set(name: str, message: str, after: int, times: int | None) -> None:
    _native.library().MXFailPointSet(
        name.encode(),
        argument.text("failpoint: message", message),
        argument.integer("failpoint: after", after, *argument.INT),
        -1 if times is None else argument.integer("failpoint: times", times, *argument.INT),
    )
