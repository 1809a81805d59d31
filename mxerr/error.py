"""The exception classes for kinds that C names, and `register` for more of them.

Each class is also the builtin of the same name, so that ``except ValueError``, ``except MXNetError``,
``except RuntimeError`` and ``except mxerr.NativeError`` all catch a native ValueError. A class is made from
one string, the text of the error.
"""

from __future__ import annotations

import builtins
import os
from typing import Any

from mxerr import frames
from mxerr.registry import GLOBAL
from mxerr.report import NativeReport

register = GLOBAL.register
"""Register a class for a kind of every library; see `mxerr.registry.Registry.register`."""


class NativeError(builtins.RuntimeError):
    """An error that native code stated.

    Its string is what C said, also in a class that is a `KeyError` too: the builtin would show it quoted.

    Attributes
    ----------
    native : NativeReport or None
        What the C side left behind; None for an instance that no native call raised.

    Examples
    --------
    >>> from mxerr import np
    >>> try:
    ...     np.array([[1, 2]]).transpose((0, 0))
    ... except NativeError as error:
    ...     error.kind, error.native.check.left, error.native.check.right
    ('ValueError', '1', '2')
    """

    native: NativeReport | None = None

    __str__ = builtins.BaseException.__str__

    @property
    def kind(self) -> str | None:
        """The kind that C stated; None where it stated none."""
        return self.native.kind if self.native else None

    def __setstate__(self, state: dict[str, Any] | None) -> None:
        """Take over what a pickle or a copy carries, and make the C frames anew: frames cannot travel."""
        super().__setstate__(state)
        if self.native is None:
            return
        try:
            self.__traceback__ = frames.traceback_of(self.native)
        except Exception as error:
            # Any error here, as of a report that another release pickled, would hide the user's own.
            self.add_note(f"mxerr: the C frames could not be shown: {type(error).__name__}: {error}")


class MXNetError(NativeError):
    """The default class of libmxerr: an error for which C named no kind, or one that is not registered.

    Examples
    --------
    An axis that the array does not have:

    >>> from mxerr import np
    >>> np.array([[1, 2]]).transpose((0, 2))
    Traceback (most recent call last):
        ...
    mxerr.error.MXNetError: Check failed: axis >= -ndim && axis < ndim: axes[1]=2 exceeds the range [-2, 2)

    Repaired:

    >>> np.array([[1, 2]]).transpose((0, 1)).shape
    (1, 2)
    """


@register
class ValueError(MXNetError, builtins.ValueError):
    """An argument has the right type and a value that makes no sense.

    Examples
    --------
    An axis that is named twice:

    >>> from mxerr import np
    >>> np.array([[1, 2]]).transpose((0, 0))
    Traceback (most recent call last):
        ...
    mxerr.error.ValueError: Check failed: axes_set.size == axes.ndim (1 vs. 2) : Repeated axis in transpose. param.axes = [0,0]

    Repaired:

    >>> np.array([[1, 2]]).transpose((1, 0)).shape
    (2, 1)
    """


@register
class TypeError(MXNetError, builtins.TypeError):
    """An argument has a type that the operator does not take.

    Examples
    --------
    >>> from mxerr import np
    >>> np.random.normal(size=(2,), dtype="int32")
    Traceback (most recent call last):
        ...
    mxerr.error.TypeError: Check failed: dtype == MX_FLOAT32 || dtype == MX_FLOAT64: random_normal: parameter 'dtype': expected float32 or float64, got int32

    Repaired:

    >>> np.random.normal(size=(2,), dtype="float64").dtype
    dtype('float64')
    """


@register
class AttributeError(MXNetError, builtins.AttributeError):
    """Something is asked for by a name that does not exist: an operator, or a parameter of it."""


@register
class IndexError(MXNetError, builtins.IndexError):
    """An index lies outside of an array."""


@register
class NotImplementedError(MXNetError, builtins.NotImplementedError):
    """The operator exists, but not for these types or arguments."""


@register
class InternalError(MXNetError):
    """The library found itself in a state that it excludes: a bug in it, not in the call.

    The text that C gave is ``args[0]``; `str` adds a hint.

    Examples
    --------
    >>> print(InternalError("count is negative"))
    count is negative
    Hint: this is a bug in the C library, not in your call; please report it to its developers with this traceback.
    """

    HINT = (
        "Hint: this is a bug in the C library, not in your call; please report it to its developers with this "
        "traceback."
    )

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.HINT}"


@register
class IOError(MXNetError, builtins.OSError):
    """A file could not be read or written, or does not hold what it should.

    Attributes
    ----------
    errno : int or None
        The system's number for the reason, where it gave one.
    strerror : str or None
        The system's words for it.
    filename : str or None
        The file.

    Examples
    --------
    >>> from mxerr import np
    >>> try:
    ...     np.load("no/such/file.npy")
    ... except OSError as error:
    ...     print(error.errno, error.strerror, error.filename)
    2 No such file or directory no/such/file.npy
    """

    # the builtin takes these from a second and a third argument

    @property
    def errno(self) -> int | None:  # type: ignore[override]
        """The system's number for the reason; None where it gave none."""
        return self.native.code if self.native else None

    @property
    def strerror(self) -> str | None:  # type: ignore[override]
        """The system's words for the reason; None where it gave none."""
        return None if self.errno is None else os.strerror(self.errno)

    @property
    def filename(self) -> str | None:
        """The file, where C named it."""
        names = [data for name, data in self.native.attributes if name == "filename"] if self.native else []
        return os.fsdecode(names[0]) if names else None


@register
class FileNotFoundError(IOError, builtins.FileNotFoundError):
    """A file or a folder is not there.

    Examples
    --------
    >>> from mxerr import np
    >>> np.load("no/such/file.npy")
    Traceback (most recent call last):
        ...
    mxerr.error.FileNotFoundError: load: cannot read 'no/such/file.npy': No such file or directory
    """


@register
class FloatingPointError(MXNetError, builtins.FloatingPointError):
    """An operation on numbers has no finite result, and the caller asked to be told."""


@register
class OverflowError(MXNetError, builtins.OverflowError):
    """A number is too large for the type that is to hold it."""


@register
class MemoryError(MXNetError, builtins.MemoryError):
    """There is no memory for what was asked for."""


@register
class RuntimeError(MXNetError):
    """An error at run time that fits no other class; `MXNetError` is a builtin RuntimeError already."""


GLOBAL.register("MXNetError", MXNetError)
