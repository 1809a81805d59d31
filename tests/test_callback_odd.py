"""Callbacks whose exceptions are of odd classes, come in numbers, or meet a fork."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import traceback
from ctypes import CFUNCTYPE, c_char, c_int

import pytest
from support.caller import Function, Visitor, compile_caller, loaded, raiser

from mxerr import Library
from mxerr.callback import CAPACITY, _lost, callback, pending


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return compile_caller(tmp_path_factory.mktemp("caller") / "caller.so")


@pytest.fixture
def caller(path, capfd):
    with loaded(path, capfd) as library:
        yield library


# ---- odd classes ----


class ReturnsNothing(Exception):
    def with_traceback(self, tb):
        return None


class HidesItsTraceback(Exception):
    @property
    def __traceback__(self):
        raise RuntimeError("no traceback")


class RefusesAttributes(Exception):
    def __setattr__(self, name, value):
        raise RuntimeError(f"no {name}")


class RefusesNotes(Exception):
    def add_note(self, note):
        raise RuntimeError("no notes")


class CountsItsNotes(Exception):
    __notes__ = 5


class EndsThePrinting(Exception):
    def __str__(self):
        raise KeyboardInterrupt


ODD = [ReturnsNothing, HidesItsTraceback, RefusesAttributes, RefusesNotes, CountsItsNotes, EndsThePrinting]


def functions(error):
    entries = traceback.walk_tb(BaseException.__dict__["__traceback__"].__get__(error))
    return [frame.f_code.co_name for frame, _ in entries]


@pytest.mark.parametrize("cls", ODD)
def test_an_exception_of_an_odd_class_is_raised_with_its_frames(caller, cls):
    for call in (
        lambda error: caller.caller_ignore(raiser(error), 1),
        lambda error: caller.caller_sum(raiser(error, Function), 1),
    ):
        error = cls()
        try:
            call(error)
        except cls as caught:
            assert caught is error  # pytest.raises asks the class for its traceback
        else:
            pytest.fail("nothing was raised")
        assert functions(error)[-1] == "fail"


@pytest.mark.parametrize("first", [*ODD, ValueError])
@pytest.mark.parametrize("second", [*ODD, ValueError])
def test_an_odd_exception_after_another_leaves_the_first(caller, first, second):
    error = first()
    try:
        caller.caller_visit_and_clean(raiser(error), raiser(second()))
    except first as caught:
        assert caught is error
    else:
        pytest.fail("nothing was raised")
    if first not in (RefusesAttributes, CountsItsNotes):
        (note,) = error.__notes__
        assert second.__name__ in note


# ---- several of them ----


@pytest.mark.parametrize("cls", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_wins_over_an_earlier_exception(caller, cls):
    first = raiser(ValueError("first"))
    with pytest.raises(cls) as caught:
        caller.caller_visit_and_clean(first, raiser(cls()))
    assert repr(caught.value.__context__) == "ValueError('first')"
    assert caller.caller_ignore(callback(Visitor)(lambda value: 0), 1) == 0  # the first is over as well


def test_what_ends_the_program_keeps_the_context_that_it_has(caller):
    @callback(Visitor)
    def interrupted(value):
        try:
            raise KeyError("own")
        except KeyError:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt) as caught:
        caller.caller_visit_and_clean(raiser(ValueError("first")), interrupted)
    assert repr(caught.value.__context__) == "KeyError('own')"
    assert caught.value.__notes__ == ["mxerr: before that was raised: ValueError: first"]


def test_of_two_that_end_the_program_the_first_counts(caller):
    with pytest.raises(SystemExit) as caught:
        caller.caller_visit_and_clean(raiser(SystemExit(3)), raiser(KeyboardInterrupt()))
    assert caught.value.code == 3
    assert "KeyboardInterrupt" in caught.value.__notes__[0]


def test_what_no_checked_call_asks_for_is_bounded(caller):
    plain = caller.unchecked("caller_ignore")

    def call():
        plain(fail, 1)

    fail = raiser(ValueError("v"))
    try:
        for _ in range(5 * CAPACITY):
            call()
        assert 0 < len(pending) <= CAPACITY
        assert len(_lost) == CAPACITY
    finally:
        caller.check(0)
        _lost.clear()


def test_what_a_call_waits_for_outlasts_any_number_that_none_asks_for(caller):
    plain = caller.unchecked("caller_ignore")

    @callback(Visitor)
    def first(value):
        def call():
            plain(other, 1)

        for _ in range(2 * CAPACITY):
            call()
        raise LookupError("first")

    @callback(Visitor)
    def other(value):
        raise ValueError("v")

    try:
        with pytest.raises(LookupError, match="first"):
            caller.caller_visit_and_clean(first, callback(Visitor)(lambda value: 0))
    finally:
        caller.check(0)
        _lost.clear()


def test_a_character_that_says_failure_is_all_ones():
    call = raiser(ValueError("v"), CFUNCTYPE(c_char))
    assert call() == b"\xff"
    with pytest.raises(ValueError, match="v"):
        Library(ctypes.CDLL(None)).check(0)


# ---- forks ----

FORK = """
import faulthandler, os, sys, threading
from ctypes import CFUNCTYPE, c_int
from mxerr import Library
from mxerr.callback import callback
from mxerr.library import STATUS

Visitor = CFUNCTYPE(c_int, c_int)
library = Library(sys.argv[1], prototypes={"caller_ignore": (STATUS, (Visitor, c_int))})

@callback(Visitor)
def fail(value):
    raise ValueError(value)

def fails():
    try:
        library.caller_ignore(fail, 1)
    except ValueError:
        return True
    return False

def run():
    while True:
        fails()

for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
for _ in range(200):
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(20, exit=True)
        os._exit(0 if fails() else 3)
    status = os.waitpid(child, 0)[1]
    if status:
        os._exit(os.waitstatus_to_exitcode(status))
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_can_fail_whatever_the_threads_of_its_parent_were_doing(path):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, str(path)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("between", [0, 1, 5])
def test_a_recursion_without_end_through_c_is_an_error(between, capfd):
    prototype = CFUNCTYPE(c_int, ctypes.c_void_p, ctypes.c_void_p)
    bsearch = (
        ctypes.c_void_p,
        (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, prototype),
    )
    libc = Library(ctypes.CDLL(None), prototypes={"bsearch": bsearch})

    def again(frames):
        if frames:
            again(frames - 1)
        else:
            libc.bsearch(b"b", b"abc", 3, 1, compare)

    @callback(prototype)
    def compare(key, element):
        again(between)
        return 0

    before = sys.getrecursionlimit()
    try:
        for limit in range(300, 320):  # each place in the circle meets the limit once
            sys.setrecursionlimit(limit)
            with pytest.raises(RecursionError):
                libc.bsearch(b"b", b"abc", 3, 1, compare)
    finally:
        sys.setrecursionlimit(before)
        compare.unregister()
    assert capfd.readouterr().err == ""
