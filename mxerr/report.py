"""What is known about one failed native call, as frozen data.

Both protocols, the record of ``mxerr.h`` and the text behind a "last error" function, end here, and
everything downstream (classes, frames, rendering) reads a `NativeReport` and nothing else. No parsing
and no display lives in this module.
"""

from __future__ import annotations

from typing import NamedTuple


class Check(NamedTuple):
    """The condition that did not hold.

    Attributes
    ----------
    condition : str
        The source text of the condition, such as ``axes_set.size == axes.ndim``.
    left, right : str or None
        Both operands as C printed them; None where the check compares nothing.

    Examples
    --------
    >>> Check("axes_set.size == axes.ndim", "2", "3").text
    'Check failed: axes_set.size == axes.ndim (2 vs. 3)'
    """

    condition: str
    left: str | None = None
    right: str | None = None

    @property
    def text(self) -> str:
        """The check as the standard text form spells it."""
        values = "" if self.left is None else f" ({self.left} vs. {self.right})"
        return f"Check failed: {self.condition}{values}"


class NativeFrame(NamedTuple):
    """One C function on the way from the failing check to the C API.

    Attributes
    ----------
    function : str
        Name of the C function; empty where it is not known.
    file : str
        Source file as the compiler saw it; empty where it is not known.
    line : int
        Line in `file`, counted from 1; 0 where it is not known or not believable.
    values : tuple of (str, str)
        Named C values, in the order in which C gave them.
    library : str
        The binary that holds the function, for frames read from a ``[bt]`` stack.
    offset : int
        How many bytes into `library`; 0 where it is not known.

    Examples
    --------
    >>> NativeFrame("infer_shape", "lib/src/ops/transpose.c", 63, (("axes.ndim", "3"),)).line
    63
    """

    function: str
    file: str = ""
    line: int = 0
    values: tuple[tuple[str, str], ...] = ()
    library: str = ""
    offset: int = 0


class NativeReport(NamedTuple):
    """Everything that one failed native call left behind.

    Attributes
    ----------
    text : str
        What the exception says: the check, if there is one, and the message. A kind that was
        recognised is not part of it.
    message : str
        The message alone, without kind and check.
    kind : str or None
        The name of the error type that C stated, such as ``"ValueError"``.
    check : Check or None
        The condition that failed.
    frames : tuple of NativeFrame
        C frames in the order of a Python traceback: the innermost comes last.
    frames_omitted : int
        How many frames the C side had no room for; they belong to the middle of `frames`.
    truncated : bool
        True where C had to shorten a text; the text says so itself.
    function : str
        The C function that was called from Python.
    status : int
        The status that it returned.
    raw : bytes
        The bytes of the last-error text, empty where the report came from a record.
    source_root : str
        The folder below which relative files of `frames` lie; empty where it is not known.
    code : int or None
        A number by which C classified the error, such as a status code.
    attributes : tuple of (str, bytes)
        What else C attached to the error, by name.
    attributes_omitted : int
        How many attributes C had no room for.

    Examples
    --------
    >>> report = NativeReport("bad axis", "bad axis", kind="ValueError", status=-1)
    >>> report.kind, report.frames
    ('ValueError', ())
    """

    text: str
    message: str
    kind: str | None = None
    check: Check | None = None
    frames: tuple[NativeFrame, ...] = ()
    frames_omitted: int = 0
    truncated: bool = False
    function: str = ""
    status: int = 0
    raw: bytes = b""
    source_root: str = ""
    code: int | None = None
    attributes: tuple[tuple[str, bytes], ...] = ()
    attributes_omitted: int = 0


def no_message(function: str, status: int) -> str:
    """Say that a failure left no text.

    Examples
    --------
    >>> no_message("XGDMatrixFree", -1)
    'XGDMatrixFree failed with status -1 and set no error message'
    """
    return f"{function or 'native call'} failed with status {status} and set no error message"
