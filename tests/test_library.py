"""Checked libraries: real C libraries, with records and with a last-error text only."""

from __future__ import annotations

import ctypes
import os
import re
import traceback

import pytest
from support.compiler import compile_c
from support.shelf import interactive_shell
from support.threads import together

from mxerr import Library, NativeError, error
from mxerr.library import STATUS
from mxerr.registry import GLOBAL, Registry
from mxerr.report import NativeFrame

TEXT_SOURCE = r"""
#include <stddef.h>
static _Thread_local const char *last_error;
int ok(void) { return 0; }
int fail(int status) { last_error = "[12:00:00] op.c:5: Check failed: !ns::ok(x): ValueError: bad"; return status; }
int fail_with(const char *text) { last_error = text; return -1; }
const char *foo_last_error(void) { return last_error; }
#include <stdint.h>
int64_t wide(int64_t status) { last_error = "IndexError: wide"; return status; }
_Bool done(int really) { last_error = "KeyError: undone"; return really; }
uint32_t unsigned_one(uint32_t status) { return status; }
double half(double x) { return x / 2; }
"""

RECORD_SOURCE = r"""
#define MXERR_IMPLEMENTATION
#include "mxerr/mxerr.h"
static int inner(int a, int b) {
  MXERR_CHECK_EQ(a, b, "ValueError: differ by %d. " MXERR_VALUE("a", "%d"), a - b, a);
  return 0;
}
MXERR_EXPORT int same(int a, int b);
int same(int a, int b) { MXERR_API(inner(a, b)); }
static int named(const char *text) { MXERR_FAIL("my.QuotaError: %s", text); }
MXERR_EXPORT int quota(const char *text);
int quota(const char *text) { MXERR_API(named(text)); }
static int worded(void) { MXERR_FAIL("shape: (2,3) is bad"); }
MXERR_EXPORT int words(void);
int words(void) { MXERR_API(worded()); }
MXERR_EXPORT int silent(void);
int silent(void) { return -7; }
static int nothing_said(void) { return -1; }
MXERR_EXPORT int unsaid(void);
int unsaid(void) { MXERR_API(nothing_said()); }
MXERR_EXPORT int destroy(int a);
int destroy(int a) { MXERR_API_QUIET(inner(a, 0)); }
static int deep(int n) {
  if (n == 0) MXERR_FAIL("IndexError: too deep");
  MXERR_TRY_WITH(deep(n - 1), MXERR_LOCAL("n", "%d"), n);
  return 0;
}
MXERR_EXPORT int dive(int n);
int dive(int n) { MXERR_API(deep(n)); }
"""


@pytest.fixture(scope="module")
def text_path(tmp_path_factory):
    return compile_c(TEXT_SOURCE, tmp_path_factory.mktemp("text") / "libtext.so")


@pytest.fixture(scope="module")
def record_path(tmp_path_factory):
    return compile_c(RECORD_SOURCE, tmp_path_factory.mktemp("record") / "librecord.so")


@pytest.fixture
def texts(text_path):
    prototypes = {"half": (ctypes.c_double, (ctypes.c_double,)), "fail_with": (STATUS, (ctypes.c_char_p,))}
    return Library(text_path, last_error="foo_last_error", prototypes=prototypes)


@pytest.fixture
def records(record_path):
    return Library(str(record_path), source_root=record_path.parent)


# ---- a library with a text ----


def test_a_success_gives_the_status_and_other_results_pass_through(texts):
    assert texts.ok() == 0
    assert texts.half(3.0) == 1.5


@pytest.mark.parametrize("status", [-1, 1, 2**31 - 1, -(2**31)])
def test_every_status_but_0_raises_the_typed_error(texts, status):
    with pytest.raises(ValueError, match=re.escape("Check failed: !ns::ok(x): bad")) as caught:
        texts.fail(status)
    report = caught.value.native
    assert type(caught.value) is error.ValueError
    assert (report.kind, report.function, report.status) == ("ValueError", "fail", status)
    assert (report.check.condition, report.message) == ("!ns::ok(x)", "bad")
    assert report.frames == (NativeFrame("", "op.c", 5),)


def test_a_status_of_another_type_is_given_to_check(text_path):
    prototypes = {"wide": (ctypes.c_int64, (ctypes.c_int64,)), "done": (ctypes.c_bool, (ctypes.c_int,))}
    library = Library(text_path, last_error="foo_last_error", prototypes=prototypes, statuses={-1: OSError})
    library.check(library.wide(0), "wide")
    with pytest.raises(error.IndexError, match="wide") as caught:
        library.check(library.wide(2**32), "wide")  # of which a C int would see 0
    assert (caught.value.native.function, caught.value.native.status) == ("wide", 2**32)
    library.check(not library.done(1), "done")
    with pytest.raises(NativeError, match="KeyError: undone"):
        library.check(not library.done(0), "done")
    with pytest.raises(OSError, match="undone"):
        library.unsigned_one(ctypes.c_uint32(2**32 - 1))  # a C int has these bits for -1


@pytest.mark.parametrize("text", [None, b"", b"  \n"])
def test_no_text_gives_the_default_class_function_and_status(texts, text):
    with pytest.raises(NativeError) as caught:
        texts.fail_with(text)
    assert type(caught.value) is NativeError
    assert "fail_with" in str(caught.value)
    assert "-1" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "cls", "shown"),
    [
        (b"ValueError: caf\xe9", error.ValueError, "caf\\xe9"),
        ("ValueError: \u6587".encode()[:-1], error.ValueError, "\\xe6\\x96"),
        (b"SystemExit: 3", NativeError, "SystemExit: 3"),
        (b"KeyboardInterrupt: stop", NativeError, "KeyboardInterrupt: stop"),
        (b"std::bad_alloc", NativeError, "std::bad_alloc"),
        (b"shape: (2,3) is bad", NativeError, "shape: (2,3) is bad"),
        (b"3: foo", NativeError, "3: foo"),
        (b"http://a.b", NativeError, "http://a.b"),
        (b"UnheardOfError: x", NativeError, "UnheardOfError: x"),
    ],
)
def test_texts_become_errors_and_keep_their_words(texts, text, cls, shown):
    with pytest.raises(cls) as caught:
        texts.fail_with(text)
    assert type(caught.value) is cls
    assert str(caught.value) == shown
    assert caught.value.native.raw == text


@pytest.mark.parametrize("digits", ["0", "-1", "2147483648", "9" * 20, ""])
def test_a_line_number_that_cannot_be_does_not_keep_the_error_back(texts, digits):
    with pytest.raises(error.ValueError, match=r"^bad$") as caught:
        texts.fail_with(f'ValueError: bad\nStack trace:\n  File "a.c", line {digits}, in f\n'.encode())
    (frame,) = caught.value.native.frames
    assert (frame.function, frame.file, frame.line) == ("f", "a.c", 0)
    shown = "".join(traceback.format_exception(caught.value))
    assert "in f\n" in shown
    assert shown.endswith("ValueError: bad\n")


def test_hasattr_says_no_where_c_knows_no_attribute(texts):
    class Handle:
        def __getattr__(self, name):
            texts.fail_with(rb"[23:21:56] C:\src\a.cc:9: AttributeError: no attr " + name.encode())

    assert not hasattr(Handle(), "z")
    with pytest.raises(error.AttributeError, match=r"^no attr z$") as caught:
        Handle().z  # noqa: B018  # it raises
    assert caught.value.native.frames == (NativeFrame("", "C:\\src\\a.cc", 9),)


def test_the_text_of_a_key_error_is_readable_everywhere(texts):
    class NoSuchKey(NativeError, KeyError):
        pass

    texts.registry.register("KeyError", NoSuchKey)
    with pytest.raises(KeyError) as caught:
        texts.fail_with(b"KeyError: no op 'foo'\nhint: bar")
    assert type(caught.value) is NoSuchKey
    assert caught.value.args == (str(caught.value),) == ("no op 'foo'\nhint: bar",)
    shown = "".join(traceback.format_exception_only(caught.value))
    assert shown.endswith(".NoSuchKey: no op 'foo'\nhint: bar\n")
    with interactive_shell() as shell:
        printed = "\n".join(shell.InteractiveTB.structured_traceback(caught.type, caught.value, caught.tb))
    assert "NoSuchKey: no op 'foo'\nhint: bar" in printed


def test_a_library_that_is_loaded_already_is_not_altered(text_path):
    cdll = ctypes.CDLL(str(text_path))
    cdll.fail.restype = ctypes.c_short
    library = Library(cdll, last_error="foo_last_error")
    with pytest.raises(ValueError, match="bad"):
        library.fail(-1)
    assert cdll.fail.restype is ctypes.c_short
    assert cdll.fail(-1) == -1


def test_a_function_is_made_once(texts):
    assert texts.ok is texts.ok


def test_what_is_not_exported_is_an_attribute_error(texts):
    with pytest.raises(AttributeError, match="no_such_function"):
        texts.no_such_function()
    assert not hasattr(texts, "no_such_function")
    assert not hasattr(texts, "__array__")


def test_a_missing_last_error_function_is_told_at_once(text_path):
    with pytest.raises(AttributeError, match="no_such_last_error"):
        Library(text_path, last_error="no_such_last_error")


def test_a_missing_library_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="missing"):
        Library(tmp_path / "missing.so")


# ---- a library with records ----


def test_a_record_is_read_with_its_values_and_frames(records):
    assert records.same(2, 2) == 0
    with pytest.raises(
        ValueError, match=re.escape("Check failed: a == b (1 vs. 3) : differ by -2. a = 1")
    ) as caught:
        records.same(1, 3)
    report = caught.value.native
    assert [(f.function, f.file, dict(f.values)) for f in report.frames] == [
        ("same", "librecord.c", {}),
        ("inner", "librecord.c", {"a": "1", "b": "3"}),
    ]
    assert (report.function, report.status, report.raw) == ("same", -1, b"")


def test_the_kind_is_taken_from_the_format_and_never_from_a_value(records):
    with pytest.raises(NativeError) as caught:
        records.quota(b"ValueError: x")
    assert caught.value.kind == "my.QuotaError"
    assert str(caught.value) == "my.QuotaError: ValueError: x"

    class QuotaError(Exception):
        pass

    with GLOBAL.temporary(**{"my.QuotaError": QuotaError}), pytest.raises(QuotaError) as plain:
        records.quota(b"ValueError: x")
    assert str(plain.value) == "ValueError: x"
    assert plain.value.native.kind == "my.QuotaError"


def test_a_word_before_a_colon_is_no_kind(records):
    with pytest.raises(NativeError) as caught:
        records.words()
    assert caught.value.kind is None
    assert str(caught.value) == "shape: (2,3) is bad"
    with GLOBAL.temporary(shape=error.ValueError), pytest.raises(ValueError, match=r"^\(2,3\) is bad$"):
        records.words()


def test_a_status_without_an_error_never_raises_an_earlier_one(records):
    for _ in range(2):
        with pytest.raises(ValueError, match="differ"):
            records.same(1, 2)
        with pytest.raises(NativeError, match="silent failed with status -7 and set no error message"):
            records.silent()


def test_an_error_waits_through_a_success_and_a_destructor_and_is_not_the_next_ones(records):
    assert records.unchecked("same")(5, 2) == -1
    assert records.unchecked("same")(1, 1) == 0
    assert records.unchecked("destroy")(9) == -1
    assert records.error(-1, "same").native.check.left == "5"
    assert records.unchecked("same")(5, 2) == -1
    with pytest.raises(NativeError, match=r"^a call in unsaid failed without saying why$"):
        records.unsaid()


def test_sources_are_found_from_any_working_folder(record_path, tmp_path, monkeypatch):
    monkeypatch.chdir(record_path.parent)
    library = Library(record_path, source_root=".")
    (tmp_path / "librecord.c").write_text("not this one\n" * 100)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="differ") as caught:
        library.same(1, 3)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line.startswith("MXERR_CHECK_EQ(a, b")


def test_names_may_be_bytes(record_path):
    library = Library(os.fsencode(record_path), source_root=os.fsencode(record_path.parent))
    assert library.same(1, 1) == 0


def test_without_a_record_the_last_error_text_counts(tmp_path):
    source = (
        RECORD_SOURCE
        + """
static const char *text = "";
MXERR_EXPORT int older(const char *message);
int older(const char *message) { text = message; return -1; }
MXERR_EXPORT const char *GetLastError(void);
const char *GetLastError(void) { return text; }
"""
    )
    library = Library(compile_c(source, tmp_path / "libboth.so"), last_error="GetLastError")
    with pytest.raises(error.IndexError, match=r"^the old way$"):
        library.older(b"IndexError: the old way")
    with pytest.raises(error.ValueError, match="differ"):
        library.same(1, 2)


@pytest.mark.parametrize("prototypes", [5, [1], {"same": 5}, {"same": (ctypes.c_int,)}, {"same": "int"}])
def test_prototypes_of_another_form_are_refused_by_name(record_path, prototypes):
    with pytest.raises(TypeError, match=r"prototypes.*: expected a (pair|mapping).*, got "):
        Library(record_path, prototypes=prototypes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"statuses": {"-1": OSError}}, "statuses: expected ints as keys, got '-1'"),
        ({"registry": {}}, "registry: expected a Registry, got {}"),
        ({"last_error": {"": None}}, "last_error: expected the name of a function, got None"),
        ({"last_error": 5}, "last_error: expected the name of a function, got 5"),
        ({"last_error": ["same", 5]}, "last_error: expected the name of a function, got 5"),
    ],
)
def test_options_of_another_form_are_refused_by_name(record_path, options, said):
    with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
        Library(record_path, **options)


@pytest.mark.parametrize("unchecked", ["*ame", ["*ame"], (name for name in ["*ame"])], ids=type)
def test_one_name_of_unchecked_is_no_list_of_letters(record_path, unchecked):
    library = Library(record_path, unchecked=unchecked)
    assert library.same(1, 2) == library.same(1, 2) == -1
    with pytest.raises(IndexError):
        library.dive(1)


def test_sources_that_are_nowhere_are_told_at_once(record_path):
    with pytest.raises(NotADirectoryError, match="source_root: expected a folder, got '/no/such'"):
        Library(record_path, source_root="/no/such")


def test_bytes_that_are_no_utf_8_are_shown_escaped(records):
    with pytest.raises(NativeError, match=r"caf\\xe9 \\xff"):
        records.quota(b"caf\xe9 \xff")


@pytest.mark.parametrize("depth", [0, 1, 62, 63, 64, 500, 5000])
def test_of_many_frames_the_first_and_the_last_are_kept(records, depth):
    with pytest.raises(IndexError, match="too deep") as caught:
        records.dive(depth)
    report = caught.value.native
    total = depth + 2
    assert len(report.frames) + report.frames_omitted == total
    assert len(report.frames) == min(total, 64)
    assert (report.frames[0].function, report.frames[-1].values) == ("dive", ())
    inner = [int(dict(frame.values)["n"]) for frame in report.frames[-2:-30:-1] if frame.values]
    assert inner == list(range(1, 1 + len(inner)))


def test_two_libraries_do_not_see_each_others_errors(record_path, tmp_path):
    other_path = compile_c(RECORD_SOURCE.replace("too deep", "another"), tmp_path / "libother.so")
    one = Library(ctypes.CDLL(str(record_path), ctypes.RTLD_GLOBAL))
    other = Library(ctypes.CDLL(str(other_path), ctypes.RTLD_GLOBAL))
    assert one.unchecked("dive")(0) == other.unchecked("dive")(0) == -1
    with pytest.raises(IndexError, match="another"):
        other.check(-1)
    with pytest.raises(IndexError, match="too deep"):
        one.check(-1)


def test_a_library_has_its_own_registry_and_default_class(record_path):
    class FooError(NativeError):
        pass

    class FooValueError(FooError, ValueError):
        pass

    registry = Registry(GLOBAL)
    registry.register("ValueError", FooValueError)
    library = Library(record_path, default=FooError, registry=registry)
    with pytest.raises(FooValueError):
        library.same(1, 2)
    with pytest.raises(IndexError):
        library.dive(1)
    with pytest.raises(FooError, match="shape"):
        library.words()


def test_threads_read_their_own_errors(records):
    wrong: list[object] = []

    def fail(number: int) -> None:
        for turn in range(1000):
            try:
                records.same(number, -turn - 1)
            except ValueError as caught:
                if f"({number} vs. {-turn - 1})" not in str(caught):
                    wrong.append(caught)

    together(fail, 8)
    assert wrong == []
