"""clip, where, percentile, interp and random_bernoulli: NumPy is the reference, every documented failure a row."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import assume, given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from operator_cases import ELEMENTS, arrays, assert_documented, assert_fails, dtypes, row, same

from mxerr import np

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the reference


@st.composite
def triples(draw):
    """Three arrays whose shapes broadcast."""
    shapes = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=4, min_side=0)
    ).input_shapes
    return tuple(draw(hnp.arrays(dtypes, shape)) for shape in shapes)


@settings(max_examples=150)
@given(triples())
def test_clip_is_numpys(case):
    same(np.clip(*case), numpy.clip(*case))


@settings(max_examples=150)
@given(triples())
def test_where_is_numpys(case):
    same(np.where(*case), numpy.where(*case))


@pytest.mark.parametrize("condition", [[True, False], [2, 0], [0.5, 0.0], [float("nan"), 0.0], True])
@pytest.mark.parametrize(
    ("x", "y"), [(1, 2), (1.5, 2), (numpy.ones(2, "float32"), 2.5), (3, numpy.ones(2, "uint8"))]
)
def test_the_condition_has_no_say_in_the_type(condition, x, y):
    same(np.where(condition, x, y), numpy.where(condition, x, y))


@pytest.mark.parametrize("dtype", ELEMENTS)
def test_numbers_as_bounds_leave_the_type(dtype):
    a = numpy.arange(5).astype(dtype)
    for bounds in ((1, 3), (1.5, 2.5), (3, 1), (False, True)):
        same(np.clip(a, *bounds), numpy.clip(a, *bounds))


# NumPy computes in float32 for such arrays: what is smaller than its numbers gives 0 * inf
PERCENTS = st.floats(0, 100, allow_subnormal=False).map(lambda q: q if q > 1e-30 else 0.0)


@st.composite
def percentiles(draw):
    """An array that is not bool, numbers from 0 to 100, axes, and keepdims."""
    a = draw(arrays(dtypes.filter(lambda dtype: dtype != bool)))
    if a.dtype.kind == "f":
        a = numpy.where(numpy.isfinite(a), numpy.clip(a, -1e3, 1e3), a).astype(a.dtype)
    elif a.dtype == "int64":
        a = a >> 8  # NumPy's differences of integers overflow
    elif a.dtype == "int32":
        a = a >> 2
    q = draw(
        st.integers(0, 100)
        | PERCENTS
        | hnp.arrays("float64", hnp.array_shapes(min_dims=0, max_dims=2, max_side=3), elements=PERCENTS)
    )
    axes = st.integers(-a.ndim, a.ndim - 1) if a.ndim else st.nothing()
    lists = st.lists(
        axes, min_size=min(a.ndim, 1), max_size=a.ndim, unique_by=lambda axis: axis % max(a.ndim, 1)
    )
    return a, q, draw(st.none() | axes | lists.map(tuple)), draw(st.booleans())


@settings(max_examples=300)
@given(percentiles())
def test_percentiles_are_numpys(case):
    a, q, axis, keepdims = case
    assume(a.size > 0 or not isinstance(axis, tuple))  # NumPy cannot reshape these
    try:
        expected = numpy.percentile(a, q, axis=axis, keepdims=keepdims)
    except IndexError:
        with pytest.raises(IndexError, match="expected one element or more along the axis, got none"):
            np.percentile(a, q, axis, keepdims)
        return
    result = np.percentile(a, q, axis, keepdims)
    if isinstance(q, numpy.ndarray) and q.ndim == 0 and numpy.isnan(expected).all():
        # NumPy's type is then that of `a`, also where that of numbers would be float64
        expected = expected.astype(result.dtype)
    # NumPy computes the place between elements in float32 for such arrays, we do not
    same(result, expected, ulp=64, atol=0.02 if a.dtype == "float32" else 1e-9)


@pytest.mark.parametrize(
    "q", [0, 25, 50.0, 99.9, 100, [50], [], [[0, 10], [50, 100]], numpy.array([50], "float32")]
)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
def test_percentiles_have_numpys_types(q, dtype):
    a = (numpy.arange(60).reshape(3, 4, 5) * 7 % 60).astype(dtype)
    same(np.percentile(a, q, (0, 2)), numpy.percentile(a, q, (0, 2)), ulp=16)


INF = numpy.inf


@pytest.mark.parametrize("a", [[INF, 1, 2], [-INF, 1, INF], [numpy.nan, 1, 2], [INF, INF], [5.0]])
@pytest.mark.parametrize("q", [0, 25, 50, 75, 100])
def test_percentiles_of_infinities_are_numpys(a, q):
    same(np.percentile(a, q), numpy.percentile(numpy.array(a), q))


@st.composite
def points(draw):
    """Ascending points, and places between and around them."""
    xp = draw(hnp.arrays("float64", st.integers(1, 12), elements=st.integers(-50, 50).map(lambda n: n / 4)))
    fp = draw(hnp.arrays("float64", xp.shape, elements=st.floats(-1e6, 1e6)))
    x = draw(
        hnp.arrays(
            "float64", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=st.floats(-20, 20)
        )
    )
    return x, numpy.sort(xp), fp


@settings(max_examples=150)
@given(points(), st.none() | st.floats(), st.none() | st.floats())
def test_interp_is_numpys(case, left, right):
    x, xp, fp = case
    assume(len(set(xp)) == len(xp))
    same(np.interp(x, xp, fp, left, right), numpy.interp(x, xp, fp, left, right), ulp=8, atol=1e-9)


@pytest.mark.parametrize("dtype", ELEMENTS)
def test_interp_computes_in_float64(dtype):
    x, xp, fp = (
        numpy.arange(2).astype(dtype),
        numpy.arange(2).astype(dtype),
        numpy.array([1, 0]).astype(dtype),
    )
    same(np.interp(x, xp, fp), numpy.interp(x, xp, fp))
    same(np.interp(0.25, xp, fp), numpy.interp(0.25, xp, fp))


@pytest.mark.parametrize("x", [-1.0, 0.0, 1.0, 1.5, 2.0, 9.0, numpy.nan, numpy.inf, -numpy.inf])
@pytest.mark.parametrize(
    ("xp", "fp"),
    [
        ([0.0, 1.0, 2.0], [numpy.inf, 1.0, -numpy.inf]),
        ([0.0, 1.0, 2.0], [numpy.inf, numpy.inf, numpy.nan]),
        ([-numpy.inf, 0.0, numpy.inf], [3.0, 1.0, 4.0]),
        ([0.0, 1.0, 1.0, 2.0], [3.0, 1.0, 5.0, 4.0]),
        ([1.0], [7.0]),
    ],
)
def test_interp_of_infinities_and_steps_is_numpys(x, xp, fp):
    same(np.interp(x, xp, fp), numpy.interp(x, xp, fp))


@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize(
    ("size", "shape"), [(None, ()), (1000, (1000,)), ((3, 0), (3, 0)), ((20, 50), (20, 50))]
)
def test_bernoulli_draws_ones_with_a_probability(dtype, size, shape):
    np.random.seed(4)
    first = np.random.bernoulli(0.3, size, dtype)
    np.random.seed(4)
    same(np.random.bernoulli(0.3, size, dtype), first.asnumpy())
    assert (first.shape, first.dtype) == (shape, numpy.dtype(dtype))
    assert set(first.asnumpy().ravel().tolist()) <= {0, 1}
    if first.size == 1000:
        assert abs(first.asnumpy().mean() - 0.3) < 0.05


def test_bernoulli_with_a_probability_at_an_end_is_certain():
    assert np.random.bernoulli(0, 5000).asnumpy().sum() == 0
    assert np.random.bernoulli(1, 5000).asnumpy().sum() == 5000


ONES = numpy.ones((2, 3))
NO_BROADCAST = [
    row(lambda: np.clip(ONES, numpy.ones(2), 1), "ValueError", "length == expected (3 vs. 2)",
        "clip: shapes do not broadcast: a.shape = [2,3], a_min.shape = [2]",
        {"length": "3", "expected": "2"}, "clip_infer_shape", "fail_broadcast"),
    row(lambda: np.where(True, ONES, numpy.ones(2)), "ValueError", "length == expected (3 vs. 2)",
        "where: shapes do not broadcast: x.shape = [2,3], y.shape = [2]",
        {"length": "3", "expected": "2"}, "where_infer_shape", "fail_broadcast"),
    row(lambda: np.where([True, False], 1, ONES), "ValueError", "length == expected (2 vs. 3)",
        "where: shapes do not broadcast: condition.shape = [2], y.shape = [2,3]",
        {"length": "2", "expected": "3"}, "where_infer_shape", "fail_broadcast"),
]  # fmt: skip
PERCENTILE = [
    *[
        row(lambda q=q: np.percentile(numpy.array([1, 2], "uint8"), q), "ValueError", "q >= 0 && q <= 100",
            "Percentiles must be in the range [0, 100]", {"q": text}, "percentile_forward", "percentile_check")
        for q, text in [(101, "101"), (-0.5, "-0.5"), ([50, 300], "300"), (numpy.nan, "nan")]
    ],
    row(lambda: np.percentile(ONES, 50, 2), "IndexError", "axis >= -ndim && axis < ndim",
        "percentile: axis = 2 is out of bounds for an array with ndim = 2", {"axis": "2", "ndim": "2"},
        "percentile_infer_shape", "mx_axis_resolve"),
    row(lambda: np.percentile(ONES, 50, (1, -1)), "ValueError", "!chosen[axis]",
        "percentile: an axis is repeated. axis = [1,-1]", {"axis": "[1,-1]"},
        "percentile_infer_shape", "mx_axes_resolve"),
    row(lambda: np.percentile([], 50), "IndexError", "!mx_reduce_is_empty(a, &param->axis)",
        "percentile: expected one element or more along the axis, got none. a.shape = [0]", {"a.shape": "[0]"},
        "percentile_infer_shape"),
    row(lambda: np.percentile(numpy.ones((1,) * 40), numpy.ones((1,) * 40), ()), "ValueError",
        "q->ndim + left.ndim <= MX_MAX_NDIM (80 vs. 64)",
        f"percentile: the result cannot have so many dimensions. q.shape = [{','.join('1' * 40)}]",
        {"q->ndim + left.ndim": "80"}, "percentile_infer_shape"),
    row(lambda: np.percentile([True], 50), "TypeError", "a != MX_ELEMENT_boolean",
        "percentile: not defined for dtype = bool", {"dtype": "bool"}, "percentile_infer_type"),
]  # fmt: skip
INTERP = [
    row(lambda: np.interp(1.0, [1, 2], [1]), "ValueError", "xp_length == fp_length (2 vs. 1)",
        "interp: fp and xp are not of the same length", {"xp_length": "2", "fp_length": "1"}, "interp_infer_shape"),
    row(lambda: np.interp(1.0, [], []), "ValueError", "xp_length > 0 (0 vs. 0)",
        "interp: array of sample points is empty", {"xp_length": "0"}, "interp_infer_shape"),
    row(lambda: np.interp(1.0, [[1, 2]], [1, 2]), "ValueError", "xp->ndim == 1 && fp->ndim == 1",
        "interp: expected points with one dimension, got xp.shape = [1,2], fp.shape = [2]",
        {"xp.shape": "[1,2]", "fp.shape": "[2]"}, "interp_infer_shape"),
    row(lambda: np.interp(1.0, [1], [1], "low"), "TypeError", None,
        "interp: parameter 'left': expected float or None, got 'low'", {}, "parse", "set_param"),
]  # fmt: skip
BERNOULLI = [
    row(lambda prob=prob: np.random.bernoulli(prob), "ValueError", "prob >= 0 && prob <= 1",
        f"random_bernoulli: expected a probability in [0, 1], got prob = {text}", {"prob": text},
        "random_bernoulli_infer_shape")
    for prob, text in [(1.5, "1.5"), (-0.1, "-0.1"), (numpy.nan, "nan")]
]  # fmt: skip
BERNOULLI += [
    row(lambda: np.random.bernoulli(0.5, (2, -1)), "ValueError", "shape->dim[i] >= 0 (-1 vs. 0)",
        "negative dimensions are not allowed. shape = [2,-1]", {"shape": "[2,-1]"}, "declare", "mx_ndarray_declare"),
    row(lambda: np.random.bernoulli(0.5, None, "int16"), "NotImplementedError", None,
        "random_bernoulli: not implemented for dtype = int16; expected bool, uint8, int32, int64, float32 or float64",
        {"dtype": "int16"}, "random_bernoulli_infer_type", "mx_element_of_dtype"),
    row(lambda: np.random.bernoulli("often"), "TypeError", None,
        "random_bernoulli: parameter 'prob': expected float, got 'often'", {}, "parse", "set_param"),
]  # fmt: skip
ARGUMENTS = {"clip": 3, "where": 3, "percentile": 2, "interp": 3}
NOT_COMPUTED = [
    row(lambda name=name, i=i, count=count: getattr(np, name)(
            *[numpy.ones(1, "complex64" if i == k else float) for k in range(count)]),
        "NotImplementedError", None,
        f"{name}: not implemented for dtype = complex64; expected bool, uint8, int32, int64, float32 or float64",
        {"dtype": "complex64"}, f"{name}_infer_type", "mx_element_of_dtype")
    for name, count in ARGUMENTS.items() for i in range(count)
]  # fmt: skip


@pytest.mark.parametrize("failure", [*NO_BROADCAST, *PERCENTILE, *INTERP, *BERNOULLI, *NOT_COMPUTED])
def test_a_failure_says_what_was_checked_where_and_with_which_values(failure):
    assert_fails(failure)


@pytest.mark.parametrize(
    ("function", "kinds"),
    [
        (np.clip, ()),
        (np.where, ()),
        (np.percentile, ("IndexError", "TypeError", "FloatingPointError")),
        (np.interp, ()),
        (np.random.bernoulli, ()),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_docstrings_tell_errors_and_have_examples_that_run(function, kinds):
    assert_documented(function, "ValueError", "NotImplementedError", *kinds)
