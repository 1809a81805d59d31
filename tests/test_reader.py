"""How libraries hand out their errors: which last-error function is asked, and what a status says."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys

import pytest
from support.compiler import compile_c
from support.threads import together

from mxerr import Library, NativeError, NativeReport, error
from mxerr.last_error import Texts
from mxerr.library import STATUS
from mxerr.registry import GLOBAL

SOURCE = r"""
static _Thread_local const char *first = "", *second = "";
int AX_fail(const char *text) { first = text; return -1; }
int BX_fail(const char *text) { second = text; return -1; }
int BX_other(const char *text) { first = text; return -1; }
int fail_with(int status, const char *text) { first = text; return status; }
int AX_count(void) { return 3; }
int AX_Version(void) { return 203; }
int check(int status) { first = "named like a method"; return status; }
const char *AX_error(void) { return first; }
const char *BX_error(void) { return second; }
"""

BY_PREFIX = {"AX_": "AX_error", "BX_": "BX_error", "BX_other": ("BX_error", "AX_error"), "": "AX_error"}
PROTOTYPES = {"fail_with": (STATUS, (ctypes.c_int, ctypes.c_char_p))}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return compile_c(SOURCE, tmp_path_factory.mktemp("two") / "libtwo.so")


@pytest.fixture
def clean(path):
    """Both last errors are empty."""
    cdll = ctypes.CDLL(str(path))
    cdll.AX_fail(b"")
    cdll.BX_fail(b"")
    return path


def said(library, function, text=b""):
    with pytest.raises(NativeError) as caught:
        library[function](text)
    return str(caught.value)


# ---- which function is asked ----


def test_the_prefix_of_a_function_says_which_last_error_is_its_own(clean):
    library = Library(clean, last_error=BY_PREFIX)
    assert said(library, "AX_fail", b"ValueError: from A") == "from A"
    assert said(library, "BX_fail", b"ValueError: from B") == "from B"
    assert said(library, "AX_fail", b"A again") == "A again"


def test_a_whole_name_is_the_longest_prefix_and_falls_back_to_the_next_function(clean):
    library = Library(clean, last_error=BY_PREFIX)
    assert said(library, "BX_other", b"in the other one") == "in the other one"
    said(library, "BX_fail", b"in its own")
    assert said(library, "BX_other", b"in the other one") == "in its own"


@pytest.mark.parametrize("last_error", ["AX_error", ["BX_error", "AX_error"], {"": "AX_error"}])
def test_functions_without_an_entry_of_their_own_share_the_rest(clean, last_error):
    assert said(Library(clean, last_error=last_error), "BX_other", b"shared") == "shared"


@pytest.mark.parametrize("last_error", [(), {}, {"BX_": "BX_error"}, {"": ()}])
def test_where_none_is_to_be_asked_function_and_status_are_said(clean, last_error):
    library = Library(clean, last_error=last_error)
    assert said(library, "AX_fail", b"unheard") == (
        "AX_fail failed with status -1 and set no error message (no function of last_error is for it)"
    )


@pytest.mark.parametrize("last_error", [(), "AX_error"])
def test_a_positive_result_may_be_no_status_and_the_error_says_so(clean, last_error):
    library = Library(clean, last_error=last_error)
    with pytest.raises(
        NativeError, match=r"AX_count failed with status 3 and .*if its result is no status, name it in"
    ):
        library.AX_count()
    assert Library(clean, last_error=last_error, unchecked=["*_count"]).AX_count() == 3


def test_a_name_that_is_not_exported_is_told_at_once(clean):
    with pytest.raises(
        AttributeError, match="last_error: expected a function of the library, got 'CX_error'"
    ):
        Library(clean, last_error={"": "AX_error", "CX_": "CX_error"})


def test_a_reader_of_errors_may_be_given_instead(clean):
    asked = []

    def make(cdll):
        def read(function, status, known):
            asked.append((cdll, function, status, known("ValueError"), known("QuotaError")))
            return NativeReport("read", "read", "ValueError", function=function, status=status)

        return read

    cdll = ctypes.CDLL(str(clean))
    with pytest.raises(error.ValueError, match=r"^read$"):
        Library(cdll, last_error=make).AX_fail(b"")
    assert asked == [(cdll, "AX_fail", -1, True, False)]


def test_the_functions_of_others_are_not_touched(clean):
    cdll = ctypes.CDLL(str(clean))
    cdll.AX_error.restype = ctypes.c_void_p
    Texts(cdll, "AX_error")
    library = Library(cdll, last_error="AX_error", prototypes=PROTOTYPES)
    said(library, "AX_fail", b"text")
    assert cdll.AX_error.restype is ctypes.c_void_p
    assert cdll.fail_with.argtypes is None
    assert cdll.AX_fail.restype is ctypes.c_int


# ---- what a status says ----


class QuotaError(NativeError):
    pass


@pytest.mark.parametrize(
    ("status", "text", "cls"),
    [
        (-2, b"no kind", error.IndexError),
        (-2, b"", error.IndexError),
        (-2, b"KeyError: not registered", error.IndexError),
        (-2, b"ValueError: registered", error.ValueError),
        (-3, b"no kind", QuotaError),
        (-1, b"no kind", NativeError),
    ],
)
def test_a_status_picks_the_class_where_the_text_does_not(clean, status, text, cls):
    statuses = {-2: error.IndexError, -3: QuotaError}
    library = Library(clean, last_error="AX_error", prototypes=PROTOTYPES, statuses=statuses)
    with pytest.raises(cls) as caught:
        library.fail_with(status, text)
    assert type(caught.value) is cls
    assert caught.value.native.status == status


class TwoArguments(Exception):
    def __init__(self, text, more):
        super().__init__(text, more)


@pytest.mark.parametrize("options", [{"default": TwoArguments}, {"statuses": {-1: TwoArguments}}])
def test_a_class_that_cannot_be_made_from_a_text_is_refused_at_once(clean, options):
    with pytest.raises(TypeError, match="TwoArguments must be made from one string"):
        Library(clean, **options)


def test_functions_that_return_a_number_are_left_alone(clean):
    library = Library(clean, last_error="AX_error", unchecked=("*Version", "AX_fail"))
    assert library.AX_Version() == 203
    assert library.AX_fail(b"text") == -1
    with pytest.raises(NativeError, match="203"):
        Library(clean).AX_Version()


def test_a_function_named_like_a_method_is_found_by_index(clean):
    library = Library(clean, last_error="AX_error")
    assert library["check"](0) == 0
    with pytest.raises(NativeError, match="named like a method"):
        library["check"](5)
    with pytest.raises(AttributeError, match="no_such"):
        library["no_such"]


def test_a_library_registers_kinds_for_itself_alone(clean):
    one, other = (Library(clean, last_error="AX_error") for _ in range(2))
    one.registry.register("QuotaError", QuotaError)
    with pytest.raises(QuotaError, match=r"^used up$"):
        one.AX_fail(b"QuotaError: used up")
    assert said(other, "AX_fail", b"QuotaError: used up") == "QuotaError: used up"
    assert "QuotaError" not in GLOBAL


# ---- destructors, threads, the end ----


def test_an_unchecked_function_has_the_argument_types_and_raises_nothing(clean):
    library = Library(clean, prototypes=PROTOTYPES)
    free = library.unchecked("fail_with")
    assert free.argtypes == (ctypes.c_int, ctypes.c_char_p)
    assert free(-7, b"text") == -7


def test_a_destructor_that_fails_while_an_error_is_handled_does_not_change_it(clean):
    library = Library(clean, last_error="AX_error")
    free = library.unchecked("AX_fail")

    class Handle:
        def __del__(self):
            free(b"ValueError: of the destructor")

    with pytest.raises(NativeError) as caught:
        library.AX_fail(b"IndexError: of the call")
    Handle()
    gc.collect()
    assert (type(caught.value), str(caught.value)) == (error.IndexError, "of the call")


def test_threads_read_their_own_text(clean):
    library = Library(clean, last_error=BY_PREFIX)
    wrong = []

    def run(number):
        for turn in range(500):
            for function in ("AX_fail", "BX_fail"):
                text = f"{function} {number} {turn}"
                try:
                    library[function](text.encode())
                except NativeError as caught:
                    wrong.extend([] if str(caught) == text else [caught])

    together(run, 6)
    assert wrong == []


AT_EXIT = """
import ctypes, sys
from mxerr import Library

library = Library(sys.argv[1], last_error="AX_error")

class Handle:
    def __init__(self):
        self.free = library.unchecked("AX_fail")
    def __del__(self):
        self.free(b"too late")

kept = Handle()
kept.itself = kept
"""


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "exit(0)"])
def test_nothing_is_said_when_handles_outlive_the_program(clean, end):
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT + end, str(clean)],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
