"""From the record of ``mxerr.h`` to a report: its layout, and nothing about who reads it when."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import string_at
from itertools import starmap
from struct import Struct
from typing import Final

from mxerr.kind import bare, is_kind
from mxerr.report import Check, NativeFrame, NativeReport

ABI: Final = 1
"""The layout of ``mxerr_record`` that this module reads: ``MXERR_ABI`` of ``mxerr.h``."""

# The fields of mxerr_record in their order: ten numbers, then five spans of (begin, size).
_HEADER = Struct("=10I 10I")
_FRAME = Struct("=4I i 2I")
_VALUE = Struct("=4I")


def read(
    address: int,
    *,
    known: Callable[[str], bool],
    function: str = "",
    status: int = 0,
    source_root: str = "",
) -> NativeReport:
    """Read a record.

    Parameters
    ----------
    address : int
        Where the record lies; it is read at once and not kept.
    known : callable
        Says whether a class is registered for a kind. The name before the first colon of a C message is a
        kind if it is known or ends in Error, Exception or Warning; a name that is not known stays part of
        the text.
    function : str
        The C function that was called.
    status : int
        The status it returned.
    source_root : str
        The folder below which the record's files lie.

    Returns
    -------
    NativeReport
        The report. A record of another layout gives one that says so.
    """
    header = _HEADER.unpack(string_at(address, _HEADER.size))
    abi, _, truncated, n_frames, omitted, n_values, size, frames_at, values_at, text_at, *spans = header
    if abi != ABI:
        text = f"{function} failed with status {status}; its record has layout {abi}, expected {ABI}"
        return NativeReport(text, text, function=function, status=status)
    take = _taker(string_at(address + text_at, size))
    stated, message, condition, left, right = starmap(take, zip(spans[::2], spans[1::2], strict=True))
    kind = _kind(stated, known)
    if stated and (kind is None or not known(kind)):
        message = f"{stated}: {message}"
    check = Check(condition, left or None, right or None) if condition else None
    values = [
        (take(*value[:2]), take(*value[2:]))
        for value in _VALUE.iter_unpack(string_at(address + values_at, n_values * _VALUE.size))
    ]
    frames = [
        NativeFrame(take(*frame[:2]), take(*frame[2:4]), frame[4], tuple(values[frame[5] : frame[5] + frame[6]]))
        for frame in _FRAME.iter_unpack(string_at(address + frames_at, n_frames * _FRAME.size))
    ]
    return NativeReport(
        text=_text(check, message),
        message=message,
        kind=kind,
        check=check,
        frames=tuple(reversed(frames)),
        frames_omitted=omitted,
        truncated=bool(truncated),
        function=function,
        status=status,
        source_root=source_root,
    )


def _taker(texts: bytes) -> Callable[[int, int], str]:
    """Give a function from a span to its text: a slice of one string where the bytes are ASCII."""
    if texts.isascii():
        plain = texts.decode("ascii")
        return lambda begin, size: plain[begin : begin + size]
    return lambda begin, size: texts[begin : begin + size].decode("utf-8", "backslashreplace")


def _kind(stated: str, known: Callable[[str], bool]) -> str | None:
    name = bare(stated)
    return name if name and is_kind(name, known) else None


def _text(check: Check | None, message: str) -> str:
    if check is None:
        return message
    separator = ": " if check.left is None else " : "
    return f"{check.text}{separator}{message}"
