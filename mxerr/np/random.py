"""Random arrays: the operators ``random_...`` of libmxerr under their short names."""

from typing import Any

from mxerr import _native
from mxerr.np import _operators

_functions = _operators.functions(prefix="random_")
globals().update(_functions)

__all__ = sorted(["seed", *_functions])


def seed(seed: int) -> None:
    """Start the random numbers of the process anew.

    Parameters
    ----------
    seed : int
        The same seed gives the same numbers; it is taken modulo 2**64.

    Examples
    --------
    >>> from mxerr import np
    >>> np.random.seed(7)
    >>> first = np.random.normal().item()
    >>> np.random.seed(7)
    >>> np.random.normal().item() == first
    True
    """
    _native.library().MXRandomSeed(seed % 2**64)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'mxerr.np.random' has no attribute {name!r}")
