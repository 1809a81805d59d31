"""Plain errors that come out of jaxlib's fast path, and those of other C code that look like them."""

from __future__ import annotations

import asyncio
import ctypes
import functools
from typing import ClassVar

import pytest

pytest.importorskip("jax", reason="needs the extra mxerr[jax]")

import mxerr.xla.exceptions as x
from mxerr.xla.jax import typed


def set_error(module):
    """Give a function of C that raises, of a type of that module."""
    prototype = ctypes.PYFUNCTYPE(None, ctypes.py_object, ctypes.c_char_p)
    prototype.__module__ = module
    return prototype(("PyErr_SetString", ctypes.pythonapi))


FAST_PATH = set_error("jaxlib._jax")
OF_OTHERS = set_error("others")


def raise_from_c(cls, text):
    """Raise as jaxlib's fast path does: the innermost Python frame calls, and C sets the error."""
    FAST_PATH(cls, text.encode())


@pytest.mark.parametrize("code", [code for code in x.StatusCode if code])
@pytest.mark.parametrize(
    "cls", [ValueError, RuntimeError, NotImplementedError, IndexError, TypeError, MemoryError]
)
def test_a_plain_error_of_a_status_that_comes_out_of_c_has_the_class_of_the_first_call(cls, code):
    with pytest.raises(x.XlaError) as caught, typed():
        raise_from_c(cls, f"{code.name}: text")
    assert type(caught.value) is type(x.from_code(code))
    assert (caught.value.code, caught.value.message) == (code, "text")
    assert type(caught.value.__cause__) is cls


class Model:
    """The ways to call that are seen to be jaxlib's, and the others."""

    run = FAST_PATH
    runs: ClassVar = [FAST_PATH]

    @staticmethod
    def local(*arguments):
        run = functools.partial(FAST_PATH, *arguments)
        run()

    def attribute(self, *arguments):
        self.run(*arguments)

    @staticmethod
    def closed_over(*arguments):
        run = FAST_PATH
        return [run(*arguments) for _ in range(1)]

    def item(self, *arguments):
        self.runs[0](*arguments)

    @staticmethod
    def mapped(*arguments):
        list(map(FAST_PATH, *[[argument] for argument in arguments]))


@pytest.mark.parametrize("way", ["local", "attribute", "closed_over"])
def test_a_call_by_name_is_seen_to_be_jaxlibs(way):
    with pytest.raises(x.XlaNotFoundError), typed():
        getattr(Model(), way)(ValueError, b"NOT_FOUND: x")


@pytest.mark.parametrize("way", ["item", "mapped"])
def test_a_call_that_cannot_be_told_from_others_is_left_alone(way):
    with pytest.raises(ValueError, match="NOT_FOUND: x") as caught, typed():
        getattr(Model(), way)(ValueError, b"NOT_FOUND: x")
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (ValueError, "a: NOT_FOUND: text"),
        (ValueError, "Not found: text"),
        (ValueError, "OK: text"),
        (ValueError, ""),
        (KeyError, "NOT_FOUND: text"),
        (OSError, "NOT_FOUND: text"),
        (UnicodeError, "NOT_FOUND: text"),
    ],
)
def test_other_errors_that_come_out_of_c_are_left_alone(cls, text):
    with pytest.raises(cls) as caught, typed():
        raise_from_c(cls, text)
    assert type(caught.value) is cls


async def failing():
    raise ValueError("ABORTED: in a task")


def concluded(future):
    future.get_loop().close()
    future.set_exception(ValueError("NOT_FOUND: no such user"))
    return future


async def result_of_a_task():
    task = asyncio.create_task(failing())
    await asyncio.wait([task])
    return task.result()


OTHERS = [
    lambda: concluded(asyncio.new_event_loop().create_future()).result(),
    lambda: [each.result() for each in [concluded(asyncio.new_event_loop().create_future())]],
    lambda: asyncio.run(result_of_a_task()),
    lambda: OF_OTHERS(ValueError, b"INVALID_ARGUMENT: of another extension"),
    lambda: list(map(OF_OTHERS, [ValueError], [b"INVALID_ARGUMENT: of another extension"])),
]


@pytest.mark.parametrize("call", OTHERS, ids=range(len(OTHERS)))
def test_what_other_c_code_gives_out_is_left_alone(call):
    with pytest.raises(ValueError, match=": ") as caught, typed():
        call()
    assert type(caught.value) is ValueError
