"""As many frames of Python as a failed native call has of Python and C, for comparison."""

from __future__ import annotations


def outermost(index: int) -> int:
    """Call on."""
    return outer(index)


def outer(index: int) -> int:
    """Call on."""
    return middle(index, step=1)


def middle(index: int, step: int) -> int:
    """Call on."""
    return innermost(index, 3)


def innermost(index: int, size: int) -> int:
    """Fail."""
    if index >= size:
        raise ValueError(f"index out of bounds. index = {index}")
    return index
