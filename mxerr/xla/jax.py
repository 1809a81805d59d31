"""JAX's errors as the classes of `mxerr.xla.exceptions`.

`typed` does it for a block or a function; `install` for the functions that ``jax.jit`` makes from then on,
and for what waits or copies. The original stays the ``__cause__``; where a Python callback failed, its own
exception is the ``__cause__`` of that.

An error of XLA is one of jaxlib's own class, with the code that it states, else the one at the beginning of
its text. It is also a plain ValueError or RuntimeError with a status in front that came out of jaxlib, as its
fast path gives it for a failure that had the class on the first call. There the innermost Python line is
JAX's or `install`'s, or calls by name what jaxlib made, as in ``step(x)`` and ``self.step(x)``. In
``steps[0](x)`` or ``map(step, xs)`` it cannot be told from an error of any other C code.

All else is left alone: what a Python line raised, such as your own ``ValueError("NOT_FOUND: x")``, also where
a future or another C function gives it out; what other code raised from an error of XLA; and what JAX checks
in Python, before XLA sees it: the use of an array that was deleted is JAX's RuntimeError, an argument that
does not fit what was compiled ahead of time its TypeError; neither states a code.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from typing import Any, Final

from mxerr.xla._jax_callbacks import KeptCallback
from mxerr.xla._jax_errors import CALLBACKS, translate, translate_group

__all__ = ["install", "translate", "typed", "uninstall"]

_MAKING: Final = ("jit", "pmap")
_STAGES: Final = (("Traced", "lower"), ("Lowered", "compile"), ("Compiled", "__call__"))  # of jax.stages
_WAITING: Final = ("block_until_ready", "device_get", "device_put", "effects_barrier")
_WAITING_METHODS: Final = (
    *("__array__", "__bool__", "__complex__", "__float__", "__index__", "__int__"),
    *("block_until_ready", "item", "tolist"),
)
# Private to JAX: in a version that has another name, methods of arrays stay as they are.
_ARRAY: Final = "ArrayImpl"


class typed(ContextDecorator):  # noqa: N801 - named as it is used, like contextlib.suppress
    """Translate JAX's errors that leave a block or a function, also within an ExceptionGroup.

    JAX computes in the background: an error appears where its result is waited for, and that must be within
    the block.

    The exception of a callback comes from JAX's message to the logger ``jax._src.callback``. Where logging
    drops it, by ``logging.disable``, by a level, or by a ``dictConfig`` that disables the loggers there are,
    there is its text alone, unless the function was traced after `install`.

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

    def __init__(self) -> None:
        self._entered: list[None] = []  # one for each block that is open; threads may share a decorator

    def __enter__(self) -> typed:
        _jax()
        CALLBACKS.start()
        self._entered.append(None)
        return self

    def __exit__(
        self, _cls: type[BaseException] | None, error: BaseException | None, _tb: types.TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if not self._entered:
            raise RuntimeError("typed: __exit__ without an __enter__ before it")
        self._entered.pop()
        try:
            if isinstance(error, BaseExceptionGroup):
                typed_error: BaseException | None = translate_group(error)
            else:
                typed_error = None if error is None else translate(error)
        finally:
            CALLBACKS.stop()
        if typed_error is None or typed_error is error:
            return
        context = typed_error.__context__ if isinstance(typed_error, BaseExceptionGroup) else error
        try:
            raise typed_error
        finally:
            typed_error.__context__ = context  # which Python has just set to the error that is replaced


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
        self.__wrapped__ = getattr(function, "__wrapped__", function)  # what the user wrote
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return self._function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name == "_function":  # which a copy does not have at first
            raise AttributeError(name)
        return getattr(self._function, name)


class _TypedFunction(_Typed):
    """A function that was jitted: a `jax.stages.Wrapped`, which has these methods."""

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return self._function.trace(*args, **kwargs)  # type: ignore[attr-defined]

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return self._function.lower(*args, **kwargs)  # type: ignore[attr-defined]


class _TypedJit(_Typed):
    """``jax.jit``, with its decorator form."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self._function(*args, **kwargs)
        if hasattr(made, "lower"):
            return _TypedFunction(made)
        return lambda function: _TypedFunction(made(function))


def _typed_method(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: object, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with typed():
            return method(self, *args, **kwargs)

    # other attributes of a method in C++ are not what Python's functions take
    return functools.update_wrapper(call, method, assigned=("__doc__", "__name__"), updated=())


def _keeping(call_back: Callable[..., Any]) -> Callable[..., Any]:
    """Make one of ``jax.pure_callback`` and its sisters that keeps what the callback raises."""

    @functools.wraps(call_back)
    def call(callback: Any = None, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        kept = KeptCallback(callback, CALLBACKS) if callable(callback) else callback
        return call_back(kept, *args, **kwargs)

    return call


def _calling_back(jax: Any) -> Iterator[tuple[Any, str]]:
    from jax import experimental

    yield from ((jax, "pure_callback"), (experimental, "io_callback"), (jax.debug, "callback"))


def _replaced(jax: Any) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """What `install` replaces: where it is, its name, and what is made of it."""
    yield from ((jax, name, _TypedJit) for name in _MAKING)
    yield from ((jax, name, _Typed) for name in _WAITING)
    for name, method in _STAGES:
        yield getattr(jax.stages, name, None), method, _typed_method
    yield from ((owner, name, _keeping) for owner, name in _calling_back(jax))
    for cls in jax.Array.__subclasses__():
        if cls.__name__ == _ARRAY:
            yield from ((cls, name, _typed_method) for name in _WAITING_METHODS)


# What is replaced, by what, and what was there. A reload of this module goes on with it: JAX is still patched
_replacements: list[tuple[Any, str, Any, Any]] = globals().get("_replacements", [])
_lock: threading.RLock = globals().get("_lock") or threading.RLock()


def install() -> None:
    """Let functions made by ``jax.jit`` from now on, and calls that wait or copy, raise our classes.

    These are ``jax.block_until_ready``, ``jax.device_get``, ``jax.device_put``, ``jax.effects_barrier``, and
    what waits for an array: its method ``block_until_ready``, its conversion to NumPy or to a Python object.
    Compiling ahead of time, and calls of what was compiled so, are typed as well (methods of ``jax.stages``).
    Other functions, and names that were imported before, are for `typed`. A second call does nothing.

    ``jax.pure_callback``, ``jax.experimental.io_callback`` and ``jax.debug.callback`` keep what the callback
    raises. Functions that were traced before rely on JAX's message about it, as `typed` does alone.

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
    with _lock:
        if _replacements:
            return
        CALLBACKS.start()
        for owner, name, wrap in _replaced(jax):
            original = getattr(owner, "__dict__", {}).get(name)
            if original is not None:  # a version that does not have it has nothing to translate
                replacement = wrap(original)
                _replacements.append((owner, name, replacement, original))
                setattr(owner, name, replacement)


def uninstall() -> None:
    """Put all of JAX's own functions and methods back; functions that were made meanwhile stay typed.

    What other code has put in the place of ours stays, with all that it calls, and a RuntimeWarning says so.
    """
    with _lock:
        if not _replacements:
            return
        while _replacements:
            owner, name, replacement, original = _replacements.pop()
            if vars(owner).get(name) is replacement:
                setattr(owner, name, original)
            else:
                text = f"uninstall: {owner.__name__}.{name} was replaced by other code, and is left as it is"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
        CALLBACKS.stop()
