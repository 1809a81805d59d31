"""The records of ``mxerr.h``: reading them out of a library, and making reports of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import addressof, create_string_buffer
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

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
_CACHED_SIZE = 4096


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
        self._buffers: list[_Buffer] = []

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
            buffer = _buffer(_USUAL_SIZE)
        size: int = self._pack(buffer.address, buffer.size)
        if size > buffer.size:
            buffer = _buffer(size)
            size = self._pack(buffer.address, size)
        data = buffer.view[:size].tobytes()
        self._buffers.append(buffer)
        return data


class _Buffer(NamedTuple):
    """Memory for a packed record; the view keeps it alive."""

    address: int
    size: int
    view: memoryview


def _buffer(size: int) -> _Buffer:
    memory = create_string_buffer(size)
    return _Buffer(addressof(memory), size, memoryview(memory))


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
    stated = _decode(data[_HEADER.size : data.find(0, _HEADER.size)])
    make = _report if len(data) <= _CACHED_SIZE else _report.__wrapped__
    return make(data, known(bare(stated)), function, status, source_root)


# Errors repeat. What is cached is small, so that the cache is.
@lru_cache(maxsize=256)
def _report(data: bytes, is_known: bool, function: str, status: int, source_root: str) -> NativeReport:
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
    if not is_known:
        if stated:
            message = f"{stated}: {message}"
        kind = kind if is_kind(kind, lambda _: False) else ""
    compared = (left, right) if left or right else ()  # one may be an empty text
    check = Check(condition, *compared) if condition else None
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
        truncated >> 1,
    )


def _decode(texts: bytes) -> str:
    return texts.decode("utf-8", "backslashreplace")


def _frame(place: str, values: str) -> NativeFrame:
    file, function, line, names = _place(place)
    texts = values.split(_SEPARATOR) if names else ()
    return NativeFrame(function, file, line, tuple(zip(names, texts, strict=True)))


@lru_cache(maxsize=1024)
def _place(place: str) -> tuple[str, str, int, list[str]]:
    """Read where a frame is, and the names of its values."""
    file, function, line, *names = place.split(_SEPARATOR)
    return file, function, int(line), names


def _attributes(names: list[str], data: bytes, at: int) -> tuple[tuple[str, bytes], ...]:
    found = []
    for name in names:
        (size,) = _SIZE.unpack_from(data, at)
        at += _SIZE.size + size
        found.append((name, data[at - size : at]))
    return tuple(found)
