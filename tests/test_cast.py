"""Casts: NumPy's elements, rules and floating-point errors, also of types that operators do not compute in."""

from __future__ import annotations

import math
import re

import numpy
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from operator_cases import same

from mxerr import error, np

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the reference

CAST = [
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
]
INTEGERS = [name for name in CAST if "int" in name]
types = st.sampled_from(CAST)


@given(hnp.arrays(types, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0)), types)
def test_every_cast_is_numpys(a, dtype):
    if a.dtype.kind == "f" and dtype in INTEGERS:
        a = numpy.nan_to_num(a).clip(0, 100)  # what does not fit is some number, in NumPy too
    same(np.array(a).astype(dtype), a.astype(dtype))


@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("source", CAST)
def test_the_rules_are_numpys(source, rule):
    for target in CAST:
        a = np.zeros(2, source)
        if numpy.can_cast(source, target, rule):
            assert np.cast(a, target, rule).dtype == target
        else:
            with pytest.raises(TypeError, match=f"cannot cast from = {source} to dtype = {target}"):
                np.cast(a, target, rule)


@pytest.mark.parametrize("dtype", ["int32", "float64", "float16"])
def test_a_rule_that_there_is_not_is_told_also_where_nothing_is_cast(dtype):
    with pytest.raises(error.ValueError, match="expected no, equiv, safe, same_kind or unsafe, got 'bogus'"):
        np.cast(np.zeros(2, dtype), dtype, "bogus")


@pytest.mark.parametrize("source", ["float16", "complex64"])
def test_half_floats_and_complex_numbers_are_not_cast(source):
    for a, b in ((source, "float64"), ("float64", source)):
        with pytest.raises(error.NotImplementedError, match=f"cast: not implemented for dtype = {source}"):
            np.zeros(2, a).astype(b)


NUMBERS = [
    math.nan,
    math.inf,
    -math.inf,
    1e300,
    -1e300,
    1e-300,
    3e9,
    -3e9,
    300.0,
    -1.0,
    -0.5,
    2.0**31,
    2.0**63,
    0.0,
]


def outcome(call) -> str:
    try:
        call()
    except FloatingPointError as caught:
        return re.search(r"(invalid value|overflow|underflow) encountered in", str(caught))[1]
    return ""


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64"])
def test_floating_point_errors_are_numpys(number, dtype):
    a = np.array([1.0, number])
    with numpy.errstate(all="raise"):
        expected = outcome(lambda: numpy.array([1.0, number]).astype(dtype))
    with np.errstate(all="raise"):
        assert outcome(lambda: a.astype(dtype)) == expected
        assert outcome(lambda: np.full(2, number, dtype)) == expected
    assert outcome(lambda: a.astype(dtype)) == outcome(lambda: np.full(2, number, dtype)) == ""


@pytest.mark.parametrize(
    ("call", "number", "dtype"),
    [
        (lambda np: np.full(2, 300, "uint8"), 300, "uint8"),
        (lambda np: np.full(2, -1, "uint8"), -1, "uint8"),
        (lambda np: np.full(1, 2**63 - 1, "int32"), 2**63 - 1, "int32"),
        (lambda np: np.arange(-1.5, 3, 2, dtype="uint8"), -1, "uint8"),
        (lambda np: np.arange(250, 300, 10, dtype="uint8"), 260, "uint8"),
        (lambda np: np.arange(2.0**31, 2.0**31 + 3, dtype="int32"), 2**31, "int32"),
    ],
)
def test_an_integer_that_a_type_does_not_hold_is_told(call, number, dtype):
    with pytest.raises(OverflowError):
        call(numpy)
    text = f"number = {number} is out of bounds for dtype = {dtype}"
    with pytest.raises(error.OverflowError, match=text) as caught:
        call(np)
    assert caught.value.native.frames[-1].function == "mx_element_check_holds"


@pytest.mark.parametrize(
    "arguments",
    [
        (-6, -0.25, 1.5),
        (0.5, 3),
        (0, 1, 0.3),
        (0, 1, 0.1),
        (1, 1.5),
        (5, -3, -2),
        (0, 300, 100),
        (0, 250, 25),
        (3, 3),
    ],
)
@pytest.mark.parametrize("dtype", [None, "uint8", "int32", "int64", "float32", "float64"])
def test_arange_steps_as_numpys_does_in_the_type_of_the_result(arguments, dtype):
    try:
        expected = numpy.arange(*arguments, dtype=dtype)
    except OverflowError:
        with pytest.raises(error.OverflowError, match="out of bounds"):
            np.arange(*arguments, dtype=dtype)
        return
    same(np.arange(*arguments, dtype=dtype), expected)


def test_a_number_too_large_for_any_integer_type_is_told():
    with pytest.raises(error.OverflowError, match=r"arange: number = 1e\+30 is out of bounds for int64"):
        np.arange(1e30, 1e30 + 1e17, 1e17, dtype="int64")


# ---- sums, products and means ----


@given(
    hnp.arrays(st.sampled_from(INTEGERS), hnp.array_shapes(max_dims=2, min_side=0)),
    st.sampled_from([None, 0]),
)
def test_all_integers_have_sums_products_and_means(a, axis):
    same(np.sum(a, axis), numpy.sum(a, axis))
    same(np.prod(a, axis), numpy.prod(a, axis))
    same(np.mean(a, axis), numpy.mean(a, axis), ulp=8)


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@pytest.mark.parametrize("source", CAST)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64"])
def test_the_type_of_a_result_can_be_chosen(name, source, dtype):
    a = numpy.array([[1, 0, 3], [7, 4, 5]]).astype(source)
    if name == "mean" and dtype == "bool":
        return  # NumPy divides in float16, and so on
    for axis in (None, 1):
        same(getattr(np, name)(a, axis, dtype=dtype), getattr(numpy, name)(a, axis, dtype=dtype), ulp=4)
    empty = a[:0]
    if name != "mean":
        same(getattr(np, name)(empty, 0, dtype=dtype), getattr(numpy, name)(empty, 0, dtype=dtype))


def test_what_goes_out_of_a_sum_goes_into_other_operators():
    total = np.sum(np.array([200, 100], "uint8"))
    assert total.dtype == numpy.dtype("uint64")
    assert (total.astype("int64") + 1).item() == 301
    assert np.sum(total).item() == 300
    assert np.power(np.array([True]), True).astype("bool").asnumpy().tolist() == [True]
    out = np.array(0)
    assert np.sum(np.array([True, True]), out=out) is out
    assert out.item() == 2


def test_a_number_beside_arrays_that_are_joined_has_its_own_type():
    a = numpy.float32(1)
    same(np.stack([a, math.nan]), numpy.stack([a, math.nan]))
    same(np.stack([numpy.uint8(1), 1]), numpy.stack([numpy.uint8(1), 1]))


def test_a_percentile_is_not_rounded_into_its_range():
    a = numpy.float32([1, 2])
    for q in (100.0000001, -1e-9):
        with pytest.raises(error.ValueError, match=r"Percentiles must be in the range \[0, 100\]"):
            np.percentile(a, q)
    same(np.percentile(a, 33.3), numpy.percentile(a, 33.3))
