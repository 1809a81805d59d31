"""Arrays on the devices of the small XLA."""

from __future__ import annotations

from ctypes import byref, c_int, c_int64, c_uint64

import numpy
from numpy.typing import ArrayLike, NDArray

from mxerr.xla._native import MAX_NDIM, Floats, Session, library, own


class Buffer:
    """An array on a device; made by `mxerr.xla.runtime.Client.buffer`."""

    def __init__(self, session: Session, handle: c_uint64) -> None:
        self._session = session  # kept alive
        self._library = library()
        self._handle = own(self, handle, self._library.XlaBufferFree)

    @classmethod
    def from_host(cls, session: Session, data: ArrayLike, device: int) -> Buffer:
        """Copy an array to a device; see `mxerr.xla.runtime.Client.buffer`."""
        __tracebackhide__ = True
        array = numpy.ascontiguousarray(data, dtype=numpy.float32).reshape(numpy.shape(data))
        dims = (c_int64 * array.ndim)(*array.shape)
        handle = c_uint64()
        pointer = array.ctypes.data_as(Floats)
        library().XlaBufferCreate(session.handle, device, pointer, dims, array.ndim, byref(handle))
        return cls(session, handle)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its dimensions."""
        dims, ndim = (c_int64 * MAX_NDIM)(), c_int()
        self._library.XlaBufferShape(self._handle, MAX_NDIM, dims, byref(ndim))
        return tuple(dims[: ndim.value])

    def to_host(self) -> NDArray[numpy.float32]:
        """Copy it back.

        Raises
        ------
        XlaFailedPreconditionError
            If it was deleted or donated.
        """
        __tracebackhide__ = True
        array = numpy.empty(self.shape, numpy.float32)
        self._library.XlaBufferToHost(self._handle, array.ctypes.data_as(Floats), array.size)
        return array

    def delete(self) -> None:
        """Give its memory back."""
        self._library.XlaBufferDelete(self._handle)
