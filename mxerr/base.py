"""MXNet's names for the way of an error, over libmxerr."""

from __future__ import annotations

from mxerr import _native
from mxerr.error import MXNetError
from mxerr.exception import make_exception
from mxerr.mxnet import _find_error_type, _valid_error_name, c2pyerror
from mxerr.registry import GLOBAL

__all__ = [
    "MXNetError",
    "_find_error_type",
    "_valid_error_name",
    "c2pyerror",
    "check_call",
    "error_types",
    "get_last_ffi_error",
]

error_types = GLOBAL.classes
"""The registered classes by kind; what is put in here is registered."""


def check_call(ret: int) -> None:
    """Raise the last error of libmxerr unless a status is 0.

    Parameters
    ----------
    ret : int
        The status that a function of the C API returned.

    Raises
    ------
    MXNetError
        Or the class registered for the kind that C stated.

    Examples
    --------
    >>> check_call(0)
    """
    __tracebackhide__ = True
    if ret != 0:
        raise get_last_ffi_error(ret)


def get_last_ffi_error(status: int = -1) -> Exception:
    """Make the exception for the calling thread's last error.

    Parameters
    ----------
    status : int
        The status that the function returned.

    Returns
    -------
    Exception
        With the C frames as its traceback. Asked again without a new failure, the same error, by then read
        from its text and without the C values.
    """
    library = _native.library()
    last_text = library.MXGetLastError()
    report = library.report(status)
    # the newest error may have been read before; then the record is that of an older one, or there is none
    if last_text and report.text not in last_text.decode("utf-8", "backslashreplace"):
        from mxerr.text import read  # seldom needed, and slow to import

        report = read(last_text, known=GLOBAL.__contains__, status=status)._replace(
            source_root=str(_native.source_root())
        )
    return make_exception(report, GLOBAL, MXNetError)
