"""Finding native errors: in an error itself, in what it follows from, in the members of a group.

An exception class is the user's, and its properties may do anything: raise, end the process, wait. So what
is asked of an exception here is what every exception has, read past its class.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from mxerr import raised
from mxerr.excerpt import printable
from mxerr.ipython.runs import has_native
from mxerr.raised import field
from mxerr.report import NativeReport


def members_of(error: object) -> tuple[BaseException, ...]:
    """Get the members of a group; of another error, none."""
    # isinstance would ask the object for its __class__
    if not issubclass(type(error), BaseExceptionGroup):
        return ()
    found: tuple[BaseException, ...] = vars(BaseExceptionGroup)["exceptions"].__get__(error)
    return found


def report_of(error: object) -> NativeReport | None:
    """Get the report that an exception carries, if it carries one."""
    if not issubclass(type(error), BaseException):
        return None
    report = field(error, "__dict__").get("native")  # type: ignore[arg-type]  # checked above
    return report if type(report) is NativeReport else None


def related(error: BaseException) -> Iterator[BaseException]:
    """Walk through an error, its causes and contexts, and the members of groups; each once.

    Examples
    --------
    >>> [type(error).__name__ for error in related(ExceptionGroup("two", [KeyError(), TypeError()]))]
    ['ExceptionGroup', 'TypeError', 'KeyError']
    """
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        before = field(current, "__cause__"), field(current, "__context__")
        waiting += [other for other in (*before, *members_of(current)) if other is not None]


def is_native_error(error: BaseException) -> bool:
    """Tell whether an error came out of C, or through it."""
    return report_of(error) is not None or has_native(raised.traceback(error))


def native_error(error: BaseException | None) -> BaseException | None:
    """Find the native error behind one that was raised: itself, a cause, a member of a group."""
    return next(filter(is_native_error, related(error)), None) if error is not None else None


def by_python(etype: Any, error: Any, etb: TracebackType | None) -> list[str]:
    """Format an error as Python does, and without what its class refuses to tell."""
    try:
        return traceback.format_exception(etype, error, etb)
    except BaseException:  # Python asks for __cause__ and __notes__, which are the user's
        last = [f"{etype.__name__}\n", *(f"  | {type(member).__name__}\n" for member in members_of(error))]
        return ["Traceback (most recent call last):\n", *traceback.format_tb(etb), *last]


def describe(error: BaseException) -> str:
    """Say what an error is on one line, whatever its class does."""
    try:
        return printable("".join(traceback.format_exception_only(error)).strip())
    except BaseException:  # it is the user's, as in by_python
        return type(error).__name__
