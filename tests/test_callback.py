"""Callbacks: what a Python function raises below C comes out of the C call as the same object."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import traceback
import weakref
from ctypes import CFUNCTYPE, c_bool, c_int, c_size_t, c_uint8, c_void_p

import pytest
from support.caller import Function, Listener, Visitor, compile_caller, loaded, raiser
from support.threads import together

import mxerr
from mxerr import Library, NativeError
from mxerr.callback import callback, pending

Compare = CFUNCTYPE(c_int, c_void_p, c_void_p)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return compile_caller(tmp_path_factory.mktemp("caller") / "caller.so")


@pytest.fixture
def caller(path, capfd):
    with loaded(path, capfd) as library:
        yield library


def visit(library, call, *values):
    return library.caller_visit((c_int * len(values))(*values), len(values), call)


def functions(error):
    """List the functions of a traceback, but the plumbing that tools leave out."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return [frame.f_code.co_name for frame in frames if not frame.f_locals.get("__tracebackhide__")]


SORTS = [
    ValueError("v"),
    KeyError("k"),
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
    StopIteration(1),
]
SORTS += [ExceptionGroup("g", [OSError(1, "o")]), NativeError("n"), BaseException(), MemoryError()]


# ---- the same object, with the way it went ----


@pytest.mark.parametrize("error", SORTS, ids=lambda error: type(error).__name__)
def test_an_exception_of_any_sort_comes_back_as_the_same_object(caller, error):
    with pytest.raises(type(error)) as caught:  # it is the very object
        visit(caller, raiser(error), 1)
    assert caught.value is error
    own, visits = "test_an_exception_of_any_sort_comes_back_as_the_same_object", ["visit_all", "visit"]
    assert functions(error) == [own, "visit", "caller_visit", *visits, "fail"]


def test_the_c_frames_between_hold_their_values_and_lines(caller, path):
    with pytest.raises(ValueError, match="v") as caught:
        visit(caller, raiser(ValueError("v")), 7)
    entries = {frame.f_code.co_name: (frame, line) for frame, line in traceback.walk_tb(caught.tb)}
    frame, line = entries["visit"]
    assert str(frame.f_locals["value"]) == "7"
    source = path.with_suffix(".c").read_text().splitlines()
    assert "call(value)" in source[line - 1]


def test_the_callback_is_not_called_again_and_the_call_fails(caller):
    seen = []

    @callback(Visitor)
    def second_fails(value):
        seen.append(value)
        if len(seen) == 2:
            raise ValueError(value)
        return 0

    with pytest.raises(ValueError, match=r"^20$"):
        visit(caller, second_fails, 10, 20, 30, 40, 50)
    assert seen == [10, 20]
    assert visit(caller, second_fails, 60) == 0


def test_ctrl_c_while_c_runs_is_seen_by_c_and_raised_by_the_call(caller):
    seen = []
    call = callback(Visitor)(seen.append)
    with pytest.raises(KeyboardInterrupt) as caught:
        caller.caller_interrupted(7, call)  # Python handles the signal as it enters the callback
    assert seen == []
    assert functions(caught.value)[1:] == ["caller_interrupted", "interrupted", "visit"]
    entered = caught.value.__traceback__
    while entered.tb_next is not None:
        entered = entered.tb_next
    assert str(entered.tb_frame.f_locals["value"]) == "7"
    with pytest.raises(TypeError, match="expected a result for c_int, got None"):
        visit(caller, call, 8)
    assert seen == [8]


def test_python_c_python_c_python(caller):
    @callback(Visitor)
    def inner(value):
        raise LookupError(value)

    @callback(Visitor)
    def outer(value):
        return visit(caller, inner, value + 1)

    with pytest.raises(LookupError, match=r"^6$") as caught:
        visit(caller, outer, 5)
    way = ["caller_visit", "visit_all", "visit"]
    assert functions(caught.value)[1:] == ["visit", *way, "outer", "visit", *way, "inner"]


def test_an_error_of_c_below_a_callback_is_the_error_of_the_outer_call(caller):
    caller.caller_keep(Visitor())

    @callback(Visitor)
    def outer(value):
        return caller.caller_visit_kept(value)

    with pytest.raises(mxerr.error.ValueError, match="nothing is kept") as caught:
        visit(caller, outer, 5)
    assert caught.value.native.function == "caller_visit_kept"
    assert functions(caught.value)[-3:] == ["outer", "caller_visit_kept", "visit_kept"]


def test_an_exception_that_a_callback_handles_is_over(caller):
    @callback(Visitor)
    def outer(value):
        with pytest.raises(ValueError, match="v"):
            visit(caller, raiser(ValueError("v")), value)
        return 0

    assert visit(caller, outer, 1, 2) == 0


def test_cause_and_context_stay_what_they_were(caller):
    cause = OSError("first")

    @callback(Visitor)
    def fail(value):
        raise ValueError("second") from cause

    with pytest.raises(ValueError, match="second") as caught:
        visit(caller, fail, 1)
    assert caught.value.__cause__ is cause
    assert not hasattr(caught.value, "__notes__")


def test_a_status_that_a_callback_returns_is_an_error_of_c(caller):
    with pytest.raises(NativeError, match="a call in visit failed without saying why"):
        visit(caller, callback(Visitor)(lambda value: 5), 1)


# ---- libraries that do not report it ----


def test_a_failure_that_c_ignores_is_raised_when_the_call_returns(caller):
    calls = []

    @callback(Visitor)
    def fail(value):
        calls.append(value)
        raise ValueError("v")

    with pytest.raises(ValueError, match=r"^v$") as caught:
        caller.caller_ignore(fail, 5)
    assert calls == [0]
    assert functions(caught.value)[1:] == ["caller_ignore", "fail"]
    assert caller.caller_ignore(callback(Visitor)(lambda value: 0), 5) == 0


def test_functions_without_a_status_raise_it_too(caller):
    with pytest.raises(ValueError, match="v"):
        caller.caller_sum(raiser(ValueError("v"), Function), 3)
    with pytest.raises(KeyboardInterrupt):
        caller.caller_notify(raiser(KeyboardInterrupt(), Listener))
    assert caller.caller_sum(callback(Function)(lambda x: x), 4) == 6.0


def test_a_function_of_the_c_library_that_knows_no_errors_raises_it(capfd):
    libc = Library(ctypes.CDLL(None), prototypes={"qsort": (None, (c_void_p, c_size_t, c_size_t, Compare))})
    numbers = (c_int * 5)(5, 3, 1, 4, 2)
    with pytest.raises(ArithmeticError, match="no order"):
        libc.qsort(numbers, 5, ctypes.sizeof(c_int), raiser(ArithmeticError("no order"), Compare))
    assert capfd.readouterr() == ("", "")


def test_a_callback_that_cleans_up_runs_and_the_first_exception_counts(caller):
    states = []

    @callback(Visitor)
    def clean(status):
        states.append(status)
        assert caller.caller_ignore(callback(Visitor)(lambda value: 0), 1) == 0
        raise OSError("cannot clean up")

    with pytest.raises(ValueError, match="v") as caught:
        caller.caller_visit_and_clean(raiser(ValueError("v")), clean)
    assert states == [-1]
    (note,) = caught.value.__notes__
    assert "clean" in note
    assert "raised OSError: cannot clean up" in note


def test_an_exception_on_a_thread_of_c_is_raised_where_the_thread_is_awaited(caller):
    with pytest.raises(ValueError, match="v") as caught:
        caller.caller_spawn(raiser(ValueError("v")))
    assert functions(caught.value)[-1] == "fail"


def test_threads_get_their_own_exceptions(caller):
    wrong = []

    def run(number):
        for turn in range(200):
            error = ValueError(number, turn)
            try:
                visit(caller, raiser(error), 1)
            except ValueError as caught:
                wrong.extend([] if caught is error else [caught])
            else:
                wrong.append(turn)
            wrong.extend([caller.caller_ignore(ok, 1)] if caller.caller_ignore(ok, 1) else [])

    ok = callback(Visitor)(lambda value: 0)
    together(run, 6)
    assert wrong == []


# ---- results ----


@pytest.mark.parametrize(
    ("prototype", "result"),
    [
        *((Visitor, result) for result in (None, "0", 1.0, 2**31, -(2**31) - 1, [0])),
        *((Function, result) for result in (None, "x", 1j)),
        *((CFUNCTYPE(c_uint8), result) for result in (-1, 256)),
        (Compare, b"1"),
    ],
)
def test_a_result_of_the_wrong_type_is_a_type_error_and_c_sees_a_failure(prototype, result, capfd):
    wrong = callback(prototype)(lambda *args: result)
    returned = wrong(*[0 for _ in prototype._argtypes_])
    assert returned != result
    (failure,) = pending
    with pytest.raises(TypeError, match=r"<lambda> \(.*test_callback.py:\d+\): expected a result for c_"):
        Library(ctypes.CDLL(None)).check(0)
    assert type(failure.error) is TypeError
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("prototype", "options", "failure"),
    [
        (Visitor, {}, -1),
        (CFUNCTYPE(c_uint8), {}, 255),
        (CFUNCTYPE(c_bool), {}, False),
        (CFUNCTYPE(c_void_p), {}, None),
        (Listener, {}, None),
        (Visitor, {"failure": 0}, 0),
        (Function, {"failure": -5}, -5.0),
    ],
)
def test_c_gets_a_value_that_says_failure(prototype, options, failure):
    call = raiser(ValueError("v"), prototype, **options)
    assert call(*[0 for _ in prototype._argtypes_]) == failure
    with pytest.raises(ValueError, match="v"):
        Library(ctypes.CDLL(None)).check(0)


def test_a_real_number_that_says_failure_is_not_a_number():
    result = raiser(ValueError("v"), Function)(1.0)
    assert result != result
    with pytest.raises(ValueError, match="v"):
        Library(ctypes.CDLL(None)).check(0)


@pytest.mark.parametrize("prototype", [c_int, int, None, "int", Visitor(0)])
def test_what_is_no_function_type_is_refused(prototype):
    with pytest.raises(TypeError, match=r"expected a type made by ctypes\.CFUNCTYPE"):
        callback(prototype)


def test_a_failure_value_that_c_cannot_be_given_is_refused():
    with pytest.raises(TypeError, match="failure: expected a result for c_int, got 'x'"):
        callback(Visitor, failure="x")


# ---- lives ----


def test_a_callback_lives_until_it_is_unregistered(caller):
    caller.caller_keep(callback(Visitor)(lambda value: 0))
    gc.collect()
    assert caller.caller_visit_kept(3) == 0


def test_unregistering_lets_the_callback_and_what_it_holds_go():
    class Model:
        pass

    model = Model()
    gone = weakref.ref(model)
    call = callback(Visitor)(lambda value, model=model: 0)
    with call as entered:
        assert entered is call
    call.unregister()  # once more does no harm
    del model, call, entered
    gc.collect()
    assert gone() is None


def test_an_exception_that_was_raised_is_freed_at_once(caller):
    class Array:
        pass

    def use():
        array = Array()
        try:
            visit(caller, call, 1)
        except ValueError:
            return weakref.ref(array)

    @callback(Visitor)
    def call(value):
        raise ValueError(value)

    gc.collect()
    gc.disable()
    try:
        gone = use()
        assert gone() is None
    finally:
        gc.enable()


LOST = """
import ctypes
from mxerr.callback import callback

@callback(ctypes.CFUNCTYPE(ctypes.c_int))
def fail():
    raise ValueError("nobody asked")

def around():
    assert fail() == -1

around()
"""

GONE = """
import mxerr.np
from mxerr.callback import pending

mxerr.np.array([1.0])  # it has nothing to do with that caller, which is gone
assert pending == []
"""


@pytest.mark.parametrize("code", [LOST, LOST + GONE], ids=["at once", "after other calls"])
def test_what_no_call_has_raised_is_reported_at_the_end_of_the_program(code):
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "ValueError: nobody asked\nmxerr: fail (<string>:5) raised this below C" in done.stderr
