"""Random arrays: the operators ``random_...`` of libmxerr under their short names."""

import operator
from typing import Any

from mxerr import _native
from mxerr.np import _definitions

_functions = _definitions.functions(prefix="random_")
globals().update(_functions)

__all__ = sorted(["seed", *_functions])


def seed(seed: int) -> None:
    """Start the random numbers of the process anew.

    Parameters
    ----------
    seed : int
        The same seed gives the same numbers; it is taken modulo 2**64.

    Raises
    ------
    TypeError
        If it is no integer.

    Examples
    --------
    >>> from mxerr import np
    >>> np.random.seed(7)
    >>> first = np.random.normal().item()
    >>> np.random.seed(7)
    >>> np.random.normal().item() == first
    True
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed: expected an integer, got {seed!r}") from None
    _native.library().MXRandomSeed(number % 2**64)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'mxerr.np.random' has no attribute {name!r}")
