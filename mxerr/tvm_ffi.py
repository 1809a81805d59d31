"""Reads the errors of apache-tvm-ffi's C API, which are objects and not texts: see ``tvm/ffi/c_api.h``."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_uint64, c_void_p

from mxerr import binary, text
from mxerr.reader import Known
from mxerr.report import NativeReport


class _Bytes(ctypes.Structure):
    """``TVMFFIByteArray``: bytes that may hold a NUL."""

    _fields_ = (("data", c_void_p), ("size", c_size_t))

    def __bytes__(self) -> bytes:
        return ctypes.string_at(self.data, self.size) if self.size else b""


class _Error(ctypes.Structure):
    """An error object: the header of all objects, ``TVMFFIObject``, and ``TVMFFIErrorCell``."""

    _fields_ = (
        ("references", c_uint64),
        ("type_and_padding", c_uint64),
        ("deleter", c_void_p),
        ("kind", _Bytes),
        ("message", _Bytes),
        ("backtrace", _Bytes),
    )


class ErrorObjects:
    """The reader of errors for `mxerr.Library`.

    The calling thread's error is moved out of the library, so it is read only once. Its backtrace has files
    and lines where the library has debug information.

    Parameters
    ----------
    cdll : ctypes.CDLL
        ``libtvm_ffi``.

    Raises
    ------
    AttributeError
        If it is another library.
    """

    def __init__(self, cdll: ctypes.CDLL) -> None:
        self._move, self._release = cdll["TVMFFIErrorMoveFromRaised"], cdll["TVMFFIObjectDecRef"]
        self._move.argtypes, self._move.restype = (ctypes.POINTER(c_void_p),), None
        self._release.argtypes, self._release.restype = (c_void_p,), c_int

    def __call__(self, function: str, status: int, known: Known, /) -> NativeReport:
        """Make the report; where there is no error, one that says so."""
        kind, message, backtrace = self._take()
        said = b"%s: %s" % (kind, message) if kind else message
        report = text.read(said, known=known, function=function, status=status)
        stack = text.read(b"Stack trace:\n" + backtrace, known=known)
        return report._replace(frames=binary.readable(stack.frames))

    def _take(self) -> tuple[bytes, bytes, bytes]:
        handle = c_void_p()
        self._move(handle)
        if not handle:
            return b"", b"", b""
        try:
            error = _Error.from_address(handle.value or 0)
            return bytes(error.kind), bytes(error.message), bytes(error.backtrace)
        finally:
            self._release(handle)
