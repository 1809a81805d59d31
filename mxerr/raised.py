"""Python exceptions that C carries as a number, from a function that it called to who waits behind it."""

from __future__ import annotations

import itertools
import os
import struct
import sys
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
if sys.platform != "win32":  # the child of a fork is to find it free
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


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
    except BaseException:  # its __str__ raises, whatever that is: its name says enough
        return name


# What a user's class has made of its own methods and attributes is nothing that an error may be lost by: an
# exception is handled here by what all of them have.
_TRACEBACK: Final = vars(BaseException)["__traceback__"]
_CONTEXT: Final = vars(BaseException)["__context__"]


def traceback(error: BaseException) -> TracebackType | None:
    """Give the traceback of an exception, whatever its class says of it."""
    found: TracebackType | None = _TRACEBACK.__get__(error)
    return found


def leave_out_catcher(error: BaseException) -> None:
    """Take the frame that caught an exception out of its traceback."""
    frames = traceback(error)
    BaseException.with_traceback(error, frames and frames.tb_next)


def set_context(error: BaseException, earlier: BaseException) -> None:
    """Make an exception the context of another, as if it had been handled while that was raised."""
    if _CONTEXT.__get__(error) is None:
        _CONTEXT.__set__(error, earlier)
    else:
        note(error, f"mxerr: before that was raised: {describe(earlier)}")


def note(error: BaseException, text: str) -> None:
    """Add a note to an exception; one whose class has notes of a sort of its own stays as it is.

    Examples
    --------
    >>> error = KeyError("k")
    >>> note(error, "mxerr: that was all")
    >>> error.__notes__
    ['mxerr: that was all']
    """
    try:
        BaseException.add_note(error, text)
    except Exception:
        # the error counts, what is said of it does not
        return
