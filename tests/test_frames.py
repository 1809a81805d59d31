"""C frames are real frames, cost little, and keep nothing of the program alive."""

import concurrent.futures
import contextlib
import copy
import gc
import inspect
import itertools
import multiprocessing
import pickle
import traceback
import tracemalloc
import weakref

import pytest
from support.threads import together

from mxerr import Check, MXNetError, NativeError, NativeFrame, NativeReport, frames, np, source
from mxerr.error import ValueError as NativeValueError
from mxerr.exception import make_exception
from mxerr.frames import NativeValue, traceback_of
from mxerr.registry import GLOBAL

SOURCE = """#include <a.h>
static int infer_shape(int ndim) {
  int a = 0;
  MXERR_CHECK_EQ(a.size, ndim, "bad");
  return 0;
}
"""
CHECK_LINE = 4


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "op.c"
    file.write_text(SOURCE)
    return str(file)


def report(*c_frames, check=None, **parts):
    return NativeReport("bad", "bad", kind="ValueError", check=check, frames=c_frames, **parts)


def entries(traceback):
    """Give the entries of a traceback, outermost first."""
    while traceback:
        yield traceback
        traceback = traceback.tb_next


def entry_of(*args, check=None):
    (entry,) = entries(traceback_of(report(NativeFrame(*args), check=check)))
    return entry


# ---- one frame ----


def test_a_frame_says_where_in_c_it_stands(file):
    entry = entry_of("infer_shape", file, CHECK_LINE, (("a.size", "2"), ("ndim", "3")))
    frame = entry.tb_frame
    assert (frame.f_code.co_filename, frame.f_code.co_name) == (file, "infer_shape")
    assert frame.f_code.co_qualname == "infer_shape"
    assert (entry.tb_lineno, frame.f_lineno) == (CHECK_LINE, CHECK_LINE)
    assert frame.f_code.co_firstlineno == 2
    assert dict(frame.f_locals) == {"a.size": "2", "ndim": "3"}
    assert inspect.getargvalues(frame).args == ["a.size", "ndim"]
    assert inspect.getframeinfo(entry).code_context == ['  MXERR_CHECK_EQ(a.size, ndim, "bad");\n']


def test_every_instruction_of_a_frame_stands_for_the_line(file):
    code = entry_of("infer_shape", file, CHECK_LINE, check=Check("a.size == ndim", "2", "3")).tb_frame.f_code
    columns = 17, 29
    assert set(code.co_positions()) == {(CHECK_LINE, CHECK_LINE, *columns)}
    assert {line for *_, line in code.co_lines()} == {CHECK_LINE}
    code = entry_of("infer_shape", file, CHECK_LINE).tb_frame.f_code
    assert set(code.co_positions()) == {(CHECK_LINE, CHECK_LINE, None, None)}


def forget_places():
    frames._place.cache_clear()
    frames._ready.cache_clear()


@pytest.mark.parametrize("line", [1, 63, 64, 2**20, 2**31 - 1])
@pytest.mark.parametrize("first", [1, 31, 32, 63])
@pytest.mark.parametrize("columns", [None, (0, 1), (62, 63), (63, 64), (1000, 10**6)])
def test_positions_of_any_size(monkeypatch, line, first, columns):
    forget_places()
    monkeypatch.setattr(source, "function_line", lambda *_: min(first, line))
    monkeypatch.setattr(source, "check_columns", lambda *_: columns)
    entry = entry_of("f", "/no/such.c", line)
    forget_places()
    assert set(entry.tb_frame.f_code.co_positions()) == {(line, line, *(columns or (None, None)))}
    assert (entry.tb_lineno, entry.tb_frame.f_lineno) == (line, line)


@pytest.mark.parametrize(
    ("line", "shown"),
    [(0, 0), (-1, 0), (1, 1), (2**31 - 1, 2**31 - 1), (2**31, 0), (-(2**31), 0), (10**20, 0), (-(10**20), 0)],
)
def test_a_line_that_python_cannot_hold_is_0(line, shown, file):
    for name in (file, "/no/such.c", "", "op.c"):
        entry = entry_of("f", name, line)
        assert (entry.tb_lineno, entry.tb_frame.f_lineno) == (shown, shown)


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        ("", "?"),
        ("f", "f"),
        ("ns::A<int>::operator()(int) const", "ns::A<int>::operator()(int) const"),
        ("naïve", "naïve"),
        ("a\nb", r"a\nb"),
        ("a\0b", r"a\x00b"),
        ("\ud800", r"\ud800"),
        ("\x1b[31m", r"\x1b[31m"),
    ],
)
def test_a_function_is_shown_in_one_line(function, shown):
    code = entry_of(function).tb_frame.f_code
    assert (code.co_name, code.co_qualname) == (shown, shown)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), ()),
        (("axes.ndim", "param->axes[0]"), ("axes.ndim", "param->axes[0]")),
        (("a", "b", "a", "a"), ("a", "b", "a (2)", "a (3)")),
        (("", ""), ("?", "? (2)")),
        (("a\nb", "\ud800", "ü"), (r"a\nb", r"\ud800", "ü")),
        (("__tracebackhide__", "__debuggerskip__"), ("C __tracebackhide__", "C __debuggerskip__")),
        (
            ("_rich_traceback_omit", "_rich_traceback_guard"),
            ("C _rich_traceback_omit", "C _rich_traceback_guard"),
        ),
        (("@x",), ("C @x",)),
        (tuple(f"v{i}" for i in range(300)), tuple(f"v{i}" for i in range(300))),
    ],
)
def test_each_value_is_a_local_under_its_name(names, shown):
    frame = entry_of("f", "", 0, tuple((name, str(i)) for i, name in enumerate(names))).tb_frame
    assert frame.f_code.co_varnames == shown
    assert dict(frame.f_locals) == {name: str(i) for i, name in enumerate(shown)}


@pytest.mark.parametrize(
    ("text", "shown"),
    [("[0,0,1]", "[0,0,1]"), ("'", "'"), ("ü", "ü"), ("", ""), ("a\nb", r"'a\nb'"), ("\ud800", r"'\ud800'")],
)
def test_a_value_is_shown_as_c_printed_it(text, shown):
    value = NativeValue(text)
    assert value == text
    assert repr(value) == shown
    assert repr(pickle.loads(pickle.dumps(value))) == shown


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("axes.ndim", "3"),
        ("a.b.c", "4"),
        ("ndim", "5"),
        ("print.x", "6"),
        ("len(axes.ndim)", 1),
        ("__name__", "<C>"),
    ],
)
def test_a_debugger_finds_members_of_structs(expression, result):
    names = ("axes.ndim", "a.b.c", "ndim", "print.x", "__name__.x", "__builtins__.x", "__tracebackhide__.x")
    frame = entry_of("f", "", 0, tuple(zip(names, "3456789", strict=True))).tb_frame
    assert eval(expression, frame.f_globals, frame.f_locals) == result
    assert "__tracebackhide__" not in frame.f_globals


@pytest.mark.parametrize("expression", ["axes.x", "axes.n", "axes.__len__", "copy(axes).x"])
def test_a_debugger_is_told_of_members_that_c_did_not_give(expression):
    frame = entry_of("f", "", 0, (("axes.ndim", "3"), ("axes.nx", "4"))).tb_frame
    with pytest.raises(AttributeError):
        eval(expression, {**frame.f_globals, "copy": copy.copy}, dict(frame.f_locals))


# ---- the traceback ----


def test_entries_come_in_the_order_of_the_calls_behind_those_of_python(file):
    with pytest.raises(NativeError) as caught:
        np.array([[1.0]]).transpose((0, 0))
    names = [entry.tb_frame.f_code.co_name for entry in entries(caught.value.__traceback__)]
    in_c = [frame.function for frame in caught.value.native.frames]
    assert names[-len(in_c) :] == in_c
    assert in_c[0] == "MXImperativeInvoke"
    assert in_c[-1] == "transpose_infer_shape"
    assert names[0] == "test_entries_come_in_the_order_of_the_calls_behind_those_of_python"


def test_frames_may_be_cleared_as_unittest_does(file):
    made = traceback_of(report(NativeFrame("infer_shape", file, CHECK_LINE, (("a", "1"),))))
    traceback.clear_frames(made)
    assert traceback.extract_tb(made)[0].line == 'MXERR_CHECK_EQ(a.size, ndim, "bad");'
    assert not made.tb_frame.f_locals


def test_a_report_without_frames_has_no_traceback():
    assert traceback_of(report()) is None


@pytest.mark.parametrize(
    ("given", "omitted", "shown"),
    [
        (["a", "b", "c", "d"], 0, ["a", "b", "c", "d"]),
        (["a", "b", "c", "d"], 7, ["a", "b", "[7 C frames omitted]", "c", "d"]),
        (["a", "b", "c"], 1, ["a", "[1 C frames omitted]", "b", "c"]),
        ([], 2, ["[2 C frames omitted]"]),
    ],
)
def test_a_gap_stands_for_the_frames_that_c_dropped(given, omitted, shown):
    made = traceback_of(report(*map(NativeFrame, given), frames_omitted=omitted))
    assert [entry.tb_frame.f_code.co_name for entry in entries(made)] == shown


def test_only_the_innermost_frame_has_the_check_underlined(file):
    frame = NativeFrame("infer_shape", file, CHECK_LINE)
    made = traceback_of(report(frame, frame, check=Check("a.size == ndim", "2", "3")))
    assert [summary.colno for summary in traceback.extract_tb(made)] == [None, 17]


@pytest.mark.parametrize("values", [(("a", "1"), ("b", "2")), (("a", "3"), ("b", "4"))])
def test_other_values_need_no_other_code(values, file):
    first = entry_of("f", file, CHECK_LINE, (("a", "0"), ("b", "0")), check=Check("a == b", "0", "1"))
    entry = entry_of("f", file, CHECK_LINE, values, check=Check("a == b", *(value for _, value in values)))
    assert entry.tb_frame.f_code is first.tb_frame.f_code


@pytest.mark.parametrize(
    "other",
    [
        NativeFrame("g", "/a.c", 1, (("a", "1"),)),
        NativeFrame("f", "/b.c", 1, (("a", "1"),)),
        NativeFrame("f", "/a.c", 2, (("a", "1"),)),
        NativeFrame("f", "/a.c", 1, (("b", "1"),)),
        NativeFrame("f", "/a.c", 1, ()),
    ],
)
def test_another_place_has_other_code(other):
    frame = NativeFrame("f", "/a.c", 1, (("a", "1"),))
    made = list(entries(traceback_of(report(frame, other))))
    assert made[0].tb_frame.f_code is not made[1].tb_frame.f_code


def test_a_failure_in_making_frames_is_a_note_on_the_users_error(monkeypatch):
    def fail(*args):
        raise LookupError("forced")

    forget_places()
    monkeypatch.setattr(source, "find", fail)
    with pytest.raises(NativeValueError, match="Repeated axis") as caught:
        np.array([[1.0]]).transpose((0, 0))
    assert caught.value.__notes__ == ["mxerr: the C frames could not be shown: LookupError: forced"]


# ---- what is kept alive ----


class Local:
    """Something that a failing caller holds."""


def fail_and_watch():
    local = Local()
    # what it raises is not looked at: before Python 3.13 to ask for the f_locals would keep it alive
    with contextlib.suppress(ValueError):
        np.array([[1.0]]).transpose((0, 0))
    return weakref.ref(local)


def test_a_frame_has_no_caller():
    assert entry_of("f").tb_frame.f_back is None
    assert list(entries(np_error((0, 0)).__traceback__))[-1].tb_frame.f_back is None


def test_nothing_of_the_failing_caller_stays_alive_after_except():
    gc.collect()
    gc.disable()
    try:
        assert fail_and_watch()() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


PLACES = 1500  # more than a cache holds


def many_errors(count):
    """Raise errors that differ in message, check and values, and from time to time in file and line."""
    for i in range(count):
        place = i // 4 % PLACES
        frame = NativeFrame(f"f{place % 7}", f"/no/such{place}.c", place, (("v", str(i)), ("w", str(-i))))
        check = Check("a == b", str(i), "0")
        other = NativeReport(
            f"bad {i}", f"bad {i}", "ValueError", check, (frame, frame), frames_omitted=i % 2
        )
        with contextlib.suppress(NativeValueError):
            raise make_exception(other, GLOBAL, NativeError)


def test_errors_leave_no_memory_behind():
    every_place = 4 * PLACES
    many_errors(every_place)
    tracemalloc.start()
    try:
        used = [memory_after_errors(every_place) for _ in range(4)]
    finally:
        tracemalloc.stop()
    # a table of Python's own may grow once; a leak grows each time
    assert min(after - before for before, after in itertools.pairwise(used)) < 10_000
    assert frames._place.cache_info().currsize <= 1024
    assert frames._ready.cache_info().currsize <= 256


def memory_after_errors(count):
    many_errors(count)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_errors_in_8_threads_are_each_its_own():
    wrong = []

    def raise_many(thread):
        for i in range(1000):
            frame = NativeFrame(f"f{thread}", "/no/such.c", i + 1, (("i", f"{thread} {i}"),))
            error = make_exception(report(frame), GLOBAL, NativeError)
            (entry,) = entries(error.__traceback__)
            seen = entry.tb_frame.f_code.co_name, entry.tb_lineno, entry.tb_frame.f_locals["i"]
            if seen != (f"f{thread}", i + 1, f"{thread} {i}"):
                wrong.append(seen)

    together(raise_many, 8)
    assert wrong == []


# ---- travel ----


def travelled(error):
    """Give all that must survive a journey."""
    c_frames = [
        (e.tb_frame.f_code.co_filename, e.tb_frame.f_code.co_name, e.tb_lineno, dict(e.tb_frame.f_locals))
        for e in list(entries(error.__traceback__))[-len(error.native.frames) :]
    ]
    return type(error), error.args, str(error), error.native, error.kind, error.__notes__, c_frames


def noted_error(raise_it=True):
    error = np_error((0, 0))
    error.add_note("a note")
    if not raise_it:
        error = make_exception(error.native, GLOBAL, MXNetError)
        error.add_note("a note")
    return error


def np_error(axes):
    try:
        np.array([[1.0]]).transpose(axes)
    except NativeError as error:
        return error


JOURNEYS = {"copy": copy.copy, "deepcopy": copy.deepcopy}
JOURNEYS |= {
    f"pickle {protocol}": lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
}


@pytest.mark.parametrize("raised", [True, False])
@pytest.mark.parametrize("journey", JOURNEYS)
def test_an_error_arrives_whole(journey, raised):
    error = noted_error(raised)
    arrived = JOURNEYS[journey](error)
    assert arrived is not error
    assert travelled(arrived) == travelled(error)
    assert travelled(JOURNEYS[journey](arrived)) == travelled(error)


# What a worker runs must be found there by its name, so it is a function of the package.
WORK = (np.transpose, [[1.0] * 5] * 4, (0, 0))


def check_arrival(error):
    with pytest.raises(NativeValueError) as caught:
        WORK[0](*WORK[1:])
    for each in (error, caught.value):
        each.add_note("a note")
    assert travelled(error) == travelled(caught.value)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_an_error_crosses_the_processes_of_an_executor(method):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
        error = executor.submit(*WORK).exception(60)
    check_arrival(error)


def test_an_error_crosses_the_processes_of_a_pool():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(NativeValueError, match="Repeated axis") as caught:
            pool.apply_async(WORK[0], WORK[1:]).get(60)
        pool.close()
        pool.join()
    check_arrival(caught.value)
