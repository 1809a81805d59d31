"""Operators on each element: NumPy is the reference, and every documented failure is a row."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from operator_cases import ELEMENTS, REALS, arrays, assert_documented, assert_fails, dtypes, row, same

from mxerr import np

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the reference

ARITHMETIC = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
REAL = ["exp", "log", "sqrt"]
UNARY = ["negative", "abs", "isnan", *REAL]


@st.composite
def pairs(draw, first=dtypes, second=dtypes):
    """Two arrays whose shapes broadcast."""
    shapes = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0)
    ).input_shapes
    return draw(hnp.arrays(first, shapes[0])), draw(hnp.arrays(second, shapes[1]))


def refused(name: str, *dtypes: numpy.dtype) -> bool:
    """Whether NumPy has no such operation, or one in float16."""
    promoted = numpy.result_type(*dtypes)
    return (name in ("subtract", "negative") and promoted == bool) or (name in REAL and promoted.kind in "bu")


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS])
@settings(max_examples=60)
@given(case=pairs())
def test_operators_on_two_arrays_are_numpys(name, case):
    a, b = case
    if not refused(name, a.dtype, b.dtype):
        same(getattr(np, name)(a, b), getattr(numpy, name)(a, b))


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS, "power"])
@pytest.mark.parametrize("first", ELEMENTS)
@pytest.mark.parametrize("second", ELEMENTS)
def test_every_pair_of_types_gives_numpys_type(name, first, second):
    a, b = numpy.arange(3).astype(first), numpy.array([[2], [0]]).astype(second)
    if not refused(name, a.dtype, b.dtype):
        same(getattr(np, name)(a, b), getattr(numpy, name)(a, b), ulp=2)


@given(pairs(second=st.sampled_from(["bool", "uint8", "float32", "float64"])))
def test_powers_are_numpys(case):
    a, b = case
    same(np.power(a, b), numpy.power(a, b), ulp=4)


@given(pairs(st.sampled_from(["int32", "int64"]), st.sampled_from(["int32", "int64"])))
def test_powers_of_integers_wrap_around_as_numpys_do(case):
    a, b = case
    b = b & 0x7F
    same(np.power(a, b), numpy.power(a, b))


@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=60)
@given(a=arrays())
def test_operators_on_one_array_are_numpys(name, a):
    if not refused(name, a.dtype):
        same(getattr(np, name)(a), getattr(numpy, name)(a), ulp=4)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("size", [1, 2, 15, 511, 512, 513, 5000])
def test_long_rows_are_computed_to_their_end(dtype, size):
    a, b = numpy.arange(size).astype(dtype), numpy.arange(size)[::-1].astype("float64")
    same(np.add(a, b), a + b)
    same(np.add(a, 2), a + 2)
    same(np.maximum(b, a), numpy.maximum(b, a))
    same(np.less(a[:, None][:5], b), a[:, None][:5] < b)
    same(np.sqrt(a), numpy.sqrt(a))


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("number", [-1, 300, 2.5, 2**40])
def test_a_number_that_the_arrays_type_does_not_hold_can_be_compared_with_it(name, number):
    a = numpy.array([0, 2, 255], "uint8")
    same(getattr(np, name)(a, number), getattr(numpy, name)(a, number))
    same(getattr(np, name)(number, a), getattr(numpy, name)(number, a))


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS, "power"])
def test_many_dimensions_broadcast(name):
    a, b = numpy.ones((1,) * 60 + (2, 1, 3)), numpy.ones((4, 1), "float32")
    same(getattr(np, name)(a, b), getattr(numpy, name)(a, b))


NO_BROADCAST = [
    row(lambda name=name: getattr(np, name)(numpy.ones((2, 3)), numpy.ones(4)), "ValueError",
        "length == expected (3 vs. 4)", f"{name}: shapes do not broadcast: a.shape = [2,3], b.shape = [4]",
        {"length": "3", "expected": "4"},
        f"{name}_infer_shape", "fail_broadcast")
    for name in [*ARITHMETIC, *COMPARISONS, "power"]
]  # fmt: skip
NOT_COMPUTED = [
    row(lambda name=name: getattr(np, name)(*[numpy.ones(2, "int16")] * (1 if name in UNARY else 2)),
        "NotImplementedError", None,
        f"{name}: not implemented for dtype = int16; expected bool, uint8, int32, int64, float32 or float64",
        {"dtype": "int16"}, f"{name}_infer_type", "mx_element_of_dtype")
    for name in [*ARITHMETIC, *COMPARISONS, "power", *UNARY]
]  # fmt: skip
NOT_DEFINED = [
    row(lambda: np.subtract([True], [False]), "TypeError", "loops[element].state != MX_LOOP_UNDEFINED",
        "subtract: not defined for dtype = bool", {"dtype": "bool"}, "subtract_infer_type", "mx_elementwise_find"),
    row(lambda: np.negative([True]), "TypeError", "loops[element].state != MX_LOOP_UNDEFINED",
        "negative: not defined for dtype = bool", {"dtype": "bool"}, "negative_infer_type", "mx_elementwise_find"),
    *[
        row(lambda name=name, dtype=dtype: getattr(np, name)(numpy.ones(2, dtype)), "NotImplementedError",
            "loops[element].state != MX_LOOP_FLOAT16",
            f"{name}: the result for dtype = {dtype} is of float16, which is not implemented; "
            "expected int32, int64, float32 or float64",
            {"dtype": dtype}, f"{name}_infer_type", "mx_elementwise_find")
        for name in REAL for dtype in ("bool", "uint8")
    ],
]  # fmt: skip
NEGATIVE_POWER = [
    row(lambda dtype=dtype: np.power(numpy.array([2, 3], dtype), numpy.array([1, -2], dtype)), "ValueError",
        "exponent >= 0 (-2 vs. 0)",
        "power: Integers to negative integer powers are not allowed. Expected floats or exponents from 0 on",
        {"exponent": "-2"}, "power_forward", "power_check_exponents")
    for dtype in ("int32", "int64")
]  # fmt: skip


@pytest.mark.parametrize("failure", [*NO_BROADCAST, *NOT_COMPUTED, *NOT_DEFINED, *NEGATIVE_POWER])
def test_a_failure_says_what_was_checked_where_and_with_which_values(failure):
    assert_fails(failure)


def test_a_negative_power_that_is_not_used_is_no_failure():
    same(
        np.power(numpy.ones((0, 1), int), numpy.array([-1])),
        numpy.power(numpy.ones((0, 1), int), numpy.array([-1])),
    )
    same(np.power(numpy.array([2.0]), numpy.array([-1])), numpy.array([0.5]))


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS, "power", *UNARY])
def test_docstrings_tell_errors_and_have_examples_that_run(name):
    kinds = {"NotImplementedError"}
    kinds |= {"TypeError"} if name in ("subtract", "negative") else set()
    kinds |= {"ValueError"} if name not in UNARY else set()
    kinds |= (
        {"FloatingPointError"} if name in ("add", "subtract", "multiply", "divide", "power", *REAL) else set()
    )
    assert_documented(getattr(np, name), *kinds)
