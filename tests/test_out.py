"""`out`: the results of operators in arrays that are there already."""

from __future__ import annotations

import ctypes
import inspect
import threading

import numpy
import pytest
from hypothesis import given, strategies as st
from operator_cases import ELEMENTS, assert_fails, row, same

from mxerr import _native, error, np

A = numpy.array([[3, 1, 2], [6, 5, 4]])
POSITIVE = A / 2

CALLS = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "power", "maximum", "minimum"), (A, A[0])),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), (A, A[0])),
    **dict.fromkeys(("negative", "positive", "exp", "log", "sqrt", "abs", "isnan"), (POSITIVE,)),
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "argmax", "argmin", "any", "all"), (A, 1)),
    "where": (A > 2, A, POSITIVE),
    "clip": (A, 2, 5),
    "percentile": (A, 30, 0),
    "take": (A, [2, 0], 1),
    "dot": (A, A.T),
    "matmul": (A, A.T),
    "concatenate": ([A, POSITIVE], 1),
    "stack": ([A, POSITIVE],),
}
"""For each operator that takes it, arguments."""


def call(name, *, out=None):
    function, arguments = getattr(np, name), CALLS[name]
    if name in ("concatenate", "stack"):
        arguments = (list(map(np.array, arguments[0])), *arguments[1:])
    return function(*arguments, out=out)


def test_every_operator_that_takes_it_is_tried():
    takes = {name for name in np.__all__ if _takes_out(getattr(np, name))}
    assert takes == CALLS.keys()


def _takes_out(function):
    return inspect.isfunction(function) and "out" in inspect.signature(function).parameters


@pytest.mark.parametrize("name", CALLS)
def test_the_result_is_written_and_the_array_returned(name):
    expected = call(name).asnumpy()
    out = np.array(numpy.full(expected.shape, 77, expected.dtype))
    assert call(name, out=out) is out
    same(out, expected)


@given(st.sampled_from(ELEMENTS), st.sampled_from(ELEMENTS))
def test_types_are_cast_as_numpy_casts_them(dtype, out_dtype):
    array = numpy.array([3, 0, 1], dtype)
    expected = numpy.zeros(3, out_dtype)
    out = np.zeros(3, out_dtype)
    try:
        numpy.add(array, array, out=expected)
    except TypeError:
        with pytest.raises(error.TypeError, match=rf"same_kind': dtype = {dtype}, out.dtype = {out_dtype}"):
            np.add(array, array, out=out)
        same(out, numpy.zeros(3, out_dtype))
    else:
        np.add(array, array, out=out)
        same(out, expected)


FAILURES = [
    row(
        lambda: np.sum(A, out=np.array(False)), "TypeError", "mx_cast_is_same_kind(result->dtype, out->dtype)",
        "sum: cannot cast the result to the type of out by the rule 'same_kind': dtype = int64, out.dtype = bool", {"dtype": "int64", "out.dtype": "bool"},
        "mx_invoke", "mx_out_check",
    ),
    row(
        lambda: np.add(A, A, out=np.zeros((3, 2))), "ValueError", "mx_shape_equal(&out->shape, &result->shape)",
        "add: out must have the shape of the result: shape = [2,3], out.shape = [3,2]", {"shape": "[2,3]", "out.shape": "[3,2]"},
        "mx_invoke", "mx_out_check",
    ),
    row(
        lambda: np.add(A, A, out=np.zeros((2, 3), "float16")), "NotImplementedError",
        "place_of(other) != NUM_CAST_TYPES",
        "add: not implemented for dtype = float16; expected bool, an integer type, float32 or float64", {"dtype": "float16"},
        "mx_invoke", "mx_cast_check",
    ),
]  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES)
def test_documented_failures(failure):
    assert_fails(failure)


@pytest.mark.parametrize("out", [numpy.zeros((2, 3)), [0], 0, "x", (np.zeros((2, 3)),)], ids=repr)
def test_what_is_no_array_of_ours_is_refused(out):
    with pytest.raises(TypeError, match=r"out: expected an array of mxerr\.np, got (numpy|builtins)\.\w+"):
        np.add(A, A, out=out)


def test_an_operator_whose_result_is_always_new_says_so():
    handle = np.array(A)
    inputs = (ctypes.c_void_p * 1)(handle.handle)
    library = _native.library()
    with pytest.raises(error.NotImplementedError, match="transpose: its result cannot go into an array"):
        library.MXImperativeInvokeOut(b"transpose", 1, inputs, 0, None, None, handle.handle)
    with pytest.raises(error.NotImplementedError, match="split: its result cannot go"):
        keys, values = (ctypes.c_char_p * 1)(b"indices_or_sections"), (ctypes.c_char_p * 1)(b"2")
        library.MXImperativeInvokeOut(b"split", 1, inputs, 1, keys, values, handle.handle)


def test_an_input_may_take_the_result():
    a = np.array([[1, 2], [3, 4]])
    assert np.matmul(a, a, out=a) is a
    same(a, numpy.array([[7, 10], [15, 22]]))
    same(np.add(a, a, out=a), numpy.array([[14, 20], [30, 44]]))


def test_where_the_operator_fails_the_array_is_as_it_was():
    out = np.array([1.0, 2.0])
    with np.errstate(divide="raise"), pytest.raises(error.FloatingPointError):
        np.divide([1.0, 1.0], [1.0, 0.0], out=out)
    same(out, numpy.array([1.0, 2.0]))


def test_methods_pass_it_on():
    out = np.zeros((3,), "int64")
    assert np.array(A).sum(axis=0, out=out) is out
    same(out, A.sum(axis=0))


def test_with_the_threaded_engine_the_call_waits_for_all_that_it_needs():
    gate = threading.Event()

    @np.register_custom("gated for out")
    def gated(a):
        assert gate.wait(60)
        return a

    with np.engine("threaded"):
        late = np.custom(A, op_type="gated for out")
        reader = np.add(late, 1)
        threading.Timer(0.05, gate.set).start()
        assert np.multiply(late, 2, out=late) is late
        same(late, A * 2)
        same(reader, A + 1)


def test_an_error_that_waits_in_an_input_is_raised_and_one_in_out_is_overwritten():
    @np.register_custom("fails for out")
    def fails(a):
        raise ValueError("no value")

    with np.engine("threaded"):
        spoilt = np.custom(A, op_type="fails for out")
        out = np.zeros(A.shape, "int64")
        with pytest.raises(ValueError, match="no value"):
            np.add(spoilt, 1, out=out)
        same(out, numpy.zeros(A.shape, "int64"))
        same(np.add(A, 1, out=spoilt), A + 1)
        same(spoilt, A + 1)
        np.waitall()
