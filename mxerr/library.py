"""A C library whose calls are checked: a failed status becomes an exception with C frames."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, Final

from mxerr import record, timeline
from mxerr.callback import StatusTable, pending, take
from mxerr.error import NativeError
from mxerr.exception import make_exception, traceback_through_c
from mxerr.reader import LastError, Reader, Records
from mxerr.registry import GLOBAL, ErrorClass, Registry, check_class
from mxerr.report import NativeReport

STATUS: Final = ctypes.c_int
"""As the result type of a prototype: the function returns a status, 0 for success."""

Prototypes = Mapping[str, tuple[Any, Sequence[Any] | None]]


class _Checker(StatusTable):
    """The ``restype`` of one function: a table from status to result that holds 0 and raises for the rest.

    The look-up is all that a successful call pays for being checked.
    """

    __slots__ = ("_function", "_library")

    def __init__(self, library: Library, function: str) -> None:
        super().__init__()
        self._library = library
        self._function = function

    def check_call(self, status: int) -> int:
        """Raise what a failed call left; tracebacks show this name."""
        __tracebackhide__ = True
        if status and not pending:
            raise self._library.error(status, self._function)
        error = self._library._error(status, self._function, sys._getframe().f_back)
        if error is None:
            return status
        try:
            raise error
        finally:
            del error  # its traceback holds this frame

    __missing__ = check_call


class Library:
    """A C library, loaded or wrapped, with checked functions as attributes.

    A function that returns a status raises when the status is not 0; functions with another result type in
    `prototypes`, and those that `unchecked` names, give their result as it is. The wrapped `ctypes.CDLL`, its
    functions and its other users are not altered. A function named like a method is ``library["check"]``.

    Parameters
    ----------
    library : str, path-like or ctypes.CDLL
        The library. One that exports ``mxerr_pack_record`` (see ``mxerr.h``) is read by its records.
    last_error : str, sequence of str, mapping, or callable, optional
        For errors without a record: the function that returns the text of the last error; several, the
        first that has a text counts; or a mapping from a prefix of function names to one or several, the
        longest that fits counts. A callable makes a reader of errors from the `ctypes.CDLL`; see
        `mxerr.reader`.
    prototypes : mapping of str to (restype, argtypes), optional
        Result and argument types by function; `mxerr.headers.read` takes them from a C header. The result
        type int, of Python, is a C int that is no status. A status of another type, such as int64_t, or a
        bool that is true for success, is a result like any other: tell `check` of a failure. Functions
        without a prototype return a status and take what ctypes accepts, as do those whose argument types
        are None.
    unchecked : str or collection of str
        More functions that return a C int which is no status; patterns such as ``"*Version"``.
    statuses : mapping of int to type, optional
        The exception class by status, for errors whose kind is not registered.
    default : type
        The exception class for all other errors.
    registry : Registry, optional
        Where kinds are looked up; by default one of the library's own in front of the global one.
    source_root : str or path-like
        The folder below which the C sources lie, to show their lines.

    Attributes
    ----------
    registry : Registry
        Where kinds are looked up: ``@library.registry.register`` adds a class for this library alone.

    Raises
    ------
    OSError
        If the library cannot be loaded.
    AttributeError
        If a function is used that the library does not export.
    TypeError
        If a class of `statuses`, or `default`, cannot be made from one string, or a prototype is no pair.
    NotADirectoryError
        If `source_root` is no folder.

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

    Where a function leaves no record, by the last-error text, and without a kind by the status:

    >>> library = Library(_native.path(), last_error={"MX": "MXGetLastError"}, statuses={-1: OSError})
    """

    _statuses: Mapping[int, ErrorClass] = MappingProxyType({})

    def __init__(
        self,
        library: str | os.PathLike[str] | ctypes.CDLL,
        *,
        last_error: LastError | Callable[[ctypes.CDLL], Reader] = (),
        prototypes: Prototypes | None = None,
        unchecked: Collection[str] = (),
        statuses: Mapping[int, ErrorClass] | None = None,
        default: ErrorClass = NativeError,
        registry: Registry | None = None,
        source_root: str | os.PathLike[str] = "",
    ) -> None:
        for cls in (default, *(statuses or {}).values()):
            check_class(cls)
        for status in statuses or {}:
            if not isinstance(status, int):
                raise TypeError(f"statuses: expected ints as keys, got {status!r}")
        if not isinstance(registry, Registry | None):
            raise TypeError(f"registry: expected a Registry, got {registry!r}")
        root = os.fsdecode(source_root)
        if root and not Path(root).is_dir():
            raise NotADirectoryError(f"source_root: expected a folder, got {root!r}")
        root = str(Path(root).absolute()) if root else ""  # the program may change its working folder
        self._cdll = library if isinstance(library, ctypes.CDLL) else ctypes.CDLL(os.fsdecode(library))
        self._prototypes = _checked(prototypes or {})
        self._unchecked = (unchecked,) if isinstance(unchecked, str) else tuple(unchecked)
        self._statuses = statuses or {}
        self._default = default
        self._registry = Registry(GLOBAL) if registry is None else registry
        if callable(last_error):
            self._read: Reader = last_error(self._cdll)
        else:
            has_kit = hasattr(self._cdll, record.SYMBOL)
            texts: Any = _texts(self._cdll, last_error, root) if last_error or not has_kit else None
            self._read = Records(self._cdll, root, texts) if has_kit else texts

    @property
    def registry(self) -> Registry:
        """Where kinds are looked up."""
        return self._registry

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_cdll":  # which an instance lacks that was never initialized
            raise AttributeError(name)
        function = self[name]
        setattr(self, name, function)  # found without this method from now on
        return function

    def __getitem__(self, name: str) -> Any:
        function = self.unchecked(name)
        restype = self._prototypes.get(name, (STATUS, None))[0]
        if restype is STATUS and not any(fnmatchcase(name, pattern) for pattern in self._unchecked):
            function.restype = _Checker(self, name).__getitem__
        else:
            function.restype = restype
            function.errcheck = self._raise_of_callback
        return function

    def unchecked(self, name: str) -> Any:
        """Get a function that raises nothing, such as a destructor needs.

        Parameters
        ----------
        name : str
            The function.

        Returns
        -------
        ctypes function
            A new function object with the argument types of its prototype. The result is a C int unless the
            caller sets another type.
        """
        function = self._cdll[name]  # indexing makes a new object, so the types set here are ours alone
        argtypes = self._prototypes.get(name, (None, None))[1]
        if argtypes is not None:
            function.argtypes = argtypes
        return function

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
        BaseException
            The error: what a callback raised, else of the class registered for its kind, else of the class
            for its status or the default class.
        """
        __tracebackhide__ = True
        if not (status or pending):
            return
        error = self._error(status, function, sys._getframe().f_back)
        if error is None:
            return
        try:
            raise error
        finally:
            del error

    def _raise_of_callback(self, result: Any, function: Any, args: object) -> Any:
        __tracebackhide__ = True
        error = self._error(0, function.__name__, sys._getframe().f_back) if pending else None
        if error is None:
            return result
        try:
            raise error
        finally:
            del error

    def _error(self, status: int, function: str, caller: FrameType | None) -> BaseException | None:
        """Give what a call has to raise; `caller` is the Python frame that made it."""
        error = take(caller) if pending else None
        if error is None:
            return self.error(status, function) if status else None
        report = self.report(status, function) if status else NativeReport("", "", function=function)
        # not by its own method, which a class may have changed
        return BaseException.with_traceback(error, traceback_through_c(report, error))

    def error(self, status: int, function: str = "") -> Exception:
        """Make the exception for the calling thread's error; see `check`."""
        if timeline.recorder is not None:
            return self._recorded_error(timeline.recorder, status, function)
        return self._exception(self.report(status, function))

    def _exception(self, report: NativeReport) -> Exception:
        return make_exception(report, self._registry, self._statuses.get(report.status, self._default))

    def _recorded_error(self, recorder: timeline.Recorder, status: int, function: str) -> Exception:
        with recorder.step("check"):
            with recorder.step("read"):
                report = self.report(status, function)
            with recorder.step(f"look up {report.kind}"):
                self._registry.lookup(report.kind)
            with recorder.step("make"):
                exception = self._exception(report)
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
        return self._read(function, status, self._registry.__contains__)


def _texts(cdll: ctypes.CDLL, last_error: LastError, root: str) -> Any:
    from mxerr.last_error import Texts  # it takes long to import, and libraries with the kit do without

    return Texts(cdll, last_error, root)


def _checked(prototypes: Any) -> Prototypes:
    if not isinstance(prototypes, Mapping):
        raise TypeError(f"prototypes: expected a mapping, got {prototypes!r}")
    for name, prototype in prototypes.items():
        if not (isinstance(prototype, tuple) and len(prototype) == 2):
            raise TypeError(f"prototypes[{name!r}]: expected a pair (restype, argtypes), got {prototype!r}")
    return prototypes
