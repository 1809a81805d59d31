"""libmxerr: where it lies, its prototypes, and the one `Library` object for it."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from mxerr.error import MXNetError
from mxerr.library import STATUS, Library, Prototypes

MAX_NDIM = 64  # MX_MAX_NDIM of c_api.h
POLL_DEPTH = 4  # MX_POLL_DEPTH of it

Handles = POINTER(c_void_p)
Strings = POINTER(c_char_p)


@lru_cache(maxsize=256)
def array_type(element: Any, length: int) -> Any:
    """Give the ctypes array type of a length; a new one for each call would take longer than the call.

    Examples
    --------
    >>> array_type(c_int64, 2)(3, 4)[:]
    [3, 4]
    """
    return element * length


class OpInfo(ctypes.Structure):
    """``MXOpInfo`` of ``c_api.h``."""

    _fields_ = (
        ("name", c_char_p),
        ("doc", c_char_p),
        ("num_inputs", c_int),
        ("many_outputs", c_int),
        ("takes_out", c_int),
        ("num_params", c_int),
        ("input_names", Strings),
        ("param_names", Strings),
        ("param_types", Strings),
        ("param_defaults", Strings),
        ("param_docs", Strings),
    )


class CustomError(ctypes.Structure):
    """``MXCustomError`` of ``c_api.h``."""

    _fields_ = (("id", c_int64), ("message", ctypes.c_char * 1024))


CustomInferShape = ctypes.CFUNCTYPE(
    c_int,
    c_char_p,
    c_int,
    POINTER(c_int),
    POINTER(POINTER(c_int64)),
    POINTER(c_int),
    POINTER(c_int64),
    POINTER(CustomError),
)
CustomForward = ctypes.CFUNCTYPE(c_int, c_char_p, c_int, POINTER(c_void_p), c_void_p, POINTER(CustomError))


class CustomOp(ctypes.Structure):
    """``MXCustomOp`` of ``c_api.h``."""

    _fields_ = (("infer_shape", CustomInferShape), ("forward", CustomForward))


HostPoll = ctypes.CFUNCTYPE(c_int64)
HostRelease = ctypes.CFUNCTYPE(None, c_int64)


class Host(ctypes.Structure):
    """``MXHost`` of ``c_api.h``."""

    _fields_ = (("poll", HostPoll * POLL_DEPTH), ("release", HostRelease))


class TraceEvent(ctypes.Structure):
    """``MXTraceEvent`` of ``c_api.h``."""

    _fields_ = (
        ("time_ns", c_int64),
        ("thread", c_int64),
        ("type", c_int),
        ("op_name", c_char_p),
        ("stage_name", c_char_p),
    )


PROTOTYPES: Prototypes = {
    "MXGetVersion": (STATUS, (POINTER(c_int),)),
    "MXGetLastError": (c_char_p, ()),
    "MXNDArrayCreate": (STATUS, (POINTER(c_int64), c_int, c_int, POINTER(c_void_p))),
    "MXNDArrayFree": (STATUS, (c_void_p,)),
    "MXNDArraySyncCopyFromCPU": (STATUS, (c_void_p, c_void_p, c_size_t)),
    "MXNDArraySyncCopyToCPU": (STATUS, (c_void_p, c_void_p, c_size_t)),
    "MXNDArrayGetShape": (STATUS, (c_void_p, POINTER(c_int), POINTER(c_int64))),
    "MXNDArrayGetDType": (STATUS, (c_void_p, POINTER(c_int))),
    "MXNDArrayWaitToRead": (STATUS, (c_void_p,)),
    "MXNDArrayWaitToWrite": (STATUS, (c_void_p,)),
    "MXNDArrayWaitAll": (STATUS, ()),
    "MXListAllOpNames": (STATUS, (POINTER(c_int), POINTER(Strings))),
    "MXOpGetInfo": (STATUS, (c_char_p, POINTER(POINTER(OpInfo)))),
    "MXImperativeInvoke": (
        STATUS,
        (c_char_p, c_int, Handles, c_int, Strings, Strings, POINTER(c_int), POINTER(Handles)),
    ),
    "MXImperativeInvokeOut": (STATUS, (c_char_p, c_int, Handles, c_int, Strings, Strings, c_void_p)),
    "MXCustomOpRegister": (STATUS, (c_char_p, POINTER(CustomOp))),
    "MXSetErrState": (STATUS, (c_int, c_int, c_int, c_int)),
    "MXGetErrState": (STATUS, (POINTER(c_int), POINTER(c_int), POINTER(c_int), POINTER(c_int))),
    "MXRandomSeed": (STATUS, (c_uint64,)),
    "MXEngineSetType": (STATUS, (c_int,)),
    "MXEngineGetType": (STATUS, (POINTER(c_int),)),
    "MXEngineSetOrigin": (STATUS, (c_char_p, c_char_p, c_int)),
    "MXHostRegister": (STATUS, (POINTER(Host),)),
    "MXExceptionRelease": (STATUS, ()),
    "MXListFailPoints": (STATUS, (POINTER(c_int), POINTER(Strings))),
    "MXFailPointSet": (STATUS, (c_char_p, c_char_p, c_int, c_int)),
    "MXFailPointClear": (STATUS, (c_char_p,)),
    "MXTraceStart": (STATUS, (c_int,)),
    "MXTraceStop": (STATUS, ()),
    "MXTraceTake": (STATUS, (c_int, POINTER(TraceEvent), POINTER(c_int), POINTER(c_int64))),
    "mxerr_interruptible": (c_bool, (c_bool,)),
    "mxerr_pack_record": (c_size_t, (c_void_p, c_size_t)),
}
"""Result and argument types of every exported function."""


def file_name() -> str:
    """Name of the library's file on this system."""
    return {"win32": "mxerr.dll", "darwin": "libmxerr.dylib"}.get(sys.platform, "libmxerr.so")


_FOLDER = Path(__file__).parent


def _resources() -> Any:
    """Give the package's folder as the import system sees it: parts of an editable one lie elsewhere."""
    from importlib import resources  # it takes as long to import as half of mxerr

    return resources.files("mxerr")


def path() -> Path:
    """Find the library in the installed package.

    Returns
    -------
    pathlib.Path
        Where it lies: in the package, or for an editable install in the build folder.

    Raises
    ------
    ImportError
        If it is not there. The message lists where it was looked for, and the command that builds it.
    """
    beside = _FOLDER / "lib" / file_name()
    if beside.is_file():
        return beside
    package = _resources()
    file = package / "lib" / file_name()
    if not file.is_file():
        editable = not isinstance(package, Path)
        raise ImportError(_missing(file if isinstance(file, Path) else None, editable))
    return Path(str(file))


def _missing(file: Path | None, editable: bool) -> str:
    """Say where the library was looked for, why it may not be there, and what builds it."""
    package = _FOLDER
    lines = [f"mxerr: its C library is not there. Looked for:\n  {file or package / 'lib' / file_name()}"]
    build = "pip install ."
    if (package.parent / "meson.build").is_file():
        build = "pip install meson-python ninja wheel && pip install --no-build-isolation --editable ."
        lines.append(
            f"{package.parent} is installed in editable mode, but the folder where it builds is incomplete."
            if editable
            else f"{package} is the bare source tree, without a compiled library. Python found it before "
            "an installed mxerr, most likely because it lies in the working folder: start Python in another "
            "folder, or install in editable mode."
        )
    lines.append(f"To build it, in the source tree:\n  {build}")
    return "\n".join(lines)


def source_root() -> Path:
    """The folder below which the files lie that C frames name; it is the package."""
    if path().parents[1] == _FOLDER:
        return _FOLDER
    # a file has a path also where the package is put together from several folders, as in an editable install
    return Path(str(_resources() / "lib" / "src" / "c_api.c")).parents[2]


@cache
def library() -> Library:
    """Load libmxerr, once.

    Returns
    -------
    Library
        The library.

    Raises
    ------
    ImportError
        If it is missing, or cannot be loaded.
    """
    file = path()
    try:
        return Library(file, prototypes=PROTOTYPES, default=MXNetError, source_root=source_root())
    except OSError as error:
        raise ImportError(f"mxerr: its C library cannot be loaded from {file}: {error}") from error
