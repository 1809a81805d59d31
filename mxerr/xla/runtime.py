"""The small XLA of libmxerr: compile a few lines of HLO-like text, run them, and meet every error of XLA.

A place to learn and to test: each class of `mxerr.xla.exceptions` is reached by a mistake that users of XLA
make. It computes in f32 on the host, and is not meant to be fast.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from functools import cache
from typing import Any, Final

import numpy
from numpy.typing import ArrayLike, NDArray

from mxerr import _native
from mxerr.library import Library
from mxerr.xla.exceptions import XlaError, XlaUnknownError

EXAMPLE: Final = """
ENTRY main {
  x = f32[2] parameter(0)
  c = f32[] constant(0.5)
  y = f32[2] multiply(x, c)
  ROOT z = f32[2] add(y, x)
}
"""
"""The program of `example`: 1.5 times a vector of two numbers."""

_MAX_NDIM: Final = 64
_INT, _TEXT, _OTHER = range(3)  # of xla_c_api.h


@cache
def library() -> Library:
    """Load libmxerr with `XlaError` as the class for errors that state no kind of their own.

    Raises
    ------
    ImportError
        If libmxerr was built without a C++ compiler, and has no XLA.
    """
    loaded = Library(
        _native.path(), prototypes=_native.PROTOTYPES, default=XlaError, source_root=_native.source_root()
    )
    if not hasattr(loaded, "XlaClientCreate"):
        raise ImportError(
            "mxerr.xla.runtime: libmxerr was built without a C++ compiler, and has no XLA in it"
        )
    return loaded


def example() -> Executable:
    """Compile `EXAMPLE` on a new client.

    Examples
    --------
    >>> example().execute("main", [[1, 2]])
    array([1.5, 3. ], dtype=float32)
    """
    return Client().compile(EXAMPLE)


class Client:
    """A client of a platform, with two devices.

    Parameters
    ----------
    platform : str
        ``"host"``, or ``"proxy"``, which asks who you are.
    credential : str, optional
        For ``"proxy"``: it knows ``"guest"`` and ``"admin"``, and lets one of them in.
    memory_limit : int
        Bytes that buffers and executions may take together; 0 for no limit.
    exclusive : bool
        Whether no other exclusive client may use device 0 meanwhile.

    Raises
    ------
    XlaNotFoundError, XlaUnauthenticatedError, XlaPermissionDeniedError, XlaUnavailableError
        If there is no such platform, or it is not to be had.

    Examples
    --------
    >>> client = Client(memory_limit=1024)
    >>> client.devices
    ('host:0', 'host:1')
    """

    def __init__(
        self,
        platform: str = "host",
        *,
        credential: str | None = None,
        memory_limit: int = 0,
        exclusive: bool = False,
    ) -> None:
        __tracebackhide__ = True
        self._library = library()
        handle = c_uint64()
        secret = None if credential is None else credential.encode()
        self._library.XlaClientCreate(platform.encode(), secret, memory_limit, exclusive, byref(handle))
        self._handle = _own(self, handle, self._library.XlaClientFree)
        self._callbacks: dict[str, Any] = {}
        self._raised = threading.local()  # what a callback raised, which runs on the thread of the execution

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices."""
        count = c_int()
        self._library.XlaClientDeviceCount(self._handle, byref(count))
        return tuple(self.device(index) for index in range(count.value))

    def device(self, index: int) -> str:
        """Name of a device.

        Raises
        ------
        XlaIndexError
            If there is no device at `index`.
        """
        __tracebackhide__ = True
        return _text(self._library.XlaClientDevice, self._handle, index)

    def compile(self, text: str) -> Executable:
        """Compile a program; see ``lib/src/xla/program.h`` for its language.

        Raises
        ------
        XlaInvalidArgumentError, XlaUnimplementedError, XlaOutOfRangeError
            If the program is malformed, needs what this XLA does not have, or holds a number that f32 cannot.
        """
        __tracebackhide__ = True
        data = text.encode()
        handle = c_uint64()
        self._library.XlaCompile(self._handle, data, len(data), byref(handle))
        return Executable(self, handle)

    def deserialize(self, data: bytes) -> Executable:
        """Get back what `Executable.serialize` stored.

        Raises
        ------
        XlaDataLossError
            If the data is damaged.
        """
        __tracebackhide__ = True
        handle = c_uint64()
        self._library.XlaDeserialize(self._handle, data, len(data), byref(handle))
        return Executable(self, handle)

    def buffer(self, data: ArrayLike, *, device: int = 0) -> Buffer:
        """Copy an array to a device.

        Raises
        ------
        XlaResourceExhaustedError
            If the memory limit does not allow it; payloads say how much was asked for, and is free.
        """
        __tracebackhide__ = True
        array = numpy.ascontiguousarray(data, dtype=numpy.float32).reshape(numpy.shape(data))
        dims = (c_int64 * array.ndim)(*array.shape)
        handle = c_uint64()
        pointer = array.ctypes.data_as(_native.Floats)
        self._library.XlaBufferCreate(self._handle, device, pointer, dims, array.ndim, byref(handle))
        return Buffer(self, handle)

    def register_custom_call(
        self, target: str, function: Callable[[NDArray[numpy.float32]], ArrayLike]
    ) -> None:
        """Let programs call a Python function of one array as ``custom-call(x), target=NAME``.

        Parameters
        ----------
        target : str
            Its name in programs.
        function : callable
            Takes an array of f32, flat, and gives one of that size. What it raises becomes the ``__cause__``
            of the error of the execution.

        Raises
        ------
        XlaAlreadyExistsError
            If the name is taken.
        """
        __tracebackhide__ = True

        def call(_context: object, source: Any, target: Any, size: int) -> int:
            try:
                given = numpy.ctypeslib.as_array(source, (size,)).copy()
                numpy.ctypeslib.as_array(target, (size,))[:] = function(given)
            except BaseException as error:
                self._raised.error = error
                return -1
            return 0

        callback = _native.CustomCall(call)
        self._library.XlaCustomCallRegister(self._handle, target.encode(), callback, None)
        self._callbacks[target] = callback  # C holds a bare pointer to it

    def shutdown(self) -> None:
        """Abort what runs; no call succeeds any more."""
        self._library.XlaClientShutdown(self._handle)


class Buffer:
    """An array on a device; made by `Client.buffer`."""

    def __init__(self, client: Client, handle: c_uint64) -> None:
        self._client = client
        self._library = client._library
        self._handle = _own(self, handle, self._library.XlaBufferFree)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its dimensions."""
        dims, ndim = (c_int64 * _MAX_NDIM)(), c_int()
        self._library.XlaBufferShape(self._handle, _MAX_NDIM, dims, byref(ndim))
        return tuple(dims[: ndim.value])

    def to_host(self) -> NDArray[numpy.float32]:
        """Copy it back.

        Raises
        ------
        XlaFailedPreconditionError
            If it was deleted or donated.
        """
        __tracebackhide__ = True
        array = numpy.empty(self.shape, numpy.float32)
        self._library.XlaBufferToHost(self._handle, array.ctypes.data_as(_native.Floats), array.size)
        return array

    def delete(self) -> None:
        """Give its memory back."""
        self._library.XlaBufferDelete(self._handle)


class Executable:
    """A compiled program; made by `Client.compile`."""

    def __init__(self, client: Client, handle: c_uint64) -> None:
        self._client = client
        self._library = client._library
        self._handle = _own(self, handle, self._library.XlaExecutableFree)

    @property
    def exports(self) -> tuple[str, ...]:
        """Names of the functions that can be executed."""
        return tuple(_text(self._library.XlaExecutableExports, self._handle).split("\n"))

    @property
    def attributes(self) -> Attributes:
        """Its attributes, to be read and set."""
        return Attributes(self)

    def execute(
        self,
        function: str,
        arguments: Sequence[ArrayLike | Buffer] = (),
        *,
        timeout: float | None = None,
        donate: bool = False,
    ) -> NDArray[numpy.float32]:
        """Run an exported function.

        Parameters
        ----------
        function : str
            Its name.
        arguments : sequence of array_like or Buffer
            What it takes.
        timeout : float, optional
            Seconds that it may take.
        donate : bool
            Whether the function may have the memory of the arguments; buffers are then deleted.

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
        buffers = [a if isinstance(a, Buffer) else self._client.buffer(a) for a in arguments]
        handles = (c_uint64 * len(buffers))(*[buffer._handle for buffer in buffers])
        microseconds = -1 if timeout is None else int(timeout * 1e6)
        result = c_uint64()
        raised = self._client._raised
        raised.error = None
        try:
            self._library.XlaExecutableExecute(
                self._handle, function.encode(), len(buffers), handles, microseconds, donate, byref(result)
            )
        except XlaUnknownError as error:
            cause, raised.error = raised.error, None
            if cause is None:
                raise
            if not isinstance(cause, Exception):
                raise cause from None  # such as KeyboardInterrupt, which ends more than this call
            raise error from cause
        return Buffer(self._client, result).to_host()

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
        self._library.XlaExecutableCost(self._handle, key.encode(), byref(value))
        return value.value


class Attributes:
    """The attributes of an executable, by name.

    Examples
    --------
    >>> attributes = example().attributes
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

    def __getattr__(self, name: str) -> int | str:
        __tracebackhide__ = True
        value = _native.XlaAttribute()
        self._library.XlaExecutableGetAttribute(self._handle, name.encode(), byref(value))
        read: int | str = value.number if value.type == _INT else value.text.decode()
        return read

    def __setattr__(self, name: str, value: object) -> None:
        __tracebackhide__ = True
        if isinstance(value, int):
            given = _native.XlaAttribute(_INT, value, None)
        elif isinstance(value, str):
            given = _native.XlaAttribute(_TEXT, 0, value.encode())
        else:
            given = _native.XlaAttribute(_OTHER, 0, type(value).__name__.encode())
        self._library.XlaExecutableSetAttribute(self._handle, name.encode(), byref(given))

    def __dir__(self) -> Iterator[str]:
        return iter(_text(self._library.XlaExecutableAttributes, self._handle).split("\n"))


def _own(owner: object, handle: c_uint64, free: Callable[[int], object]) -> int:
    """Free a handle with the object that owns it."""
    weakref.finalize(owner, free, handle.value)
    return handle.value


def _text(function: Callable[..., object], *arguments: object) -> str:
    __tracebackhide__ = True
    out = c_char_p()
    function(*arguments, byref(out))
    return (out.value or b"").decode()
