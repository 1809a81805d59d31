"""Typed errors that cross from C into Python, with the C frames in the traceback."""

from mxerr import base, error
from mxerr.callback import callback
from mxerr.error import MXNetError, NativeError
from mxerr.failpoints import failpoint
from mxerr.library import Library
from mxerr.presets import attach
from mxerr.registry import Registry
from mxerr.report import Check, NativeFrame, NativeReport
from mxerr.trace import trace

__all__ = [
    "Check",
    "Library",
    "MXNetError",
    "NativeError",
    "NativeFrame",
    "NativeReport",
    "Registry",
    "attach",
    "base",
    "callback",
    "error",
    "failpoint",
    "trace",
]

__version__ = "0.1.0"
