"""Methods of arrays: what NumPy's have under the same names, and what C says of those that are not there."""

from __future__ import annotations

import copy
import gc
import inspect

import numpy
import pytest
from hypothesis import given
from operator_cases import arrays, same

from mxerr import error, np

A = np.array([[1, 5, 2], [3, 4, 0]])


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "any", "all", "argmax", "argmin"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_numpys_functions_take_arrays(name, axis):
    # they call the method of the name, with out, and some with dtype
    same(getattr(numpy, name)(A, axis=axis), getattr(numpy, name)(A.asnumpy(), axis=axis))


@pytest.mark.parametrize("name", ["sum", "mean", "prod"])
def test_methods_take_a_type_and_an_array_for_the_result(name):
    out = np.zeros(3, "float32")
    assert getattr(A, name)(axis=0, dtype="float32", out=out) is out
    same(out, getattr(A.asnumpy(), name)(axis=0, dtype="float32"))


@given(arrays())
def test_any_and_all_are_numpys(a):
    for axis in (None, *range(a.ndim)):
        same(np.any(a, axis), numpy.any(a, axis))
        same(np.all(a, axis, True), numpy.all(a, axis, keepdims=True))


@given(arrays())
def test_argmin_is_numpys(a):
    for axis in (None, *range(a.ndim)):
        try:
            expected = numpy.argmin(a, axis)
        except ValueError:
            with pytest.raises(error.ValueError, match="argmin: attempt to get argmin of an empty sequence"):
                np.argmin(a, axis)
        else:
            same(np.argmin(a, axis), expected)


@given(arrays())
def test_conversions_are_numpys(a):
    array = np.array(a)
    numpy.testing.assert_equal(array.tolist(), a.tolist())
    same(array.ravel(), a.ravel())
    same(array.copy(), a)
    assert array.copy().handle != array.handle
    if a.dtype != bool:
        same(+array, +a)


def test_a_bool_has_no_positive():
    with pytest.raises(error.TypeError, match="positive: not defined for dtype = bool"):
        +np.array(True)


def test_a_scalar_is_a_number_where_python_asks_for_one():
    assert ["a", "b"][np.array(1)] == "b"
    assert A[np.array(1), np.array(0) :].tolist() == [3, 4, 0]
    assert (int(np.array(3)), float(np.array(1.5)), bool(np.array(0))) == (3, 1.5, False)
    assert (f"{np.array(1.234):.2f}", f"{np.array(7):03d}", f"{A}") == ("1.23", "007", str(A))
    for bad in (np.array(1.0), np.array([1]), np.array(True)):
        with pytest.raises(TypeError, match="only integer scalar arrays can be converted to a scalar index"):
            [1, 2][bad]
    with pytest.raises(TypeError, match="unsupported format string"):
        format(A, ".2f")


EXPRESSIONS = {
    "a // b": lambda a: a // 2,
    "a % b": lambda a: 2 % a,
    "divmod(a, b)": lambda a: divmod(a, 2),
    "a & b": lambda a: a & 1,
    "a | b": lambda a: 1 | a,
    "a ^ b": lambda a: a ^ a,
    "a << b": lambda a: a << 1,
    "a >> b": lambda a: 1 >> a,
    "~a": lambda a: ~a,
    "round(a)": lambda a: round(a, 2),
    "pow(a, b, modulo)": lambda a: pow(a, 2, 3),
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_that_is_not_there_is_told_by_c(expression):
    with pytest.raises(error.NotImplementedError) as caught:
        EXPRESSIONS[expression](A)
    assert caught.value.native.message.startswith(f"unsupported: {expression} is not implemented for arrays.")
    assert caught.value.native.frames[-1].function == "unsupported_infer_shape"


@pytest.mark.parametrize("value", [1, "zz", None, object(), A])
def test_an_array_is_not_changed_in_place_whatever_comes(value):
    def change() -> None:
        a = A
        a //= value

    for call in (lambda: A.__setitem__(9, value), lambda: A.__iadd__(value), change):
        with pytest.raises(error.NotImplementedError, match="an array cannot be changed in place"):
            call()


@pytest.mark.parametrize("other", [None, "a", b"a"])
def test_what_is_no_number_differs_from_every_element(other):
    array, reference = A, A.asnumpy()
    same(array == other, reference == other)
    same(array != other, reference != other)
    assert other not in [np.array(1)]
    assert (other == A).tolist() == [[False] * 3] * 2


@pytest.mark.parametrize("handle", [(3, 2), None, "x", 1.5, -1, 2**70, True])
def test_an_array_is_not_made_of_a_shape(handle, recwarn):
    with pytest.raises(TypeError, match=r"ndarray: expected an array handle of libmxerr, got .* make arrays"):
        np.ndarray(handle)
    gc.collect()
    assert list(recwarn) == []


class Exported:
    """An array that has the DLPack protocol alone."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **kwargs):
        return self.a.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64", "float16"]
)
def test_dlpack_goes_both_ways(dtype):
    a = numpy.arange(6).reshape(2, 3).astype(dtype)
    for source in (a, a.T, Exported(a), np.array(a)):
        expected = source.a if isinstance(source, Exported) else numpy.asarray(source)
        same(np.from_dlpack(source), expected)
        same(np.from_dlpack(source, copy=True), expected)
        same(np.array(source), expected)
    numpy.testing.assert_array_equal(numpy.from_dlpack(np.array(a)), a)
    numpy.testing.assert_array_equal(numpy.from_dlpack(np.array(a), copy=True), a)


def test_memory_is_never_shared_by_dlpack():
    with pytest.raises(BufferError, match="memory is never shared; expected copy=None or True, got False"):
        numpy.from_dlpack(A, copy=False)
    with pytest.raises(BufferError, match="memory is never shared"):
        np.from_dlpack(numpy.arange(3), copy=False)


def test_an_array_of_the_type_is_given_as_it_is():
    assert np.asarray(A) is np.asarray(A, "int64") is A
    same(np.asarray(A, "float32"), A.asnumpy().astype("float32"))
    same(np.asarray([1, 2], "uint8"), numpy.asarray([1, 2], "uint8"))


@pytest.mark.parametrize("number", [2**70, -(2**63) - 1, [2**64, 1]])
def test_an_integer_of_more_than_64_bits_is_told(number):
    with pytest.raises(OverflowError, match="array: expected integers of 64 bits, got "):
        np.array(number)
    with pytest.raises(OverflowError, match="array: expected integers of 64 bits, got "):
        np.full(2, number)


def test_numpys_constants_and_types_are_there():
    for name in (
        "bool_",
        "uint8",
        "int32",
        "int64",
        "float32",
        "float64",
        "newaxis",
        "inf",
        "nan",
        "pi",
        "e",
    ):
        assert getattr(np, name) is getattr(numpy, name)
        assert name in np.__all__
    assert A[np.newaxis].shape == (1, 2, 3)
    assert np.zeros(2, np.float32).dtype == np.float32


def test_a_copy_is_a_copy():
    same(copy.copy(A), A.asnumpy())


@pytest.mark.parametrize("name", ["max", "min", "power", "sum", "any", "all", "argmin", "cast"])
def test_docstrings_name_a_kind_once_and_describe_before_they_list(name):
    doc = inspect.getdoc(getattr(np, name))
    raised = doc.partition("Raises\n------\n")[2].partition("\n\n")[0].splitlines()
    kinds = [line for line in raised if not line.startswith(" ")]
    assert len(kinds) == len(set(kinds)) > 0
    before, _, after = doc.partition("Parameters\n----------\n")
    assert len(before.splitlines()) >= 3  # the summary, and more
    assert "Returns\n-------\n" in after
