"""What the small XLA refuses: malformed programs, and arguments that do not fit."""

from __future__ import annotations

import copy
import decimal
import fractions
import pickle
import re

import numpy
import pytest

import mxerr.xla.exceptions as xla_exceptions
from mxerr.xla import runtime

WAIT = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=5000 }"
CALL = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), target=f }"


def compiled(text):
    return runtime.Client().compile(text)


# ---- programs ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected a name, got the end of the text"),
        ("f { }", "line 1: the function is empty"),
        ("f { x = f32[2] parameter(1) }", "line 1: expected parameter(0), got parameter(1)"),
        ("f {\n x = f32[2] add(y, z)\n}", "line 2: operand 'y' is not defined"),
        ("f { x = f32[2] parameter(0) y = f32[3] add(x, x) }", "line 1: add gives f32[2], not f32[3]"),
        (
            "f { x = f32[2] parameter(0) y = f32[2] dot(x, x) }",
            "line 1: dot: expected [m,k] and [k,n], got f32[2] and f32[2]",
        ),
        ("f { x = f32[2] paramter(0) }", "line 1: there is no operation 'paramter'"),
        (
            "f { x = f32[-1] parameter(0) }",
            "f32[-1] is no shape: a dimension is negative, or the array too large",
        ),
        ("f { x = f32[99999999,99999999] parameter(0) }", "f32[99999999,99999999] is no shape"),
        ("f { x = f32[] constant(one) }", "line 1: expected a number, got 'one'"),
        (
            "f { x = f32[] constant(1) }\nENTRY f { x = f32[] constant(1) }",
            "line 2: expected a new name for a function, got 'f' a second time",
        ),
        (
            "f {\n x = f32[] parameter(0)\n x = f32[] parameter(1)\n}",
            "line 3: expected a new name for an instruction, got 'x' a second time",
        ),
        (
            "f { x = f32[] constant(1)\n x = f32[] add(x, x) }",
            "line 2: expected a new name for an instruction, got 'x' a second time",
        ),
        (
            "f { x = f32[] parameter(0)\n y = f32[] parameter(0) }",
            "line 2: expected parameter(1), got parameter(0)",
        ),
        (
            "f { ROOT x = f32[] constant(1)\nROOT y = f32[] constant(2) }",
            "line 2: expected one ROOT in a function, got a second one",
        ),
        ("f { x = f32[] constant(1) %s {}", "line 1: expected '=', got '{'"),
        ("f { x = f32[] constant(1) ( = f32[] constant(1) }", "line 1: expected a name, got '('"),
        ("{ x = f32[] constant(1) }", "line 1: expected a name, got '{'"),
        ("HloModule", "line 1: expected a name, got the end of the text"),
        ("f { x = f32[] constant(1) \0 }", "line 1: expected a name, got '\\x00'"),
        (
            "f { x = f32[2] parameter(0) y = f32[2] custom-call(x) }",
            "line 1: custom-call: expected ', target=NAME', got '}'",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] custom-call(x), target= }",
            "line 1: expected a name, got '}'",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] custom-call(x), target=g, target=h }",
            "line 1: expected one attribute of custom-call, got more",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] custom-call(x), ms=3 }",
            "line 1: custom-call has no attribute 'ms'",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] add(x, x), target=g }",
            "line 1: add has no attribute 'target'",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] wait(x)",
            "line 1: wait: expected ', ms=MILLISECONDS', got the end of the text",
        ),
        (
            "f { x = f32[2] parameter(0) y = f32[2] wait(x), ms=-1 }",
            "line 1: wait: expected 0 or more for ms, got -1",
        ),
    ],
)
def test_a_malformed_program_is_an_invalid_argument_that_names_the_line(text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        compiled(text)
    assert type(caught.value) is xla_exceptions.XlaInvalidArgumentError


def test_the_names_of_one_function_are_free_in_another():
    executable = compiled("f { x = f32[] constant(1) } g { x = f32[] constant(2) }")
    assert executable.exports == ("f", "g")
    assert (executable.execute("f"), executable.execute("g")) == (1, 2)


# ---- arguments ----


@pytest.mark.parametrize(
    ("call", "cls", "said"),
    [
        (
            lambda: runtime.Client("ho\0st"),
            xla_exceptions.XlaInvalidValueError,
            "platform: expected a text without NUL",
        ),
        (
            lambda: runtime.Client(credential="a\0"),
            xla_exceptions.XlaInvalidValueError,
            "credential: expected",
        ),
        (
            lambda: runtime.Client(memory_limit=-1),
            xla_exceptions.XlaInvalidValueError,
            "memory_limit: expected an integer",
        ),
        (
            lambda: runtime.Client(memory_limit=2**70),
            xla_exceptions.XlaInvalidValueError,
            "got 1180591620717411303424",
        ),
        (
            lambda: runtime.Client().device(2**40),
            xla_exceptions.XlaIndexError,
            "device: expected an integer from -2147483648 to 2147483647, got 1099511627776",
        ),
        (
            lambda: runtime.example().execute("main\0x", [[1, 2]]),
            xla_exceptions.XlaInvalidValueError,
            "function: expected",
        ),
        (
            lambda: runtime.example().execute("main", timeout=-1),
            xla_exceptions.XlaInvalidValueError,
            "timeout: expected",
        ),
        (
            lambda: runtime.example().execute("main", timeout=float("nan")),
            xla_exceptions.XlaInvalidValueError,
            "got nan",
        ),
        (lambda: runtime.example().cost("flops\0"), xla_exceptions.XlaInvalidValueError, "key: expected"),
        (
            lambda: setattr(runtime.example().attributes, "optimization_level", 2**70),
            xla_exceptions.XlaInvalidValueError,
            "got 118",
        ),
        (
            lambda: setattr(runtime.example().attributes, "name", "a\0b"),
            xla_exceptions.XlaInvalidValueError,
            "name: expected",
        ),
    ],
)
def test_what_c_would_cut_or_wrap_is_refused_by_name(call, cls, said):
    with pytest.raises(cls, match=re.escape(said)):
        call()


@pytest.mark.parametrize(
    "timeout", [1e300, 9e12, float("inf"), 1e9, 10**400, decimal.Decimal("1e12"), numpy.array(1e10)]
)
def test_a_limit_that_is_never_reached_is_none(timeout):
    assert runtime.example().execute("main", [[1, 2]], timeout=timeout).tolist() == [1.5, 3]


@pytest.mark.parametrize("timeout", [decimal.Decimal("0.05"), fractions.Fraction(1, 20), numpy.float32(0.05)])
def test_a_limit_may_be_any_real_number(timeout):
    with pytest.raises(TimeoutError, match="took longer than 50 ms"):
        compiled(WAIT).execute("main", [[1, 2]], timeout=timeout)


@pytest.mark.parametrize("timeout", [-(10**400), decimal.Decimal("nan"), decimal.Decimal("-1"), -1e-9])
def test_a_limit_below_zero_is_refused(timeout):
    with pytest.raises(
        xla_exceptions.XlaInvalidValueError, match="timeout: expected a number of seconds, 0 or"
    ):
        runtime.example().execute("main", [[1, 2]], timeout=timeout)


@pytest.mark.parametrize("make", [lambda: runtime.Client().buffer([1.0]), runtime.example])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_frees_a_handle_is_not_copied(make, again):
    with pytest.raises(xla_exceptions.XlaTypeError, match="expected to stay one object in one process"):
        again(make())


TYPES = {
    "program: expected a str, got None": lambda: runtime.Client().compile(None),
    "program: expected a str, got b'f'": lambda: runtime.Client().compile(b"f"),
    "data: expected bytes, got str": lambda: runtime.Client().deserialize("x"),
    "platform: expected a str, got 3": lambda: runtime.Client(3),
    "memory_limit: expected an integer from 0 to 18446744073709551615, got 1.5": lambda: runtime.Client(
        memory_limit=1.5
    ),
    "device: expected an integer from -2147483648 to 2147483647, got 'x'": lambda: runtime.Client().device(
        "x"
    ),
    "device: expected an integer from -2147483648 to 2147483647, got None": lambda: runtime.Client().buffer(
        [1], device=None
    ),
    "function: expected a str, got 0": lambda: runtime.example().execute(0, [[1, 2]]),
    "arguments: expected a sequence of arrays, got 5": lambda: runtime.example().execute("main", 5),
    "timeout: expected a number of seconds, got '1'": lambda: runtime.example().execute("main", timeout="1"),
    "timeout: expected a number of seconds, got array([1, 2])": lambda: runtime.example().execute(
        "main", timeout=numpy.array([1, 2])
    ),
    "timeout: expected a number of seconds, got 1j": lambda: runtime.example().execute("main", timeout=1j),
    "donate: expected a bool, got 'x'": lambda: runtime.example().execute("main", donate="x"),
    "donate: expected a bool, got None": lambda: runtime.example().execute("main", donate=None),
    "exclusive: expected a bool, got None": lambda: runtime.Client(exclusive=None),
    "key: expected a str, got None": lambda: runtime.example().cost(None),
    "expected an array of numbers, got one of dtype <U3": lambda: runtime.Client().buffer("abc"),
    "expected an array of numbers, got one of dtype object": lambda: runtime.Client().buffer(object()),
    "expected an array of numbers, got one of dtype complex128": lambda: runtime.Client().buffer([1j]),
    "register_custom_call: function: expected a callable, got None": lambda: (
        runtime.Client().register_custom_call("q", None)
    ),
    "register_custom_call: function: expected a callable, got 'sum'": lambda: (
        runtime.Client().register_custom_call("q", "sum")
    ),
    "register_custom_call: function: expected a callable, got 3": lambda: (
        runtime.Client().register_custom_call("q", 3)
    ),
    "register_custom_call: target: expected a str, got b'q'": lambda: runtime.Client().register_custom_call(
        b"q", abs
    ),
}


@pytest.mark.parametrize(("said", "call"), TYPES.items(), ids=TYPES)
def test_an_argument_of_another_type_is_refused_by_name(said, call):
    with pytest.raises(TypeError) as caught:
        call()
    assert type(caught.value) is xla_exceptions.XlaTypeError
    assert str(caught.value) == said


def test_rows_of_different_lengths_are_no_array():
    with pytest.raises(
        xla_exceptions.XlaInvalidArgumentError, match="expected an array of numbers: "
    ) as caught:
        runtime.Client().buffer([[1], [2, 3]])
    assert type(caught.value.__cause__) is ValueError


@pytest.mark.parametrize("target", ["", " ", "a b", "a(b", "f,g", "caf\u00e9", "\n", "{}", "%s%n"])
def test_a_custom_call_has_a_name_that_programs_can_say(target):
    client = runtime.Client()
    with pytest.raises(xla_exceptions.XlaInvalidArgumentError) as caught:
        client.register_custom_call(target, abs)
    assert (
        str(caught.value) == f"custom call target: expected letters, digits or any of _ - . +, got '{target}'"
    )


def test_a_name_with_a_nul_is_refused_and_a_name_that_was_refused_is_still_free():
    client = runtime.Client()
    with pytest.raises(xla_exceptions.XlaInvalidValueError, match="target: expected a text without NUL"):
        client.register_custom_call("f\0", abs)
    with pytest.raises(xla_exceptions.XlaTypeError):
        client.register_custom_call("f", None)
    client.register_custom_call("f", abs)
    assert client.compile(CALL).execute("main", [[-1, 2]]).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("given", "cls", "said"),
    [
        (None, TypeError, "expected an array of 2 numbers, got None"),
        ("ab", TypeError, "expected an array of 2 numbers, got 'ab'"),
        ([1j, 2], TypeError, "expected an array of 2 numbers, got [1j, 2]"),
        (5, ValueError, "expected an array of shape (2,), got one of shape ()"),
        ([1, 2, 3], ValueError, "expected an array of shape (2,), got one of shape (3,)"),
        ([[1, 2]], ValueError, "expected an array of shape (2,), got one of shape (1, 2)"),
    ],
)
def test_what_a_custom_call_gives_must_fit(given, cls, said):
    client = runtime.Client()
    client.register_custom_call("f", lambda _x: given)
    with pytest.raises(
        xla_exceptions.XlaUnknownError, match="custom call 'f' failed with status -1"
    ) as caught:
        client.compile(CALL).execute("main", [[1, 2]])
    assert type(caught.value.__cause__) is cls
    assert str(caught.value.__cause__) == f"custom call: {said}"


def test_an_attribute_takes_an_integer_of_any_type():
    attributes = runtime.example().attributes
    attributes.optimization_level = numpy.int64(1)
    assert attributes.optimization_level == 1
