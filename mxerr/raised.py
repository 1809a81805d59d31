"""Python exceptions that C carries as a number, from a function that it called to who waits behind it."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final
from weakref import ref

from mxerr.report import NativeReport

ATTRIBUTE: Final = "exception"
"""``MX_EXCEPTION_ATTRIBUTE`` of ``c_api.h``: the attribute of a report that holds the number."""

_table: dict[int, _Kept | ref[_Kept]] = {}

_ATTRIBUTE: Final = "_mxerr_kept"
"""The attribute of an exception that holds its `_Kept`, once it was found."""


class _Kept:
    """An exception that errors in C stand for.

    Once it was raised, its traceback has the frames that it went through, and these the array that was read,
    which holds the error in C: a cycle that the garbage collector cannot see while C, by the table below, has
    the exception. So from then on the exception itself has this object, and the table only knows it. When the
    collector comes, and an array still holds the error, the table has it again, without those frames.

    Parameters
    ----------
    number : int
        Its number.
    exception : BaseException
        The exception.
    traceback : types.TracebackType or None
        Its own frames.
    """

    __slots__ = ("__weakref__", "exception", "number", "traceback")

    def __init__(self, number: int, exception: BaseException, traceback: TracebackType | None) -> None:
        self.number, self.exception, self.traceback = number, exception, traceback

    def hand_over(self) -> None:
        object.__setattr__(self.exception, _ATTRIBUTE, self)
        _table[self.number] = ref(self)

    def let_go(self) -> bool:
        """Take this object off the exception; False where that has another one, as it was raised again."""
        if field(self.exception, "__dict__").get(_ATTRIBUTE) is not self:
            return False
        object.__delattr__(self.exception, _ATTRIBUTE)
        return True

    # the table is bound early: when the interpreter ends, module globals may be gone
    def __del__(self, _table: dict[int, Any] = _table) -> None:
        if self.number in _table:
            # another one, as Python calls this once; first, as with the frames the last array may go
            _table[self.number] = _Kept(self.number, self.exception, self.traceback)
            if self.let_go():
                BaseException.with_traceback(self.exception, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()  # a copy of an exception is none that C knows


_numbers = itertools.count(1)

# Each of these is one step for Python, so that a signal handler or a destructor comes before it or after it.
release: Final[Callable[[int], None]] = _table.__delitem__
"""Let an exception go; C calls it. No Python function, at whose beginning a signal handler could raise."""

found: Callable[[], object] = tuple
"""Called where the exception of the calling thread's error was found: the thread needs it no longer."""


def keep(exception: BaseException, traceback: TracebackType | None) -> int:
    """Keep an exception until `release`.

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

    Examples
    --------
    >>> release(keep(KeyError("k"), None))
    """
    number = next(_numbers)
    _table[number] = _Kept(number, exception, traceback)
    return number


def find(report: NativeReport) -> tuple[BaseException, TracebackType | None] | None:
    """Find the exception of a report, with its own frames.

    Parameters
    ----------
    report : NativeReport
        The report, of the calling thread's error.

    Returns
    -------
    tuple of (BaseException, types.TracebackType or None) or None
        None where the report carries none, or it is not kept any longer.

    Examples
    --------
    >>> number = keep(KeyError("k"), None)
    >>> find(NativeReport("k", "k", attributes=((ATTRIBUTE, struct.pack("q", number)),)))
    (KeyError('k'), None)
    >>> release(number)
    """
    for name, data in report.attributes:
        if name == ATTRIBUTE and len(data) == struct.calcsize("q"):
            return _find(struct.unpack("q", data)[0])
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


def _find(number: int) -> tuple[BaseException, TracebackType | None] | None:
    entry = _table.get(number)
    kept = entry() if isinstance(entry, ref) else entry
    if kept is None:
        return None
    if kept is entry:
        kept.hand_over()
    found()
    if kept is entry and number not in _table:  # no array holds the error
        kept.let_go()
    return kept.exception, kept.traceback


# What a user's class has made of its own methods and attributes is nothing that an error may be lost by: an
# exception is handled by what all of them have.
_FIELDS: Final[Mapping[str, Any]] = vars(BaseException)


def field(error: BaseException, name: str) -> Any:
    """Get what every exception has, past its class: ``__cause__``, ``__dict__`` and the like.

    Examples
    --------
    >>> class OddError(Exception):
    ...     __dict__ = property(lambda self: 1 / 0)
    >>> field(OddError(), "__dict__")
    {}
    """
    return _FIELDS[name].__get__(error)


def traceback(error: BaseException) -> TracebackType | None:
    """Get the traceback of an exception."""
    found: TracebackType | None = field(error, "__traceback__")
    return found


def below_catcher(error: BaseException) -> TracebackType | None:
    """Get the traceback of an exception without its first frame, which caught it."""
    frames = traceback(error)
    return frames and frames.tb_next


def set_context(error: BaseException, earlier: BaseException) -> None:
    """Make an exception the context of another, as if it had been handled while that was raised."""
    if field(error, "__context__") is None:
        _FIELDS["__context__"].__set__(error, earlier)
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
