"""A C library whose calls are checked: a failed status becomes an exception with C frames."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mxerr import frames, raised, record, text, timeline
from mxerr.error import NativeError
from mxerr.registry import GLOBAL, ErrorClass, Registry
from mxerr.report import NativeReport

STATUS: Final = ctypes.c_int
"""As the result type of a prototype: the function returns a status, 0 for success."""

Prototypes = Mapping[str, tuple[Any, Sequence[Any]]]


class _Checker(dict[int, int]):
    """The ``restype`` of one function: a table from status to result that holds 0 and raises for the rest.

    The look-up is all that a successful call pays for being checked.
    """

    __slots__ = ("_function", "_library")

    def __init__(self, library: Library, function: str) -> None:
        super().__init__({0: 0})
        self._library = library
        self._function = function

    def __missing__(self, status: int) -> int:
        __tracebackhide__ = True
        raise self._library.error(status, self._function)


class Library:
    """A C library, loaded or wrapped, with checked functions as attributes.

    A function that returns a status raises when the status is not 0; C functions with another result type
    in `prototypes` are passed through as they are. The wrapped `ctypes.CDLL` and its functions are not
    altered.

    Parameters
    ----------
    library : str, path-like or ctypes.CDLL
        The library. One that exports ``mxerr_pack_record`` (see ``mxerr.h``) is read by its records.
    last_error : str, optional
        Name of the function that returns the text of the last error, for libraries without records.
    prototypes : mapping of str to (restype, argtypes), optional
        Result and argument types by function. Functions without one return a status and take what ctypes
        accepts.
    default : type
        The exception class for errors whose kind is not registered.
    registry : Registry
        Where kinds are looked up.
    source_root : str or path-like
        The folder below which the C sources lie, to show their lines.

    Raises
    ------
    OSError
        If the library cannot be loaded.
    AttributeError
        If a function is used that the library does not export.

    Examples
    --------
    >>> from mxerr import _native
    >>> library = Library(_native.path(), source_root=_native.source_root())
    >>> library.MXNDArrayFree(None)
    0
    >>> library.MXGetVersion(None)
    Traceback (most recent call last):
        ...
    mxerr.error.ValueError: Check failed: out != NULL (NULL vs. NULL) : the result pointer is NULL
    """

    def __init__(
        self,
        library: str | os.PathLike[str] | ctypes.CDLL,
        *,
        last_error: str | None = None,
        prototypes: Prototypes | None = None,
        default: ErrorClass = NativeError,
        registry: Registry = GLOBAL,
        source_root: str | os.PathLike[str] = "",
    ) -> None:
        self._cdll = library if isinstance(library, ctypes.CDLL) else ctypes.CDLL(os.fspath(library))
        self._prototypes = prototypes or {}
        self._default = default
        self._registry = registry
        self._source_root = os.fspath(source_root)
        self._records = record.RecordReader(self._cdll) if hasattr(self._cdll, record.SYMBOL) else None
        self._last_error = _last_error(self._cdll, last_error) if last_error else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # indexing makes a new function object, so the types set here are ours alone
        function = self._cdll[name]
        restype, argtypes = self._prototypes.get(name, (STATUS, None))
        if argtypes is not None:
            function.argtypes = argtypes
        function.restype = _Checker(self, name).__getitem__ if restype is STATUS else restype
        setattr(self, name, function)  # found without this method from now on
        return function

    def unchecked(self, name: str) -> Any:
        """Get a function that raises nothing; its types are the caller's to set.

        Parameters
        ----------
        name : str
            The function.

        Returns
        -------
        ctypes function
            A new function object.
        """
        return self._cdll[name]

    def check(self, status: int, function: str = "") -> None:
        """Raise the calling thread's error unless a status is 0.

        Parameters
        ----------
        status : int
            The status that a C function returned.
        function : str
            Its name.

        Raises
        ------
        Exception
            The error: of the class registered for its kind, else of the default class.
        """
        __tracebackhide__ = True
        if status != 0:
            raise self.error(status, function)

    def error(self, status: int, function: str = "") -> Exception:
        """Make the exception for the calling thread's error; see `check`."""
        if timeline.recorder is not None:
            return self._recorded_error(timeline.recorder, status, function)
        return make_exception(self.report(status, function), self._registry, self._default)

    def _recorded_error(self, recorder: timeline.Recorder, status: int, function: str) -> Exception:
        with recorder.step("check"):
            with recorder.step("read"):
                report = self.report(status, function)
            with recorder.step(f"look up {report.kind}"):
                self._registry.lookup(report.kind)
            with recorder.step("make"):
                exception = make_exception(report, self._registry, self._default)
        recorder.note("raise", type(exception).__name__)
        return exception

    def report(self, status: int, function: str = "") -> NativeReport:
        """Read the calling thread's error. A record is read once; the last-error text stays.

        Parameters
        ----------
        status : int
            The status that a C function returned.
        function : str
            Its name.

        Returns
        -------
        NativeReport
            What C left behind; where it left nothing, a report that says so.
        """
        known = self._registry.__contains__
        data = self._records.take() if self._records else b""
        if data:
            return record.read(
                data, known=known, function=function, status=status, source_root=self._source_root
            )
        raw = self._last_error() if self._last_error and not self._records else None
        report = text.read(raw, known=known, function=function, status=status)
        return report._replace(source_root=self._source_root)


def _last_error(cdll: ctypes.CDLL, name: str) -> Callable[[], bytes | None]:
    function = cdll[name]
    function.argtypes = ()
    function.restype = ctypes.c_char_p
    return function


def make_exception(report: NativeReport, registry: Registry, default: ErrorClass) -> Exception:
    """Make the exception for a report: class by kind, C frames as its traceback.

    Where C carries an exception that a Python function raised, it is that very object; its own frames follow
    those of C.

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
    cls = registry.lookup(report.kind) or default
    notes = []
    kept = raised.find(report)
    exception: Any
    try:
        exception, inner = kept or (_construct(cls, report.text), None)
    except Exception as error:
        # Any error here would hide the user's own.
        exception, inner = NativeError(report.text), None
        notes.append(f"mxerr: {cls.__qualname__} could not be made from its text: {_describe(error)}")
    try:
        if kept is None:
            object.__setattr__(exception, "native", report)  # whatever the class does with attributes
    except Exception as error:
        notes.append(f"mxerr: the report could not be kept: {_describe(error)}")
    try:
        exception.with_traceback(frames.traceback_of(report, inner))
    except Exception as error:
        notes.append(f"mxerr: the C frames could not be shown: {_describe(error)}")
    if notes:
        exception.__dict__.setdefault("__notes__", []).extend(notes)
    made: Exception = exception
    return made


def _construct(cls: ErrorClass, message: str) -> Exception:
    exception = cls(message)
    if not isinstance(exception, Exception):
        raise TypeError(f"it gives {type(exception).__name__}")
    return exception


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
