"""The methods of arrays that call an operator: arithmetic, comparisons, indexing, and NumPy's by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

operators: dict[str, Callable[..., Any]] = {}
"""The operators' functions by name; `mxerr.np._definitions`, which needs arrays to make them, fills it."""


def _binary(name: str, *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        __tracebackhide__ = True
        return operators[name](other, self) if swapped else operators[name](self, other)

    method.__doc__ = f"The operator `{name}`."
    return method


def _unary(name: str) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        __tracebackhide__ = True
        return operators[name](self)

    method.__doc__ = f"The operator `{name}`."
    return method


def _in_place(self: Any, other: Any) -> Any:
    """Not there: C says so."""
    __tracebackhide__ = True
    return operators["assign"](self, other)


def _by_name(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return operators[name](self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"The operator `{name}` with this array as its first input; see `mxerr.np.{name}`."
    return method


class OperatorMethods:
    """A base for arrays: every method here calls the operator of its name."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # == compares elements

    __add__, __radd__ = _binary("add"), _binary("add", swapped=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", swapped=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", swapped=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", swapped=True)
    __pow__, __rpow__ = _binary("power"), _binary("power", swapped=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", swapped=True)
    __eq__, __ne__ = _binary("equal"), _binary("not_equal")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __neg__, __abs__ = _unary("negative"), _unary("abs")
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = __imatmul__ = _in_place

    sum, mean, prod = _by_name("sum"), _by_name("mean"), _by_name("prod")
    max, min, argmax = _by_name("max"), _by_name("min"), _by_name("argmax")
    clip, dot, take, squeeze = _by_name("clip"), _by_name("dot"), _by_name("take"), _by_name("squeeze")

    def __getitem__(self, key: Any) -> Any:
        __tracebackhide__ = True
        return operators["index"](self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        __tracebackhide__ = True
        operators["assign"](self, value)

    def __iter__(self) -> Iterator[Any]:
        # without it Python would count up until an IndexError
        return (self[i] for i in range(len(self)))  # type: ignore[arg-type]

    def astype(self, dtype: Any, casting: str = "unsafe") -> Any:
        """Copy the array with elements of another type; see `mxerr.np.cast`."""
        __tracebackhide__ = True
        return operators["cast"](self, dtype, casting)

    def reshape(self, *shape: Any) -> Any:
        """Give the array a new shape, as numbers or as one tuple; see `mxerr.np.reshape`."""
        __tracebackhide__ = True
        return operators["reshape"](self, shape[0] if len(shape) == 1 else shape)

    def flatten(self) -> Any:
        """Give the array one dimension."""
        __tracebackhide__ = True
        return operators["reshape"](self, -1)
