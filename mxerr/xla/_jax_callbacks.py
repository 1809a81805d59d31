"""Exceptions that Python callbacks of JAX raised, kept until the error that tells of them is typed."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

# Private to JAX: in a version that has other names, exceptions of callbacks are not found. The second one is
# of jax.debug.callback.
_LOGGERS: Final = ("jax._src.callback", "jax._src.debugging")


class Callbacks(logging.Handler):
    """Exceptions of Python callbacks, which JAX logs before it turns them into text.

    Where a program has set up no logging, they are not printed meanwhile: who waits gets the exception.
    """

    def __init__(self) -> None:
        super().__init__()
        self._users = 0
        self._recent: deque[tuple[int, BaseException]] = deque(maxlen=16)  # with the thread
        self._users_lock = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.keep(record.exc_info[1])

    def keep(self, error: BaseException) -> None:
        """Keep what a callback raised; once, whoever tells of it."""
        if all(error is not kept for _, kept in list(self._recent)):
            self._recent.append((threading.get_ident(), error))

    def find(self, text: str) -> BaseException | None:
        """Give out the newest exception with which the text ends; of those, rather one of this thread."""
        found = [entry for entry in list(self._recent) if _ends_with(text.rstrip(), _last_line(entry[1]))]
        if not found:
            return None
        own = [entry for entry in found if entry[0] == threading.get_ident()]
        entry = (own or found)[-1]
        with contextlib.suppress(ValueError):  # another thread had it
            self._recent.remove(entry)
        return entry[1]

    def start(self) -> None:
        with self._users_lock:
            self._users += 1
            if self._users == 1:
                for name in _LOGGERS:
                    logging.getLogger(name).addHandler(self)

    def stop(self) -> None:
        with self._users_lock:
            self._users -= 1
            if self._users == 0:
                for name in _LOGGERS:
                    logging.getLogger(name).removeHandler(self)
                self._recent.clear()


class KeptCallback:
    """A Python callback whose exceptions are kept, also where the program's logging keeps JAX's messages out.

    Parameters
    ----------
    function : callable
        The callback. JAX compiles anew for another one, so these are equal where their functions are.
    callbacks : Callbacks
        Where the exceptions go.
    """

    def __init__(self, function: Callable[..., Any], callbacks: Callbacks) -> None:
        functools.update_wrapper(self, function)
        self._function, self._callbacks = function, callbacks

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._function(*args, **kwargs)
        except BaseException as error:
            self._callbacks.keep(error)
            raise

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeptCallback) and self._function == other._function

    def __hash__(self) -> int:
        return hash(self._function)


def _ends_with(text: str, line: str) -> bool:
    """Tell whether a text ends with a line, and not in the middle of the name of a longer class."""
    before = text.removesuffix(line)
    return before != text and (not before or not (before[-1].isalnum() or before[-1] == "_"))


def _last_line(error: BaseException) -> str:
    """Spell an exception as jaxlib does at the end of its text: without module and notes."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        return "\0"  # its __str__ raises: no text of C ends so
    return text.partition("\0")[0].rstrip()
