"""From a report to the exception that is raised; the error path never raises an error of its own."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from mxerr import frames, raised
from mxerr.error import NativeError
from mxerr.registry import ErrorClass, Registry
from mxerr.report import NativeFrame, NativeReport

# What a class may do wrong while an exception is made of it, also where the text names it: KeyboardInterrupt
# alone is the user's own.
_ODD = (Exception, SystemExit, GeneratorExit)


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
    kept = raised.find(report)
    exception: Any
    notes: list[str] = []
    if kept is None:
        exception, inner = _new(report, registry, default, notes), None
    else:
        exception, inner = kept
    try:
        # not by its own method, which a class may have changed
        BaseException.with_traceback(exception, frames.traceback_of(report, inner))
    except Exception as error:
        notes.append(f"mxerr: the C frames could not be shown: {raised.describe(error)}")
    if report.attributes_omitted:
        notes.append(
            f"mxerr: {report.attributes_omitted} attributes (payloads) of the error had no room, and are lost"
        )
    for note in notes:
        raised.note(exception, note)
    made: Exception = exception
    return made


def _new(report: NativeReport, registry: Registry, default: ErrorClass, notes: list[str]) -> Exception:
    cls: Any = registry.lookup(report.kind)
    if cls is None:
        cls = default
    try:
        exception = _construct(cls, report.text)
    except _ODD as error:
        # Any error here would hide the user's own.
        exception = NativeError(report.text)
        notes.append(f"mxerr: {_name(cls)} could not be made from its text: {raised.describe(error)}")
    try:
        object.__setattr__(exception, "native", report)  # whatever the class does with attributes
    except Exception as error:
        notes.append(f"mxerr: the report could not be kept: {raised.describe(error)}")
    return exception


def _construct(cls: ErrorClass, message: str) -> Exception:
    exception = cls(message)
    if not isinstance(exception, Exception):
        raise TypeError(f"it gives {type(exception).__name__}")
    return exception


def _name(cls: object) -> str:
    return cls.__qualname__ if isinstance(cls, type) else type(cls).__name__


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
    inner = raised.traceback(error)
    try:
        return frames.traceback_of(report._replace(check=None), inner)
    except Exception as odd:
        raised.note(error, f"mxerr: the C frames could not be shown: {raised.describe(odd)}")
        return inner
