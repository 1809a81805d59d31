"""The program of the other process of `mxerr.isolated`: it answers calls of C functions."""

from __future__ import annotations

import ctypes
import io
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from mxerr import prototype, record
from mxerr.library import STATUS

UNPICKLABLE = (ValueError, TypeError, AttributeError, ImportError, pickle.PickleError)
"""What packing raises for an argument that cannot be packed."""

_UNBUFFERED: Final = 2  # _IONBF of C


class Answer(NamedTuple):
    """What the other process says of a call.

    Attributes
    ----------
    result : object
        What the function returned.
    record : bytes
        The record, if it failed.
    written : list of bytes or None
        For each argument what C may have written to it.
    error : Exception or None
        What kept the call from being made.
    """

    result: Any = None
    record: bytes = b""
    written: Sequence[bytes | None] = ()
    error: Exception | None = None


def pack(name: str, args: tuple[Any, ...]) -> bytes:
    """Pack a call, to be unpickled in another process.

    Raises
    ------
    Exception
        One of `UNPICKLABLE`, if an argument cannot go there.

    Examples
    --------
    >>> name, (array,) = pickle.loads(pack("f", ((ctypes.c_int * 2)(3, 4),)))
    >>> name, list(array)
    ('f', [3, 4])
    """
    packed = io.BytesIO()
    _Pickler(packed).dump((name, args))
    return packed.getvalue()


class _Pickler(pickle.Pickler):
    """Pickles ctypes arrays too; their types have no name by which another process would find them."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ctypes.Array):
            return _array, (value._type_, len(value), bytes(value))
        return NotImplemented


def _array(element: Any, length: int, data: bytes) -> Any:
    return (element * length).from_buffer_copy(data)


def serve() -> None:
    """Answer calls until there are no more: the program of the other process."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what C prints goes to the file, also what it prints to stdout
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _UNBUFFERED, ctypes.c_size_t(0))
    cdll = ctypes.CDLL(sys.argv[1])
    functions = prototype.read(Path(sys.argv[2]).read_text("utf-8", "surrogateescape"))
    records = record.RecordReader(cdll)
    while True:
        try:
            question = pickle.load(questions)
        except EOFError:
            return
        try:
            name, args = pickle.loads(question)
        except UNPICKLABLE as error:
            answer = Answer(error=TypeError(f"an argument cannot go to another process: {error}"))
        else:
            call = getattr(cdll, name, None)
            missing = Answer(error=AttributeError(f"{name}: the library does not export it"))
            answer = _answer(call, functions[name], args, records) if call else missing
        pickle.dump(answer, answers)
        answers.flush()


def _answer(
    call: Any, function: prototype.Function, args: tuple[Any, ...], records: record.RecordReader
) -> Answer:
    call.restype, types = function.prototype
    if types is not None:
        call.argtypes = types
    process = os.getpid()
    try:
        result = call(*args)
    except (ctypes.ArgumentError, TypeError) as error:
        return Answer(error=error)
    if os.getpid() != process:  # C has forked, and one answer is enough
        os._exit(0)
    failed = call.restype is STATUS and result != 0
    written = [bytes(argument) if _is_data(argument) else None for argument in args]
    return Answer(result, records.take() if failed else b"", written)


def _is_data(argument: object) -> bool:
    """Whether C may have written to an argument: ctypes arrays, structs and numbers."""
    return hasattr(type(argument), "from_buffer_copy")
