"""From the record of ``mxerr.h`` to a report: its layout, and nothing about who reads it when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import string_at
from struct import Struct, unpack_from
from typing import Final

from mxerr.kind import bare, is_kind
from mxerr.report import Check, NativeFrame, NativeReport

ABI: Final = 1
"""The layout of ``mxerr_record`` that this module reads: ``MXERR_ABI`` of ``mxerr.h``."""

# The fields of mxerr_record in their order: ten numbers, then five spans of (begin, size).
_HEADER = Struct("=20I")
_FRAME = Struct("=4I i 2I")


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
    abi, _, truncated, n_frames, omitted, n_values, size, frames_at, values_at, text_at, *spans = _HEADER.unpack(
        string_at(address, _HEADER.size)
    )
    if abi != ABI:
        text = f"{function} failed with status {status}; its record has layout {abi}, expected {ABI}"
        return NativeReport(text, text, function=function, status=status)
    data = string_at(address, text_at + size)
    texts = data[text_at:]
    stated, message, condition, left, right = _take(texts, spans)
    named = _take(texts, unpack_from(f"={4 * n_values}I", data, values_at))
    values = tuple(zip(named[::2], named[1::2], strict=True))
    kind = bare(stated)
    if not known(kind):
        if stated:
            message = f"{stated}: {message}"
        kind = kind if is_kind(kind, known) else ""
    check = Check(condition, left or None, right or None) if condition else None
    return NativeReport(
        _text(check, message),
        message,
        kind or None,
        check,
        _frames(texts, values, data[frames_at : frames_at + n_frames * _FRAME.size]),
        omitted,
        bool(truncated),
        function,
        status,
        b"",
        source_root,
    )


def _take(texts: bytes, spans: Sequence[int]) -> list[str]:
    """Cut out the texts of spans, given as begin, size, begin, size, ..."""
    pairs = zip(spans[::2], spans[1::2], strict=True)
    if texts.isascii():  # one character a byte: nearly always, and much faster
        plain = texts.decode("ascii")
        return [plain[begin : begin + size] for begin, size in pairs]
    return [texts[begin : begin + size].decode("utf-8", "backslashreplace") for begin, size in pairs]


def _frames(texts: bytes, values: tuple[tuple[str, str], ...], table: bytes) -> tuple[NativeFrame, ...]:
    """Read the frames, which C stores from the innermost outwards, in the order of a traceback."""
    frames = [
        NativeFrame(*_take(texts, places), line, values[first : first + count])
        for *places, line, first, count in _FRAME.iter_unpack(table)
    ]
    return tuple(frames[::-1])


def _text(check: Check | None, message: str) -> str:
    if check is None:
        return message
    separator = ": " if check.left is None else " : "
    return f"{check.text}{separator}{message}"
