"""Arrays on the devices of the small XLA."""

from __future__ import annotations

from ctypes import byref, c_int, c_int64, c_uint64

import numpy
from numpy.typing import ArrayLike, NDArray

from mxerr.argument import INT
from mxerr.xla._native import MAX_NDIM, Floats, Named, Session, integer, library, own
from mxerr.xla.exceptions import XlaIndexError, XlaInvalidArgumentError, XlaTypeError


def device_index(index: int) -> int:
    """Take the number of a device, as C has it; whether there is one, C says."""
    __tracebackhide__ = True
    return integer("device", index, *INT, invalid=XlaIndexError)


def flag(name: str, value: object) -> bool:
    """Take a bool; a text or None would count as one, but is rather a mistake."""
    if not isinstance(value, bool | numpy.bool_):
        raise XlaTypeError(f"{name}: expected a bool, got {value!r}")
    return bool(value)


def _array(data: ArrayLike) -> NDArray[numpy.float32]:
    """Make an array of f32 of what was given, as NumPy does, with an error of XLA where it does not fit."""
    __tracebackhide__ = True
    try:
        array = numpy.asarray(data)
    except (TypeError, ValueError) as error:  # such as rows of different lengths
        raise XlaInvalidArgumentError(f"expected an array of numbers: {error}") from error
    if array.dtype.kind not in "biuf":
        raise XlaTypeError(f"expected an array of numbers, got one of dtype {array.dtype}")
    return numpy.asarray(array, dtype=numpy.float32, order="C")


class Buffer(Named):
    """An array on a device; made by `mxerr.xla.runtime.Client.buffer`."""

    def __init__(self, session: Session, handle: c_uint64) -> None:
        self._session = session  # kept alive
        self._library = library()
        self._handle = own(self, handle, self._library.XlaBufferFree)

    @classmethod
    def from_host(cls, session: Session, data: ArrayLike, device: int) -> Buffer:
        """Copy an array to a device; see `mxerr.xla.runtime.Client.buffer`."""
        __tracebackhide__ = True
        array = _array(data)
        dims = (c_int64 * array.ndim)(*array.shape)
        handle = c_uint64()
        pointer = array.ctypes.data_as(Floats)
        library().XlaBufferCreate(
            session.handle, device_index(device), pointer, dims, array.ndim, byref(handle)
        )
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
            If it was deleted or donated, or its client was shut down.
        """
        __tracebackhide__ = True
        array = numpy.empty(self.shape, numpy.float32)
        self._library.XlaBufferToHost(self._handle, array.ctypes.data_as(Floats), array.size)
        return array

    def delete(self) -> None:
        """Give its memory back; a second time does nothing."""
        self._library.XlaBufferDelete(self._handle)
