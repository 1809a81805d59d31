"""JAX's errors as the classes of `mxerr.xla.exceptions`.

`typed` does it for a block or a function; `install` for the functions that ``jax.jit`` makes from then on,
and for what waits or copies. The original stays the ``__cause__``; where a Python callback failed, its own
exception is the ``__cause__`` of that.

An error of XLA is one of jaxlib's own class, with the code that it states, else the one at the beginning of
its text. It is also a plain ValueError or RuntimeError with a status in front that came out of a C function,
as jaxlib's fast path gives it for a failure that had the class on the first call. What a Python line raised,
such as your own ``ValueError("NOT_FOUND: x")``, is left alone.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Final

from mxerr.xla.exceptions import XlaError, code_of, from_code, from_text, is_xla
from mxerr.xla.status import StatusCode, parse

# jaxlib's fast path maps statuses to these; exact types, as no subclass comes from there
_PLAIN: Final = (ValueError, RuntimeError, NotImplementedError, IndexError, TypeError, MemoryError)
_MAKING: Final = ("jit", "pmap")
_WAITING: Final = ("block_until_ready", "device_get", "device_put")
_WAITING_METHODS: Final = (
    *("__array__", "__bool__", "__complex__", "__float__", "__index__", "__int__"),
    *("block_until_ready", "item", "tolist"),
)
# Private to JAX: in a version that has other names, methods of arrays stay as they are, and exceptions of
# callbacks are not found.
_ARRAY: Final = "ArrayImpl"
_CALLBACK_LOGGER: Final = "jax._src.callback"


def translate(error: BaseException) -> XlaError | None:
    """Make our error of one of JAX's.

    Parameters
    ----------
    error : BaseException
        Any error, as it was caught.

    Returns
    -------
    XlaError or None
        The error, with `error` as its cause; None for what is no error of XLA.

    Examples
    --------
    >>> translate(ValueError("NOT_FOUND: x")) is None
    True
    """
    text = str(error)
    if is_xla(error):
        code = code_of(error)
        typed_error = XlaError(text) if code is None else from_code(code, text)
    elif type(error) in _PLAIN and _states_a_code(text) and _came_from_c(error):
        typed_error = from_text(text)
    else:
        return None
    # with the option "remove_frames" JAX puts there what shows the frames that it took out
    last = error.__cause__ if type(error.__cause__).__name__ == "UnfilteredStackTrace" else error
    if last is not None and last.__cause__ is None:
        last.__cause__ = _callbacks.find(text)
    typed_error.__cause__ = error
    return typed_error


def _states_a_code(text: str) -> bool:
    code = parse(text).code
    return isinstance(code, StatusCode) and text.startswith(f"{code.name}:")


def _came_from_c(error: BaseException) -> bool:
    """Tell whether the innermost Python frame was calling, and not raising."""
    entry = error.__traceback__
    if entry is None:
        return False
    while entry.tb_next is not None:
        entry = entry.tb_next
    return dis.opname[entry.tb_frame.f_code.co_code[entry.tb_lasti]].startswith("CALL")


class _Callbacks(logging.Handler):
    """Exceptions of Python callbacks, which JAX logs before it turns them into text.

    Where a program has set up no logging, they are not printed meanwhile: who waits gets the exception.
    """

    def __init__(self) -> None:
        super().__init__()
        self._users = 0
        self._recent: deque[BaseException] = deque(maxlen=16)
        self._users_lock = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._recent.append(record.exc_info[1])

    def find(self, text: str) -> BaseException | None:
        """Give out the exception whose text the error ends with; none where several have that text."""
        found = [error for error in list(self._recent) if text.rstrip().endswith(_last_line(error))]
        for error in found:
            with contextlib.suppress(ValueError):  # another thread had it
                self._recent.remove(error)
        return found[0] if found and all(error is found[0] for error in found) else None

    def start(self) -> None:
        with self._users_lock:
            self._users += 1
            if self._users == 1:
                logging.getLogger(_CALLBACK_LOGGER).addHandler(self)

    def stop(self) -> None:
        with self._users_lock:
            self._users -= 1
            if self._users == 0:
                logging.getLogger(_CALLBACK_LOGGER).removeHandler(self)
                self._recent.clear()


def _last_line(error: BaseException) -> str:
    """Spell an exception as jaxlib does at the end of its text: without module and notes."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        return "\0"  # its __str__ raises: no text of C ends so
    return text.partition("\0")[0].rstrip()


_callbacks = _Callbacks()


class typed(ContextDecorator):  # noqa: N801 - named as it is used, like contextlib.suppress
    """Translate JAX's errors that leave a block or a function.

    JAX computes in the background: an error appears where its result is waited for, and that must be within
    the block.

    Raises
    ------
    ImportError
        If JAX is not installed, or a version that this module does not know.
    TypeError
        If it decorates a coroutine or generator function.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> try:
    ...     with typed():
    ...         jnp.ones(2**42).block_until_ready()
    ... except MemoryError as error:
    ...     error.code_name, error.message
    ('RESOURCE_EXHAUSTED', 'Out of memory allocating 17592186044416 bytes.')
    """

    def __call__(self, function: Any) -> Any:
        """Decorate a function. One that is suspended would leave the block before anything fails."""
        kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
        if any(is_kind(function) for is_kind in kinds):
            raise TypeError(
                f"typed: expected a function that runs to its end, got {function!r}; use a with block"
            )
        return super().__call__(function)

    def __enter__(self) -> typed:
        _jax()
        _callbacks.start()
        return self

    def __exit__(
        self, _cls: type[BaseException] | None, error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        try:
            if error is None:
                return
            typed_error = translate(error)
        finally:
            _callbacks.stop()
        if typed_error is not None:
            raise typed_error


def _jax() -> Any:
    try:
        import jax
        import jax.errors
    except ImportError as error:
        raise ImportError("mxerr.xla.jax needs JAX: pip install 'mxerr[jax]'") from error
    if not hasattr(jax.errors, "JaxRuntimeError"):
        raise ImportError(
            f"mxerr.xla.jax: jax {jax.__version__} has no jax.errors.JaxRuntimeError, by which its "
            "errors are known; please report it to mxerr"
        )
    return jax


class _Typed:
    """A function of JAX whose calls are `typed`; everything else is passed on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return self._function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name == "_function":  # which a copy does not have at first
            raise AttributeError(name)
        return getattr(self._function, name)


class _TypedJit(_Typed):
    """``jax.jit``, with its decorator form."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self._function(*args, **kwargs)
        return _Typed(made) if hasattr(made, "lower") else lambda function: _Typed(made(function))


def _typed_method(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: object, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return method(self, *args, **kwargs)

    # other attributes of a method in C++ are not what Python's functions take
    return functools.update_wrapper(call, method, assigned=("__doc__", "__name__"), updated=())


def _replaced(jax: Any) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """What `install` replaces: where it is, its name, and what is made of it."""
    yield from ((jax, name, _TypedJit) for name in _MAKING)
    yield from ((jax, name, _Typed) for name in _WAITING)
    for cls in jax.Array.__subclasses__():
        if cls.__name__ == _ARRAY:
            yield from ((cls, name, _typed_method) for name in _WAITING_METHODS)


_originals: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Let functions made by ``jax.jit`` from now on, and calls that wait or copy, raise our classes.

    These are ``jax.block_until_ready``, ``jax.device_get``, ``jax.device_put``, and what waits for an array:
    its method ``block_until_ready``, its conversion to NumPy or to a Python object. Other functions, and
    names that were imported before, are for `typed`. A second call does nothing.

    Raises
    ------
    ImportError
        If JAX is not installed, or a version that this module does not know.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> install()
    >>> try:
    ...     jax.jit(lambda: jnp.ones(2**42))()
    ... except MemoryError as error:
    ...     error.code_name
    'RESOURCE_EXHAUSTED'
    >>> uninstall()
    """
    jax = _jax()
    if _originals:
        return
    _callbacks.start()
    for owner, name, wrap in _replaced(jax):
        original = vars(owner).get(name)
        if original is not None:  # a version that does not have it has nothing to translate
            _originals.append((owner, name, original))
            setattr(owner, name, wrap(original))


def uninstall() -> None:
    """Put all of JAX's own functions and methods back; functions that were made meanwhile stay typed."""
    if not _originals:
        return
    while _originals:
        setattr(*_originals.pop())
    _callbacks.stop()
