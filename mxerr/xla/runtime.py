"""The small XLA of libmxerr: compile a few lines of HLO-like text, run them, and meet every error of XLA.

A place to learn and to test: each class of `mxerr.xla.exceptions` is reached by a mistake that users of XLA
make. It computes in f32 on the host, and is not meant to be fast.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int, c_uint64
from typing import Any, Final

import numpy
from numpy.typing import ArrayLike, NDArray

from mxerr import ignored
from mxerr.xla._buffer import Buffer, device_index, flag
from mxerr.xla._executable import Attributes, Executable
from mxerr.xla._native import CustomCall, Session, integer, library, read_text, text
from mxerr.xla.exceptions import XlaTypeError

__all__ = ["EXAMPLE", "Attributes", "Buffer", "Client", "Executable", "example"]

EXAMPLE: Final = """
ENTRY main {
  x = f32[2] parameter(0)
  c = f32[] constant(0.5)
  y = f32[2] multiply(x, c)
  ROOT z = f32[2] add(y, x)
}
"""
"""The program of `example`: 1.5 times a vector of two numbers."""


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
        Bytes that buffers and executions may take together; 0 for no limit. An execution holds each value
        until its last use.
    exclusive : bool
        Whether no other exclusive client may use device 0 meanwhile.

    Raises
    ------
    XlaNotFoundError, XlaUnauthenticatedError, XlaPermissionDeniedError, XlaUnavailableError
        If there is no such platform, or it is not to be had.
    XlaInvalidValueError, XlaTypeError
        If a text has a NUL, or the limit is none of 64 bits; if an argument has another type.

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
        secret = None if credential is None else text("credential", credential)
        limit = integer("memory_limit", memory_limit, 0, 2**64 - 1)
        is_exclusive = flag("exclusive", exclusive)
        self._session = Session(text("platform", platform), secret, limit, is_exclusive)
        self._handle = self._session.handle
        self._library = library()

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
        XlaTypeError
            If it is no integer.
        """
        __tracebackhide__ = True
        return read_text(self._library.XlaClientDevice, self._handle, device_index(index))

    def compile(self, program: str) -> Executable:
        """Compile a program; see ``lib/src/xla/program.h`` for its language.

        Raises
        ------
        XlaInvalidArgumentError, XlaUnimplementedError, XlaOutOfRangeError
            If the program is malformed, needs what this XLA does not have, or holds a number that f32 cannot.
        XlaTypeError
            If it is no str.
        """
        __tracebackhide__ = True
        if not isinstance(program, str):
            raise XlaTypeError(f"program: expected a str, got {program!r}")
        data = program.encode("utf-8", "backslashreplace")
        handle = c_uint64()
        self._library.XlaCompile(self._handle, data, len(data), byref(handle))
        return Executable(self._session, handle)

    def deserialize(self, data: bytes) -> Executable:
        """Get back what `Executable.serialize` stored.

        Raises
        ------
        XlaDataLossError, XlaInvalidArgumentError
            If the data is damaged, or no executable at all.
        XlaTypeError
            If it is no bytes.
        """
        __tracebackhide__ = True
        if not isinstance(data, bytes):
            raise XlaTypeError(f"data: expected bytes, got {type(data).__name__}")
        handle = c_uint64()
        self._library.XlaDeserialize(self._handle, data, len(data), byref(handle))
        return Executable(self._session, handle)

    def buffer(self, data: ArrayLike, *, device: int = 0) -> Buffer:
        """Copy an array to a device.

        Raises
        ------
        XlaResourceExhaustedError
            If the memory limit does not allow it; payloads say how much was asked for, and is free.
        XlaIndexError
            If there is no such device.
        XlaTypeError, XlaInvalidArgumentError
            If the data is no array of numbers.
        """
        __tracebackhide__ = True
        return Buffer.from_host(self._session, data, device)

    def register_custom_call(
        self, target: str, function: Callable[[NDArray[numpy.float32]], ArrayLike]
    ) -> None:
        """Let programs call a Python function of one array as ``custom-call(x), target=NAME``.

        Parameters
        ----------
        target : str
            Its name in programs: letters, digits, and any of ``_ - . +``.
        function : callable
            Takes an array of f32, flat, and gives one of that size. What it raises becomes the ``__cause__``
            of the error of the execution; where it gives anything else, a TypeError or ValueError does.

        Raises
        ------
        XlaAlreadyExistsError
            If the name is taken.
        XlaTypeError
            If `target` is no str, or `function` cannot be called.
        XlaInvalidArgumentError, XlaInvalidValueError
            If no program can name the target.

        Examples
        --------
        >>> Client().register_custom_call("scale", None)
        Traceback (most recent call last):
            ...
        mxerr.xla.exceptions.XlaTypeError: register_custom_call: function: expected a callable, got None
        """
        __tracebackhide__ = True
        if not callable(function):
            raise XlaTypeError(f"register_custom_call: function: expected a callable, got {function!r}")
        name = text("register_custom_call: target", target)
        raised = self._session.raised  # not the session: it holds the callback

        def call(_context: object, source: Any, target: Any, size: int) -> int:
            try:
                given = numpy.ctypeslib.as_array(source, (size,)).copy()
                numpy.ctypeslib.as_array(target, (size,))[:] = _result(function(given), size)
            except BaseException as error:
                raised.error = error
                return -1
            return 0

        callback = CustomCall(ignored.from_entry(call))
        self._library.XlaCustomCallRegister(self._handle, name, callback, None)
        self._session.callbacks[target] = callback

    def shutdown(self) -> None:
        """End the client, and all that it made.

        What runs is aborted, `XlaAbortedError`, or comes to its end and gives its result. From then on every
        use of the client, and of buffers and executables that it made, is an `XlaFailedPreconditionError`.
        Only what ends something does nothing: `Buffer.delete`, `Executable.cancel`, and a second `shutdown`.

        Examples
        --------
        >>> client = Client()
        >>> buffer = client.buffer([1.0])
        >>> client.shutdown()
        >>> buffer.to_host()
        Traceback (most recent call last):
            ...
        mxerr.xla.exceptions.XlaFailedPreconditionError: the client was shut down
        """
        __tracebackhide__ = True
        self._library.XlaClientShutdown(self._handle)


def _result(given: ArrayLike, size: int) -> NDArray[Any]:
    """Check what a custom call gave: a forgotten return, for one, would be NaN."""
    array = numpy.asarray(given)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"custom call: expected an array of {size} numbers, got {given!r}")
    if array.shape != (size,):
        raise ValueError(f"custom call: expected an array of shape ({size},), got one of shape {array.shape}")
    return array
