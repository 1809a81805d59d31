"""Callbacks whose exceptions are of odd classes, come in numbers, or meet a fork."""

from __future__ import annotations

import traceback
from ctypes import CFUNCTYPE, c_double, c_int

import pytest
from support.compiler import DATA, compile_c

from mxerr import Library
from mxerr.callback import callback, pending
from mxerr.library import STATUS

Visitor = CFUNCTYPE(c_int, c_int)
Function = CFUNCTYPE(c_double, c_double)

PROTOTYPES = {
    "caller_visit_and_clean": (STATUS, (Visitor, Visitor)),
    "caller_ignore": (STATUS, (Visitor, c_int)),
    "caller_sum": (c_double, (Function, c_int)),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("caller")
    return compile_c((DATA / "caller.c").read_text("utf-8"), folder / "caller.so", "-pthread")


@pytest.fixture
def caller(path, capfd):
    """The library; whatever a test does with it, nothing is left to be raised, and nothing printed."""
    yield Library(path, prototypes=PROTOTYPES, source_root=path.parent)
    assert pending == []
    assert capfd.readouterr() == ("", "")


def raiser(error, prototype=Visitor):
    @callback(prototype)
    def fail(*args):
        raise error

    return fail


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
