"""How a library hands out its error, as a report: `Records` for the kit; `mxerr.last_error` for others."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from mxerr import record
from mxerr.report import NativeReport, no_message

Known = Callable[[str], bool]
"""Says whether a class is registered for a kind."""

LastError = str | Sequence[str] | Mapping[str, str | Sequence[str]]
"""Which functions give a library's last-error text; see `mxerr.last_error`."""


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
        return silent(function, status)._replace(source_root=root)


def silent(function: str, status: int, hint: str = "") -> NativeReport:
    """Make the report of a failure of which the library says nothing."""
    if isinstance(status, int) and status > 0:  # as counts and sizes are
        hint += f"{'; ' if hint else ''}if its result is no status, name it in unchecked"
    said = no_message(function, status) + (f" ({hint})" if hint else "")
    return NativeReport(said, said, function=function, status=status)
