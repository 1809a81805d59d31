"""Whatever C files, messages and exception classes hold, the user sees their error, and soon.

Each case goes through an IPython shell in this process, with the extension loaded, in every mode.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from mxerr import NativeFrame, render
from mxerr.ipython import formatter, look, runs
from mxerr.registry import GLOBAL

sys.path.insert(0, str(Path(__file__).parent / "support"))

from shelf import SOURCE, Shelf, interactive_shell, modes, report

OURS = "mxerr's traceback formatter failed"
ANY = (OURS, "traceback formatter failed", "Unexpected exception formatting")


@pytest.fixture(scope="module", autouse=True)
def ipython_has_started():
    """Show an ordinary error: what IPython and Pygments import for their first one is not measured here."""
    with interactive_shell() as shell:
        shell.run_cell("%load_ext mxerr\n1 / 0")
        shell.run_cell("%unload_ext mxerr")


@pytest.fixture
def shell():
    with interactive_shell() as shell:
        shell.run_line_magic("load_ext", "mxerr")
        yield shell
        shell.run_line_magic("unload_ext", "mxerr")


def fails_in(folder, content: bytes | None, line: int, **frame):
    """A library that fails on a line of a C file with this content, or without one."""
    if content is not None:
        (folder / "hostile.c").write_bytes(content)
    inner = NativeFrame("f", "hostile.c", line, (("index", "7"),))._replace(**frame)
    return Shelf(report()._replace(frames=(inner,), source_root=str(folder)))


def shown(shell, capsys, code="shelf.find()"):
    capsys.readouterr()
    begin = time.process_time()  # of this process alone: how busy the machine is says nothing
    result = shell.run_cell(code)
    seconds = time.process_time() - begin
    assert result.error_in_exec is not None
    return "".join(capsys.readouterr()), seconds


CHECK = b'  MXERR_CHECK_LT(index, size, "x");\n'
SOURCES = {
    "apostrophe": (b"/* isn't */\nint f(int a) {\n" + CHECK, 3),
    "open_bracket": (b"/* ( [ { */\nint f(int a) {\n" + CHECK, 3),
    "stray_bracket": (b"}\n)\nint f(int a) {\n" + CHECK, 4),
    "triple_quote": (b'/* """ */\nint f(int a) {\n' + CHECK, 3),
    "quotes": (b"int f(int a) {\n char q = '\"'; char *s = \"'\";\n" + CHECK, 3),
    "tabs": (b"int f(int a) {\n\t\tint b;\n\t\tif (a)\n\t\t" + CHECK, 4),
    "crlf": (b"int f(int a) {\r\n" + CHECK.replace(b"\n", b"\r\n"), 2),
    "cr": (b"int f(int a) {\r" + CHECK.replace(b"\n", b"\r"), 2),
    "not_utf8": (b"/* caf\xe9 \xff */\nint f(int a) {\n" + CHECK, 3),
    "escapes": (b"/* \x1b[2J\x07\x00 */\nint f(int a) {\n" + CHECK, 3),
    "long_file": (b"int x;\n" * 50_000 + CHECK, 50_001),
    "long_line": (b"int f() { " + b"x" * 1_000_000 + b"}\n" + CHECK, 2),
    "no_newline": (CHECK.rstrip(b"\n"), 1),
    "bom": (b"\xef\xbb\xbfint f(int a) {\n" + CHECK, 2),
    "unicode": ("int f(int ä) { /* 長い \N{PILE OF POO} */\n".encode() + "/* ääää */".encode() + CHECK, 2),
}


@pytest.mark.parametrize("source", SOURCES)
def test_any_c_source_is_shown_in_every_mode(shell, capsys, tmp_path, source):
    content, line = SOURCES[source]
    shell.user_ns["shelf"] = fails_in(tmp_path, content, line)
    for mode in modes(shell):
        shell.run_line_magic("xmode", mode)
        text, seconds = shown(shell, capsys)
        assert not any(failed in text for failed in ANY)
        assert "\x1b[2J" not in text
        assert "IndexError: Check failed: index < size (7 vs. 3)" in text
        assert seconds < 1
        if mode in ("Context", "Verbose"):
            assert f"{line} " in text
            assert "MXERR_CHECK_LT(index, size" in text
            [marked, carets] = [
                t for t in text.splitlines() if "MXERR_CHECK_LT(" in t or (t.strip(" ^") == "" and "^" in t)
            ]
            assert marked[carets.index("^") : carets.rindex("^") + 1] == "index, size"


@pytest.mark.parametrize(
    ("content", "line", "frame"),
    [
        (None, 3, {}),
        (CHECK, 0, {}),
        (CHECK, -1, {}),
        (CHECK, 2, {}),
        (CHECK, 2**31, {}),
        (CHECK, 10**20, {}),
        (CHECK, 1, {"function": ""}),
        (CHECK, 1, {"file": ""}),
        (CHECK, 1, {"file": "."}),
        (CHECK, 1, {"file": "a\0b.c"}),
        (CHECK, 1, {"file": "x" * 5000}),
        (CHECK, 1, {"function": "f\x1b[2J\n"}),
        (CHECK, 1, {"function": "std::vector<int, (anonymous namespace)::a>::at(int) const [with T = int]"}),
        (CHECK, 1, {"values": (("__tracebackhide__", "1"), ("a.b", "\n\x1b[2J"), ("big", "9" * 100_000))}),
        (b"", 1, {}),
    ],
)
def test_a_frame_with_nothing_to_show_is_shown_all_the_same(shell, capsys, tmp_path, content, line, frame):
    shell.user_ns["shelf"] = fails_in(tmp_path, content, line, **frame)
    for mode in modes(shell):
        shell.run_line_magic("xmode", mode)
        text, seconds = shown(shell, capsys)
        assert not any(failed in text for failed in ANY)
        assert "IndexError: Check failed: index < size (7 vs. 3)" in text
        assert seconds < 1
        if mode in ("Context", "Verbose"):
            assert "\x1b[2J" not in text


def test_a_file_that_is_gone_since_or_has_changed_shows_what_it_was(shell, capsys, tmp_path):
    shell.user_ns["shelf"] = fails_in(tmp_path, CHECK, 1)
    first, _ = shown(shell, capsys)
    (tmp_path / "hostile.c").unlink()
    again, _ = shown(shell, capsys)
    assert again.replace("In[2]", "In[1]") == first


def test_five_megabytes_of_message_are_shown_within_a_second(shell, capsys):
    huge = "x" * 5_000_000
    shell.user_ns["shelf"] = Shelf(report()._replace(text=huge, message=huge))
    text, seconds = shown(shell, capsys)
    assert huge in text
    assert seconds < 1


class NoText(Exception):
    def __str__(self):
        raise KeyError("no text")


class NoAttributes(Exception):
    __slots__ = ()

    def __getattribute__(self, name):
        if name == "native":
            raise RuntimeError("no attributes")
        return super().__getattribute__(name)


class OddNotes(Exception):
    __notes__ = 7  # type: ignore[assignment]


class Exits(Exception):
    def __str__(self):
        raise SystemExit(3)


class ExitsWhenAsked(Exception):
    native = property(lambda self: sys.exit(3))


class StopsWhenAsked(Exception):
    @property
    def native(self):
        raise KeyboardInterrupt


class NoCause(Exception):
    __cause__ = property(lambda self: sys.exit(3))  # type: ignore[assignment]


class NoNotes(Exception):
    __notes__ = property(lambda self: 1 / 0)  # type: ignore[assignment]


ODD = [NoText, NoAttributes, OddNotes, Exits, ExitsWhenAsked, StopsWhenAsked, NoCause, NoNotes]


@pytest.mark.parametrize("cls", ODD)
@pytest.mark.parametrize(
    "code", ["shelf.find()", "raise cls('text')", "raise ExceptionGroup('g', [cls('text')])"]
)
def test_an_odd_exception_class_still_shows_its_name(shell, capsys, cls, code):
    with GLOBAL.temporary(Odd=cls):
        shell.user_ns.update(shelf=Shelf(report("Odd")), cls=cls)
        text, seconds = shown(shell, capsys, code)
    assert cls.__name__ in text
    assert "mxerr/ipython/" not in text  # our own frames
    assert "Unexpected exception formatting" not in text
    assert seconds < 1


@pytest.mark.parametrize("failure", [SystemExit, GeneratorExit])
def test_a_renderer_that_would_end_the_process_does_not(shell, capsys, monkeypatch, failure):
    def ends(*args, **kwargs):
        raise failure

    monkeypatch.setattr(formatter.NativeTB, "_runs", ends)
    shell.user_ns["shelf"] = Shelf(report())
    text, _ = shown(shell, capsys)
    assert "IndexError: Check failed" in text
    assert f"{OURS}, this is IPython's own: {failure.__name__}" in text


def test_a_group_that_is_the_context_of_its_member_ends(shell, capsys):
    code = """
inner = ValueError("inner")
group = ExceptionGroup("group", [inner])
inner.__context__ = group
inner.native = None
try:
    shelf.find()
except Exception as error:
    raise ExceptionGroup("outer", [error, group])
"""
    shell.user_ns["shelf"] = Shelf(report())
    text, seconds = shown(shell, capsys, code)
    assert "ValueError: inner" in text
    assert not any(failed in text for failed in ANY)
    assert seconds < 2


# ---- a renderer that fails ----


def broken(*args, **kwargs):
    raise ZeroDivisionError("renderer")


@pytest.mark.parametrize(
    ("mode", "owner", "name"),
    [
        *[
            (mode, formatter.NativeTB, name)
            for mode in ("Context", "Plain")
            for name in ("_rule", "_fold", "_runs")
        ],
        *[(mode, runs, name) for mode in ("Context", "Plain") for name in ("has_native", "split")],
        ("Context", formatter, "part"),
        ("Plain", formatter, "part"),
        ("Context", formatter.NativeTB, "_frames"),
        ("Context", render.TextRenderer, "frame"),
        ("Context", look.ShellLook, "code"),
        ("Plain", formatter.NativeTB, "_plain_check"),
    ],
)
def test_a_renderer_that_fails_gives_ipythons_traceback_and_one_line(
    shell, capsys, monkeypatch, mode, owner, name
):
    monkeypatch.setattr(owner, name, broken, raising=True)
    shell.run_line_magic("xmode", mode)
    shell.user_ns["shelf"] = Shelf(report())
    text, _ = shown(shell, capsys)
    assert f"{SOURCE.name}:" in text  # as IPython shows it
    assert "IndexError: Check failed" in text
    assert f"{OURS}, this is IPython's own: ZeroDivisionError: renderer" in text
    assert len(shell.InteractiveTB._mxerr_state.failures) > 0


def test_where_ipython_fails_too_python_shows_the_traceback(shell, capsys, monkeypatch):
    monkeypatch.setattr(formatter.AutoFormattedTB, "structured_traceback", broken)
    shell.user_ns["shelf"] = Shelf(report())
    text, _ = shown(shell, capsys)
    assert "Traceback (most recent call last):\n" in text
    assert "MXERR_CHECK_LT(index, size" in text
    assert "IPython's traceback formatter failed: ZeroDivisionError: renderer" in text


@pytest.mark.parametrize("result", ["raise KeyError()", "return None", "return [1]"])
def test_a_foreign_renderer_that_fails_does_not_hide_the_error(shell, capsys, result):
    code = f"class Foreign(Exception):\n  def _render_traceback_(self): {result}\nraise Foreign('theirs')"
    text, _ = shown(shell, capsys, code)
    assert "Foreign" in text
    assert "Unexpected exception formatting" not in text
