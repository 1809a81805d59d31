"""Finding native errors: in an error itself, in what it follows from, in the members of a group."""

from __future__ import annotations

from collections.abc import Iterator

from mxerr.ipython.runs import has_native
from mxerr.report import NativeReport


def report_of(error: object) -> NativeReport | None:
    """Get the report that an exception carries, if it carries one."""
    try:
        report = getattr(error, "native", None)
    except Exception:  # the class is the user's, and may do anything with its attributes
        return None
    return report if isinstance(report, NativeReport) else None


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
        members = current.exceptions if isinstance(current, BaseExceptionGroup) else ()
        waiting += [
            other for other in (current.__cause__, current.__context__, *members) if other is not None
        ]


def is_native_error(error: BaseException) -> bool:
    """Tell whether an error came out of C, or through it."""
    return report_of(error) is not None or has_native(error.__traceback__)


def native_error(error: BaseException | None) -> BaseException | None:
    """Find the native error behind one that was raised: itself, a cause, a member of a group."""
    return next(filter(is_native_error, related(error)), None) if error is not None else None
