"""Reductions: NumPy is the reference, and every documented failure is a row."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, settings, strategies as st
from operator_cases import ELEMENTS, arrays, assert_documented, assert_fails, row, same

from mxerr import np

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the reference

REDUCTIONS = ["sum", "mean", "prod", "max", "min"]


@st.composite
def cases(draw, many_axes=True):
    """An array, axes of it (some counted from the end), and keepdims."""
    a = draw(arrays())
    if a.dtype.kind == "f":  # sums of such numbers are near each other however they are added
        a = numpy.where(numpy.isfinite(a), numpy.clip(a, -1e3, 1e3), a).astype(a.dtype)
    numbers = st.integers(-a.ndim, a.ndim - 1) if a.ndim else st.nothing()
    lists = st.lists(numbers, max_size=a.ndim, unique_by=lambda axis: axis % max(a.ndim, 1)).map(tuple)
    return a, draw(st.none() | numbers | (lists if many_axes else st.nothing())), draw(st.booleans())


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=150)
@given(case=cases())
def test_reductions_are_numpys(name, case):
    a, axis, keepdims = case
    try:
        expected = getattr(numpy, name)(a, axis=axis, keepdims=keepdims)
    except ValueError:
        with pytest.raises(ValueError, match="zero-size array to reduction operation which has no identity"):
            getattr(np, name)(a, axis, keepdims)
        return
    same(getattr(np, name)(a, axis, keepdims), expected, ulp=64, atol=1e-2 if a.dtype == "float32" else 1e-9)


@settings(max_examples=150)
@given(cases(many_axes=False))
def test_argmax_is_numpys(case):
    a, axis, keepdims = case
    try:
        expected = numpy.argmax(a, axis=axis, keepdims=keepdims)
    except ValueError:
        with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
            np.argmax(a, axis, keepdims)
        return
    same(np.argmax(a, axis, keepdims), expected)


@pytest.mark.parametrize("name", [*REDUCTIONS, "argmax"])
@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_every_type_gives_numpys_type(name, dtype, axis):
    a = (numpy.arange(2 * 17 * 40).reshape(2, 17, 40) * 7 % 13 - (dtype != "uint8")).astype(dtype)
    same(getattr(np, name)(a, axis), getattr(numpy, name)(a, axis), ulp=8)


@pytest.mark.parametrize("name", ["max", "min", "argmax"])
@pytest.mark.parametrize("place", [0, 7, 15, 16, 40, 99])
@pytest.mark.parametrize("shape", [(100,), (10, 10), (100, 1), (1, 100)])
def test_not_a_number_is_found_wherever_it_is(name, place, shape):
    a = numpy.linspace(-1, 1, 100)
    a[place] = numpy.nan
    for axis in (None, 0, -1):
        same(getattr(np, name)(a.reshape(shape), axis), getattr(numpy, name)(a.reshape(shape), axis))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [7, 8, 127, 128, 129, 1000, 1_000_003])
def test_sums_of_floats_are_as_accurate_as_numpys(dtype, size):
    a = numpy.random.default_rng(size).random(size).astype(dtype)
    exact = math.fsum(a.tolist())
    eps = float(numpy.finfo(dtype).eps)
    assert abs(np.sum(a).item() - exact) <= 4 * eps * exact
    assert abs(np.mean(a).item() - exact / size) <= 4 * eps * exact / size
    same(np.sum(a), numpy.sum(a), ulp=2)
    same(np.mean(a), numpy.mean(a), ulp=2)


def test_integers_wrap_around():
    for a in (numpy.full(3, 2**62), numpy.full(9, 2**31 - 1, "int32"), numpy.full(80, 255, "uint8")):
        same(np.sum(a), numpy.sum(a))
        same(np.prod(a), numpy.prod(a))


@pytest.mark.parametrize("name", [*REDUCTIONS, "argmax"])
def test_a_scalar_has_an_axis_0(name):
    expected = getattr(numpy, name)(numpy.array([3.0]))
    for axis in (None, 0, -1):
        same(getattr(np, name)(3.0, axis), expected)
    same(getattr(np, name)(3.0, None, True), expected)


@pytest.mark.parametrize(("name", "number"), [("sum", 0.0), ("prod", 1.0), ("mean", math.nan)])
@pytest.mark.parametrize("dtype", ELEMENTS)
def test_nothing_has_a_sum_a_product_and_no_mean(name, number, dtype):
    a = numpy.ones((0, 3), dtype)
    same(getattr(np, name)(a, 0), getattr(numpy, name)(a, 0))
    numpy.testing.assert_array_equal(getattr(np, name)(a), number)


BAD_AXIS = [
    row(lambda name=name, axis=axis: getattr(np, name)(numpy.ones((2, 3)), axis), "IndexError",
        "axis >= -ndim && axis < ndim", f"{name}: axis = {axis} is out of bounds for an array with ndim = 2",
        {"axis": str(axis), "ndim": "2"}, f"{name}_infer_shape", "mx_axis_resolve")
    for name in [*REDUCTIONS, "argmax"] for axis in (2, -3)
]  # fmt: skip
SCALAR_AXIS = [
    row(lambda name=name: getattr(np, name)(3, 1), "IndexError", "axis >= -ndim && axis < ndim",
        f"{name}: axis = 1 is out of bounds for an array with ndim = 1", {"axis": "1", "ndim": "1"},
        f"{name}_infer_shape", "mx_axis_resolve")
    for name in [*REDUCTIONS, "argmax"]
]  # fmt: skip
REPEATED_AXIS = [
    row(lambda name=name: getattr(np, name)(numpy.ones((2, 3)), (0, -2)), "ValueError", "!chosen[axis]",
        f"{name}: an axis is repeated. axis = [0,-2]", {"axis": "[0,-2]"}, f"{name}_infer_shape", "mx_axes_resolve")
    for name in REDUCTIONS
]  # fmt: skip
NOTHING = [
    row(lambda name=name: getattr(np, name)(numpy.ones((0, 3)), 0), "ValueError",
        "!mx_reduce_is_empty(shape, &param->axis)",
        f"{name}: zero-size array to reduction operation which has no identity. a.shape = [0,3]",
        {"a.shape": "[0,3]"}, f"{name}_infer_shape")
    for name in ("max", "min")
]  # fmt: skip
NOTHING.append(
    row(lambda: np.argmax([]), "ValueError", "!mx_reduce_is_empty(shape, &param->axes)",
        "argmax: attempt to get argmax of an empty sequence. a.shape = [0]", {"a.shape": "[0]"},
        "argmax_infer_shape", "argextremum_shape"))  # fmt: skip
NOT_COMPUTED = [
    row(lambda name=name: getattr(np, name)(numpy.ones(2, "float16")), "NotImplementedError", None,
        f"{name}: not implemented for dtype = float16; expected bool, uint8, int32, int64, float32 or float64",
        {"dtype": "float16"}, f"{name}_infer_type", "mx_element_of_dtype")
    for name in [*REDUCTIONS, "argmax"]
]  # fmt: skip
BAD_PARAMETER = [
    row(lambda: np.sum([1], "abc"), "TypeError", None,
        "sum: parameter 'axis': expected tuple of int or None, got 'abc'", {}, "parse", "set_param"),
    row(lambda: np.argmax([1], (0,)), "TypeError", None,
        "argmax: parameter 'axis': expected int or None, got '(0,)'", {}, "parse", "set_param"),
    row(lambda: np.mean([1], None, "yes"), "TypeError", None,
        "mean: parameter 'keepdims': expected bool, got 'yes'", {}, "parse", "set_param"),
]  # fmt: skip


@pytest.mark.parametrize(
    "failure", [*BAD_AXIS, *SCALAR_AXIS, *REPEATED_AXIS, *NOTHING, *NOT_COMPUTED, *BAD_PARAMETER]
)
def test_a_failure_says_what_was_checked_where_and_with_which_values(failure):
    assert_fails(failure)


@pytest.mark.parametrize("name", [*REDUCTIONS, "argmax"])
def test_docstrings_tell_errors_and_have_examples_that_run(name):
    kinds = {"IndexError", "ValueError", "NotImplementedError"}
    assert_documented(
        getattr(np, name), *kinds, *(["FloatingPointError"] if name in ("sum", "mean", "prod") else [])
    )
