"""Products of vectors and matrices: NumPy is the reference, and every documented failure is a row."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from operator_cases import ELEMENTS, assert_documented, assert_fails, dtypes, row, same

from mxerr import np

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the reference

numbers = st.integers(0, 3) | st.sampled_from([7, 100])


def filled(draw, shape):
    """An array of small numbers, so that every sum is exact in every type that holds it."""
    return draw(hnp.arrays("int64", shape, elements=numbers)).astype(draw(dtypes))


@st.composite
def stacks(draw):
    """Two arrays that matmul takes: vectors, matrices, and stacks that broadcast."""
    signature = numpy.matmul.signature
    shapes = draw(hnp.mutually_broadcastable_shapes(signature=signature, max_dims=3, min_side=0, max_side=9))
    return tuple(filled(draw, shape) for shape in shapes.input_shapes)


@st.composite
def aligned(draw):
    """Two arrays that dot takes: scalars, vectors, and arrays of up to three dimensions."""
    side = st.integers(0, 9)
    a, b = (draw(st.lists(side, max_size=3)) for _ in range(2))
    if a and b:
        b[max(len(b) - 2, 0)] = a[-1]
    return filled(draw, tuple(a)), filled(draw, tuple(b))


@settings(max_examples=150)
@given(stacks())
def test_matmul_is_numpys(case):
    same(np.matmul(*case), numpy.matmul(*case))


@settings(max_examples=150)
@given(aligned())
def test_dot_is_numpys(case):
    same(np.dot(*case), numpy.dot(*case))


@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize(
    ("rows", "inner", "columns"), [(3, 130, 300), (65, 67, 1), (1, 64, 257), (2, 63, 256)]
)
def test_products_are_right_across_the_edges_of_blocks(dtype, rows, inner, columns):
    random = numpy.random.default_rng(1)
    a, b = (random.integers(0, 9, shape).astype(dtype) for shape in ((rows, inner), (inner, columns)))
    same(np.matmul(a, b), a @ b)
    same(np.dot(a, b), a.dot(b))
    same(np.dot(a, b[:, 0]), a.dot(b[:, 0]))
    same(np.matmul(a[0], b), a[0] @ b)
    same(np.dot(a, numpy.stack([b, b])), a.dot(numpy.stack([b, b])))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_floats_are_near_numpys(dtype):
    random = numpy.random.default_rng(2)
    a, b = random.standard_normal((70, 300)).astype(dtype), random.standard_normal((300, 90)).astype(dtype)
    eps = float(numpy.finfo(dtype).eps)
    same(np.matmul(a, b), a @ b, atol=3000 * eps)
    same(np.dot(a, b), a @ b, atol=3000 * eps)
    same(np.dot(a[0], b[:, 0]), a[0] @ b[:, 0], atol=3000 * eps)


def test_infinities_and_not_a_number_spread_as_in_numpy():
    a = numpy.array([[numpy.inf, 1.0], [numpy.nan, 1.0], [2.0, 3.0]])
    b = numpy.array([[1.0, 0.0], [1.0, 2.0]])
    same(np.matmul(a, b), a @ b)
    same(np.dot(a, b[0]), a @ b[0])


ROWS = [
    row(lambda: np.dot(numpy.ones((2, 3)), numpy.ones((2, 3))), "ValueError", "a_length == b_length (3 vs. 2)",
        "dot: expected as many elements in axis 1 of a as in axis 0 of b, got a.shape = [2,3], b.shape = [2,3]",
        {"a.shape": "[2,3]", "b.shape": "[2,3]", "a_length": "3", "b_length": "2"},
        "dot_infer_shape", "dot_check_aligned"),
    row(lambda: np.dot(numpy.ones((1,) * 40), numpy.ones((1,) * 40)), "ValueError",
        "a->ndim + b->ndim - 2 <= MX_MAX_NDIM (78 vs. 64)",
        "dot: the result cannot have so many dimensions. "
        f"a.shape = [{','.join('1' * 40)}], b.shape = [{','.join('1' * 40)}]",
        {"a->ndim + b->ndim - 2": "78"}, "dot_infer_shape", "dot_check_aligned"),
    row(lambda: np.matmul(numpy.ones((2, 3)), 2.0), "ValueError", "a->ndim > 0 && b->ndim > 0",
        "matmul: expected one dimension or more, got a.shape = [2,3], b.shape = []; multiply takes scalars",
        {"a.shape": "[2,3]", "b.shape": "[]"}, "matmul_infer_shape"),
    row(lambda: np.matmul(2.0, numpy.ones(3)), "ValueError", "a->ndim > 0 && b->ndim > 0",
        "matmul: expected one dimension or more, got a.shape = [], b.shape = [3]; multiply takes scalars",
        {"a.shape": "[]", "b.shape": "[3]"}, "matmul_infer_shape"),
    row(lambda: np.matmul(numpy.ones((2, 3)), numpy.ones((2, 3))), "ValueError", "left.columns == right.rows (3 vs. 2)",
        "matmul: expected as many columns of a as rows of b, got a.shape = [2,3], b.shape = [2,3]",
        {"a.shape": "[2,3]", "b.shape": "[2,3]", "left.columns": "3", "right.rows": "2"}, "matmul_infer_shape"),
    row(lambda: np.matmul(numpy.ones((2, 4, 3)), numpy.ones((5, 3, 4))), "ValueError",
        "a_length == b_length || a_length == 1 || b_length == 1",
        "matmul: expected stacks of matrices that broadcast, got a.shape = [2,4,3], b.shape = [5,3,4]",
        {"a.shape": "[2,4,3]", "b.shape": "[5,3,4]", "a_length": "2", "b_length": "5"},
        "matmul_infer_shape", "matmul_broadcast"),
    *[
        row(lambda name=name, i=i: getattr(np, name)(*[numpy.ones(2, "float16" if i == k else int) for k in (0, 1)]),
            "NotImplementedError", None,
            f"{name}: not implemented for dtype = float16; expected bool, uint8, int32, int64, float32 or float64",
            {"dtype": "float16"}, f"{name}_infer_type", "mx_element_of_dtype")
        for name in ("dot", "matmul") for i in (0, 1)
    ],
]  # fmt: skip


@pytest.mark.parametrize("failure", ROWS)
def test_a_failure_says_what_was_checked_where_and_with_which_values(failure):
    assert_fails(failure)


@pytest.mark.parametrize("name", ["dot", "matmul"])
def test_docstrings_tell_errors_and_have_examples_that_run(name):
    assert_documented(getattr(np, name), "ValueError", "NotImplementedError", "FloatingPointError")
