"""How a library hands out its error, made into a report: `Records` for the kit, `Texts` for all others."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mxerr import binary, record, text
from mxerr.report import NativeReport

Known = Callable[[str], bool]
"""Says whether a class is registered for a kind."""

LastError = str | Sequence[str] | Mapping[str, str | Sequence[str]]
"""Which functions give a library's last-error text; see `Texts`."""


class Reader(Protocol):
    """Reads the calling thread's error."""

    def __call__(self, function: str, status: int, known: Known, /) -> NativeReport:
        """Make the report of the error with which `function` returned `status`."""


class Records:
    """The error as a record of the kit, which is read once.

    Parameters
    ----------
    cdll : ctypes.CDLL
        A library that exports ``mxerr_pack_record``.
    source_root : str
        The folder below which its C sources lie.
    fallback : Reader, optional
        Reads an error without a record: some functions of a library may not use the kit, or the kit be that
        of a library beneath it.
    """

    def __init__(self, cdll: ctypes.CDLL, source_root: str = "", fallback: Reader | None = None) -> None:
        self._reader, self._source_root, self._fallback = record.RecordReader(cdll), source_root, fallback

    def __call__(self, function: str, status: int, known: Known, /) -> NativeReport:
        """Make the report; where there is no record, one that says so."""
        data = self._reader.take()
        root = self._source_root
        if data:
            return record.read(data, known=known, function=function, status=status, source_root=root)
        if self._fallback:
            return self._fallback(function, status, known)
        return _silent(function, status)._replace(source_root=root)


class Texts:
    """The error as the text of a last-error function, which stays until the next failure.

    Parameters
    ----------
    cdll : ctypes.CDLL
        The library.
    last_error : str, sequence of str, or mapping
        The name of the last-error function. Of several, the first that has a text counts. A library with
        more than one last error says by prefix which functions share one: a mapping from the beginning of a
        function's name to the last-error functions. The longest one that fits counts, so that a whole name
        is for that function alone, and ``""`` for all others.
    source_root : str
        The folder below which the C sources lie.

    Raises
    ------
    AttributeError
        If the library exports no function of a name.

    Examples
    --------
    >>> from mxerr import _native
    >>> cdll = ctypes.CDLL(str(_native.path()))
    >>> read = Texts(cdll, {"MX": "MXGetLastError", "": ()})
    >>> cdll.MXGetVersion(None)
    -1
    >>> read("MXGetVersion", -1, {"ValueError"}.__contains__).message
    'the result pointer is NULL'
    """

    def __init__(self, cdll: ctypes.CDLL, last_error: LastError, source_root: str = "") -> None:
        self._source_root = source_root
        by_prefix = last_error if isinstance(last_error, Mapping) else {"": last_error}
        self._functions = [
            (prefix, [_text_function(cdll, name) for name in ([names] if isinstance(names, str) else names)])
            for prefix, names in sorted(by_prefix.items(), key=lambda item: -len(item[0]))
        ]

    def __call__(self, function: str, status: int, known: Known, /) -> NativeReport:
        """Make the report; where there is no text, one that says so."""
        sources: Sequence[Any] = next(
            (found for prefix, found in self._functions if function.startswith(prefix)), ()
        )
        raw = next((raw for source in sources if (raw := source()) and raw.strip()), None)
        if raw is None:
            report = _silent(function, status, "" if sources else "no function of last_error is for it")
        else:
            report = text.read(raw, known=known, function=function, status=status)
        frames = binary.readable(binary.with_offsets(report.frames, report.raw))
        return report._replace(frames=frames, source_root=self._source_root)


def _silent(function: str, status: int, hint: str = "") -> NativeReport:
    """Make the report of a failure of which the library says nothing."""
    report = text.read(None, known=lambda _: False, function=function, status=status)
    if isinstance(status, int) and status > 0:  # as counts and sizes are
        hint += f"{'; ' if hint else ''}if its result is no status, name it in unchecked"
    said = f"{report.text} ({hint})" if hint else report.text
    return report._replace(text=said, message=said)


def _text_function(cdll: ctypes.CDLL, name: str) -> Any:
    try:
        function = cdll[name]
    except AttributeError as error:
        raise AttributeError(
            f"last_error: expected a function of the library, got {name!r}: {error}"
        ) from None
    function.argtypes = ()
    function.restype = ctypes.c_char_p
    return function
