"""C in another process: it may crash, hang, exit and print; and loops in this one that the user stops."""

import ctypes
import gc
import os
import re
import signal
import sys
import threading
import time
import traceback
from contextlib import contextmanager

import pytest

import mxerr
from mxerr import compiled
from mxerr.isolated import CallTimeoutError, CrashError, IsolatedLibrary

SOURCE = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

MXERR_EXPORT int set_age(int age) {
  MXERR_CHECK_GE(age, 0, "ValueError: an age cannot be negative");
  return 0;
}
MXERR_EXPORT int crash(void) { volatile int *nowhere = NULL; return *nowhere; }
MXERR_EXPORT int give_up(void) { printf("last words"); abort(); }
MXERR_EXPORT int leave(int status) { exit(status); }
MXERR_EXPORT int hang(void) { for (;;) { } }
MXERR_EXPORT int divide(double a, double b, double *out) { *out = a / b; return 0; }
MXERR_EXPORT int fill(double *x, int n) { for (int i = 0; i < n; i++) x[i] = i; return 0; }
MXERR_EXPORT double count(void) { static int n; return ++n; }
MXERR_EXPORT const char *greet(const char *name) { printf("hello %s\\n", name); return name; }
MXERR_EXPORT int use(void *pointer) { return pointer == NULL; }
MXERR_EXPORT int silent(void) { return 7; }
MXERR_EXPORT int end_by(int number) { return raise(number); }
MXERR_EXPORT double both(double x) { return fork() == 0 ? -1 : x; }
MXERR_EXPORT void print(int times) { for (int i = 0; i < times; i++) printf("%d\\n", i); }
MXERR_EXPORT double read_input(void) { return getchar(); }
#if 0
MXERR_EXPORT int left_out(void) { return 0; }
#endif
"""


@contextmanager
def interrupted(seconds):
    """Send this process the signal of Ctrl-C from within a block, which must raise KeyboardInterrupt."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt) as caught:
        timer.start()
        yield caught
        timer.join()
        time.sleep(1)  # it comes to this process when it comes
        pytest.fail("the interrupt was lost")


@pytest.fixture(scope="module")
def built():
    return compiled.compile_source(SOURCE, "c", name="lesson.c")


@pytest.fixture
def printed():
    return []


@pytest.fixture
def library(built, printed):
    source = built.folder / "lesson.c"
    library = IsolatedLibrary(built.library, source, mxerr.NativeError, mxerr.Registry(), 60, printed.append)
    library._registry.register("ValueError", mxerr.error.ValueError)
    yield library
    library.stop()


class Gone(int):
    """Of a module that the other process does not find."""

    def __reduce__(self):
        return (Gone, ())


Gone.__module__ = "gone"
sys.modules["gone"] = sys.modules[__name__]


# ---- what comes back ----


def test_results_and_what_c_wrote_come_back(library):
    out, array = ctypes.c_double(), (ctypes.c_double * 4)()
    assert library.call("divide", 7, 2.0, out) == 0
    assert library.call("fill", array, 4) == 0
    assert out.value == 3.5
    assert list(array) == [0, 1, 2, 3]
    assert library.call("greet", b"you") == b"you"


def test_an_error_comes_back_as_what_it_is_with_its_line(library):
    with pytest.raises(mxerr.error.ValueError, match=r"age >= 0 \(-1 vs. 0\)") as caught:
        library.call("set_age", -1)
    assert "MXERR_CHECK_GE(age, 0" in "".join(traceback.format_exception(caught.value))
    assert caught.value.native.function == "set_age"
    assert library.call("set_age", 1) == 0


def test_a_status_without_a_record_is_an_error_that_says_so(library):
    with pytest.raises(mxerr.NativeError, match="silent failed with status 7 and set no error message"):
        library.call("silent")


def test_wrong_arguments_are_what_they_are_in_this_process(library):
    with pytest.raises(ctypes.ArgumentError):
        library.call("set_age", "x")
    with pytest.raises(TypeError, match="use: an argument cannot go to another process"):
        library.call("use", ctypes.pointer(ctypes.c_int()))
    with pytest.raises(TypeError, match="an argument cannot go to another process: No module named 'gone'"):
        library.call("use", Gone(1))
    assert library.call("set_age", 1) == 0


def test_variables_last_from_call_to_call_and_begin_anew_after_a_crash(library):
    assert [library.call("count"), library.call("count")] == [1, 2]
    with pytest.raises(CrashError):
        library.call("crash")
    assert library.call("count") == 1


# ---- what does not ----


@pytest.mark.parametrize(
    ("call", "number", "text"),
    [
        (("crash",), "SIGSEGV", r"crash: ended its process by SIGSEGV \(Segmentation fault\)"),
        (("give_up",), "SIGABRT", r"give_up: ended its process by SIGABRT \(Aborted\)"),
        (("leave", 3), "", r"leave: ended its process by exit\(3\)"),
        (("leave", 0), "", r"leave: ended its process by exit\(0\)"),
        (("end_by", 40), "signal 40", r"end_by: ended its process by signal 40 \("),
    ],
)
def test_a_crash_is_an_error_that_names_the_signal_and_the_function(library, call, number, text):
    with pytest.raises(CrashError, match=text) as caught:
        library.call(*call)
    assert caught.value.signal == number
    assert caught.value.native.frames[0].function == call[0]
    assert f"MXERR_EXPORT int {call[0]}(" in "".join(traceback.format_exception(caught.value))


def test_a_function_that_forks_answers_once(library):
    assert [library.call("both", x) for x in (1.0, 2.0, 3.0)] == [1, 2, 3]


def test_a_function_that_is_not_compiled_is_missing_and_the_others_are_there(library):
    with pytest.raises(AttributeError, match="left_out: the library does not export it"):
        library.call("left_out")
    assert library.call("count") == 1


def test_a_function_that_reads_its_input_finds_none(library):
    assert library.call("read_input") == -1  # EOF


def test_an_endless_loop_ends_in_time(built):
    library = IsolatedLibrary(
        built.library, built.folder / "lesson.c", mxerr.NativeError, mxerr.Registry(), 1.5
    )
    with pytest.raises(CallTimeoutError, match=r"hang: took more than 1.5 s, and was ended") as caught:
        library.call("hang")
    assert isinstance(caught.value, TimeoutError)
    assert library.call("count") == 1
    library.stop()


def test_the_user_can_stop_a_call(library):
    library.call("count")
    process = library._process
    with interrupted(1):
        library.call("hang")
    assert process.poll() == -signal.SIGKILL
    assert library.call("count") == 1


# ---- what it prints, and that it ends ----


def test_what_c_prints_is_shown_after_the_call_also_its_last_words(library, printed):
    library.call("greet", b"you")
    assert printed == ["hello you\n"]
    with pytest.raises(CrashError):
        library.call("give_up")
    assert printed == ["hello you\n", "last words"]


def test_of_much_that_c_prints_the_beginning_and_the_end_are_shown(library, printed):
    library.call("print", 300_000)
    library.call("print", 1)
    [many, one] = printed
    assert len(many) < 1_100_000
    assert many.startswith("0\n1\n2\n")
    assert many.endswith("\n299999\n")
    left_out = int(re.search(r"\n\[\.\.\. (\d+) bytes left out\]\n", many)[1])
    assert len(re.sub(r"\n\[.*\]\n", "", many)) + left_out == len("".join(f"{i}\n" for i in range(300_000)))
    assert one == "0\n"


def test_the_process_ends_with_its_library(built):
    library = IsolatedLibrary(built.library, built.folder / "lesson.c", mxerr.NativeError, mxerr.Registry())
    library.call("count")
    process = library._process
    del library
    gc.collect()
    assert process.poll() == -signal.SIGKILL


# ---- loops in this process ----

POLLING = """
#include <time.h>

static int spin(int n) {
  for (int i = 0; n < 0 || i < n; i++) MXERR_POLL();
  return 0;
}
MXERR_EXPORT int run(int n) { MXERR_API(spin(n)); }
MXERR_EXPORT int deaf(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC;
  while (clock() < end) { }
  return 0;
}
"""


@pytest.fixture(scope="module")
def polling():
    return mxerr.build(POLLING)


def test_a_loop_that_polls_stops_and_the_traceback_shows_it(polling):
    before = signal.getsignal(signal.SIGINT)
    with interrupted(1) as caught, mxerr.interruptible(polling):
        polling.run(-1)
    assert "MXERR_POLL();" in "".join(traceback.format_exception(caught.value))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_loop_that_does_not_poll_ends_first(polling):
    with interrupted(0.3), mxerr.interruptible(polling):
        begin = time.process_time()
        polling.deaf()
    assert time.process_time() - begin > 0.9


def test_afterwards_python_has_its_interrupts_again_and_c_runs_on(polling):
    with mxerr.interruptible(polling), mxerr.interruptible(polling):
        assert polling.run(1000) == 0
    with interrupted(0.2):
        time.sleep(30)
    assert polling.run(1000) == 0


def test_on_another_thread_nothing_changes(polling):
    results = []

    def call():
        with mxerr.interruptible(polling):
            results.append(polling.run(1000))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert results == [0]


def test_an_error_without_an_interrupt_stays_what_it_is(polling):
    with pytest.raises(ZeroDivisionError), mxerr.interruptible(polling):
        raise ZeroDivisionError
