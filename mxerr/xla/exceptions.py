"""XLA's errors by name: ``import mxerr.xla.exceptions as xla_exceptions``.

One class for each status code, and for each type that is thrown directly; all are `XlaError`, and so
`mxerr.NativeError` and RuntimeError, and each is also the builtin that fits. The table of them is
``xla_errors.inc``, which C++ includes. A class is made from one string::

    try:
        executable.execute("main", batch)
    except xla_exceptions.XlaResourceExhaustedError as error:
        print(error.code_name, error.message, error.payloads)

Standard library only.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from mxerr.error import NativeError, register
from mxerr.xla.status import StatusCode, parse, to_code

__all__ = [
    "StatusCode",
    "XlaAbortedError",
    "XlaAlreadyExistsError",
    "XlaAttributeError",
    "XlaCancelledError",
    "XlaDataLossError",
    "XlaDeadlineExceededError",
    "XlaError",
    "XlaFailedPreconditionError",
    "XlaIndexError",
    "XlaInternalError",
    "XlaInvalidArgumentError",
    "XlaInvalidValueError",
    "XlaKeyError",
    "XlaNotFoundError",
    "XlaOutOfRangeError",
    "XlaPermissionDeniedError",
    "XlaResourceExhaustedError",
    "XlaTypeError",
    "XlaUnauthenticatedError",
    "XlaUnavailableError",
    "XlaUnimplementedError",
    "XlaUnknownError",
    "code_of",
    "from_code",
    "from_text",
]

_C = TypeVar("_C", bound="type[XlaError]")


class XlaError(NativeError):
    """An error of XLA; itself for a code that is none of the canonical ones, and where none was stated.

    Notes
    -----
    A class takes one text. More arguments are kept in ``args`` and change nothing else, as with RuntimeError,
    for every class alike, whatever its builtin makes of them: `XlaPermissionDeniedError` is a PermissionError
    of no system call, so its ``errno``, ``strerror`` and ``filename`` are None; `XlaKeyError` does not quote
    its text; ``name`` and ``obj`` of `XlaAttributeError` are None. Keyword arguments are a TypeError.

    Examples
    --------
    >>> try:
    ...     raise from_text("NOT_FOUND: no such program")
    ... except XlaError as error:
    ...     error.code_name, error.message, isinstance(error, builtins.LookupError)
    ('NOT_FOUND', 'no such program', True)
    """

    CODE: ClassVar[StatusCode | None] = None
    """The code of the class."""

    _code: int | None = None
    _message: str | None = None
    _payloads: Mapping[str, bytes] | None = None

    @property
    def code(self) -> StatusCode | int | None:
        """The status code: as it was stated, else that of the class; None where there is neither."""
        if self._code is not None:
            return to_code(self._code)
        if self.native is not None and self.native.code is not None:
            return to_code(self.native.code)
        return self.CODE

    @property
    def code_name(self) -> str:
        """Name of the code, such as ``"NOT_FOUND"``: of an unknown one its number, of none ``""``."""
        code = self.code
        return code.name if isinstance(code, StatusCode) else "" if code is None else str(code)

    @property
    def message(self) -> str:
        """The text without the code in front and without payloads behind.

        It is taken as it is where C or the caller of `from_code` gave it apart; else it is read out of the
        text.
        """
        if self._message is not None:
            return self._message
        if self.native is not None:
            return self.native.message
        text = str(self)
        status = parse(text)
        # another code in front is part of the message: it tells of another error
        return status.message if status.code is None or status.code == self.code else text

    @property
    def payloads(self) -> dict[str, bytes]:
        """What else was attached to the status: bytes by URL.

        An error crosses from C in a record that has room for 16 of them, and for 32 KiB of texts in all. What
        had no room is lost; `payloads_omitted` counts it, and a note of the error says so.
        """
        if self._payloads is not None:
            return dict(self._payloads)
        if self.native is not None:
            return dict(self.native.attributes)
        return parse(str(self)).payloads

    @property
    def payloads_omitted(self) -> int:
        """How many payloads were lost, for lack of room on the way from C."""
        return 0 if self.native is None else self.native.attributes_omitted

    def __str__(self) -> str:
        """The text as it was given, also where a base class such as KeyError would quote it."""
        return builtins.BaseException.__str__(self)


_CODE_CLASSES: dict[int, type[XlaError]] = {}


def _register(cls: _C) -> _C:
    """Register a class as a kind; the first of a code is the class for the code."""
    if cls.CODE is not None:
        _CODE_CLASSES.setdefault(cls.CODE, cls)
    return register(cls)


register(XlaError)


def from_code(code: int, message: str = "", payloads: Mapping[str, bytes] | None = None) -> XlaError:
    """Make the error for a status code.

    Parameters
    ----------
    code : int
        The code, of 64 bits. One that is not known gives an `XlaError` that keeps it.
    message : str
        The text, without a code in front: it is the ``message`` of the error as it is.
    payloads : mapping of str to bytes, optional
        What else there is to say, by URL.

    Returns
    -------
    XlaError
        The error, to be raised.

    Raises
    ------
    ValueError
        If `code` is 0, which is no error, or does not fit into 64 bits.
    TypeError
        If `code` is no int (a bool is none), `message` no str, or `payloads` no mapping of str to bytes.

    Examples
    --------
    >>> from_code(5, "no such program")
    XlaNotFoundError('no such program')
    >>> from_code(99).code
    99
    """
    number = _error_code(code)
    if not isinstance(message, str):
        raise builtins.TypeError(f"from_code: message: expected a str, got {message!r}")
    if number == StatusCode.OK:
        raise builtins.ValueError(f"from_code: expected the code of an error, got 0 (OK) with {message!r}")
    error = with_code(number, message)
    error._message, error._payloads = message, _checked_payloads(payloads)
    return error


def _error_code(code: int) -> int:
    try:
        number = operator.index(code)
    except builtins.TypeError:
        number = None
    if number is None or isinstance(code, bool):
        raise builtins.TypeError(f"from_code: code: expected an int, got {code!r}")
    if not -(2**63) <= number < 2**63:
        shown = number if abs(number) < 2**128 else f"one of {number.bit_length()} bits"
        raise builtins.ValueError(f"from_code: code: expected an int of 64 bits, got {shown}")
    return number


def _checked_payloads(payloads: Mapping[str, bytes] | None) -> dict[str, bytes]:
    if payloads is None:
        return {}
    if not isinstance(payloads, Mapping):
        raise builtins.TypeError(f"from_code: payloads: expected a mapping of str to bytes, got {payloads!r}")
    for url, data in payloads.items():
        if not isinstance(url, str):
            raise builtins.TypeError(f"from_code: payloads: expected a str as URL, got {url!r}")
        if not isinstance(data, bytes):
            raise builtins.TypeError(f"from_code: payloads: expected bytes under {url!r}, got {data!r}")
    return dict(payloads)


def with_code(code: int | None, text: str) -> XlaError:
    """Make the error of a text whose code is known already; the text may have the code in front."""
    error = XlaError(text) if code is None else _CODE_CLASSES.get(code, XlaError)(text)
    if code is not None and error.CODE is None:
        error._code = int(code)
    return error


def from_text(text: str | bytes) -> XlaError:
    """Make the error for the text of a status, such as ``"NOT_FOUND: x"`` or the older ``"Not found: x"``.

    Parameters
    ----------
    text : str or bytes
        The text. The code is looked for at its beginning and nowhere else.

    Returns
    -------
    XlaError
        The error, of the class for the code; ``args[0]`` is the text as it is. Without a code, an `XlaError`.

    Raises
    ------
    TypeError
        If it is no text.

    Examples
    --------
    >>> from_text("RESOURCE_EXHAUSTED: out of memory")
    XlaResourceExhaustedError('RESOURCE_EXHAUSTED: out of memory')
    >>> from_text("resource_exhausted: no spelling of a code").code is None
    True
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    if not isinstance(text, str):
        raise builtins.TypeError(f"from_text: expected a str or bytes, got {text!r}")
    return with_code(parse(text).code, text)


def code_of(error: BaseException) -> StatusCode | int | None:
    """Say which status code an error has.

    Parameters
    ----------
    error : BaseException
        An `XlaError`, an error of jaxlib (its attribute counts, else its text), or any other.

    Returns
    -------
    StatusCode, int or None
        The code; None for an error that is not XLA's, whatever its text looks like.

    Raises
    ------
    TypeError
        If it is no exception.

    Examples
    --------
    >>> code_of(from_text("ABORTED: x")), code_of(ValueError("ABORTED: x"))
    (<StatusCode.ABORTED: 10>, None)
    """
    if isinstance(error, XlaError):
        return error.code
    if not isinstance(error, BaseException):
        raise builtins.TypeError(f"code_of: expected an exception, got {error!r}")
    if not is_xla(error):
        return None
    stated = parse(str(error)).code
    number = getattr(error, "error_code", None)
    if not isinstance(number, int) or isinstance(number, bool):
        return stated
    # UNKNOWN is also what jaxlib gives an error that Python made of a text
    if number in (StatusCode.OK, StatusCode.UNKNOWN):
        return stated if stated is not None or not number else to_code(number)
    return to_code(number)


def is_xla(error: BaseException) -> bool:
    """Tell whether jaxlib made an error of a status; by the name of its class, as jaxlib need not be there.

    The class of that name in ``jax.experimental.checkify`` is another one, for checks of the user's own.
    """
    return any(
        cls.__name__ in ("JaxRuntimeError", "XlaRuntimeError")
        and (cls.__module__ == "jax.errors" or cls.__module__.partition(".")[0] == "jaxlib")
        for cls in type(error).__mro__
    )


@_register
class XlaCancelledError(XlaError):
    """The caller, or someone on its behalf, asked for the work to stop.

    What to do
    ----------
    Nothing, if it was you who cancelled. A new run needs `reset`: `executable.reset()`.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> executable = runtime.example()
    >>> executable.cancel()
    >>> executable.execute("main", [[1, 2]])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaCancelledError: execution of 'main' was cancelled
    """

    CODE = StatusCode.CANCELLED


@_register
class XlaUnknownError(XlaError):
    """Something failed and did not say how, most often code that XLA calls and that speaks no status.

    What to do
    ----------
    Look for the callback's own error: it is the `__cause__` where it was Python's. A callback that
    returns a status of its own is reported by that.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> client = runtime.Client()
    >>> client.register_custom_call("log_loss", lambda x: 1 / 0)
    >>> text = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), target=log_loss }"
    >>> client.compile(text).execute("main", [[1, 2]])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaUnknownError: custom call 'log_loss' failed with status -1, and said no more
    """

    CODE = StatusCode.UNKNOWN


@_register
class XlaInvalidArgumentError(XlaError, builtins.ValueError):
    """An argument makes no sense, whatever the state of the system: a wrong shape, a malformed program.

    What to do
    ----------
    Correct the argument; the message says what was expected. Trying again with the same one fails
    again.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().execute("main", [[1, 2, 3]])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaInvalidArgumentError: argument 0 of 'main': expected f32[2], got f32[3]
    """

    CODE = StatusCode.INVALID_ARGUMENT


@_register
class XlaDeadlineExceededError(XlaError, builtins.TimeoutError):
    """The time ran out before the work was done. It may have been done all the same.

    What to do
    ----------
    Allow more time, give it less to do, or find out what it waits for.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> text = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=2000 }"
    >>> runtime.Client().compile(text).execute("main", [[1, 2]], timeout=0.01)
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaDeadlineExceededError: execution of 'main' took longer than 10 ms
    """

    CODE = StatusCode.DEADLINE_EXCEEDED


@_register
class XlaNotFoundError(XlaError, builtins.LookupError):
    """What was asked for does not exist: a platform, a file, a cached program.

    What to do
    ----------
    Correct the name, or provide what is missing, such as a plug-in for the platform.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client(platform="tpu")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaNotFoundError: could not find registered platform with name: "tpu". Available platform names are: host, proxy
    """

    CODE = StatusCode.NOT_FOUND


@_register
class XlaAlreadyExistsError(XlaError):
    """What was to be created exists already.

    What to do
    ----------
    Take another name, or use what is there. In a notebook: the cell was run twice; make a new client in
    it.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> client = runtime.Client()
    >>> client.register_custom_call("scale", lambda x: x)
    >>> client.register_custom_call("scale", lambda x: 2 * x)
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaAlreadyExistsError: duplicate custom call target 'scale' on platform host
    """

    CODE = StatusCode.ALREADY_EXISTS


@_register
class XlaPermissionDeniedError(XlaError, builtins.PermissionError):
    """The caller is known, and may not do this.

    What to do
    ----------
    Ask for the right, or use an account that has it. Who you are is not in doubt: that would be
    `XlaUnauthenticatedError`.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client(platform="proxy", credential="guest")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaPermissionDeniedError: 'guest' may not use platform proxy
    """

    CODE = StatusCode.PERMISSION_DENIED


@_register
class XlaResourceExhaustedError(XlaError, builtins.MemoryError):
    """Something ran out: nearly always the device's memory.

    What to do
    ----------
    Free buffers that are no longer needed, donate inputs, or work in smaller batches.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client(memory_limit=1024).buffer([0.0] * 1000)
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaResourceExhaustedError: out of memory while trying to allocate 4000 bytes on device 0; 0 of 1024 bytes are in use
    """

    CODE = StatusCode.RESOURCE_EXHAUSTED


@_register
class XlaFailedPreconditionError(XlaError):
    """The system is not in the state that the call needs.

    What to do
    ----------
    Do not repeat the call as it is: first bring the system into the state, here by making the buffer
    anew.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> buffer = runtime.Client().buffer([1.0])
    >>> buffer.delete()
    >>> buffer.to_host()
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaFailedPreconditionError: buffer has been deleted or donated
    """

    CODE = StatusCode.FAILED_PRECONDITION


@_register
class XlaAbortedError(XlaError):
    """The work was broken off because of something else that happened meanwhile.

    Such as the end of a session.

    What to do
    ----------
    Begin again from a point before what was broken off, here with a new client.

    Examples
    --------
    >>> import threading
    >>> from mxerr.xla import runtime
    >>> client = runtime.Client()
    >>> executable = client.compile("ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=5000 }")
    >>> threading.Timer(0.05, client.shutdown).start()
    >>> executable.execute("main", [[1, 2]])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaAbortedError: execution of 'main' was aborted: the client was shut down
    """

    CODE = StatusCode.ABORTED


@_register
class XlaOutOfRangeError(XlaError, builtins.IndexError):
    """A number lies beyond what is valid, and would not on another day.

    An offset past the end, a literal that the type cannot hold.

    What to do
    ----------
    Bring the number into the range that the message names.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client().compile("ENTRY main { ROOT c = f32[] constant(1e99) }")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaOutOfRangeError: line 1: constant 1e99 is out of range for f32
    """

    CODE = StatusCode.OUT_OF_RANGE


@_register
class XlaUnimplementedError(XlaError, builtins.NotImplementedError):
    """The operation exists, and this platform does not have it.

    What to do
    ----------
    Express it with other operations, or run it on another platform.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client().compile("ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] fft(x) }")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaUnimplementedError: line 1: operation 'fft' is not implemented on platform host
    """

    CODE = StatusCode.UNIMPLEMENTED


@_register
class XlaInternalError(XlaError):
    """Something that the system takes for granted does not hold.

    What to do
    ----------
    Check that what you pass fits together (here the name is misspelled); else report it.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().execute("mian", [[1, 2]])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaInternalError: exported function not found: mian
    """

    CODE = StatusCode.INTERNAL


@_register
class XlaUnavailableError(XlaError, builtins.ConnectionError):
    """The service or device cannot be reached now, and may be in a moment.

    What to do
    ----------
    Wait and try again; with devices, find out which process holds it.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> mine = runtime.Client(exclusive=True)
    >>> runtime.Client(exclusive=True)
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaUnavailableError: device 0 of platform host is in use by another client
    """

    CODE = StatusCode.UNAVAILABLE


@_register
class XlaDataLossError(XlaError):
    """Stored data is damaged beyond repair.

    What to do
    ----------
    Delete the stored copy, here a cached program, and make it anew.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> client = runtime.Client()
    >>> client.deserialize(runtime.example().serialize()[:-5])
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaDataLossError: serialized executable is damaged: its checksum does not match
    """

    CODE = StatusCode.DATA_LOSS


@_register
class XlaUnauthenticatedError(XlaError, builtins.PermissionError):
    """The caller did not prove who it is.

    What to do
    ----------
    Log in, or pass a credential that is valid.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client(platform="proxy")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaUnauthenticatedError: platform proxy needs a credential
    """

    CODE = StatusCode.UNAUTHENTICATED


@_register
class XlaAttributeError(XlaError, builtins.AttributeError):
    """An object of XLA has no attribute of that name; `hasattr` says so.

    What to do
    ----------
    Correct the name; `dir` lists those that there are.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().attributes.colour
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaAttributeError: Unknown attribute colour
    """

    CODE = StatusCode.NOT_FOUND


@_register
class XlaInvalidValueError(XlaError, builtins.ValueError):
    """A setting has the right type and a value that it does not take.

    What to do
    ----------
    Use a value from the range that the message names.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().attributes.optimization_level = 17
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaInvalidValueError: optimization_level: expected 0 to 3, got 17
    """

    CODE = StatusCode.INVALID_ARGUMENT


@_register
class XlaTypeError(XlaError, builtins.TypeError):
    """A value has a type that is not taken here.

    What to do
    ----------
    Convert the value to the type that the message names.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().attributes.optimization_level = "high"
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaTypeError: optimization_level: expected int, got str
    """

    CODE = StatusCode.INVALID_ARGUMENT


@_register
class XlaIndexError(XlaError, builtins.IndexError):
    """A position lies outside of a list.

    What to do
    ----------
    Use a position in the range that the message names.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.Client().device(7)
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaIndexError: device index 7 is out of range [0, 2)
    """

    CODE = StatusCode.OUT_OF_RANGE


@_register
class XlaKeyError(XlaError, builtins.KeyError):
    """A table has no such key. The text is readable, unlike that of Python's own KeyError.

    What to do
    ----------
    Correct the key.

    Examples
    --------
    >>> from mxerr.xla import runtime
    >>> runtime.example().cost("flopz")
    Traceback (most recent call last):
        ...
    mxerr.xla.exceptions.XlaKeyError: no cost named 'flopz'; there are: bytes, flops
    """

    CODE = StatusCode.NOT_FOUND
