"""Custom operators: Python functions that C runs, whose errors come back as the objects that were raised."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import time
import traceback
import weakref
from contextlib import suppress

import numpy
import pytest

from mxerr import MXNetError, error, np, raised
from mxerr.exception import make_exception
from mxerr.registry import GLOBAL
from mxerr.report import NativeReport

A = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture(params=["naive", "threaded"])
def engine(request):
    with np.engine(request.param):
        yield request.param


def custom(function, *arrays, infer_shape=None):
    np.register_custom("tested", infer_shape=infer_shape)(function)
    return np.custom(*arrays, op_type="tested")


def test_a_function_computes_the_result(engine):
    result = custom(lambda a, b: a.asnumpy().sum(axis=0) + b, A, [1.0, 2.0], infer_shape=lambda a, b: b)
    assert (result.shape, result.dtype) == ((2,), numpy.dtype("float64"))
    assert result.asnumpy().tolist() == [5.0, 8.0]


def test_a_function_may_call_operators_and_custom_ones(engine):
    np.register_custom("inner")(lambda a: a * 10)
    assert custom(lambda a: np.custom(a.T, op_type="inner") + 1, A).asnumpy().tolist() == [[11, 31], [21, 41]]


def test_a_function_may_return_what_it_got(engine):
    assert custom(lambda a: a, A).asnumpy().tolist() == A.asnumpy().tolist()


@pytest.mark.parametrize(
    "exception",
    [
        ValueError("a value"),
        KeyError("key"),
        KeyboardInterrupt(),
        SystemExit(3),
        error.IndexError("ours"),
        type("OwnError", (Exception,), {"__init__": lambda self, a, b: None})(1, 2),
    ],
    ids=lambda e: type(e).__name__,
)
def test_what_a_function_raises_is_raised_behind_c(engine, exception, capfd):
    def fails(a):
        deeper()

    def deeper():
        raise exception

    for _ in range(2):
        with pytest.raises(type(exception)) as caught:
            custom(fails, A).asnumpy()
        assert caught.value is exception
        names = [entry.name for entry in traceback.extract_tb(exception.__traceback__)]
        assert names.index("custom_forward") < names.index("fails") < names.index("deeper")
        assert names.count("deeper") == 1
        assert ("mx_wait_to_read" in names) == (engine == "threaded")
        exception.__traceback__ = None
    assert capfd.readouterr() == ("", "")


def test_each_read_raises_the_same_object():
    def fails(a):
        raise LookupError("once")

    with np.engine("threaded"):
        result = custom(fails, A)
        child = result + 1
    seen = []
    for array in (child, result, child):
        with pytest.raises(LookupError) as caught:
            array.asnumpy()
        names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
        assert names.count("fails") == names.count("asnumpy") == 1
        seen.append(caught.value)
    assert seen[0] is seen[1] is seen[2]


def test_an_error_in_shape_inference_is_raised_at_once(engine, capfd):
    with pytest.raises(IndexError) as caught:
        custom(lambda a: a, A, infer_shape=lambda shape: (shape[0], shape[7]))
    assert type(caught.value) is IndexError
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "<lambda>"
    assert "custom_infer_shape" in names
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (3, "infer_shape: expected a tuple of int, got 3"),
        ((1.5,), "infer_shape: expected an integer .*, got 1.5"),
        ("12", "infer_shape: expected an integer .*, got '1'"),
    ],
)
def test_a_shape_of_what_are_no_integers_is_told(engine, shape, text):
    with pytest.raises(TypeError, match=f"custom: 'tested': {text}"):
        custom(lambda a: a, A, infer_shape=lambda a: shape)


@pytest.mark.parametrize(
    ("function", "infer_shape", "text"),
    [
        (lambda a: [1.0], None, r"'tested': expected shape \(2, 2\) and type float64 as a result, got shape \(1,\)"),
        (lambda a: numpy.ones((2, 2), "int32"), None, "got shape .* and type int32"),
        (lambda a: a, lambda a: (-1,), r"infer_shape gave shape = \[-1\]"),
        (lambda a: a, lambda a: (1,) * 65, "infer_shape: expected 64 dimensions at most, got more"),
        (lambda a: a, lambda a: range(2**40), "infer_shape: expected 64 dimensions at most, got more"),
        (lambda a: a, lambda a: (2**64 + 3,), "infer_shape: expected an integer from .*, got 18446744073709551619"),
        (lambda a: a, lambda a: (2**70,), "infer_shape: expected an integer from .*, got 1180591620717411303424"),
    ],
)  # fmt: skip
def test_a_result_that_does_not_fit_is_told(engine, function, infer_shape, text):
    with pytest.raises(ValueError, match=text):
        custom(function, A, infer_shape=infer_shape).asnumpy()


def test_a_function_on_a_worker_cannot_wait_for_all():
    def waits(a):
        np.waitall()

    with np.engine("threaded"), pytest.raises(error.RuntimeError, match="cannot wait for all operators"):
        custom(waits, A).asnumpy()


def test_one_that_is_not_registered_is_told(engine):
    with pytest.raises(error.AttributeError, match="there is no custom operator 'unheard of'"):
        np.custom(A, op_type="unheard of")
    with pytest.raises(ValueError, match="expected a name"):
        np.register_custom("")
    with pytest.raises(error.ValueError, match="custom: needs one input or more"):
        np.custom(op_type="tested")


def test_many_exceptions_wait_at_once_and_each_is_raised_where_its_array_is_read():
    exceptions = [LookupError(number) for number in range(200)]

    def fails(a):
        raise exceptions[int(a.item())]

    with np.engine("threaded"):
        results = [custom(fails, float(number)) for number in range(len(exceptions))]
        with pytest.raises(LookupError):
            np.waitall()
    for result, exception in zip(results, exceptions, strict=True):
        with pytest.raises(LookupError) as caught:
            result.asnumpy()
        assert caught.value is exception


class Local:
    """What a function has in a local variable when it fails."""


def failing_once(seen):
    def fails(a):
        local = Local()
        seen.append(weakref.ref(local))
        raise LookupError("once")

    return fails


def test_an_exception_that_was_raised_is_let_go(engine):
    seen = []
    function = failing_once(seen)
    for _ in range(2):
        with pytest.raises(LookupError):
            custom(function, A).asnumpy()
    gc.collect()
    assert [local() for local in seen] == [None, None]


def test_an_exception_lives_as_long_as_an_array_that_it_spoilt():
    class Ours(Exception):
        pass

    def fails(a):
        raise Ours

    def number_of_exceptions():
        gc.collect()
        return sum(type(thing) is Ours for thing in gc.get_objects())

    with np.engine("threaded"):
        result = custom(fails, A)
        child = result + 1
    for array in (result, child):
        with pytest.raises(Ours):
            array.wait_to_read()
    del result, array
    assert number_of_exceptions() == 1
    with pytest.raises(Ours) as caught:
        child.wait_to_read()
    assert "fails" in [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    del child, caught
    eventually(lambda: number_of_exceptions() == 0)


def test_no_exception_is_left_when_all_is_let_go(engine):
    gc.collect()
    before = len(raised._table)

    def reads():
        result = custom(failing_once([]), A)
        try:
            result.asnumpy()
        except LookupError as error:
            kept = error, result, pickle.loads(pickle.dumps(error)), copy.copy(error)
            assert [type(e) for e in kept[2:]] == [LookupError] * 2

    for _ in range(10):
        with suppress(LookupError):
            reads()
    eventually(lambda: len(raised._table) == before)


def test_one_exception_may_be_raised_by_many_calls(capfd):
    exception = LookupError("always")

    def fails(a):
        raise exception

    with np.engine("threaded"):
        results = [custom(fails, A) for _ in range(5)]
    for array in [*results, *results]:
        with pytest.raises(LookupError) as caught:
            array.asnumpy()
        assert caught.value is exception
    del array, results, caught
    exception.__traceback__ = None
    np.waitall()
    # a worker lets go of its task when the call has ended already
    eventually(
        lambda: exception not in [kept.exception for kept in map(_entry, raised._table.values()) if kept]
    )
    assert capfd.readouterr() == ("", "")


def eventually(holds):
    """Collect garbage until something holds; for what other threads do at their own time."""
    end = time.monotonic() + 30
    while gc.collect() >= 0 and not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def _entry(entry):
    return entry() if isinstance(entry, weakref.ref) else entry


def test_an_exception_that_only_waiting_for_all_tells_is_let_go():
    seen = []
    with np.engine("threaded"):
        custom(failing_once(seen), A)
        with pytest.raises(LookupError):
            np.waitall()
    eventually(lambda: seen[0]() is None)


@pytest.mark.parametrize("data", [b"", b"1234567", bytes(8), b"\xff" * 8])
def test_a_number_that_stands_for_nothing_is_no_harm(data):
    report = NativeReport("text", "text", "ValueError", attributes=((raised.ATTRIBUTE, data),))
    assert type(make_exception(report, GLOBAL, MXNetError)) is error.ValueError


def test_arrays_of_a_call_are_let_go():
    seen = []

    def notes(a):
        seen.append(weakref.ref(a))
        return a

    custom(notes, A)
    eventually(lambda: seen[0]() is None)


@pytest.mark.parametrize("end", ["", "exit(0)"])
def test_what_is_alive_when_the_interpreter_ends_says_nothing(end):
    program = f"""
from mxerr import np
np.engine("threaded")
np.register_custom("kept")(lambda a: a)
kept = [np.custom([1.0], op_type="kept"), np.array([1])]
kept.append(kept)
{end}
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
