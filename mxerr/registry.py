"""Which exception class stands for a kind that C names."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from mxerr import kind as kinds

ErrorClass = type[Exception]
_C = TypeVar("_C", bound=ErrorClass)


class Registry:
    """Exception classes by kind.

    Parameters
    ----------
    parent : Registry, optional
        Where to look for kinds that are not registered here.

    Examples
    --------
    >>> registry = Registry()
    >>> @registry.register
    ... class QuotaError(Exception):
    ...     pass
    >>> registry.lookup("QuotaError").__name__
    'QuotaError'
    """

    def __init__(self, parent: Registry | None = None) -> None:
        self.classes: dict[str, ErrorClass] = {}
        self._parent = parent

    @overload
    def register(self, kind: _C, /) -> _C: ...
    @overload
    def register(self, kind: str, cls: _C, *, replace: bool = ...) -> _C: ...
    @overload
    def register(self, kind: str | None = ..., *, replace: bool = ...) -> Callable[[_C], _C]: ...
    def register(self, kind: Any = None, cls: Any = None, *, replace: bool = False) -> Any:
        """Register an exception class under a kind.

        To be used as ``@register``, ``@register("Name")`` or ``register("Name", cls)``.

        Parameters
        ----------
        kind : str or type, optional
            The kind that C states; by default the name of the class.
        cls : type, optional
            A subclass of `Exception` that is made from one string.
        replace : bool
            Whether a class that the kind has already may be replaced without a warning. A class with the
            same module and qualified name, as from a notebook cell that is run again, always may.

        Returns
        -------
        type or callable
            The class, or a decorator for it.

        Raises
        ------
        TypeError
            If `cls` is no subclass of `Exception`, or cannot be made from one string.
        ValueError
            If `kind` is no identifier, with or without dots, or names what ends a program, a generator or a
            task, such as ``SystemExit``.
        """
        if isinstance(kind, type):
            return self._add(kind.__name__, kind, replace)
        if cls is not None:
            return self._add(kind, cls, replace)
        if kind is not None:
            _check_kind(kind)
        return lambda decorated: self._add(decorated.__name__ if kind is None else kind, decorated, replace)

    def _add(self, kind: str, cls: Any, replace: bool) -> Any:
        _check(kind, cls)
        kind = kinds.bare(kind)
        taken = self.classes.get(kind)
        if taken is not None and not replace and _name(taken) != _name(cls):
            warnings.warn(
                f"kind {kind!r}: {_name(cls)} replaces {_name(taken)}; say replace=True if that is meant",
                stacklevel=3,
            )
        self.classes[kind] = cls
        return cls

    def lookup(self, kind: str | None) -> ErrorClass | None:
        """Find the class of a kind.

        Parameters
        ----------
        kind : str or None
            The kind, with or without the prefix ``mxnet.error.`` or ``mxerr.error.``.

        Returns
        -------
        type or None
            The class registered here, else the one registered with a parent; None where there is none.
        """
        if kind is None:
            return None
        name = kinds.bare(kind)
        found = self.classes.get(name)
        return self._parent.lookup(name) if found is None and self._parent is not None else found

    def __contains__(self, kind: object) -> bool:
        return isinstance(kind, str) and self.lookup(kind) is not None

    @contextmanager
    def temporary(self, **classes: ErrorClass) -> Iterator[None]:
        """Register classes for the time of a ``with`` block; afterwards all is as it was before.

        Parameters
        ----------
        **classes : type
            The classes by kind; they replace without a warning.

        Examples
        --------
        >>> registry = Registry()
        >>> with registry.temporary(QuotaError=ValueError):
        ...     "QuotaError" in registry
        True
        >>> "QuotaError" in registry
        False
        """
        before = dict(self.classes)
        try:
            for kind, cls in classes.items():
                self.register(kind, cls, replace=True)
            yield
        finally:
            # a kind at a time, so that a thread which looks up another one finds it
            for kind in [kind for kind in list(self.classes) if kind not in before]:
                self.classes.pop(kind, None)
            self.classes.update(before)


def _name(cls: ErrorClass) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def check_class(cls: Any) -> None:
    """Make sure that a class can be raised for an error.

    Parameters
    ----------
    cls : type
        The class. It is made once for trial: whatever its constructor raises now it would raise in place of
        the user's error later.

    Raises
    ------
    TypeError
        If it is no subclass of `Exception`, or cannot be made from one string.
    """
    if not isinstance(cls, type) or not issubclass(cls, Exception):
        raise TypeError(f"expected a subclass of Exception, got {cls!r}")
    try:
        made = cls("text")
    except Exception as error:
        raise TypeError(
            f"{_name(cls)} must be made from one string: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, cls):
        raise TypeError(f"{_name(cls)}('text') gives {made!r}, no {cls.__name__}")


def _check_kind(kind: Any) -> None:
    if not isinstance(kind, str) or not re.fullmatch(kinds.PATTERN, kind):
        raise ValueError(f"kind: expected an ASCII identifier, dots allowed, got {kind!r}")
    if kind.rpartition(".")[2] in kinds.RESERVED:
        raise ValueError(f"kind: expected the name of an error, got {kind!r}, which ends more than a call")


def _check(kind: Any, cls: Any) -> None:
    _check_kind(kind)
    try:
        check_class(cls)
    except TypeError as error:
        raise TypeError(f"kind {kind!r}: {error}") from error.__cause__


GLOBAL = Registry()
"""The registry that every library falls back to."""
