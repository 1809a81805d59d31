"""XLA's error classes in Python: the table, builtins, texts, and what survives a journey."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from xla_table import TABLE

import mxerr.xla.exceptions as xla_exceptions
from mxerr import NativeError
from mxerr.registry import GLOBAL
from mxerr.xla.exceptions import XlaError, XlaInternalError, XlaKeyError, code_of, from_code, from_text
from mxerr.xla.status import StatusCode, parse

CLASSES = [getattr(xla_exceptions, name) for name, *_ in TABLE]


def test_python_has_the_classes_of_the_table_in_its_order_and_no_others():
    own = [
        n
        for n, c in vars(xla_exceptions).items()
        if isinstance(c, type) and issubclass(c, XlaError) and c is not XlaError
    ]
    assert own == [name for name, *_ in TABLE]
    assert len(own) == 21


@pytest.mark.parametrize(("name", "code", "number", "builtin"), TABLE, ids=[row[0] for row in TABLE])
def test_each_class_has_the_code_and_the_builtin_of_the_table(name, code, number, builtin):
    cls = getattr(xla_exceptions, name)
    assert cls.CODE is StatusCode[code]
    assert not number or int(number) == cls.CODE
    assert issubclass(cls, (XlaError, NativeError, RuntimeError))
    assert issubclass(cls, getattr(builtins, builtin))
    assert (cls.__module__, GLOBAL.lookup(name)) == ("mxerr.xla.exceptions", cls)
    assert {"What to do", "Examples"} <= set(cls.__doc__.replace("    ", "").splitlines())


@pytest.mark.parametrize("code", [code for code in StatusCode if code])
def test_a_code_gives_its_class_and_both_spellings_of_its_name_do(code):
    cls = type(from_code(code))
    assert cls.CODE is code
    assert cls in CLASSES[:16]
    for spelling in (code.name, code.name.replace("_", " ").capitalize()):
        error = from_text(f"{spelling}: no: x")
        assert (type(error), error.code_name, error.message) == (cls, code.name, "no: x")
        assert error.args == (f"{spelling}: no: x",)


TEXTS = ["", "a\0b", "%s %n", "{} {0}", "line\nline", "caf\u00e9", "'quoted'", "x" * 2**20]


@pytest.mark.parametrize("cls", [XlaError, *CLASSES])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_an_error_is_made_from_one_text_and_shows_it_as_it_is(cls, text):
    error = cls(text)
    assert (str(error), error.args, error.message, error.payloads) == (text, (text,), text, {})
    assert error.code == cls.CODE
    assert type(error)(text).args == error.args


def travelled(error):
    yield copy.copy(error)
    yield copy.deepcopy(error)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(error, protocol))


@pytest.mark.parametrize("cls", [XlaError, *CLASSES])
def test_errors_are_the_same_after_a_pickle_or_a_copy(cls):
    error = cls("it's no\nx")
    error._payloads = {"type.example/a": b"\0"}
    error.add_note("a note")
    for other in travelled(error):
        assert type(other) is cls
        assert (other.args, str(other), other.code) == (error.args, str(error), error.code)
        assert (other.payloads, other.__notes__) == ({"type.example/a": b"\0"}, ["a note"])


def test_errors_come_back_from_a_process_pool():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for name, *_ in TABLE:
            code = f"import mxerr.xla.exceptions as x; raise x.{name}('in a worker: {name}')"
            with pytest.raises(XlaError, match=f"in a worker: {name}") as caught:
                pool.submit(exec, code).result()
            assert type(caught.value) is getattr(xla_exceptions, name)


@pytest.mark.parametrize("number", [17, 99, -1, 2**31])
def test_an_unknown_number_is_kept(number):
    for error in (from_code(number, "x"), *travelled(from_code(number, "x"))):
        assert (type(error), error.code, error.code_name) == (XlaError, number, str(number))


def test_ok_is_no_error():
    with pytest.raises(ValueError, match=r"expected the code of an error, got 0 \(OK\) with 'x'"):
        from_code(0, "x")


@pytest.mark.parametrize(
    ("text", "code", "message", "payloads"),
    [
        ("NOT_FOUND: x", StatusCode.NOT_FOUND, "x", {}),
        ("NOT_FOUND: ", StatusCode.NOT_FOUND, "", {}),
        ("NOT_FOUND", StatusCode.NOT_FOUND, "", {}),
        ("NOT_FOUND:\nx", StatusCode.NOT_FOUND, "\nx", {}),
        (": x", None, "x", {}),
        ("", None, "", {}),
        ("x", None, "x", {}),
        ("not_found: x", None, "not_found: x", {}),
        ("resource_exhausted:x", None, "resource_exhausted:x", {}),
        ("NOT_FOUND:x", None, "NOT_FOUND:x", {}),
        (" NOT_FOUND: x", None, " NOT_FOUND: x", {}),
        ("while compiling: NOT_FOUND: x", None, "while compiling: NOT_FOUND: x", {}),
        ("OK: x", None, "OK: x", {}),
        ("NOT_FOUNDLING: x", None, "NOT_FOUNDLING: x", {}),
        ("INTERNAL: NOT_FOUND: x", StatusCode.INTERNAL, "NOT_FOUND: x", {}),
        ("Unknown code(99): x", 99, "x", {}),
        ("Unknown code(9223372036854775807): x", 2**63 - 1, "x", {}),
        ("Unknown code(-9223372036854775808): x", -(2**63), "x", {}),
        (
            "Unknown code(9223372036854775808): x [a/b='1']",
            None,
            "Unknown code(9223372036854775808): x",
            {"a/b": b"1"},
        ),
        ("Unknown: x", StatusCode.UNKNOWN, "x", {}),
        (
            "ABORTED: x [a.b/c='1\\x00\\'\\n'] [d/e='']",
            StatusCode.ABORTED,
            "x",
            {"a.b/c": b"1\0'\n", "d/e": b""},
        ),
        ("ABORTED: index [i='1']", StatusCode.ABORTED, "index [i='1']", {}),
        ("ABORTED: x [a/b='1'] and more", StatusCode.ABORTED, "x [a/b='1'] and more", {}),
    ],
)
def test_a_text_is_read_from_position_0_only(text, code, message, payloads):
    assert parse(text) == (code, message, payloads)
    error = from_text(text)
    assert (error.code, error.message, error.payloads, str(error)) == (code, message, payloads, text)


def test_bytes_that_are_no_utf8_are_shown_escaped():
    assert str(from_text(b"INTERNAL: caf\xe9")) == "INTERNAL: caf\\xe9"


def test_a_code_in_a_message_that_tells_of_another_error_stays():
    assert XlaInternalError("NOT_FOUND: x").message == "NOT_FOUND: x"
    assert XlaInternalError("INTERNAL: x").message == "x"


def test_the_text_of_a_key_error_is_readable():
    error = XlaKeyError("no op 'foo'\nhint: bar")
    assert str(error) == error.args[0] == "no op 'foo'\nhint: bar"


class Jaxlib(RuntimeError):
    error_code = 8


Jaxlib.__name__, Jaxlib.__module__ = "XlaRuntimeError", "jaxlib.xla_extension"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (from_text("ABORTED: x"), StatusCode.ABORTED),
        (from_code(99), 99),
        (XlaError("x"), None),
        (Jaxlib("x"), StatusCode.RESOURCE_EXHAUSTED),
        (
            type("XlaRuntimeError", (RuntimeError,), {"__module__": "jaxlib"})("ABORTED: x"),
            StatusCode.ABORTED,
        ),
        (type("XlaRuntimeError", (RuntimeError,), {"__module__": "mine"})("ABORTED: x"), None),
        (ValueError("ABORTED: x"), None),
        (KeyboardInterrupt("ABORTED: x"), None),
    ],
)
def test_only_errors_of_xla_have_a_code(error, code):
    assert code_of(error) == code


def test_the_reader_takes_time_in_proportion_to_the_text():
    hostile = "ABORTED: " + " [a/b='x" * 20_000 + "']"
    assert parse(hostile).code is StatusCode.ABORTED
    assert parse("ABORTED: " + " [a/b='x']" * 20_000).payloads == {"a/b": b"x"}
    assert not parse("ABORTED: x [" + "/" * 100_000 + " b']").payloads
    assert not parse("ABORTED: x" + " [a/b='c']" * 20_000 + " ']").payloads


# ---- what does not fit ----


@pytest.mark.parametrize("code", ["0", "5", b"5", 99.7, 5.0, True, False, None, [], "NOT_FOUND", 5j])
def test_a_code_that_is_no_int_is_refused_by_name(code):
    with pytest.raises(TypeError) as caught:
        from_code(code, "x")
    assert str(caught.value) == f"from_code: code: expected an int, got {code!r}"
    assert not isinstance(caught.value, XlaError)


@pytest.mark.parametrize("code", [2**63, -(2**63) - 1])
def test_a_code_of_more_than_64_bits_is_refused(code):
    with pytest.raises(ValueError, match=f"from_code: code: expected an int of 64 bits, got {code}"):
        from_code(code)


def test_a_code_with_more_digits_than_python_prints_is_refused_by_its_size():
    with pytest.raises(ValueError, match=r"expected an int of 64 bits, got one of 20001 bits"):
        from_code(2**20_000)


@pytest.mark.parametrize("code", [0, StatusCode.OK])
def test_ok_is_refused_also_by_its_name(code):
    with pytest.raises(ValueError, match=r"expected the code of an error, got 0 \(OK\) with ''"):
        from_code(code)


class Five:
    def __index__(self):
        return 5


@pytest.mark.parametrize("code", [5, StatusCode.NOT_FOUND, Five()])
def test_whatever_counts_as_an_int_is_a_code(code):
    error = from_code(code, "x")
    assert (type(error).__name__, error.code) == ("XlaNotFoundError", StatusCode.NOT_FOUND)


@pytest.mark.parametrize("code", [17, 99, -1, -5, 2**31, 2**63 - 1, -(2**63)])
def test_an_unknown_number_of_64_bits_is_kept(code):
    error = from_code(code, "x")
    assert (type(error), error.code, error.code_name, error.message) == (XlaError, code, str(code), "x")


@pytest.mark.parametrize("message", [None, b"x", 5])
def test_a_message_that_is_no_text_is_refused(message):
    with pytest.raises(
        TypeError, match=f"from_code: message: expected a str, got {re.escape(repr(message))}"
    ):
        from_code(5, message)


@pytest.mark.parametrize(
    "message",
    [
        "INVALID_ARGUMENT: x",
        "INVALID_ARGUMENT: INVALID_ARGUMENT: x",
        "NOT_FOUND: x",
        "x [a.b/c='1']",
        ": x",
        "",
    ],
)
def test_a_message_that_is_given_apart_stays_as_it_is(message):
    for error in (from_code(3, message), *travelled(from_code(3, message))):
        assert (error.code_name, error.message, str(error), error.payloads) == (
            "INVALID_ARGUMENT",
            message,
            message,
            {},
        )


def test_of_a_text_one_code_is_taken_off():
    error = from_text("INVALID_ARGUMENT: INVALID_ARGUMENT: x")
    assert (error.code_name, error.message) == ("INVALID_ARGUMENT", "INVALID_ARGUMENT: x")
    assert (from_text("Unknown code(0): x").code, from_text("Unknown code(0): x").message) == (
        None,
        "Unknown code(0): x",
    )
    assert (from_text("Unknown code(-7): x").code, from_text("Unknown code(5): x").code_name) == (
        -7,
        "NOT_FOUND",
    )


@pytest.mark.parametrize("text", [None, 5, bytearray(b"x"), ValueError("NOT_FOUND: x")])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(TypeError, match=re.escape(f"from_text: expected a str or bytes, got {text!r}")):
        from_text(text)


@pytest.mark.parametrize("error", [None, 5, "NOT_FOUND: x", XlaError])
def test_what_is_no_exception_has_no_code(error):
    with pytest.raises(TypeError, match=re.escape(f"code_of: expected an exception, got {error!r}")):
        code_of(error)


@pytest.mark.parametrize(
    ("payloads", "said"),
    [
        ([("a.b/c", b"1")], "expected a mapping of str to bytes, got [('a.b/c', b'1')]"),
        ("a.b/c", "expected a mapping of str to bytes, got 'a.b/c'"),
        ({"a.b/c": "1"}, "expected bytes under 'a.b/c', got '1'"),
        ({"a.b/c": 1}, "expected bytes under 'a.b/c', got 1"),
        ({"a.b/c": None}, "expected bytes under 'a.b/c', got None"),
        ({"a.b/c": bytearray(b"1")}, "expected bytes under 'a.b/c', got bytearray(b'1')"),
        ({"a.b/c": b"1", b"d": b"2"}, "expected a str as URL, got b'd'"),
    ],
)
def test_payloads_are_bytes_by_url(payloads, said):
    with pytest.raises(TypeError) as caught:
        from_code(5, "x", payloads)
    assert str(caught.value) == f"from_code: payloads: {said}"


def test_payloads_are_copied_in_and_out():
    payloads = {"a.b/c": b"1"}
    error = from_code(5, "x", payloads)
    payloads["a.b/c"] = error.payloads["a.b/c"] = b"2"
    assert (error.payloads, error.payloads_omitted) == ({"a.b/c": b"1"}, 0)


ARGUMENTS = [
    (),
    ("x",),
    (2, "x"),
    (2, "x", "file"),
    ("utf-8", b"x", 0, 1, "reason"),
    (2, "x", "f", None, "g"),
]


@pytest.mark.parametrize("cls", [XlaError, *CLASSES])
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=len)
def test_arguments_beyond_the_text_are_kept_and_change_nothing(cls, arguments):
    """As RuntimeError has it, also where the builtin of the class would read them."""
    error = cls(*arguments)
    plain = RuntimeError(*arguments)
    for other in (error, *travelled(error)):
        assert (other.args, str(other), other.message) == (plain.args, str(plain), str(plain))
        assert repr(other) == repr(plain).replace("RuntimeError", cls.__name__)
        assert other.code == cls.CODE
        for name in ("errno", "strerror", "filename", "filename2", "name", "obj"):
            assert getattr(other, name, None) is None
    with pytest.raises(TypeError):
        cls(*arguments, name="x")


@pytest.mark.parametrize("is_raised", [False, True], ids=["made", "raised"])
@pytest.mark.parametrize("cls", [XlaError, *CLASSES])
def test_an_error_with_a_cause_and_notes_travels_whether_raised_or_not(cls, is_raised):
    error = cls("it's no\nx: {} %s \0")
    error.add_note("one")
    error.add_note("two")
    error.__cause__ = LookupError(lambda: 0)  # which no pickle takes; it stays behind
    if is_raised:
        with pytest.raises(cls) as caught:
            raise error
        assert caught.value is error
    for other in travelled(error):
        assert type(other) is cls
        assert (str(other), other.args, other.code, other.message) == (
            str(error),
            error.args,
            error.code,
            error.message,
        )
        assert other.__notes__ == ["one", "two"]
        assert isinstance(other, RuntimeError)


@pytest.mark.parametrize("number", [True, False, "5", None, 5.0])
def test_an_attribute_of_jaxlibs_class_that_is_no_code_is_passed_over(number):
    cls = type("JaxRuntimeError", (RuntimeError,), {"__module__": "jaxlib._jax", "error_code": number})
    assert code_of(cls("INTERNAL: x")) is StatusCode.INTERNAL
    assert code_of(cls("x")) is None
