"""Python exceptions that C carries as a number, from a function that it called to who waits behind it."""

from __future__ import annotations

import itertools
import struct
import threading
from types import TracebackType
from typing import Final

from mxerr.report import NativeReport

ATTRIBUTE: Final = "exception"
"""``MX_EXCEPTION_ATTRIBUTE`` of ``c_api.h``: the attribute of a report that holds the number."""

CAPACITY: Final = 64
"""How many exceptions are kept; they keep their frames alive."""

_kept: dict[int, tuple[BaseException, TracebackType | None]] = {}
_numbers = itertools.count(1)
_lock = threading.Lock()


def keep(exception: BaseException, traceback: TracebackType | None) -> int:
    """Keep an exception, in the place of the oldest where there are many.

    Parameters
    ----------
    exception : BaseException
        The exception.
    traceback : types.TracebackType or None
        Its frames, as they are to be shown behind those of C.

    Returns
    -------
    int
        The number under which it is found again.
    """
    with _lock:
        number = next(_numbers)
        _kept[number] = exception, traceback
        while len(_kept) > CAPACITY:
            del _kept[next(iter(_kept))]
    return number


def find(report: NativeReport) -> tuple[BaseException, TracebackType | None] | None:
    """Find the exception of a report, with its own frames.

    Parameters
    ----------
    report : NativeReport
        The report.

    Returns
    -------
    tuple of (BaseException, types.TracebackType or None) or None
        None where the report carries none, or it is not kept any longer.

    Examples
    --------
    >>> number = keep(KeyError("k"), None)
    >>> find(NativeReport("k", "k", attributes=((ATTRIBUTE, struct.pack("q", number)),)))
    (KeyError('k'), None)
    """
    for name, data in report.attributes:
        if name == ATTRIBUTE and len(data) == struct.calcsize("q"):
            return _kept.get(struct.unpack("q", data)[0])
    return None


def describe(error: BaseException) -> str:
    """Spell an exception for a message, also one that cannot spell itself.

    Examples
    --------
    >>> describe(KeyError("k"))
    "KeyError: 'k'"
    """
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # its __str__ raises; its name says enough
        return name
