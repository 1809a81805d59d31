"""The text protocol: what is believed, what is left alone, and that nothing breaks the reader."""

from __future__ import annotations

import ctypes
import time
import timeit
from functools import partial
from pathlib import Path

import pytest
from fuzz import fuzz_text
from hypothesis import given, settings, strategies as st

from mxerr import build, text
from mxerr.report import Check, NativeFrame

KINDS = frozenset({"IndexError", "KeyError", "MXNetError", "TypeError", "ValueError"})
LOG = "[12:00:00] op.c:5: "
PYTHON = "Traceback (most recent call last):\n"
row = pytest.param


def read(raw):
    return text.read(raw, known=KINDS.__contains__, function="LibRun", status=-1)


def lines(*parts):
    return "".join(part + "\n" for part in parts)


FOUND = [
    row("ValueError: bad", "ValueError", "bad", id="at the start"),
    row("ValueError: bad\n \n\n", "ValueError", "bad", id="blank lines at the end"),
    row("ValueError: a\r\n\r\n  b\r\n", "ValueError", "a\n\n  b", id="lines, carriage returns"),
    row("ValueError:bad", "ValueError", "bad", id="no space behind the colon"),
    row("ValueError: ValueError: bad", "ValueError", "bad", id="stated twice, said once"),
    row("mxnet.error.TypeError: bad", "TypeError", "bad", id="prefix of MXNet"),
    row("mxerr.error.TypeError: bad", "TypeError", "bad", id="prefix of mxerr"),
    row("KeyError: no 'a'\nhint: b", "KeyError", "no 'a'\nhint: b", id="quotes, lines, colon"),
    row(LOG + "ValueError: bad", "ValueError", "bad", id="after a header"),
    row("[01:02:03] C:\\a.c:9: KeyError: z", "KeyError", "z", id="after a header with a drive"),
    row("in f: " + LOG + "KeyError: z", "KeyError", "in f: z", id="after a header in mid-line"),
    row("MXNetError: in f: " + LOG + "z", "MXNetError", "in f: z", id="before one in mid-line"),
    row("Check failed: ok: KeyError: z", "KeyError", "Check failed: ok: z", id="after a check"),
    row("KeyError: Check failed: ok: z", "KeyError", "Check failed: ok: z", id="before a check"),
    row("MXNetError: Check failed: a: KeyError: z", "KeyError", "Check failed: a: z", id="the inner of two"),
    row("KeyError: Check failed: a: AnError: z", "KeyError", "Check failed: a: AnError: z", id="known one"),
    row("Check failed: a (1 vs. 2) KeyError: z", "KeyError", "Check failed: a (1 vs. 2) z", id="no colon"),
]


@pytest.mark.parametrize(("raw", "kind", "said"), FOUND)
def test_a_registered_kind_is_found_and_taken_out_of_the_text(raw, kind, said):
    report = read(raw)
    assert (report.kind, report.text) == (kind, said)


@pytest.mark.parametrize("kind", ["OddError", "lib.OddException", "OddWarning"])
@pytest.mark.parametrize("before", ["", "Check failed: ok: "])
def test_a_kind_that_is_not_registered_is_reported_but_stays_in_the_text(before, kind):
    report = read(f"{before}{kind}: 3 of 2")
    assert (report.kind, report.message, report.text) == (kind, "3 of 2", f"{before}{kind}: 3 of 2")


LEFT_ALONE = [
    *("std::bad_alloc", "ValueError::of: x", "array: :at", "shape: (2,3) is bad", "axis2: too large"),
    *("3: foo", "http://a.b", "ValueError", "Value Error: x", "XCall CFunc Error:", "ÉtatError: x"),
    *("mxnet.error.Odd: x", "no name 'ValueError: x', in f", "in f ValueError: x: bad", "a\nKeyError: b"),
    *(f"cannot parse '{LOG}ValueError: x'", "value 'a\nStack trace:\n  b\n  c', x", "names:\n\t[0]x\n\t[1]y"),
    *("bad\nStack trace:\n  made up", "a:\n    b : int\n, in f", 'bad\n  File "a.c", line 3\nend'),
    *('bad\n  Stack trace:\n  File "a.c", line 3', PYTHON + "  in f\nquota: used up"),
    *(PYTHON + "two words: x", PYTHON + "  in f\nSystemExit: 1", PYTHON + "ValueError::of"),
]


@pytest.mark.parametrize("raw", LEFT_ALONE)
def test_text_that_only_looks_typed_or_like_a_stack_stays_as_it_is(raw):
    report = read(raw)
    assert (report.kind, report.text, report.message, report.frames) == (None, raw, raw, ())


@pytest.mark.parametrize("name", ["builtins.SystemExit", "KeyboardInterrupt", "asyncio.CancelledError"])
def test_what_ends_the_program_is_no_kind_even_if_it_is_registered(name):
    report = text.read(f"{name}: 3", known=lambda name: True)
    assert (report.kind, report.text) == (None, f"{name}: 3")


def test_an_embedded_python_traceback_states_its_kind_behind_its_frames_and_stays_whole():
    frames = PYTHON + lines('  File "callback.py", line 3, in call', "    run()")
    raw = f"Call failed:\n{frames}KeyError: first\n\n{frames}ValueError: bad\nIndexError: no"
    report = read(raw)
    assert (report.kind, report.message, report.text) == ("ValueError", "bad\nIndexError: no", raw)


CHECKS = [
    *map(Check, ("!ns::ok(x)", "(a ? b : c)", "a ? b ? 1 : 2 : c", 's == "a:b"', r's == "a\":b"')),
    *map(Check, ("c == '\"'", "[](int x) { return x ? 1 : 2; }(n)", "dynamic_cast<const T*>(p) != nullptr")),
    *map(Check, ("c == ':'", "(int) x == 3", "not a and b", "is_same<unsigned long, T>::value", "c == '('")),
    *(Check("param.alpha > 0", "-1", "0"), Check("f (x) == g (y)", "1", "2"), Check("a == b", "", "")),
    *(Check("ns::a(1) == b ? c : d", "1", "2"), Check('s == "x vs. y"', "p", "q"), Check("ab", "x: y", ":")),
    *(Check("a == b", "(1,2)", "(3,(4,5))"), Check("a == b", "[1,\n 2]", "[3,\n 4]"), Check("1'000 < n")),
    *(Check("c == '{'", "-1", "{"), Check("c == ')'", "-1", ")"), Check("c == '('", "(", "-1")),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.text)
def test_a_condition_keeps_its_colons_and_the_kind_is_found_behind_it(check):
    checked = check.text + (": " if check.left is None else " : ")
    report = read(f"{LOG}{checked}ValueError: bad\n")
    assert (report.kind, report.check, report.message) == ("ValueError", check, "bad")
    assert report.text == checked + "bad"


DIALECTS = [
    row("a == b (1 vs. 2) too few", Check("a == b", "1", "2"), "too few", id="values, no colon"),
    row("a == b (1 vs. 2)", Check("a == b", "1", "2"), "", id="values, no message"),
    row("a == b (1 vs. 2", Check("a == b", "1", "2"), "", id="cut off in the values"),
    row("found Device API is off", Check("found"), "Device API is off", id="word by word"),
    row("op != nullptr Op x: y", Check("op != nullptr"), "Op x: y", id="comparison"),
    row("Loss::Ok(y) y is bad", Check("Loss::Ok(y)"), "y is bad", id="call"),
    row("(a || b) both are bad", Check("(a || b)"), "both are bad", id="group"),
    row('ok  A::B "/x": gone', Check("ok"), 'A::B "/x": gone', id="scope in the message"),
    row("n > 0\nmore", Check("n > 0"), "more", id="message in the next line"),
    row("ok: two (1 vs. 2) : x", Check("ok"), "two (1 vs. 2) : x", id="values in the message"),
    row("a]: x: y", Check("a]"), "x: y", id="bracket that nothing opened"),
    row("ok:  \tx", Check("ok"), " \tx", id="spaces of the message"),
    row("(a) > (b) at /a b/config.cpp, line 57 .", Check("(a) > (b)"), "", id="place behind it"),
    row("x" * 9000 + ": y", None, "Check failed: " + "x" * 9000 + ": y", id="too long for C"),
    row(": x", None, "Check failed: : x", id="no condition"),
]


@pytest.mark.parametrize(("rest", "check", "message"), DIALECTS)
def test_every_dialect_of_a_check_is_read_and_its_text_stays_as_it_is(rest, check, message):
    report = read(f"Check failed: {rest}\n")
    assert (report.check, report.message, report.kind) == (check, message, None)
    assert report.text == f"Check failed: {rest}"


def test_a_word_that_mxnet_moved_before_a_check_stays_in_text_and_message():
    report = read("gesv: Check failed: n <= 0: U is singular")
    assert (report.kind, report.check, report.message) == (None, Check("n <= 0"), "gesv: U is singular")


FILES = ('  File "b.c", line 7, in inner', '  File "a.c", line 3, in outer(int, char)')
BINARIES = ("  [bt] (0) /l/a.so(ns::f(int (*)()) const+0x1f) [0x7f]", "  [bt] (1) /l/b.so(+0xabc) [0x7f]")
BARE = ("[bt] (2) /l/c.so() [0x7f]", "[bt] (3) /l/d [0x7f]")
FILE_FRAMES = (NativeFrame("outer(int, char)", "a.c", 3), NativeFrame("inner", "b.c", 7))
BINARY_FRAMES = (
    NativeFrame("", library="/l/b.so", offset=0xABC),
    NativeFrame("ns::f(int (*)()) const", library="/l/a.so"),
)
BARE_FRAMES = (NativeFrame("", library="/l/d"), NativeFrame("", library="/l/c.so"))
HERE = NativeFrame("", "op.c", 5)
STACK = "Stack trace:"
STACKS = [
    row((), (HERE,), id="none: the header is the frame"),
    row((STACK, *FILES), FILE_FRAMES, id="files: they say what the header says"),
    row((STACK, *BINARIES), (*BINARY_FRAMES, HERE), id="binaries: the header is innermost"),
    row((STACK, *FILES, *BINARIES), BINARY_FRAMES + FILE_FRAMES, id="both in one section"),
    row((STACK, *FILES, "", STACK, *BARE), BARE_FRAMES + FILE_FRAMES, id="two sections, the inner one first"),
    row(("", "Stack trace returned 2 entries:", "", *BARE, ""), (*BARE_FRAMES, HERE), id="not indented"),
    row(("Stack trace returned 0 entries:", "", " "), (HERE,), id="nothing but its header"),
]


@pytest.mark.parametrize(("stack", "frames"), STACKS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stack_section_becomes_frames_with_the_innermost_last(stack, frames, end):
    report = read(lines(LOG + "bad", *stack).replace("\n", end))
    assert (report.text, report.frames) == ("bad", frames)


def test_text_behind_a_stack_section_stays_in_the_message():
    report = read(lines("ValueError: bad", STACK, *FILES, "in f"))
    assert (report.text, report.frames) == ("bad\nin f", FILE_FRAMES)


def test_every_header_of_nested_layers_and_the_place_behind_a_check_is_a_frame():
    report = read(f"{LOG}in f: [12:00:01] b.c:7: Check failed: (a) > (b) at /a b/c.cpp, line 57 .")
    assert report.text == "in f: Check failed: (a) > (b) at /a b/c.cpp, line 57 ."
    assert report.frames == (HERE, NativeFrame("", "b.c", 7), NativeFrame("", "/a b/c.cpp", 57))


@pytest.mark.parametrize("digits", ["0", "-1", "", str(2**31), "9" * 20, "9" * 5000], ids=lambda d: d[:20])
def test_a_line_number_that_cannot_be_is_zero_and_the_error_is_still_read(digits):
    for raw in (f'bad\nStack trace:\n  File "a.c", line {digits}\n', f"[12:00:00] a.c:{digits}: bad"):
        assert (read(raw).text, read(raw).frames) == ("bad", (NativeFrame("", "a.c", 0),))


ODD_BYTES = [
    row(b"ValueError: caf\xe9", r"caf\xe9", id="Latin-1"),
    row("ValueError: 文".encode()[:-1], r"\xe6\x96", id="cut inside a character"),
    row("ValueError: 文".encode(), "文", id="UTF-8"),
    row(b"ValueError: \xed\xa0\x80", r"\xed\xa0\x80", id="encoded surrogate"),
]


@pytest.mark.parametrize(("raw", "said"), ODD_BYTES)
def test_bytes_that_are_not_utf8_are_shown_escaped_and_kept(raw, said):
    for report in (read(raw), read(raw.decode("utf-8", "surrogateescape"))):
        assert (report.kind, report.text, report.raw) == ("ValueError", said, raw)


@pytest.mark.parametrize("raw", [None, "", b"", " \n\t\n", b"\r\n", LOG, "Stack trace:\n", "ValueError: \n"])
def test_a_library_that_says_nothing_is_named_with_its_status(raw):
    report = read(raw)
    assert report.text == report.message == "LibRun failed with status -1 and set no error message"
    assert report.kind == ("ValueError" if raw == "ValueError: \n" else None)


UNITS = [
    *"ax9.:?\"'\\()[ \n\x00文\udce9\ud800",
    *("\r\n", "a.", "::", '\\"', "? : ", "a b ", "(a) ", ") : ", " vs. ", " (a vs. b)", "ValueError: "),
    *("OddError:", "SystemExit: ", "Check failed: ", "x: Check failed: ", "a == b", " at a", ", line ", " ."),
    *(
        LOG,
        "x: " + LOG,
        ": [12:00:00] a",
        ": [12:00:00] a:1: Check failed:",
        "Stack trace:\n",
        "Stack trace:\n\n",
        FILES[0] + "\n",
    ),
    *(BARE[0] + "\n", '", line 5, in ', PYTHON, "  " + PYTHON),
]
in_any_time = settings(deadline=None)  # a busy machine is no failure


@in_any_time
@given(st.none() | st.binary() | st.text(st.characters()) | st.lists(st.sampled_from(UNITS)).map("".join))
def test_any_input_gives_a_report_that_can_be_shown(raw):
    report = read(raw)
    shown = [report.text, report.message, *(report.check or ())]
    shown += [part for frame in report.frames for part in (frame.function, frame.file, frame.library)]
    assert all(part is None or part.encode("utf-8") is not None for part in shown)  # a surrogate would raise
    assert report.text.strip()
    assert report.raw == raw or not isinstance(raw, bytes)


@in_any_time
@given(st.text(st.characters(exclude_categories=("L", "Cs"))), st.text('abc_ :.,()[]{}"?<>=\n'))
def test_a_text_without_letters_or_with_its_kind_in_quotes_has_no_kind(symbols, value):
    assert read(symbols).kind is None
    assert read(f"'{value}ValueError: x'").kind is None


words = st.text("abxyz019=,.[]() ", min_size=1).map(str.strip).filter(bool)
operands = st.text("ab01,.-[]")
compared = st.builds(lambda left, right: Check("ns::f(a) < g (b)", left, right), operands, operands)
names = st.sampled_from(["", "f(int)"])
line_numbers = st.integers(1, 2**31 - 1)
places = st.builds(lambda name, line: NativeFrame(name, "a b.c", line), names, line_numbers)
kinds = st.none() | st.sampled_from(sorted(KINDS))


@in_any_time
@given(st.none() | st.sampled_from(CHECKS) | compared, kinds, st.lists(words, min_size=1), st.lists(places))
def test_a_standard_text_reads_back_into_its_parts(check, kind, message, stack):
    checked = "" if check is None else check.text + (": " if check.left is None else " : ")
    section = [f'  File "{f.file}", line {f.line}{f.function and ", in " + f.function}' for f in stack]
    said = "\n  ".join(message)
    first = f"{LOG}{checked}{kind + ': ' if kind else ''}{said}"
    report = read(lines(first, STACK, *section) if stack else lines(first))
    assert (report.kind, report.check, report.message, report.text) == (kind, check, said, checked + said)
    assert report.frames == (tuple(stack[::-1]) or (HERE,))


KIT = """
#include <string.h>
static mxerr_view view(const char *text) { mxerr_view made = {text, strlen(text)}; return made; }
MXERR_EXPORT void fail(const char *kind, const char *message, const char *condition, const char *left,
                       const char *right) {
  const mxerr_parts parts = {view(kind), view(message), view(condition), view(left), view(right)};
  mxerr_fail_parts(&parts);
}
MXERR_EXPORT void leave(const char *file, int line, const char *function) {
  mxerr_leave(file, line, function, NULL);
}
MXERR_EXPORT size_t format(char *buffer, size_t size) {
  return mxerr_record_format(mxerr_record_peek(), NULL, buffer, size);
}
"""


@pytest.fixture(scope="module")
def printed():
    """Give what the kit prints of an error."""
    kit = build(KIT)

    def as_kit_prints(kind, check, message, frames):
        condition, left, right = (part or "" for part in check or ("", "", ""))
        kit.fail(*(part.encode() for part in (kind or "", message, condition, left, right)))
        for frame in frames:
            kit.leave(frame.file.encode(), frame.line, frame.function.encode())
        buffer = ctypes.create_string_buffer(70_000)
        assert kit.format(buffer, len(buffer)) < len(buffer)
        return buffer.value

    return as_kit_prints


messages = st.text(st.characters(exclude_categories=("Cs", "Cc"))).map(str.strip).filter(bool)
# of two empty operands the kit says nothing
checks = st.none() | (st.sampled_from(CHECKS) | compared).filter(lambda check: check[1:] != ("", ""))
files = st.text("abc /.-+\\éß文", min_size=1)
functions = st.sampled_from(["f", "ns::f<int>(char)", "~T", "文"])
kit_frames = st.builds(lambda *parts: NativeFrame(*parts), functions, files, line_numbers)


@in_any_time
@given(kinds, checks, messages, st.lists(kit_frames, max_size=60))
def test_what_the_kit_prints_reads_back_into_its_parts(printed, kind, check, message, frames):
    report = read(printed(kind, check, message, frames))
    assert (report.kind, report.check, report.message) == (kind, check, message)
    assert report.frames == tuple(frames[::-1])


def test_of_many_frames_the_first_and_the_last_are_kept():
    section = [f'  File "a.c", line {line}, in f' for line in range(1, 5001)]
    report = read(lines("bad", STACK, *section))
    kept = [frame.line for frame in report.frames]
    assert kept == [*range(5000, 4900, -1), *range(100, 0, -1)]
    assert report.frames_omitted == 4800


def test_names_that_no_file_and_no_function_has_are_cut():
    (frame,) = read(lines("bad", STACK, f'  File "{"a" * 10**6}.c", line 5, in {"f" * 10**6}')).frames
    assert (len(frame.file), len(frame.function), frame.line) == (4096, 4096, 5)


CORPUS = Path(__file__).parent / "fuzz" / "corpus" / "text"


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name[:8])
def test_what_fuzzing_found_becomes_an_error_that_can_be_shown(path):
    fuzz_text.take(path.read_bytes())


HUGE = [
    row("", 'ax 9.:?"', None, id="one line"),
    row("ValueError: ", "a(b[c{ ", "ValueError", id="one line, brackets"),
    row("KeyError: ", "\0" * 8, "KeyError", id="NUL"),
    row(LOG, "Error: \n", "Error", id="lines"),
    row(LOG + "KeyError: ", "ab\r\ncd\r\n", "KeyError", id="CR LF"),
    row("TypeError: ", "caf\udce9 ab", "TypeError", id="not UTF-8"),
    row("Check failed: a (1 vs. ", " vs. (: ", None, id="values of a check"),
    row(lines("ValueError: x", STACK) + '  File "', 'b.c", li', "ValueError", id="file of a frame"),
    row(PYTHON, "  in ab\n", None, id="Python traceback"),
]


@pytest.mark.parametrize(("start", "unit", "kind"), HUGE)
def test_ten_megabytes_are_read_in_seconds(start, unit, kind):
    raw = (start + unit * (10_000_000 // len(unit))).encode("utf-8", "surrogateescape")
    began = time.process_time()
    report = read(raw)
    assert time.process_time() - began < 20  # it takes one; a quadratic reader would take days
    assert (report.kind, report.raw) == (kind, raw)
    assert len(report.text) > 5_000_000


def grows_too_fast(run, unit, length):
    """Whether a text eight times as long takes 24 times the time or more; 64 times is quadratic."""
    measure = partial(timeit.repeat, timer=time.process_time, number=1, repeat=2)
    short, long = (min(measure(partial(run, unit * n))) for n in (length, 8 * length))
    return long > 24 * max(short, 0.001)


STARTS = ["", LOG, "Check failed: a ", "Check failed: a (1 vs. ", PYTHON, "Stack trace:\n  [bt] (0) a("]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("start", [*STARTS, 'Stack trace:\n  File "'])
def test_the_time_grows_with_the_length_of_the_text(start, unit):
    assert not grows_too_fast(lambda raw: read(f"{start}{raw}\n x"), unit, 3000 // len(unit))


def test_the_measure_of_growth_finds_a_quadratic_reader():
    assert grows_too_fast(lambda raw: sum(1 for _ in raw for _ in raw), "a", 300)
