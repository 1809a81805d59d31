"""Operators on shapes and positions: NumPy is the reference, and every failure that is documented happens."""

from __future__ import annotations

import re

import numpy
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from mxerr import error, np

dtypes = st.sampled_from(["bool", "uint8", "int32", "int64", "float32", "float64"])
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
arrays_with_axes = hnp.arrays(dtypes, hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))


def same(result, expected):
    if isinstance(expected, list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other)
        return
    expected = numpy.asarray(expected)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    numpy.testing.assert_array_equal(result.asnumpy(), expected)


def outcome(call):
    """What a call gives: its result, or the class of its error."""
    try:
        return call()
    except (ValueError, IndexError, ZeroDivisionError) as caught:
        return type(caught)


def agree(ours, theirs):
    """Both give the same, or both fail; NumPy's errors of axes are both ValueError and IndexError."""
    expected, result = outcome(theirs), outcome(ours)
    if isinstance(expected, type) or isinstance(result, type):
        assert isinstance(expected, type)
        assert isinstance(result, type)
        if expected is not ZeroDivisionError:  # NumPy's, for zero sections
            assert issubclass(result, expected) or issubclass(expected, IndexError | ValueError)
    else:
        same(result, expected)


@given(arrays, st.lists(st.integers(-1, 5), max_size=4))
def test_reshape_is_numpys(a, shape):
    agree(lambda: np.reshape(a, tuple(shape)), lambda: a.reshape(tuple(shape)))


@given(arrays)
def test_reshape_works_out_one_dimension(a):
    agree(lambda: np.array(a).reshape(-1), lambda: a.reshape(-1))
    agree(lambda: np.array(a).reshape(1, -1), lambda: a.reshape(1, -1))
    agree(lambda: np.array(a).flatten(), a.flatten)


@given(arrays, st.lists(st.integers(-6, 6), min_size=1, max_size=3))
def test_expand_dims_and_squeeze_are_numpys(a, axes):
    agree(lambda: np.expand_dims(a, tuple(axes)), lambda: numpy.expand_dims(a, tuple(axes)))
    agree(lambda: np.squeeze(a), lambda: numpy.squeeze(a))
    if a.ndim:  # NumPy lets axis 0 and -1 of an array without dimensions pass
        agree(lambda: np.squeeze(a, tuple(axes)), lambda: numpy.squeeze(a, tuple(axes)))


items = st.one_of(
    st.integers(-5, 5),
    st.slices(5),
    st.builds(slice, *[st.none() | st.integers(-6, 6)] * 2, st.none() | st.integers(-3, 3).filter(bool)),
    st.just(slice(None, None, 10**18)),
    st.none(),
    st.just(Ellipsis),
)


@given(arrays, st.lists(items, max_size=5))
def test_index_is_numpys(a, key):
    agree(lambda: np.array(a)[tuple(key)], lambda: a[tuple(key)])


@given(arrays_with_axes, st.data())
def test_joining_is_numpys(a, data):
    axis = data.draw(st.integers(-a.ndim - 1, a.ndim))
    others = data.draw(st.lists(hnp.arrays(dtypes, a.shape), max_size=2))
    agree(lambda: np.concatenate([a, *others], axis), lambda: numpy.concatenate([a, *others], axis))
    agree(lambda: np.stack([a, *others], axis), lambda: numpy.stack([a, *others], axis))


@given(arrays, arrays)
def test_joining_what_does_not_fit_fails_as_numpy_does(a, b):
    agree(lambda: np.concatenate([a, b]), lambda: numpy.concatenate([a, b]))
    agree(lambda: np.stack([a, b]), lambda: numpy.stack([a, b]))


sections = st.integers(-1, 5) | st.lists(st.integers(-6, 6), max_size=3).map(tuple)


@given(arrays, sections, st.integers(-4, 4))
def test_splitting_is_numpys(a, at, axis):
    agree(lambda: np.split(a, at, axis), lambda: numpy.split(a, at, axis))
    agree(lambda: np.array_split(a, at, axis), lambda: numpy.array_split(a, at, axis))
    for name in ("hsplit", "vsplit", "dsplit"):
        agree(lambda name=name: getattr(np, name)(a, at), lambda name=name: getattr(numpy, name)(a, at))


@given(arrays, hnp.arrays("int64", hnp.array_shapes(min_dims=0, max_dims=2, max_side=3), elements=st.integers(-5, 5)),
       st.none() | st.integers(-5, 4))  # fmt: skip
def test_take_is_numpys(a, indices, axis):
    if a.ndim or axis is None:  # NumPy lets axis 0 and -1 of an array without dimensions pass
        agree(lambda: np.take(a, indices, axis), lambda: numpy.take(a, indices, axis))


numbers = st.integers(-20, 20) | st.sampled_from([0.5, -0.25, 1.0, 3.75])


@given(numbers, numbers, numbers.filter(bool))
def test_arange_is_numpys(start, stop, step):
    same(np.arange(start, stop, step), numpy.arange(start, stop, step))
    same(np.arange(stop), numpy.arange(stop))


@given(hnp.array_shapes(min_dims=0, min_side=0, max_dims=3), dtypes, st.integers(0, 100))
def test_creation_is_numpys(shape, dtype, value):
    same(np.zeros(shape, dtype), numpy.zeros(shape, dtype))
    same(np.ones(shape, dtype), numpy.ones(shape, dtype))
    same(np.full(shape, value, dtype), numpy.full(shape, value, dtype))


ROWS = [
    (lambda: np.reshape([1, 2, 3], (2, -1)), "ValueError", "size = 3, shape = [3], into newshape = [2,-1]", "infer_unknown"),
    (lambda: np.reshape([1, 2], (-1, -1)), "ValueError", "only one dimension can be -1", "infer_unknown"),
    (lambda: np.reshape([1, 2], (-2, 1)), "ValueError", "negative dimensions are not allowed", "infer_unknown"),
    (lambda: np.expand_dims([1], (0, 0)), "ValueError", "an axis is repeated. axis = [0,0]", "mx_axes_resolve"),
    (lambda: np.expand_dims([1], 5), "IndexError", "axis = 5 is out of bounds for an array with ndim = 2", "mx_axis_resolve"),
    (lambda: np.squeeze([[1, 2]], 1), "ValueError", "must have length 1. axis = 1, shape = [1,2]", "check_squeezed"),
    (lambda: np.squeeze([1], 1), "IndexError", "axis = 1 is out of bounds", "mx_axis_resolve"),
    (lambda: np.concatenate([]), "ValueError", "concatenate: needs one input or more", "parse"),
    (lambda: np.concatenate([1, 2]), "ValueError", "arrays without dimensions cannot be joined", "concatenate_infer_shape"),
    (lambda: np.concatenate(([[1]], [[1, 2]])), "ValueError", "[1,1] of the first, [1,2] of number input = 1", "mx_joining_check"),
    (lambda: np.stack(([1], [1, 2])), "ValueError", "shapes do not fit", "mx_joining_check"),
    (lambda: np.stack(([1], [1]), axis=2), "IndexError", "axis = 2 is out of bounds", "mx_axis_resolve"),
    (lambda: np.concatenate((numpy.float16([1]), [1])), "NotImplementedError", "dtype = float16", "mx_element_of_dtype"),
    (lambda: np.split([1, 2, 3], 2), "ValueError", "does not result in an equal division. length = 3, sections = 2", "check_sections"),
    (lambda: np.array_split([1, 2, 3], 0), "ValueError", "number of sections must be positive", "check_sections"),
    (lambda: np.split(1, 1), "ValueError", "an array without dimensions cannot be cut", "resolve"),
    (lambda: np.vsplit([1, 2], 1), "ValueError", "only works on arrays of 2 or more dimensions", "vsplit_infer_shape"),
    (lambda: np.dsplit([[1, 2]], 1), "ValueError", "only works on arrays of 3 or more dimensions", "dsplit_infer_shape"),
    (lambda: np.split([1], 2000), "ValueError", "equal division", "check_sections"),
    (lambda: np.array_split([1], 2000), "NotImplementedError", "so many outputs", "mx_call_set_outputs"),
    (lambda: np.take([1, 2], 2), "IndexError", "index = 2 is out of bounds for an axis of length = 2", "read_positions"),
    (lambda: np.take([1, 2], [0.5]), "TypeError", "expected indices of an integer type, got float64", "take_infer_type"),
    (lambda: np.take([1, 2], 0, axis=1), "IndexError", "axis = 1 is out of bounds", "mx_axis_resolve"),
    (lambda: np.arange(6)[6], "IndexError", "index = 6 is out of bounds for axis = 0 with length = 6", "apply_number"),
    (lambda: np.arange(6)[0, 0], "IndexError", "too many indices for the array", "count_named"),
    (lambda: np.arange(6)[..., ...], "IndexError", "can only have a single '...'", "count_named"),
    (lambda: np.arange(6)[::0], "ValueError", "a slice's step cannot be zero", "apply_slice"),
    (lambda: np.arange(6)["a"], "TypeError", "parameter 'key': expected index expression, got 'a'", "set_param"),
    (lambda: np.arange(6)[[0, 1]], "NotImplementedError", "expected numbers, slices, '...' or None, got '[0, 1]'", "set_param"),
    (lambda: np.arange(0, 1, 0), "ValueError", "the step cannot be zero", "arange_infer_shape"),
    (lambda: np.arange(float("nan")), "ValueError", "cannot compute a length", "arange_infer_shape"),
    (lambda: np.arange(2, dtype="bool"), "TypeError", "expected numbers, got dtype bool", "arange_infer_type"),
    (lambda: np.arange("x"), "TypeError", "parameter 'stop': expected int or float, got 'x'", "set_param"),
    (lambda: np.zeros((-1,)), "ValueError", "negative dimensions are not allowed", "mx_ndarray_declare"),
    (lambda: np.full(2, [1, 2]), "ValueError", "expected one number to fill with", "full_infer_shape"),
    (lambda: np.full(2, 1, "float16"), "NotImplementedError", "dtype = float16", "mx_element_of_dtype"),
    (lambda: np.cast([1.5], "int32", "safe"), "TypeError", "according to the rule 'safe'", "cast_infer_type"),
    (lambda: np.cast([1.5], "int32", "wild"), "ValueError", "expected no, equiv, safe, same_kind or unsafe, got 'wild'", "is_allowed"),
    (lambda: np.cast([1.5], "float16"), "NotImplementedError", "dtype = float16", "mx_cast_check"),
    (lambda: np.array([1]).__setitem__(0, 2), "NotImplementedError", "cannot be changed in place", "assign_infer_shape"),
    (lambda: np.array([1]).__iadd__(2), "NotImplementedError", "cannot be changed in place", "assign_infer_shape"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text", "function"), ROWS)
def test_every_documented_failure_says_what_and_where(call, kind, text, function):
    with pytest.raises(getattr(error, kind), match=re.escape(text)) as caught:
        call()
    assert type(caught.value) is getattr(error, kind)
    assert caught.value.native.frames[-1].function == function


def test_unknown_parameters_name_the_nearest():
    from mxerr.np import _operators

    operator = _operators.Operator.__new__(_operators.Operator)
    operator.__dict__.update(_operators.find("reshape").__dict__)
    operator._keys, operator._unused = (_operators.ctypes.c_char_p * 1)(b"newshap"), {}
    with pytest.raises(
        AttributeError, match=re.escape("there is no parameter 'newshap'; did you mean 'newshape'?")
    ):
        operator(([1],), ((1,),))


def test_arrays_are_compared_and_computed_beside_numpys():
    a = np.arange(6).reshape(2, 3)
    assert isinstance(numpy.arange(3) + a, np.ndarray)
    same(numpy.arange(3) + a, numpy.arange(3) + a.asnumpy())
    assert [row.shape for row in a] == [(3,), (3,)]
    numpy.testing.assert_array_equal(numpy.from_dlpack(a), a.asnumpy())
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


@pytest.mark.parametrize("count", [1025, 686800000, 2**31 - 1])
def test_more_parts_than_there_can_be_take_no_memory(count):
    with pytest.raises(NotImplementedError, match="array_split: so many outputs") as caught:
        np.array_split([1.0], count)
    assert caught.value.native.frames[-1].function == "mx_call_set_outputs"
    assert len(np.array_split([1.0], 1024)) == 1024
