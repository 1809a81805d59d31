"""Code that runs in the middle of a call, as signal handlers and destructors do: nothing is mixed up or lost."""

from __future__ import annotations

import copy
import ctypes
import operator
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy
import pytest

import mxerr
from mxerr import _native, error, np
from mxerr.np import _custom
from mxerr.xla import exceptions as x, runtime

PACKAGE = str(Path(mxerr.__file__).parent)
ONE = np.array([1.0, 1.0])
BIG = np.array([7.0, 7.0, 7.0])
MATRIX = np.array([[1.0]])


@contextmanager
def at_each_event(action):
    """Call a function before each line, call and return of mxerr's own Python code; gives the list of events."""
    events = []

    def trace(frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE) or frame.f_code.co_name == "__del__":
            return None  # what a destructor raises goes nowhere
        events.append((frame.f_code.co_name, event))
        action(len(events))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield events
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("engine", ["naive", "threaded"])
def test_a_call_gets_its_own_result(engine):
    with np.engine(engine), at_each_event(lambda number: np.split(np.add(BIG, BIG), 3)) as events:
        total = np.add(ONE, ONE)
        parts = np.split(ONE, 2)
    assert ("_run", "line") in events
    assert total.asnumpy().tolist() == [2.0, 2.0]
    assert [part.asnumpy().tolist() for part in parts] == [[1.0], [1.0]]


def fail_otherwise(number):
    with pytest.raises(error.ValueError, match="Repeated axis"):
        MATRIX.transpose((0, 0))


def test_a_failure_raises_its_own_error():
    with (
        at_each_event(fail_otherwise) as events,
        pytest.raises(error.IndexError, match="5 is out of bounds") as caught,
    ):
        np.take(ONE, [5])
    assert ("check_call", "call") in events
    assert caught.value.native.frames[-1].function == "read_positions"
    # and nothing is left behind
    with pytest.raises(error.ValueError, match="is NULL"):
        _native.library().MXNDArrayGetDType(ONE.handle, None)


def test_an_interrupt_is_raised_wherever_it_comes_and_the_next_call_is_right():
    def count_down(number):
        if number == at:
            raise KeyboardInterrupt

    at = 0
    with at_each_event(count_down) as events:
        np.add(ONE, ONE)
    most = len(events)
    for at in range(1, most + 1):  # noqa: B007 - count_down reads it
        with pytest.raises(KeyboardInterrupt), at_each_event(count_down):
            np.add(ONE, ONE)
        assert np.add(ONE, ONE).asnumpy().tolist() == [2.0, 2.0]


LEAK = """
import resource, sys
from mxerr import np

def trace(frame, event, argument):
    global events
    if "mxerr" not in frame.f_code.co_filename:
        return None
    events += 1
    if events == at:
        raise KeyboardInterrupt
    return trace

large = np.full(4_000_000, 1.0)  # 32 MB
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
at = 0
while True:
    at, events = at + 1, 0
    sys.settrace(trace)
    try:
        np.negative(large)
    except KeyboardInterrupt:
        continue
    finally:
        sys.settrace(None)
    break
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert at > 10, at
assert grown < 100_000, grown  # KiB; one result, or three
"""


def test_the_result_of_an_interrupted_call_is_freed():
    subprocess.run([sys.executable, "-c", LEAK], cwd="/", check=True, timeout=120)


# ---- at the beginning of a Python function that C calls ----


@contextmanager
def raised_at_the_beginning_of(code, exception):
    """Raise an exception when a function is entered, before its first line: as Python does for a Ctrl-C."""

    def trace(frame, event, argument):
        if frame.f_code is code:
            raise exception
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


EXCEPTIONS = [KeyboardInterrupt("now"), TimeoutError("an alarm"), SystemExit(3)]


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=repr)
@pytest.mark.parametrize("function", [_custom._infer_shape, _custom._forward], ids=lambda f: f.__name__)
def test_a_custom_operator_that_is_interrupted_raises_it(function, exception, capfd):
    np.register_custom("interrupted")(lambda a: a + 1)
    with pytest.raises(type(exception)) as caught, raised_at_the_beginning_of(function.__code__, exception):
        np.custom(ONE, op_type="interrupted")
    assert caught.value is exception
    assert capfd.readouterr().err == ""
    assert np.custom(ONE, op_type="interrupted").asnumpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=repr)
def test_a_custom_call_of_the_small_xla_that_is_interrupted_raises_it(exception, capfd):
    codes = []

    def double(array):
        codes.append(sys._getframe().f_back.f_code)
        return array * 2

    client = runtime.Client()
    client.register_custom_call("double", double)
    executable = client.compile(
        "ENTRY main {\n x = f32[2] parameter(0)\n ROOT y = f32[2] custom-call(x), target=double\n}"
    )
    assert executable.execute("main", [[1, 2]]).tolist() == [2, 4]
    expected = x.XlaUnknownError if isinstance(exception, Exception) else type(exception)
    with pytest.raises(expected) as caught, raised_at_the_beginning_of(codes[0], exception):
        executable.execute("main", [[1, 2]])
    assert (caught.value.__cause__ if expected is x.XlaUnknownError else caught.value) is exception
    assert capfd.readouterr().err == ""
    assert len(codes) == 1


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=repr)
def test_a_callback_that_is_interrupted_raises_it(exception, capfd):
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    bsearch = (
        ctypes.c_void_p,
        (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, prototype),
    )
    libc = mxerr.Library(ctypes.CDLL(None), prototypes={"bsearch": bsearch})
    seen = []
    codes = []

    @mxerr.callback(prototype)
    def compare(key, element):
        codes.append(sys._getframe().f_back.f_code)
        seen.append(element)
        return 0

    with compare:
        libc.bsearch(b"b", b"abc", 3, 1, compare)
        with pytest.raises(type(exception)) as caught, raised_at_the_beginning_of(codes[0], exception):
            libc.bsearch(b"b", b"abc", 3, 1, compare)
        assert caught.value is exception
        assert len(seen) == 1
        assert libc.bsearch(b"b", b"abc", 3, 1, compare)
    assert capfd.readouterr().err == ""


# ---- exceptions that cannot be spelled ----


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no text")


class NoText(Exception):
    def __str__(self):
        return 3


class Endless(Exception):
    def __str__(self):
        return str(self)


@pytest.mark.parametrize("engine", ["naive", "threaded"])
@pytest.mark.parametrize("cls", [Unspeakable, NoText, Endless])
def test_an_exception_without_a_text_is_raised_all_the_same(engine, cls, capfd):
    @np.register_custom("unspeakable")
    def fail(a):
        raise cls

    with np.engine(engine), pytest.raises(cls):
        np.custom(ONE, op_type="unspeakable").asnumpy()
    assert capfd.readouterr().err == ""


# ---- arrays are copied, and not what names them ----


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
@pytest.mark.parametrize(
    "source", [[1.5, 2.5], 3, numpy.zeros((2, 0), "int8"), numpy.array([True])], ids=repr
)
def test_a_copy_of_an_array_is_one_of_its_own(duplicate, source):
    a = np.array(source)
    b = duplicate(a)
    assert b.handle != a.handle
    assert (b.shape, b.dtype) == (a.shape, a.dtype)
    before = a.asnumpy()
    del b
    numpy.testing.assert_array_equal(a.asnumpy(), before)


def test_arrays_go_to_another_process_and_back():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result = pool.submit(operator.neg, np.array([1, 2])).result(60)
    assert result.asnumpy().tolist() == [-1, -2]
