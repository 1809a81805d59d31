"""Each of XLA's classes, returned and thrown by C++, is the same error in Python: class, code, text, payloads."""

from __future__ import annotations

import builtins
import copy
import pickle
import traceback
from concurrent.futures import ProcessPoolExecutor
from ctypes import c_char_p, c_int, c_size_t
from multiprocessing import get_context

import pytest
from support.compiler import compile_cpp
from xla_table import TABLE

import mxerr.xla.exceptions as xla_exceptions
from mxerr import Library, NativeError
from mxerr.library import STATUS
from mxerr.xla.exceptions import XlaError

SOURCE = r"""
#define MXERR_IMPLEMENTATION
#include "mxerr/xla.hpp"

template <typename E>
static E make(const std::string &message, bool with_payload) {
  E error(message);
  if (with_payload) error.SetPayload("type.example/key", std::string("\0'\xff", 3));
  return error;
}

template <typename E>
static xla::Status returned(const std::string &message, bool with_payload) {
  return make<E>(message, with_payload);
}

template <typename E>
static void thrown(const std::string &message, bool with_payload) {
  throw make<E>(message, with_payload);
}

static xla::Status pass_on(const xla::Status &status) {
  XLA_RETURN_IF_ERROR(status);
  return xla::OkStatus();
}

struct Row {
  xla::Status (*returned)(const std::string &, bool);
  void (*thrown)(const std::string &, bool);
};
#define ROW(name) {returned<xla::Xla##name##Error>, thrown<xla::Xla##name##Error>},
#define XLA_STATUS_ERROR(name, code, code_name, number, python) ROW(name)
#define XLA_DIRECT_ERROR(name, code, code_name, python) ROW(name)
static const Row rows[] = {
#include "mxerr/xla_errors.inc"
};

MXERR_EXPORT int fail_by_return(int row, const char *message, size_t size, int with_payload);
int fail_by_return(int row, const char *message, size_t size, int with_payload) {
  MXERR_API(XLA_GUARD(pass_on(rows[row].returned(std::string(message, size), with_payload))));
}

MXERR_EXPORT int fail_with_payloads(int count, size_t size);
int fail_with_payloads(int count, size_t size) {
  xla::Status status = xla::XlaNotFoundError("no key");
  for (int i = 0; i < count; i++) status.SetPayload(xla::StrCat("a.b/", i), std::string(size, 'x'));
  MXERR_API(XLA_GUARD(pass_on(status)));
}

MXERR_EXPORT int fail_with_code(int code);
int fail_with_code(int code) {
  const xla::Status status(static_cast<xla::StatusCode>(code), "strange");
  MXERR_API(MXERR_GUARD(throw mxerr::Error(status.ToString())));
}

MXERR_EXPORT int fail_by_throw(int row, const char *message, size_t size, int with_payload);
int fail_by_throw(int row, const char *message, size_t size, int with_payload) {
  MXERR_API(MXERR_GUARD(rows[row].thrown(std::string(message, size), with_payload)));
}
"""
PROTOTYPES = dict.fromkeys(("fail_by_return", "fail_by_throw"), (STATUS, (c_int, c_char_p, c_size_t, c_int)))
WAYS = list(PROTOTYPES)
PROTOTYPES["fail_with_payloads"] = STATUS, (c_int, c_size_t)
PROTOTYPES["fail_with_code"] = STATUS, (c_int,)
ROWS = list(enumerate(TABLE))


IN_A_WORKER = """
import ctypes
from mxerr import Library
from mxerr.xla.exceptions import XlaError
Library({path!r}, default=XlaError)[{way!r}]({row}, b"far away", ctypes.c_size_t(8), True)
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    target = tmp_path_factory.mktemp("both sides") / "libfail.so"
    done = compile_cpp(SOURCE, target)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def library(path):
    return Library(path, prototypes=PROTOTYPES, default=XlaError, source_root=path.parent)


def fail(library, way, row, message=b"no: 100 %", caught_as=XlaError, payload=True):
    with pytest.raises(caught_as) as caught:
        getattr(library, way)(row, message, len(message), payload)
    return caught.value


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("row", "entry"), ROWS, ids=[entry[0] for entry in TABLE])
def test_a_class_is_the_same_on_both_sides(library, way, row, entry):
    name, code_name, _, builtin = entry
    cls = getattr(xla_exceptions, name)
    for caught_as in (cls, XlaError, NativeError, getattr(builtins, builtin), RuntimeError):
        error = fail(library, way, row, caught_as=caught_as)
        assert type(error) is cls
        assert (str(error), error.message, error.args) == ("no: 100 %", "no: 100 %", ("no: 100 %",))
        assert (error.code_name, error.code, error.native.code) == (code_name, cls.CODE, cls.CODE)
        assert error.payloads == {"type.example/key": b"\0'\xff"}
    functions = [frame.function for frame in error.native.frames]
    assert functions[0] == way
    assert functions[-1].partition("<")[0] == "make"  # gcc names the arguments of a template
    assert ("pass_on" in functions) is (way == "fail_by_return")


def copies(error):
    yield copy.copy(error)
    yield copy.deepcopy(error)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(error, protocol))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("row", "entry"), ROWS, ids=[entry[0] for entry in TABLE])
def test_a_raised_error_is_the_same_after_a_journey(library, way, row, entry):
    error = fail(library, way, row)
    error.add_note("a note")
    for other in copies(error):
        assert type(other) is type(error)
        assert (str(other), other.args, other.code) == (str(error), error.args, error.code)
        assert (other.payloads, other.native, other.__notes__) == (error.payloads, error.native, ["a note"])
    assert type(error)(str(error)).args == error.args


def test_errors_come_back_from_a_process_pool_with_all_they_have(library, path):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for row, (name, *_) in ROWS:
            way = WAYS[row % 2]
            code = IN_A_WORKER.format(path=str(path), way=way, row=row)
            with pytest.raises(getattr(xla_exceptions, name)) as caught:
                pool.submit(exec, code).result()
            here = fail(library, way, row, b"far away")
            assert (type(caught.value), str(caught.value)) == (type(here), "far away")
            assert (caught.value.code, caught.value.payloads) == (here.code, here.payloads)
            assert caught.value.native.frames == here.native.frames


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("message", "text"),
    [
        (b"", ""),
        (b"a\0b", "a\0b"),
        (b"%s %n %d", "%s %n %d"),
        (b"{} {0} {x!r}", "{} {0} {x!r}"),
        (b"caf\xe9", "caf\\xe9"),
        ("caf\u00e9 \u6587".encode(), "caf\u00e9 \u6587"),
        (b"NOT_FOUND: x", "NOT_FOUND: x"),
        (b"ValueError: x", "ValueError: x"),
        (b"x [a.b/c='1']", "x [a.b/c='1']"),
        (b"line\nline", "line\nline"),
    ],
)
def test_a_message_may_hold_anything(library, way, message, text):
    error = fail(library, way, 12, message, payload=False)
    assert type(error) is xla_exceptions.XlaInternalError
    assert (str(error), error.message, error.payloads) == (text, text, {})


@pytest.mark.parametrize("way", WAYS)
def test_a_message_of_a_megabyte_is_cut_and_says_so(library, way):
    error = fail(library, way, 12, b"x" * 2**20)
    assert str(error).endswith("xxx ... [cut by mxerr]")
    assert error.native.truncated
    assert error.code is xla_exceptions.StatusCode.INTERNAL


@pytest.mark.parametrize(
    ("count", "size", "kept"), [(16, 10, 16), (17, 10, 16), (40, 10, 16), (3, 2**15, 0), (3, 9000, 3)]
)
def test_payloads_that_have_no_room_are_counted_and_told(library, count, size, kept):
    with pytest.raises(xla_exceptions.XlaNotFoundError) as caught:
        library.fail_with_payloads(count, size)
    lost = count - kept
    for error in (caught.value, *copies(caught.value)):
        assert error.payloads == {f"a.b/{i}": b"x" * size for i in range(kept)}
        assert (error.payloads_omitted, error.native.truncated, str(error)) == (lost, lost > 0, "no key")
        shown = "".join(traceback.format_exception(error))
        assert (f"mxerr: {lost} attributes (payloads) of the error had no room, and are lost" in shown) is (
            lost > 0
        )


@pytest.mark.parametrize("code", [99, -7, 5])
def test_python_reads_what_cpp_prints(library, code):
    with pytest.raises(NativeError) as caught:
        library.fail_with_code(code)
    error = xla_exceptions.from_text(str(caught.value))
    assert (error.code, error.message) == (code, "strange")
