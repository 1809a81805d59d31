"""Measures the rows of the performance table: ``python tests/benchmarks``.

Each row compares two times taken in turn in one process, as a ratio or a difference, with the most that it may
be. Ends with status 1 where a row is over.
"""

from __future__ import annotations

import ctypes
import itertools
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import failing_in_python
import numpy
from compiled import build
from ratio import import_ratio, ratio

from mxerr import Library, _native, np, text

HERE = Path(__file__).parent


class Row(NamedTuple):
    """A row of the table: what it compares, and the most that the ratio, or the difference in µs, may be."""

    name: str
    most: float
    measured: Callable[[], object]
    reference: Callable[[], object]
    is_difference: bool = False


def bare(
    cdll: ctypes.CDLL, name: str, argtypes: tuple[object, ...], restype: object = ctypes.c_int
) -> object:
    """Get a plain ctypes function."""
    function = cdll[name]
    function.argtypes, function.restype = argtypes, restype
    return function


def call_rows() -> Iterator[Row]:
    """Successful calls."""
    library = _native.library()
    free = library.unchecked("MXNDArrayFree")
    free.argtypes, free.restype = (ctypes.c_void_p,), ctypes.c_int
    checked = library.MXNDArrayFree
    yield Row("checked call / bare call", 1.15, lambda: checked(None), lambda: free(None))


def raise_rows(cdll: ctypes.CDLL) -> Iterator[Row]:
    """Failed calls, raised and caught."""
    prototypes = {"fail_with_record": (ctypes.c_int, (ctypes.c_int,))}
    from_record = Library(cdll, prototypes=prototypes, source_root=HERE).fail_with_record
    fail = bare(cdll, "fail_with_text", (ctypes.c_int,))
    get_last_error = bare(cdll, "get_last_error", (), ctypes.c_char_p)

    def check_call(status: int) -> None:
        if status != 0:
            raise ValueError(get_last_error().decode())  # type: ignore[operator]

    def by_hand() -> None:
        try:
            check_call(fail(7))  # type: ignore[operator]
        except ValueError:
            pass

    def with_frames() -> None:
        try:
            from_record(7)
        except ValueError:
            pass

    index = itertools.count(7)

    def another_with_frames() -> None:
        try:
            from_record(next(index))
        except ValueError:
            pass

    yield Row("raise with 3 C frames / raise by hand", 6.0, with_frames, by_hand)
    yield Row("the same, each time with other values", 6.0, another_with_frames, by_hand)
    try:
        import tvm_ffi
    except ImportError:
        print("apache-tvm-ffi is not installed: its row is left out")
        return
    raise_error = tvm_ffi.get_global_func("testing.test_raise_error")

    def tvm() -> None:
        try:
            raise_error("ValueError", "index out of bounds")
        except ValueError:
            pass

    yield Row("raise with 3 C frames / apache-tvm-ffi", 0.17, with_frames, tvm)


def text_rows() -> Iterator[Row]:
    """Texts of last-error functions, once and twice as long."""
    line = (
        "[12:00:00] src/op.cc:17: Check failed: x.ok() && (a < b): ValueError: bad value (3, [4]) of a::b\n"
    )
    once, twice = ((line * count).encode() for count in (500, 1000))
    known = {"ValueError"}.__contains__
    yield Row(
        "a text of twice the length / the text",
        2.2,
        lambda: text.read(twice, known=known),
        lambda: text.read(once, known=known),
    )


def traceback_rows(cdll: ctypes.CDLL) -> Iterator[Row]:
    """Tracebacks in IPython: with C frames, against as many frames of Python."""
    try:
        from IPython.core.ultratb import AutoFormattedTB
    except ImportError:
        print("IPython is not installed: its row is left out")
        return
    from mxerr.ipython import SETTINGS
    from mxerr.ipython.formatter import swap_in

    SETTINGS.frames = "full"  # the short form would have less to do
    prototypes = {"fail_with_record": (ctypes.c_int, (ctypes.c_int,))}
    native = caught(Library(cdll, prototypes=prototypes, source_root=HERE).fail_with_record)
    python = caught(failing_in_python.outermost)
    frames = [len(traceback.extract_tb(error.__traceback__)) for error in (native, python)]
    if frames[0] != frames[1]:
        raise SystemExit(f"benchmarks: expected tracebacks of the same length, got {frames}")
    make: Any = AutoFormattedTB  # it is not annotated
    ours, theirs = make(mode="Context"), make(mode="Context")
    swap_in(ours)
    yield Row(
        "IPython traceback with C frames / of Python",
        1.2,
        lambda: ours.structured_traceback(type(native), native, native.__traceback__, 0),
        lambda: theirs.structured_traceback(type(python), python, python.__traceback__, 0),
    )


def caught(function: Callable[[int], object]) -> Exception:
    """Call a function that fails."""
    try:
        function(7)
    except Exception as error:
        return error
    raise SystemExit(f"benchmarks: expected {function} to fail")


def bare_transpose(array: np.ndarray) -> Callable[[], object]:
    """Make a function that calls C with arguments that are ready, and frees the result."""
    library = _native.library()
    free = library.unchecked("MXNDArrayFree")
    free.argtypes = (ctypes.c_void_p,)
    invoke = library.unchecked("MXImperativeInvoke")
    outputs, count, handle = _native.Handles(), ctypes.c_int(), ctypes.c_void_p(array.handle)
    keys, values = (ctypes.c_char_p * 1)(b"axes"), (ctypes.c_char_p * 1)(b"(1, 0, 2)")
    one, name, inputs = ctypes.c_int(1), ctypes.c_char_p(b"transpose"), ctypes.byref(handle)
    arguments = (name, one, inputs, one, keys, values, ctypes.byref(count), ctypes.byref(outputs))

    def call() -> None:
        assert invoke(*arguments) == 0
        free(outputs[0])

    return call


def operator_rows() -> Iterator[Row]:
    """Operators against C and NumPy, on arrays that take no time and on arrays that do."""
    small = np.zeros((3, 4, 5))
    yield Row(
        "transpose of (3, 4, 5) - bare call of C, in µs",
        5.0,
        lambda: small.transpose((1, 0, 2)),
        bare_transpose(small),
        is_difference=True,
    )
    large = numpy.random.default_rng(0).normal(size=(1000, 1000))
    large_mx = np.array(large)
    yield Row("add of 10^6 elements / NumPy's", 3.0, lambda: large_mx + large_mx, lambda: large + large)
    yield Row("sum of 10^6 elements / NumPy's", 3.0, large_mx.sum, large.sum)
    yield Row(
        "transpose of 10^6 elements / NumPy's copy",
        3.0,
        lambda: large_mx.transpose((1, 0)),
        lambda: numpy.ascontiguousarray(large.transpose((1, 0))),
    )


def main() -> int:
    """Print the table; return the number of rows that are over."""
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        cdll = build("failing.c", folder)
        rows = [*call_rows(), *raise_rows(cdll), *text_rows(), *traceback_rows(cdll), *operator_rows()]
        for row in rows:
            measured, seconds = ratio(row.measured, row.reference)
            if row.is_difference:
                measured = (seconds - seconds / measured) * 1e6
            over += is_over(row.name, measured, row.most, seconds)
    measured, seconds = import_ratio("import mxerr", "import ctypes, dataclasses, re")
    over += is_over("import mxerr / import ctypes, dataclasses, re", measured, 1.5, seconds)
    return over


def is_over(name: str, measured: float, most: float, seconds: float) -> bool:
    """Print a line of the table; tell whether it is over."""
    mark = "over" if measured > most else ""
    print(f"{name:48} {measured:7.3f}  at most {most:<5g} {seconds * 1e6:9.2f} µs {mark}")
    return measured > most


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
