"""Functions of NumPy's that are an operator with other arguments, or in another order."""

from __future__ import annotations

from typing import Any

import numpy

from mxerr.np._methods import operators
from mxerr.np._ndarray import array, ndarray


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Make numbers at equal distances.

    Parameters
    ----------
    start : int or float
        The first number; given alone, the end, and the first number is 0.
    stop : int or float, optional
        The end, excluded.
    step : int or float
        The distance.
    dtype : dtype, optional
        The type of the elements; by default int64 for integers, else float64.

    Returns
    -------
    ndarray
        An array with one dimension.

    Raises
    ------
    ValueError
        If the step is zero, or there would be too many numbers.
    TypeError
        If an argument is no number, or `dtype` is bool.
    OverflowError
        If the first or the second number is out of bounds for an integer type.

    Examples
    --------
    >>> from mxerr import np
    >>> np.arange(0, 1, 0.25)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    __tracebackhide__ = True
    start, stop = (0, start) if stop is None else (start, stop)
    return operators["arange"](start, stop, step, dtype)


def asarray(a: Any, dtype: Any = None) -> ndarray:
    """Give an array as it is; make one of what is none, or is of another type.

    Parameters
    ----------
    a : array_like
        What `array` takes.
    dtype : dtype, optional
        The type of the elements; by default that of `a`.

    Returns
    -------
    ndarray
        `a` itself where it is an array of that type.

    Examples
    --------
    >>> from mxerr import np
    >>> a = np.array([1, 2])
    >>> np.asarray(a) is a
    True
    """
    __tracebackhide__ = True
    if not isinstance(a, ndarray):
        return array(a, dtype)
    if dtype is None or a.dtype == numpy.dtype(dtype):
        return a
    cast: ndarray = operators["cast"](a, dtype)
    return cast


def custom(*data: Any, op_type: str) -> Any:
    """Run a function of the program as an operator: MXNet's Custom; see `register_custom`.

    Parameters
    ----------
    *data : array_like
        One array or more, for the function.
    op_type : str
        The name under which it is registered.

    Returns
    -------
    ndarray
        What the function returned, in the type of the first array.

    Raises
    ------
    AttributeError
        If no function is registered under that name.
    ValueError
        If the function gives another shape or type than it should, or there is no array.
    RuntimeError
        If a C function fails and does not say why.

    Examples
    --------
    >>> from mxerr import np
    >>> @np.register_custom("sum of two")
    ... def add(a, b):
    ...     return a + b
    >>> np.custom([1, 2], [3, 4], op_type="sum of two")
    array([4, 6])
    """
    __tracebackhide__ = True
    return operators["custom"](data, op_type)


def from_dlpack(x: Any, *, device: Any = None, copy: bool | None = None) -> ndarray:
    """Copy an array that has the DLPack protocol.

    Parameters
    ----------
    x : object
        An array on the CPU, with ``__dlpack__`` and ``__dlpack_device__``.
    device : {None, "cpu"}
        Where the copy is to be.
    copy : {None, True}
        It always is a copy.

    Returns
    -------
    ndarray
        The copy.

    Raises
    ------
    BufferError
        If `copy` is False, or `x` cannot be exported.

    Examples
    --------
    >>> import numpy
    >>> from mxerr import np
    >>> np.from_dlpack(numpy.arange(3))
    array([0, 1, 2])
    """
    if copy is False:
        raise BufferError("from_dlpack: memory is never shared; expected copy=None or True, got False")
    return array(numpy.from_dlpack(x, device=device))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Make an array that holds one number everywhere.

    Parameters
    ----------
    shape : int or tuple of int
        The shape of the array.
    fill_value : number
        The number.
    dtype : dtype, optional
        The type of the elements; by default that of the number.

    Returns
    -------
    ndarray
        The array.

    Raises
    ------
    ValueError
        If a dimension is negative, the array too big, or `fill_value` not one number.
    OverflowError
        If an integer is out of bounds for the type.
    NotImplementedError
        If the type is not one that operators compute in.

    Examples
    --------
    >>> from mxerr import np
    >>> np.full((2,), 7)
    array([7, 7])
    """
    __tracebackhide__ = True
    return operators["full"](fill_value, shape, dtype)


def ones(shape: Any, dtype: Any = "float64") -> Any:
    """Make an array of ones; see `full`.

    Examples
    --------
    >>> from mxerr import np
    >>> np.ones(2)
    array([1., 1.])
    """
    __tracebackhide__ = True
    return operators["full"](1, shape, dtype)


def save(file: Any, arr: Any) -> None:
    """Write an array into a .npy file, which NumPy reads.

    Parameters
    ----------
    file : str or path-like
        The file; it is replaced when all is written, and keeps its rights. Where it is a symbolic link, what
        it leads to is. A pipe or a device is written to.
    arr : array_like
        The array.

    Raises
    ------
    OSError
        If the file cannot be written; `errno` says why. A folder that is missing is a FileNotFoundError.
    TypeError
        If `file` is no path.
    ValueError
        If there is a NUL in it.

    Examples
    --------
    >>> import tempfile, numpy
    >>> from mxerr import np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/a.npy", np.array([1, 2]))
    ...     numpy.load(folder + "/a.npy")
    array([1, 2])
    """
    __tracebackhide__ = True
    operators["save"](arr, file)
