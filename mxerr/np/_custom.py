"""Python functions as operators: MXNet's custom operators, run wherever the engine runs them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar

import numpy

from mxerr import _native, argument, ignored, raised
from mxerr.np._ndarray import array, ndarray

F = TypeVar("F", bound=Callable[..., Any])

_library = _native.library()
_functions: dict[bytes, tuple[Callable[..., Any], Callable[..., Any]]] = {}


def register_custom(
    op_type: str, *, infer_shape: Callable[..., tuple[int, ...]] | None = None
) -> Callable[[F], F]:
    """Register a function as a custom operator, to be called as ``np.custom(..., op_type=...)``.

    Parameters
    ----------
    op_type : str
        Its name. A function that has it already is replaced.
    infer_shape : callable, optional
        Gets the shapes of the arrays, and returns that of the result; by default that of the first array.
        Called at once, also where the operator is queued.

    Returns
    -------
    callable
        A decorator for the function. It gets the arrays, and returns what an array of the result's shape, and
        of the first array's type, can be made of. With the threaded engine it runs on a worker thread, where
        it may call operators (which then run at once), but not `waitall`.

    Raises
    ------
    ValueError
        If `op_type` is empty.

    Examples
    --------
    >>> from mxerr import np
    >>> @np.register_custom("double")
    ... def double(x):
    ...     return x + x
    >>> np.custom(np.array([1, 2]), op_type="double")
    array([2, 4])
    """
    if not op_type:
        raise ValueError("register_custom: expected a name, got an empty text")
    name = op_type.encode()

    def decorate(function: F) -> F:
        _functions[name] = infer_shape or _first_shape, function
        _library.MXCustomOpRegister(name, _THUNKS)
        return function

    return decorate


def _first_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return shapes[0]


def _read_shape(op_type: bytes, shape: Any) -> list[int]:
    """Take what `infer_shape` gave: C's numbers would wrap around what they do not hold."""
    place = f"custom: {op_type.decode()!r}: infer_shape"
    try:
        lengths = list(islice(iter(shape), _native.MAX_NDIM + 1))
    except TypeError:
        raise TypeError(f"{place}: expected a tuple of int, got {shape!r}") from None
    if len(lengths) > _native.MAX_NDIM:
        raise ValueError(f"{place}: expected {_native.MAX_NDIM} dimensions at most, got more")
    return [argument.integer(place, length, -(2**63), 2**63 - 1) for length in lengths]


def _fail(exception: BaseException, error: Any) -> int:
    """Tell C of an exception; its own frames begin below the one that C called."""
    error[0].id = raised.keep(exception, raised.below_catcher(exception))
    message = raised.describe(exception).replace("\0", "\\x00").encode("utf-8", "backslashreplace")
    error[0].message = message[: _native.CustomError.message.size - 1]
    return 1


def _infer_shape(
    op_type: bytes, count: int, ndims: Any, shapes: Any, out_ndim: Any, out_shape: Any, error: Any
) -> int:
    try:
        shape = _functions[op_type][0](*[tuple(shapes[i][: ndims[i]]) for i in range(count)])
        lengths = _read_shape(op_type, shape)
        out_ndim[0] = len(lengths)
        for i, length in enumerate(lengths):
            out_shape[i] = length
    except BaseException as exception:  # whatever it is, it is raised again behind C
        return _fail(exception, error)
    return 0


def _forward(op_type: bytes, count: int, inputs: Any, output: int, error: Any) -> int:
    try:
        arrays = [ndarray(inputs[i]) for i in range(count)]
        target = ndarray(output)
        _fill(target, op_type.decode(), _functions[op_type][1](*arrays))
    except BaseException as exception:  # as above
        return _fail(exception, error)
    return 0


def _fill(target: ndarray, op_type: str, result: Any) -> None:
    values = (result if isinstance(result, ndarray) else array(result)).asnumpy()
    if values.shape != target.shape or values.dtype != target.dtype:
        raise ValueError(
            f"custom: {op_type!r}: expected shape {target.shape} and type {target.dtype} as a result, "
            f"got shape {values.shape} and type {values.dtype}"
        )
    values = numpy.ascontiguousarray(values)
    _library.MXNDArraySyncCopyFromCPU(target.handle, values.ctypes.data, values.size)


_THUNKS = _native.CustomOp(
    _native.CustomInferShape(ignored.from_entry(_infer_shape)),
    _native.CustomForward(ignored.from_entry(_forward)),
)
