"""The array: a handle of libmxerr with NumPy's face. Data is copied in and out, never shared."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy

from mxerr import _native
from mxerr.np._methods import OperatorMethods, operators

# MXNet's type flags (dtype.h)
_FLAGS = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "int16": 8,
    "uint16": 9,
    "uint32": 10,
    "uint64": 11,
    "complex64": 13,
    "complex128": 14,
}
_DTYPES = {flag: numpy.dtype(name) for name, flag in _FLAGS.items()}

_library = _native.library()


def unchecked_free() -> Any:
    """The bare function, for destructors: they cannot raise, and must not read another call's error."""
    free = _library.unchecked("MXNDArrayFree")
    free.argtypes = (ctypes.c_void_p,)
    return free


class ndarray(OperatorMethods):
    """A dense array that lives in the C library.

    Made by `array`, by the operators and by `mxerr.np.random`.

    Parameters
    ----------
    handle : int
        An array handle of libmxerr; this object owns it from now on.

    Examples
    --------
    >>> from mxerr import np
    >>> np.array([[1, 2, 3]]).T
    array([[1],
           [2],
           [3]])
    """

    __slots__ = ("__weakref__", "_handle", "_shape")
    __array_priority__ = 1000.0  # so that NumPy leaves `numpy_array + this` to this class

    def __init__(self, handle: int) -> None:
        if type(handle) is not int or not 0 <= handle < 2**64:
            expected = "ndarray: expected an array handle of libmxerr"
            raise TypeError(f"{expected}, got {handle!r}; np.zeros and np.array make arrays")
        self._handle = handle
        self._shape: tuple[int, ...] | None = None

    def __del__(self, _free: Any = unchecked_free()) -> None:
        # the function is bound early: at the interpreter's exit module globals are gone before arrays are
        handle = getattr(self, "_handle", None)
        if handle:
            _free(handle)

    def __reduce__(self) -> tuple[Any, ...]:
        return array, (self.asnumpy(),)  # what a handle names is in this process alone

    def __copy__(self) -> ndarray:
        return array(self)

    def __deepcopy__(self, memo: object) -> ndarray:
        return array(self)

    @property
    def handle(self) -> int:
        """The array handle, for calls of the C API; owned by this object."""
        return self._handle

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension."""
        if self._shape is None:
            ndim = ctypes.c_int()
            dims = _native.array_type(ctypes.c_int64, _native.MAX_NDIM)()
            _library.MXNDArrayGetShape(self._handle, ndim, dims)
            self._shape = tuple(dims[: ndim.value])
        return self._shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of the elements."""
        flag = ctypes.c_int()
        _library.MXNDArrayGetDType(self._handle, flag)
        return _DTYPES[flag.value]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def T(self) -> ndarray:  # noqa: N802 - NumPy's name
        """The array with its axes reversed; a copy."""
        return self.transpose()

    def transpose(self, *axes: Any) -> ndarray:
        """Permute the axes; a copy.

        Parameters
        ----------
        *axes : int, or one tuple of int, or None
            For each axis of the result, the axis it comes from. Without any, the axes are reversed.

        Returns
        -------
        ndarray
            The permuted array.

        Raises
        ------
        mxerr.error.ValueError
            If an axis is repeated.
        mxerr.MXNetError
            If an axis is out of range, or the number of axes is not that of the array.

        Examples
        --------
        >>> from mxerr import np
        >>> np.array([[1, 2, 3]]).transpose(1, 0).shape
        (3, 1)
        """
        __tracebackhide__ = True
        order: Any
        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
            order = axes[0]
        else:
            order = axes if axes or self.ndim == 0 else None
        result: ndarray = operators["transpose"](self, order)
        return result

    def asnumpy(self) -> numpy.ndarray[Any, Any]:
        """Copy the array into a NumPy array.

        Returns
        -------
        numpy.ndarray
            An array of its own.

        Raises
        ------
        mxerr.NativeError
            The error of the queued operator that should have computed the array; see `mxerr.np.engine`.
        """
        __tracebackhide__ = True
        result = numpy.empty(self.shape, self.dtype)
        _library.MXNDArraySyncCopyToCPU(self._handle, result.ctypes.data, result.size)
        return result

    def wait_to_read(self) -> None:
        """Wait until the array is computed; see `mxerr.np.engine`.

        Raises
        ------
        mxerr.NativeError
            The error of the queued operator that should have computed it.
        """
        __tracebackhide__ = True
        _library.MXNDArrayWaitToRead(self._handle)

    def item(self) -> Any:
        """Give the one element of an array as a Python number.

        Returns
        -------
        bool, int, float or complex
            The element.

        Raises
        ------
        ValueError
            If the array has not exactly one element.
        """
        return self.asnumpy().item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        if copy is False:
            raise ValueError(
                "mxerr.np.ndarray: NumPy cannot share its memory; expected copy=None or True, got False"
            )
        result = self.asnumpy()
        return result if dtype is None else result.astype(dtype, copy=False)

    def __dlpack__(self, *, copy: bool | None = None, **kwargs: Any) -> Any:
        """Give a copy by the DLPack protocol; `kwargs` are those of NumPy's."""
        if copy is False:
            raise BufferError(
                "mxerr.np.ndarray: memory is never shared; expected copy=None or True, got False"
            )
        return self.asnumpy().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the CPU

    def __bool__(self) -> bool:
        return bool(self.asnumpy())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        return repr(self.asnumpy())


def array(object: Any, dtype: Any = None) -> ndarray:
    """Copy numbers into a new array.

    Parameters
    ----------
    object : array_like
        What NumPy makes an array from, or what has the DLPack protocol.
    dtype : dtype, optional
        The type of the elements; by default the one that NumPy gives.

    Returns
    -------
    ndarray
        The array.

    Raises
    ------
    TypeError
        If the elements are no numbers.
    OverflowError
        If an integer has more than 64 bits.
    ValueError
        If NumPy can make no array from `object`.

    Examples
    --------
    >>> from mxerr import np
    >>> np.array([[1, 2], [3, 4]], dtype="uint8")
    array([[1, 2],
           [3, 4]], dtype=uint8)
    """
    if hasattr(object, "__dlpack__") and not hasattr(object, "__array__"):
        object = numpy.from_dlpack(object)
    # "C" also makes what is strided dense, and the byte order the machine's
    source = numpy.asarray(object, dtype)
    flag = _FLAGS.get(source.dtype.name)
    if flag is None:
        if source.dtype == numpy.object_ and source.size and all(isinstance(n, int) for n in source.flat):
            raise OverflowError(f"array: expected integers of 64 bits, got {object!r}")
        raise TypeError(
            f"array: expected numbers of one of the types {', '.join(_FLAGS)}, got {source.dtype}"
        )
    source = numpy.asarray(source, _DTYPES[flag], order="C")
    handle = ctypes.c_void_p()
    _library.MXNDArrayCreate(
        _native.array_type(ctypes.c_int64, source.ndim)(*source.shape), source.ndim, flag, handle
    )
    result = ndarray(handle.value or 0)
    _library.MXNDArraySyncCopyFromCPU(handle, source.ctypes.data, source.size)
    return result
