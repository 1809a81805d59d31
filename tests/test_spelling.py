"""How values become the texts that C reads: what is no number never passes as one."""

from __future__ import annotations

import array
import doctest
import fractions
import io
import re

import numpy
import pytest

from mxerr import error, np
from mxerr.np import _spelling

A = np.array([[1.0, 2.0], [3.0, 4.0]])
NO_NUMBERS = [
    "0",
    "None",
    "(0, 1)",
    "1:2",
    b"0",
    bytearray(b"0"),
    memoryview(b"0"),
    {},
    {0: 1},
    {0},
    frozenset(),
]
"""Each is a text that C could read, or can be run through, or both."""


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value).partition(" at ")[0])
@pytest.mark.parametrize(
    ("call", "place", "expected"),
    [
        (lambda value: np.sum(A, axis=value), "sum: parameter 'axis'", "tuple of int or None"),
        (lambda value: np.sum(A, keepdims=value), "sum: parameter 'keepdims'", "bool"),
        (lambda value: np.argmax(A, axis=value), "argmax: parameter 'axis'", "int or None"),
        (lambda value: np.stack([A], axis=value), "stack: parameter 'axis'", "int"),
        (lambda value: np.zeros(value), "zeros: parameter 'shape'", "tuple of int"),
        (lambda value: np.split(A, value), "split: parameter 'indices_or_sections'", "int or tuple of int"),
        (lambda value: np.arange(value), "arange: parameter 'stop'", "int or float"),
        (lambda value: np.random.normal(value), "random_normal: parameter 'loc'", "float"),
        (lambda value: np.interp(0.0, [1], [1], left=value), "interp: parameter 'left'", "float or None"),
        (lambda value: A[value], "index: parameter 'key'", "index expression"),
    ],
)
def test_texts_and_sets_are_no_numbers_and_c_says_so(call, place, expected, value):
    with pytest.raises(error.TypeError, match=re.escape(f"{place}: expected {expected}, got ")) as caught:
        call(value)
    assert repr(value).strip("'") in str(caught.value)
    assert caught.value.native.frames[-1].function == "set_param"


@pytest.mark.parametrize("value", [numpy.array("1"), numpy.array(1j), 1j, "1", [1]])
def test_what_is_no_real_number_is_none(value):
    with pytest.raises(
        error.TypeError, match="random_normal: parameter 'loc': expected float, got "
    ) as caught:
        np.random.normal(value)
    assert caught.value.native.frames[-1].function == "set_param"


def test_an_object_that_prints_as_an_integer_is_none():
    class Odd:
        def __str__(self) -> str:
            return "0"

    for value in (Odd(), fractions.Fraction(0)):
        with pytest.raises(error.TypeError, match="parameter 'axis': expected tuple of int or None, got "):
            np.sum(A, axis=value)


@pytest.mark.parametrize(
    ("value", "got"),
    [("0", "'0'"), ((0, "1"), "(0, '1')"), (1.5, "'1.5'"), ((0, 1.5), "'(0, 1.5)'"), (b"0", "b'0'")],
)
def test_what_came_is_shown_in_quotes_once(value, got):
    with pytest.raises(error.TypeError, match=f"got {re.escape(got)}$"):
        np.sum(A, axis=value)


@pytest.mark.parametrize(
    "axes", [(1, 0), [1, 0], range(1, -1, -1), numpy.array([1, 0]), array.array("i", [1, 0]), iter((1, 0))]
)
def test_sequences_of_integers_are_taken(axes):
    assert np.transpose(A, axes).asnumpy().tolist() == [[1.0, 3.0], [2.0, 4.0]]


@pytest.mark.parametrize(
    "key",
    [
        [0, 1],
        [],
        (0, [1]),
        True,
        False,
        numpy.array([0, 1]),
        numpy.array([True, False]),
        np.array([0, 1]),
        A > 2,
    ],
    ids=repr,
)
def test_picking_many_elements_is_not_implemented_and_c_says_so(key):
    with pytest.raises(error.NotImplementedError, match="picking by a list, an array or bools is not impl"):
        A[key]


@pytest.mark.parametrize("call", [lambda file: np.save(file, A), np.load, lambda op: np.custom(A, op_type=op),
                                  lambda rule: np.cast(A, "int32", rule)])  # fmt: skip
@pytest.mark.parametrize("value", [None, 3, [], ["a"], {}, io.BytesIO(), A])
def test_what_is_no_text_is_no_name_of_a_file(call, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match=r"parameter '\w+': expected a str or a path, got ") as caught:
        call(value)
    assert repr(value) in str(caught.value)
    with pytest.raises(ValueError, match=r"parameter '\w+': expected a text without NUL, got 'a\\x00b'"):
        call("a\0b")
    assert list(tmp_path.iterdir()) == []


def test_the_examples_run():
    assert doctest.testmod(_spelling).failed == 0
