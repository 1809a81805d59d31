"""From a report to the exception that is raised; the error path never raises an error of its own."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from mxerr import frames, raised
from mxerr.error import NativeError
from mxerr.registry import ErrorClass, Registry
from mxerr.report import NativeFrame, NativeReport


def make_exception(report: NativeReport, registry: Registry, default: ErrorClass) -> Exception:
    """Make the exception for a report: class by kind, C frames as its traceback.

    Where C carries an exception that a Python function raised, it is that very object, whatever its class;
    its own frames follow those of C.

    Parameters
    ----------
    report : NativeReport
        The report; it becomes the attribute ``native``.
    registry : Registry
        Where its kind is looked up.
    default : type
        The class for a kind that is not registered.

    Returns
    -------
    Exception
        The exception, to be raised. Making it never fails: where a part cannot be made, a note says which
        and why.
    """
    if (kept := raised.find(report)) is not None:
        error, inner = kept
        carried: Any = error.with_traceback(traceback_through_c(report, error.with_traceback(inner)))
        return carried  # type: ignore[no-any-return]  # or a BaseException, which is for who waits, too
    cls = registry.lookup(report.kind) or default
    notes = []
    try:
        exception = _construct(cls, report.text)
    except Exception as error:
        # Any error here would hide the user's own.
        exception = NativeError(report.text)
        notes.append(f"mxerr: {cls.__qualname__} could not be made from its text: {_describe(error)}")
    try:
        object.__setattr__(exception, "native", report)  # whatever the class does with attributes
    except Exception as error:
        notes.append(f"mxerr: the report could not be kept: {_describe(error)}")
    try:
        exception.with_traceback(frames.traceback_of(report))
    except Exception as error:
        notes.append(f"mxerr: the C frames could not be shown: {_describe(error)}")
    if notes:
        exception.__dict__.setdefault("__notes__", []).extend(notes)
    return exception


def _construct(cls: ErrorClass, message: str) -> Exception:
    exception = cls(message)
    if not isinstance(exception, Exception):
        raise TypeError(f"it gives {type(exception).__name__}")
    return exception


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def traceback_through_c(report: NativeReport, error: BaseException) -> TracebackType | None:
    """Put the C frames of a call before the traceback of what a callback raised in it.

    Parameters
    ----------
    report : NativeReport
        What the call left behind; where it has no frames, one for the called function stands for them.
    error : BaseException
        The exception, with the frames of the callback as its traceback.

    Returns
    -------
    types.TracebackType or None
        The traceback: C frames, then callback frames. Where the C frames cannot be made, a note of `error`
        says so.
    """
    if not report.frames:
        report = report._replace(frames=(NativeFrame(report.function),))
    try:
        first = last = frames.traceback_of(report._replace(check=None))
    except Exception as odd:
        error.add_note(f"mxerr: the C frames could not be shown: {_describe(odd)}")
        return error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is not None:
        last.tb_next = error.__traceback__
    return first
