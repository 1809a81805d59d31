"""The XLA of libmxerr as C has it: prototypes, its `Library` object, sessions and handles."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p
from functools import cache, partial
from typing import Any, Final, NoReturn, SupportsIndex

from mxerr import _native, argument
from mxerr.library import STATUS, Library, Prototypes
from mxerr.xla.exceptions import XlaError, XlaInvalidValueError, XlaTypeError

Handles = POINTER(c_uint64)
Strings = POINTER(c_char_p)
Floats = POINTER(c_float)

MAX_NDIM: Final = 64
INT, TEXT, OTHER = range(3)  # XLA_INT, ... of xla_c_api.h

CustomCall = ctypes.CFUNCTYPE(c_int, c_void_p, Floats, Floats, c_size_t)
"""``XlaCustomCall`` of ``xla_c_api.h``."""


class Attribute(ctypes.Structure):
    """``XlaAttribute`` of ``xla_c_api.h``."""

    _fields_ = (("type", c_int), ("number", c_int64), ("text", c_char_p))


PROTOTYPES: Prototypes = {
    "XlaClientCreate": (STATUS, (c_char_p, c_char_p, c_uint64, c_int, Handles)),
    "XlaClientFree": (STATUS, (c_uint64,)),
    "XlaClientShutdown": (STATUS, (c_uint64,)),
    "XlaClientDeviceCount": (STATUS, (c_uint64, POINTER(c_int))),
    "XlaClientDevice": (STATUS, (c_uint64, c_int, Strings)),
    "XlaCustomCallRegister": (STATUS, (c_uint64, c_char_p, CustomCall, c_void_p)),
    "XlaBufferCreate": (STATUS, (c_uint64, c_int, Floats, POINTER(c_int64), c_int, Handles)),
    "XlaBufferFree": (STATUS, (c_uint64,)),
    "XlaBufferDelete": (STATUS, (c_uint64,)),
    "XlaBufferShape": (STATUS, (c_uint64, c_int, POINTER(c_int64), POINTER(c_int))),
    "XlaBufferToHost": (STATUS, (c_uint64, Floats, c_size_t)),
    "XlaCompile": (STATUS, (c_uint64, c_char_p, c_size_t, Handles)),
    "XlaExecutableFree": (STATUS, (c_uint64,)),
    "XlaExecutableExports": (STATUS, (c_uint64, Strings)),
    "XlaExecutableExecute": (
        STATUS,
        (c_uint64, c_char_p, c_int, Handles, c_int64, c_int, Handles),
    ),
    "XlaExecutableCancel": (STATUS, (c_uint64,)),
    "XlaExecutableReset": (STATUS, (c_uint64,)),
    "XlaExecutableSerialize": (STATUS, (c_uint64, POINTER(c_void_p), POINTER(c_size_t))),
    "XlaDeserialize": (STATUS, (c_uint64, c_char_p, c_size_t, Handles)),
    "XlaExecutableCost": (STATUS, (c_uint64, c_char_p, POINTER(c_double))),
    "XlaExecutableAttributes": (STATUS, (c_uint64, Strings)),
    "XlaExecutableGetAttribute": (STATUS, (c_uint64, c_char_p, POINTER(Attribute))),
    "XlaExecutableSetAttribute": (STATUS, (c_uint64, c_char_p, POINTER(Attribute))),
}
"""Result and argument types of every function of ``xla_c_api.h``."""


@cache
def library() -> Library:
    """Load libmxerr with `XlaError` as the class for errors that state no kind of their own.

    Returns
    -------
    Library
        The library.

    Raises
    ------
    ImportError
        If libmxerr is missing, or was built without a C++ compiler and so has no XLA in it.
    """
    _native.library()  # says why, where it cannot be loaded
    loaded = Library(
        _native.path(), prototypes=PROTOTYPES, default=XlaError, source_root=_native.source_root()
    )
    if not hasattr(loaded, "XlaClientCreate"):
        raise ImportError("mxerr.xla: libmxerr was built without a C++ compiler, and has no XLA in it")
    return loaded


text = partial(argument.text, invalid=XlaInvalidValueError, wrong=XlaTypeError)
"""Gives a text to C, as an error of XLA where it does not fit."""

integer = partial(argument.integer, invalid=XlaInvalidValueError, wrong=XlaTypeError)
"""Gives an integer to C likewise."""


class Named:
    """What names something in C by a handle, and frees it: no second object may have that handle."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        kind = type(self).__name__
        raise XlaTypeError(
            f"{kind}: expected to stay one object in one process, and is not copied or pickled"
        )


class Session:
    """What a client shares with all that it makes: its handle in C, and its callbacks.

    It is freed with the last of them.

    Parameters
    ----------
    *arguments : object
        What ``XlaClientCreate`` takes, but for the place of the handle.
    """

    def __init__(self, *arguments: object) -> None:
        __tracebackhide__ = True
        handle = c_uint64()
        library().XlaClientCreate(*arguments, byref(handle))
        self.handle = own(self, handle, library().XlaClientFree)
        self.callbacks: dict[str, Any] = {}  # C holds bare pointers to them
        self.raised = threading.local()  # what a callback raised, which runs on the thread of the execution


def own(owner: object, handle: c_uint64, free: Callable[[int], object]) -> int:
    """Free a handle with the object that owns it."""
    weakref.finalize(owner, free, handle.value)
    return handle.value


def read_text(function: Callable[..., object], *arguments: object) -> str:
    """Call a function that writes a text as its last argument."""
    __tracebackhide__ = True
    out = c_char_p()
    function(*arguments, byref(out))
    return (out.value or b"").decode()
