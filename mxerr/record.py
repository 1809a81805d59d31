"""The records of ``mxerr.h``: reading them out of a library, and making reports of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import addressof, create_string_buffer, string_at
from functools import lru_cache
from struct import Struct
from typing import Final

from mxerr.kind import bare, is_kind
from mxerr.report import Check, NativeFrame, NativeReport

ABI: Final = 1
"""The packed form that this module reads: ``MXERR_ABI`` of ``mxerr.h``."""

SYMBOL: Final = "mxerr_pack_record"
"""The function by which a library with the kit is recognised, and read."""

# mxerr_packed of mxerr.h: abi, truncated, has_code, frames, omitted, attributes, size of the texts and of the
# message, code
_HEADER = Struct("=8Iq")
_SIZE = Struct("=I")
_SEPARATOR = "\x1f"
_USUAL_SIZE = 16384


class RecordReader:
    """Takes the calling thread's error out of a library.

    Parameters
    ----------
    cdll : ctypes.CDLL
        A library that exports ``mxerr_pack_record``.

    Raises
    ------
    AttributeError
        If it does not.
    """

    def __init__(self, cdll: ctypes.CDLL) -> None:
        self._pack = cdll[SYMBOL]
        self._pack.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        self._pack.restype = ctypes.c_size_t
        # A destructor may fail and be read between a call and its reading: each reading has its own buffer.
        self._buffers: list[ctypes.Array[ctypes.c_char]] = []

    def take(self) -> bytes:
        """Take the error; it is read only once.

        Returns
        -------
        bytes
            The packed record; empty where the thread has no unread error.
        """
        try:
            buffer = self._buffers.pop()
        except IndexError:
            buffer = create_string_buffer(_USUAL_SIZE)
        size: int = self._pack(addressof(buffer), len(buffer))
        if size > len(buffer):
            buffer = create_string_buffer(size)
            size = self._pack(addressof(buffer), size)
        data = string_at(addressof(buffer), size)
        self._buffers.append(buffer)
        return data


def read(
    data: bytes,
    *,
    known: Callable[[str], bool],
    function: str = "",
    status: int = 0,
    source_root: str = "",
) -> NativeReport:
    """Make a report of a packed record.

    Parameters
    ----------
    data : bytes
        The record, as `RecordReader.take` gives it.
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
    abi, truncated, has_code, n_frames, omitted, n_attributes, texts_size, message_size, code = (
        _HEADER.unpack_from(data)
    )
    if abi != ABI:
        text = f"{function} failed with status {status}; its record has layout {abi}, expected {ABI}"
        return NativeReport(text, text, function=function, status=status)
    begin = _HEADER.size + texts_size
    stated, condition, left, right, *rest = _decode(data[_HEADER.size : begin]).split("\0")
    message = _decode(data[begin : begin + message_size])
    kind = bare(stated)
    if not known(kind):
        if stated:
            message = f"{stated}: {message}"
        kind = kind if is_kind(kind, known) else ""
    check = Check(condition, left or None, right or None) if condition else None
    last = 2 * n_frames
    return NativeReport(
        message if check is None else f"{check.text}{': ' if check.left is None else ' : '}{message}",
        message,
        kind or None,
        check,
        tuple(map(_frame, rest[last - 2 :: -2], rest[last - 1 :: -2])) if n_frames else (),
        omitted,
        bool(truncated),
        function,
        status,
        b"",
        source_root,
        code if has_code else None,
        _attributes(rest[last : last + n_attributes], data, begin + message_size),
    )


def _decode(texts: bytes) -> str:
    return texts.decode("utf-8", "backslashreplace")


@lru_cache(maxsize=1024)
def _frame(place: str, values: str) -> NativeFrame:
    """Read a frame; errors repeat, and so do their frames."""
    file, function, line, *names = place.split(_SEPARATOR)
    texts = values.split(_SEPARATOR) if names else []
    return NativeFrame(function, file, int(line), tuple(zip(names, texts, strict=True)))


def _attributes(names: list[str], data: bytes, at: int) -> tuple[tuple[str, bytes], ...]:
    found = []
    for name in names:
        (size,) = _SIZE.unpack_from(data, at)
        at += _SIZE.size + size
        found.append((name, data[at - size : at]))
    return tuple(found)
