"""The methods of arrays that call an operator: arithmetic, comparisons, indexing, and NumPy's by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import index
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


def _comparison(name: str, *, with_no_number: bool) -> Callable[[Any, Any], Any]:
    """Like `_binary`; what is no number at all differs from every element, as in NumPy."""
    binary = _binary(name)

    def method(self: Any, other: Any) -> Any:
        __tracebackhide__ = True
        if other is None or isinstance(other, str | bytes):
            return operators["full"](with_no_number, self.shape, "bool")
        return binary(self, other)

    method.__doc__ = binary.__doc__
    return method


def _unsupported(expression: str) -> Callable[..., Any]:
    def method(self: Any, *_: Any) -> Any:
        __tracebackhide__ = True
        return operators["unsupported"](self, expression)

    method.__doc__ = f"Not there: `{expression}`; C says so."
    return method


def _in_place(self: Any, other: Any) -> Any:
    """Not there: C says so, whatever `other` is."""
    __tracebackhide__ = True
    return operators["assign"](self, self)


by_name: dict[str, Callable[..., Any]] = {}
"""The methods with the name of an operator, which have its arguments but for the first."""


def _by_name(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return operators[name](self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"The operator `{name}` with this array as its first input; see `mxerr.np.{name}`."
    by_name[name] = method
    return method


class OperatorMethods:
    """A base for arrays: nearly every method here calls an operator."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # == compares elements

    __add__, __radd__ = _binary("add"), _binary("add", swapped=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", swapped=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", swapped=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", swapped=True)
    __rpow__ = _binary("power", swapped=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", swapped=True)
    __eq__ = _comparison("equal", with_no_number=False)
    __ne__ = _comparison("not_equal", with_no_number=True)
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __neg__, __pos__, __abs__ = _unary("negative"), _unary("positive"), _unary("abs")
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = __imatmul__ = _in_place
    __ifloordiv__ = __imod__ = __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = _in_place

    __floordiv__ = __rfloordiv__ = _unsupported("a // b")
    __mod__ = __rmod__ = _unsupported("a % b")
    __divmod__ = __rdivmod__ = _unsupported("divmod(a, b)")
    __and__ = __rand__ = _unsupported("a & b")
    __or__ = __ror__ = _unsupported("a | b")
    __xor__ = __rxor__ = _unsupported("a ^ b")
    __lshift__ = __rlshift__ = _unsupported("a << b")
    __rshift__ = __rrshift__ = _unsupported("a >> b")
    __invert__, __round__ = _unsupported("~a"), _unsupported("round(a)")

    sum, mean, prod = _by_name("sum"), _by_name("mean"), _by_name("prod")
    max, min, any, all = _by_name("max"), _by_name("min"), _by_name("any"), _by_name("all")
    argmax, argmin = _by_name("argmax"), _by_name("argmin")
    clip, dot, take, squeeze = _by_name("clip"), _by_name("dot"), _by_name("take"), _by_name("squeeze")

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        """The operator `power`; a third argument of `pow` is not there."""
        __tracebackhide__ = True
        if modulo is not None:
            return operators["unsupported"](self, "pow(a, b, modulo)")
        return operators["power"](self, other)

    def __getitem__(self, key: Any) -> Any:
        __tracebackhide__ = True
        return operators["index"](self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        __tracebackhide__ = True
        operators["assign"](self, self)  # whatever the value is, C says no

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

    def ravel(self) -> Any:
        """Give the array one dimension; a copy, as `flatten` gives."""
        __tracebackhide__ = True
        return operators["reshape"](self, -1)

    def copy(self) -> Any:
        """Copy the array."""
        __tracebackhide__ = True
        return operators["reshape"](self, self.shape)  # type: ignore[attr-defined]

    def tolist(self) -> Any:
        """Give the elements as Python numbers in nested lists; one number for an array without dimensions."""
        __tracebackhide__ = True
        return self.asnumpy().tolist()  # type: ignore[attr-defined]

    def __index__(self) -> int:
        __tracebackhide__ = True
        return index(self.asnumpy())  # type: ignore[attr-defined]

    def __format__(self, spec: str) -> str:
        __tracebackhide__ = True
        return format(self.asnumpy(), spec) if spec else str(self)  # type: ignore[attr-defined]
