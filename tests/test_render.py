"""What is printed of a C frame: which lines, what is marked in them, and that each part is there."""

from __future__ import annotations

import sys

import pytest

from mxerr import Check, NativeFrame, NativeReport
from mxerr.excerpt import CFrame, lines_around, of_entry, of_report, printable
from mxerr.frames import traceback_of
from mxerr.render import TextRenderer, shorten, spell

LINES = ["/* f.c */\n", "int f(int a) {\n", "\tif (a)\n", "\t  CHECK(a > 0);\n", "  return 0;\n", "}\n"]


def text_of(line):
    return "".join(text for _, text in line.tokens)


@pytest.mark.parametrize(
    ("line", "before", "after", "numbers"),
    [
        (4, 2, 2, [2, 3, 4, 5, 6]),
        (1, 2, 2, [1, 2, 3]),
        (6, 2, 2, [4, 5, 6]),
        (4, 0, 0, [4]),
        (0, 2, 2, []),
        (-1, 2, 2, []),
        (7, 2, 2, []),
        (2**40, 2, 2, []),
    ],
)
def test_the_lines_around_that_of_a_frame(line, before, after, numbers):
    lines = lines_around(CFrame("f", "f.c", line, LINES), before, after)
    assert [found.number for found in lines] == numbers
    assert [found.number for found in lines if found.failing] == [n for n in numbers if n == line]


def test_lines_lose_the_indent_that_all_of_them_have_and_tabs_become_blanks():
    lines = lines_around(CFrame("f", "f.c", 4, LINES), 1, 0)
    assert [text_of(line) for line in lines] == ["if (a)", "  CHECK(a > 0);"]


@pytest.mark.parametrize(
    ("text", "check", "marked"),
    [
        ("CHECK(a > 0);", Check("a > 0", "0", "0"), "a > 0"),
        ('CHECK("ä", a > 0);', Check("a > 0", "0", "0"), "a > 0"),
        ("  CHECK_GT(a, 0);", Check("a > 0", "0", "0"), "a, 0"),
        ("CHECK(b > 0);", Check("a > 0", "0", "0"), None),
        ("CHECK(a > 0 && a > 0);", Check("a > 0", "0", "0"), None),
        ("CHECK(a > 0);", None, None),
    ],
)
def test_the_condition_is_marked_where_it_stands_once(text, check, marked):
    [line] = lines_around(CFrame("f", "f.c", 1, [text + "\n"], (), check), 0, 0)
    shown = text_of(line)
    assert (shown[slice(*line.marked)] if line.marked else None) == marked


def test_without_pygments_the_lines_are_the_same(monkeypatch):
    lines = [line.replace("a", "uncached") for line in LINES]
    frame = CFrame("f", "f.c", 4, lines, (), Check("uncached > 0", "0", "0"))
    with_pygments = TextRenderer().frame(frame._replace(file="f.cc"))
    monkeypatch.setitem(sys.modules, "pygments.lexers.c_cpp", None)
    without = TextRenderer().frame(frame)
    assert without.replace("f.c:", "f.cc:") == with_pygments
    [line] = [line for line in lines_around(frame, 2, 2) if line.failing]
    assert {kind for kind, _ in line.tokens} == {None}


def test_a_frame_of_a_traceback_and_that_of_its_report_print_the_same(tmp_path):
    (tmp_path / "f.c").write_text("".join(LINES))
    check = Check("a > 0", "0", "0")
    frame = NativeFrame("f", "f.c", 4, (("a", "0"),))
    report = NativeReport("bad", "bad", None, check, (frame,), source_root=str(tmp_path))
    entry = traceback_of(report)
    assert entry is not None
    [from_report] = map(TextRenderer().frame, of_report(report))
    assert TextRenderer().frame(of_entry(entry, check)) == from_report
    assert "CHECK(a > 0)" in from_report


def test_each_part_of_a_frame_is_printed():
    frame = CFrame("f", "f.c", 4, LINES, (("a", "0"), ("b.c", "[1,2]")), Check("a > 0", "0", "0"), "libf.so")
    assert TextRenderer(before=1, after=0).frame(frame).splitlines() == [
        "File f.c:4, in f (libf.so)",
        "      3 if (a)",
        "----> 4   CHECK(a > 0);",
        "                ^^^^^",
        "        check failed: a > 0, 0 against 0",
        "        a = 0",
        "        b.c = [1,2]",
    ]


@pytest.mark.parametrize(
    ("text", "shown"), [("a", "a"), ("\x1b[0m", "\\x1b[0m"), ("\ud800", "\\ud800"), ("é\u202e", "é\\u202e")]
)
def test_what_a_terminal_would_obey_is_escaped(text, shown):
    assert printable(text) == shown
    assert shorten(text) == shown


def test_long_texts_are_cut_and_say_how_long_they_were():
    assert shorten("x" * 10**6).endswith("xxx ... [1000000 characters]")
    assert len(spell(Check("x" * 10**6, "1", "2"))) < 1100
