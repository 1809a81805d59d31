"""Compiled programs of the small XLA, and their attributes."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from ctypes import byref, c_double, c_size_t, c_uint64, c_void_p
from typing import Any, SupportsFloat, SupportsIndex

import numpy
from numpy.typing import ArrayLike, NDArray

from mxerr.interrupt import interruptible
from mxerr.library import Library
from mxerr.xla._buffer import Buffer, flag
from mxerr.xla._native import (
    INT,
    OTHER,
    TEXT,
    Attribute,
    Named,
    Session,
    integer,
    library,
    own,
    read_text,
    text,
)
from mxerr.xla.exceptions import XlaAttributeError, XlaInvalidValueError, XlaTypeError, XlaUnknownError

_FOR_EVER = 1e9  # seconds; who waits longer has no limit


class Executable(Named):
    """A compiled program; made by `mxerr.xla.runtime.Client.compile`."""

    def __init__(self, session: Session, handle: c_uint64) -> None:
        self._session = session
        self._library = library()
        self._handle = own(self, handle, self._library.XlaExecutableFree)

    @property
    def exports(self) -> tuple[str, ...]:
        """Names of the functions that can be executed."""
        return tuple(read_text(self._library.XlaExecutableExports, self._handle).split("\n"))

    @property
    def attributes(self) -> Attributes:
        """Its attributes, to be read and set."""
        return Attributes(self)

    def execute(
        self,
        function: str,
        arguments: Sequence[ArrayLike | Buffer] = (),
        *,
        timeout: SupportsFloat | SupportsIndex | None = None,
        donate: bool = False,
    ) -> NDArray[numpy.float32]:
        """Run an exported function.

        Parameters
        ----------
        function : str
            Its name.
        arguments : sequence of array_like or Buffer
            What it takes.
        timeout : float or other real number, optional
            Seconds that it may take.
        donate : bool
            Whether the function may have the memory of the arguments; buffers are then deleted.

        Ctrl-C ends it with KeyboardInterrupt; where the client has custom calls, only while one of them runs.

        Returns
        -------
        numpy.ndarray
            The result, of dtype float32.

        Raises
        ------
        XlaError
            One of many; see `mxerr.xla.exceptions`.
        """
        __tracebackhide__ = True
        if not isinstance(arguments, Iterable):
            raise XlaTypeError(f"arguments: expected a sequence of arrays, got {arguments!r}")
        buffers = [a if isinstance(a, Buffer) else Buffer.from_host(self._session, a, 0) for a in arguments]
        handles = (c_uint64 * len(buffers))(*[buffer._handle for buffer in buffers])
        microseconds, donates = _microseconds(timeout), flag("donate", donate)
        result = c_uint64()
        raised = self._session.raised
        raised.error = None
        name = text("function", function)
        # Ctrl-C in a custom call is for Python; without one, C has to look for it
        has_calls = bool(self._session.callbacks)
        try:
            with nullcontext() if has_calls else interruptible(self._library):
                self._library.XlaExecutableExecute(
                    self._handle, name, len(buffers), handles, microseconds, donates, byref(result)
                )
        except XlaUnknownError as error:
            cause, raised.error = raised.error, None
            if cause is None:
                raise
            if not isinstance(cause, Exception):
                raise cause from None  # such as KeyboardInterrupt, which ends more than this call
            raise error from cause
        return Buffer(self._session, result).to_host()

    def cancel(self) -> None:
        """End executions, those that run in other threads and those to come, until `reset`."""
        self._library.XlaExecutableCancel(self._handle)

    def reset(self) -> None:
        """Allow executions again."""
        self._library.XlaExecutableReset(self._handle)

    def serialize(self) -> bytes:
        """Store it, for `Client.deserialize`."""
        data, size = c_void_p(), c_size_t()
        self._library.XlaExecutableSerialize(self._handle, byref(data), byref(size))
        return ctypes.string_at(data.value or 0, size.value)

    def cost(self, key: str) -> float:
        """What a run of all functions costs: ``"flops"`` or ``"bytes"``.

        Raises
        ------
        XlaKeyError
            If there is no such key.
        """
        __tracebackhide__ = True
        value = c_double()
        self._library.XlaExecutableCost(self._handle, text("key", key), byref(value))
        return value.value


def _microseconds(timeout: Any) -> int:
    if timeout is None:
        return -1
    expected = "timeout: expected a number of seconds"
    is_real = isinstance(timeout, SupportsFloat | SupportsIndex)
    if not is_real or numpy.ndim(timeout) > 0:
        raise XlaTypeError(f"{expected}, got {timeout!r}")
    try:
        seconds = float(timeout)
    except OverflowError:  # an int
        seconds = math.inf if timeout > 0 else -math.inf
    if not seconds >= 0:  # or NaN
        raise XlaInvalidValueError(f"{expected}, 0 or more, got {timeout}")
    return -1 if seconds > _FOR_EVER else int(seconds * 1e6)


class Attributes:
    """The attributes of an executable, by name.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> attributes = runtime.example().attributes
    >>> attributes.optimization_level = 3
    >>> attributes.optimization_level, hasattr(attributes, "colour")
    (3, False)
    """

    __slots__ = ("_handle", "_library", "_owner")

    _handle: int
    _library: Library
    _owner: Executable

    def __init__(self, owner: Executable) -> None:
        for name, value in (("_owner", owner), ("_library", owner._library), ("_handle", owner._handle)):
            object.__setattr__(self, name, value)

    def __copy__(self) -> Attributes:
        return Attributes(self._owner)

    def __getattr__(self, name: str) -> int | str:
        __tracebackhide__ = True
        if name.startswith("__") or name in Attributes.__slots__ or not name.isprintable():
            raise XlaAttributeError(f"Unknown attribute {name!r}")  # no name in C
        value = Attribute()
        self._library.XlaExecutableGetAttribute(self._handle, name.encode(), byref(value))
        read: int | str = value.number if value.type == INT else value.text.decode()
        return read

    def __setattr__(self, name: str, value: object) -> None:
        __tracebackhide__ = True
        if isinstance(value, SupportsIndex):
            given = Attribute(INT, integer(name, value, -(2**63), 2**63 - 1), None)
        elif isinstance(value, str):
            given = Attribute(TEXT, 0, text(name, value))
        else:
            given = Attribute(OTHER, 0, type(value).__name__.encode())
        self._library.XlaExecutableSetAttribute(self._handle, text("name", name), byref(given))

    def __dir__(self) -> Iterator[str]:
        return iter(read_text(self._library.XlaExecutableAttributes, self._handle).split("\n"))
