"""The error as the text of a last-error function: `Texts`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mxerr import binary, text
from mxerr.reader import Known, LastError, silent
from mxerr.report import NativeReport


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
            (prefix, [_text_function(cdll, name) for name in _listed(names)])
            for prefix, names in sorted(by_prefix.items(), key=lambda item: -len(item[0]))
        ]

    def __call__(self, function: str, status: int, known: Known, /) -> NativeReport:
        """Make the report; where there is no text, one that says so."""
        sources: Sequence[Any] = next(
            (found for prefix, found in self._functions if function.startswith(prefix)), ()
        )
        raw = next((raw for source in sources if (raw := source()) and raw.strip()), None)
        if raw is None:
            report = silent(function, status, "" if sources else "no function of last_error is for it")
        else:
            report = text.read(raw, known=known, function=function, status=status)
        frames = binary.readable(binary.with_offsets(report.frames, report.raw))
        return report._replace(frames=frames, source_root=self._source_root)


def _listed(names: Any) -> Any:
    return [names] if isinstance(names, str) or not isinstance(names, Iterable) else names


def _text_function(cdll: ctypes.CDLL, name: str) -> Any:
    if not isinstance(name, str):
        raise TypeError(f"last_error: expected the name of a function, got {name!r}")
    try:
        function = cdll[name]
    except AttributeError as error:
        raise AttributeError(
            f"last_error: expected a function of the library, got {name!r}: {error}"
        ) from None
    function.argtypes = ()
    function.restype = ctypes.c_char_p
    return function
