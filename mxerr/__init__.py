"""Typed errors that cross from C into Python, with the C frames in the traceback."""

from typing import Any as _Any

from mxerr import base, error
from mxerr.build import build
from mxerr.callback import callback
from mxerr.compiler import BuildError, get_include
from mxerr.error import MXNetError, NativeError
from mxerr.failpoints import failpoint
from mxerr.interrupt import interruptible
from mxerr.library import Library
from mxerr.presets import attach
from mxerr.registry import Registry
from mxerr.report import Check, NativeFrame, NativeReport
from mxerr.trace import trace

__all__ = [
    "BuildError",
    "Check",
    "Library",
    "MXNetError",
    "NativeError",
    "NativeFrame",
    "NativeReport",
    "Registry",
    "attach",
    "base",
    "build",
    "callback",
    "error",
    "failpoint",
    "get_include",
    "interruptible",
    "load_ipython_extension",
    "trace",
    "unload_ipython_extension",
]

__version__ = "0.1.0"


def load_ipython_extension(ipython: _Any) -> None:
    """Do what ``%load_ext mxerr`` asks for; see `mxerr.ipython`."""
    from mxerr.ipython import load_ipython_extension as load

    load(ipython)


def unload_ipython_extension(ipython: _Any) -> None:
    """Do what ``%unload_ext mxerr`` asks for."""
    from mxerr.ipython import unload_ipython_extension as unload

    unload(ipython)
