"""The magics: what they show, what they complain of; an explanation says the same as text and as HTML."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mxerr
from mxerr.explain import Explanation
from mxerr.ipython import SETTINGS, completion, magics
from mxerr.ipython.timeline import Timeline, spans
from mxerr.registry import GLOBAL
from mxerr.timeline import Event
from mxerr.trace import Trace

sys.path.insert(0, str(Path(__file__).parent / "support"))

from shelf import Shelf, interactive_shell, report


class QuotaError(Exception):
    pass


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setattr(SETTINGS, "frames", "short")
    with interactive_shell() as shell, GLOBAL.temporary(QuotaError=QuotaError):
        shell.user_ns.update(
            shelf=Shelf(report()), quota=Shelf(report("QuotaError")), unknown=Shelf(report("NewError"))
        )
        shell.run_line_magic("load_ext", "mxerr")
        yield shell
        shell.run_line_magic("unload_ext", "mxerr")


def run(shell, capsys, code):
    capsys.readouterr()
    result = shell.run_cell(code)
    return result, "".join(capsys.readouterr())


# ---- %mxerr ----


def test_the_status_names_the_version_the_setting_and_the_last_error(shell, capsys):
    _, before = run(shell, capsys, "%mxerr")
    assert f"mxerr {mxerr.__version__}" in before
    assert "frames: short" in before
    assert "last error: none" in before
    run(shell, capsys, "shelf.find()")
    _, after = run(shell, capsys, "%mxerr status")
    assert "last error: mxerr.error.IndexError: Check failed" in after


def test_loading_again_keeps_the_setting_and_the_last_error(shell, capsys):
    run(shell, capsys, "%mxerr frames full")
    run(shell, capsys, "shelf.find()")
    run(shell, capsys, "%reload_ext mxerr")
    assert "frames: full\nlast error: mxerr.error.IndexError" in run(shell, capsys, "%mxerr")[1]


def test_the_frames_are_chosen_and_shown(shell, capsys):
    assert run(shell, capsys, "%mxerr frames full")[1] == "frames: full\n"
    assert SETTINGS.frames == "full"
    assert run(shell, capsys, "%mxerr frames")[1] == "frames: full\n"


@pytest.mark.parametrize("line", ["frames rubbish", "rubbish", "last full"])
def test_wrong_arguments_are_a_usage_error_and_change_nothing(shell, capsys, line):
    _, text = run(shell, capsys, f"%mxerr {line}")
    assert "UsageError" in text
    assert SETTINGS.frames == "short"


def test_the_kinds_are_listed_with_their_classes(shell, capsys):
    _, text = run(shell, capsys, "%mxerr kinds")
    assert "mxerr.error.ValueError" in text
    assert "QuotaError" in text


@pytest.mark.parametrize("what", ["last", "explain"])
def test_without_a_native_error_there_is_nothing_to_show(shell, capsys, what):
    run(shell, capsys, "1 / 0")
    assert "no native error was raised yet" in run(shell, capsys, f"%mxerr {what}")[1]


@pytest.mark.parametrize(
    "code",
    [
        "shelf.find()",
        "try:\n    shelf.find()\nexcept IndexError as e:\n    raise KeyError() from e",
        "try:\n    shelf.find()\nexcept IndexError as e:\n    raise ExceptionGroup('g', [TypeError(), e])",
        "shelf.find()\n",
    ],
)
def test_the_last_native_error_is_found_and_outlasts_other_errors(shell, capsys, code):
    run(shell, capsys, code)
    run(shell, capsys, "1 / 0")
    _, text = run(shell, capsys, "%mxerr last")
    assert "MXERR_CHECK_LT" in text
    assert text.rstrip().endswith(
        "IndexError: Check failed: index < size (7 vs. 3) : no such book. index = 7"
    )


def test_the_magics_have_help(shell, capsys):
    for magic in ("%mxerr", "%%mxerr_raises"):
        assert (
            shell.find_magic(magic.lstrip("%"), "cell" if "%%" in magic else "line").__doc__.count("\n") > 5
        )


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("%mxe", {"%mxerr"}),
        ("%mxerr ", {"explain", "frames", "kinds", "last", "status"}),
        ("%mxerr ex", {"explain"}),
        ("%mxerr frames ", {"full", "short"}),
        ("%mxerr frames f", {"full"}),
        ("%%mxerr_c --is", {"--isolated"}),
        ("%%mxerr_cpp --isolated --t", {"--timeout"}),
        ("%%mxerr_raises Quo", {"QuotaError"}),
        ("%%mxerr_raises QuotaError --m", {"--match"}),
        ("%%mxerr_trace --s", {"--save"}),
    ],
)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # as the shell is asked
def test_arguments_are_completed(shell, line, completed):
    assert completed <= set(shell.complete(None, line, len(line))[1])


def test_what_is_completed_is_what_the_magics_take(shell):
    for magic, words in completion.WORDS.items():
        kind = "cell" if magic.startswith("%%") else "line"
        usage = shell.find_magic(magic.lstrip("%"), kind).__doc__
        assert set(re.findall(r"--[a-z]+", usage)) == {word for word in words if word.startswith("--")}
        assert all(word in usage for word in words)


# ---- %mxerr explain ----

FACTS = [
    "mxerr.error.IndexError: no such book. index = 7",
    "Cell In[1], line 1",
    "shelf.find()",
    "Python calls C: shelf_find returned -1",
    "MXERR_CHECK_LT(index, size",
    "index < size, 7 against 3",
    "index, in find_book",
    "size, in find_book",
    "stated by C",
    "mxerr.error.IndexError",
    "LookupError",
    "Check failed: index < size (7 vs. 3) : no such book. index = 7",
    "none: C left a record, field by field",
]


class Text(HTMLParser):
    """The text of HTML, and a complaint for each tag that is not closed, runs, or fetches something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.complaints: list[str] = []
        self.feed(html)
        self.complaints += self.open

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)
        names = {name for name, _ in attrs}
        if (
            tag in ("script", "link", "img", "iframe")
            or names & {"src", "href"}
            or any(n[:2] == "on" for n in names)
        ):
            self.complaints.append(f"{tag} {attrs}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.complaints.append(f"</{tag}>")

    def handle_data(self, data):
        self.text += data + " "


def explained(shell, capsys, code="shelf.find()"):
    run(shell, capsys, code)
    result, text = run(shell, capsys, "%mxerr explain")
    return result.result._repr_mimebundle_(), text


def test_text_and_html_both_tell_everything(shell, capsys):
    bundle, printed = explained(shell, capsys)
    html = Text(bundle["text/html"])
    assert html.complaints == []
    for fact in FACTS:
        assert fact in bundle["text/plain"]
        assert fact in html.text
        assert fact in printed


@pytest.mark.parametrize("html", ["<script>1</script>", "<p>", '<a href="x">x</a>', '<b onclick="x">x</b>'])
def test_the_check_of_html_can_fail(html):
    assert Text(html).complaints


def test_html_of_an_explanation_holds_no_html_of_the_message(shell, capsys):
    evil = "<script>alert(1)</script>&\x1b[2J"
    check = mxerr.Check(evil, evil, evil)
    shell.user_ns["shelf"] = Shelf(report()._replace(message=evil, text=evil, check=check, raw=evil.encode()))
    bundle, _ = explained(shell, capsys)
    html = Text(bundle["text/html"])
    assert html.complaints == []
    assert "<script>alert(1)</script>&\\x1b[2J" in html.text


@pytest.mark.parametrize(
    ("library", "fact"),
    [
        ("quota", "registered as: tests.test_ipython_magics.QuotaError"),
        ("unknown", "registered as: nothing for every library"),
    ],
)
def test_the_registry_entry_is_told(shell, capsys, library, fact):
    bundle, _ = explained(shell, capsys, f"{library}.find()")
    assert fact in bundle["text/plain"]


def test_a_report_with_next_to_nothing_is_explained():
    bundle = Explanation(mxerr.NativeError("bad"), mxerr.NativeReport("bad", "bad"))._repr_mimebundle_()
    assert "Python calls C: a function returned 0" in bundle["text/plain"]
    assert Text(bundle["text/html"]).complaints == []


# ---- %%mxerr_trace ----

TRANSPOSE = "from mxerr import np\nx = np.array([[1, 2]])\n"


@pytest.fixture
def displayed(monkeypatch):
    """What the magics display."""
    shown = []
    monkeypatch.setattr(magics, "display", shown.append)
    return shown


def test_a_traced_cell_gives_its_value_and_shows_the_timeline(shell, capsys, displayed):
    result, _ = run(shell, capsys, f"{TRANSPOSE}")
    result, _ = run(shell, capsys, "%%mxerr_trace\ny = x.T\n%mxerr kinds\ny.shape")
    assert result.success
    assert result.result == (2, 1)
    [bundle] = [timeline._repr_mimebundle_() for timeline in displayed]
    page = Text(bundle["text/html"])
    assert page.complaints == []
    for fact in ("call transpose", "transpose.infer_shape", "Python", "C"):
        assert fact in bundle["text/plain"]
        assert fact in page.text


def test_a_traced_cell_that_raises_shows_both_and_fails(shell, capsys, displayed):
    run(shell, capsys, TRANSPOSE)
    result, text = run(shell, capsys, "%%mxerr_trace\nx.transpose((0, 0))")
    assert isinstance(result.error_in_exec, mxerr.error.ValueError)
    assert "line 2" in text
    assert "2 x.transpose((0, 0))" in text
    [timeline] = displayed
    assert "! transpose.infer_shape" in str(timeline)
    assert "raises" in Text(timeline.html()).text


def test_a_trace_is_saved_for_a_viewer(shell, capsys, displayed, tmp_path):
    run(shell, capsys, TRANSPOSE)
    file = tmp_path / "my trace.json"
    run(shell, capsys, f"%%mxerr_trace --save '{file}'\nx.T")
    assert any(event["name"] == "call transpose" for event in json.loads(file.read_text())["traceEvents"])


def test_a_trace_that_cannot_be_saved_is_refused_before_the_cell_runs(shell, capsys, displayed, tmp_path):
    for place in (tmp_path / "none" / "x.json", tmp_path):
        result, text = run(shell, capsys, f"%%mxerr_trace --save '{place}'\nran = True")
        assert type(result.error_in_exec).__name__ == "UsageError"
        assert text.startswith(
            f"UsageError: --save: expected a file in a folder that can be written, got {place}"
        )
    assert "ran" not in shell.user_ns
    assert displayed == []


def test_the_error_of_a_traced_cell_wins_over_that_of_saving(shell, capsys, displayed, tmp_path):
    folder = tmp_path / "folder"
    for ending, error in (("1 / 0", ZeroDivisionError), ("0", FileNotFoundError)):
        folder.mkdir()
        shell.user_ns["folder"] = folder
        code = f"%%mxerr_trace --save '{folder / 'x.json'}'\nfolder.rmdir()\n{ending}"
        result, text = run(shell, capsys, code)
        assert type(result.error_in_exec) is error
        assert ("the trace is not saved: " in text) == (error is ZeroDivisionError)


def test_spans_are_what_lies_between_entering_and_leaving():
    def event(time, phase, name, thread=7):
        return Event(time * 1000, thread, "C", phase, name)

    found = spans(
        [
            event(0, "enter", "outer"),
            event(1, "enter", "inner"),
            event(2, "enter", "other", thread=8),
            event(3, "raise", "inner"),
            event(4, "leave", "inner"),
            event(5, "leave", "no beginning"),
            event(6, "enter", "no end"),
            event(7, "leave", "outer"),
        ]
    )
    assert [(s.name, s.thread, s.depth, s.begin, s.end, s.failed) for s in found] == [
        ("outer", 0, 0, 0, 7, False),
        ("inner", 0, 1, 1, 4, True),
        ("no end", 0, 1, 6, 7, False),
        ("other", 1, 0, 2, 7, False),
    ]


def test_a_long_trace_is_cut_in_html_and_says_so():
    long = Trace()
    long.events = [Event(n, 1, "C", "enter", f"<{n}>") for n in range(10_000)]
    long.dropped = 3
    page = Timeline(long).html()
    assert len(page) < 300_000
    assert Text(page).complaints == []
    assert "500 events; 9500 more events; 3 events dropped" in Text(page).text


# ---- %%mxerr_raises ----


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("IndexError", "shelf.find()"),
        ("IndexError --match 'no such book. index = 7'", "shelf.find()"),
        ('IndexError --match "(7 vs. 3)" --in find_book', "shelf.find()"),
        ("QuotaError", "quota.find()"),
        ("NewError", "unknown.find()"),
        ("ZeroDivisionError", "1 / 0"),
        ("Mine", "class Mine(Exception): pass\nraise Mine()"),
        ("SyntaxError", "def f(:"),
        ("builtins.ValueError", "int('x')"),
        ("json.JSONDecodeError", "import json; json.loads('')"),
        ("mxerr.NativeError", "import mxerr; raise mxerr.NativeError('x')"),
        ("BuildError", "%%mxerr_c\nMXERR_EXPORT int f(void) { return nothing_; }"),
        ("UsageError", "%nosuchmagic"),
        ("ExpectedError", "%%mxerr_raises IndexError\n1"),
        ("SystemExit", "raise SystemExit(3)"),
        ("KeyboardInterrupt", "raise KeyboardInterrupt"),
        ("ExceptionGroup", "raise ExceptionGroup('g', [ValueError(1)])"),
        ("NoText", "class NoText(Exception):\n    def __str__(self): raise KeyError()\nraise NoText()"),
        ("IndentationError", "  x\n y"),
        ("ZeroDivisionError", "import asyncio\nawait asyncio.sleep(0)\n1 / 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:To exit:UserWarning")
def test_a_cell_that_raises_what_it_must_passes_and_shows_the_traceback(shell, capsys, arguments, code):
    result, text = run(shell, capsys, f"%%mxerr_raises {arguments}\n{code}")
    assert result.success
    assert arguments.split()[0].rpartition(".")[2] in text or "MXNetError" in text
    if "find" in code:
        assert "MXERR_CHECK_LT" in text


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        ("IndexError", "1", "expected IndexError, but nothing was raised"),
        ("ValueError", "shelf.find()", "expected mxerr.error.ValueError, got mxerr.error.IndexError"),
        ("IndexError", "raise IndexError()", "expected mxerr.error.IndexError, got builtins.IndexError"),
        ("IndexError", "class IndexError(Exception): pass\nraise IndexError()", "got __main__.IndexError"),
        ("QuotaError", "shelf.find()", "expected tests.test_ipython_magics.QuotaError"),
        ("NoSuchError", "shelf.find()", "expected NoSuchError, which names no class"),
        ("IndexError --match other", "shelf.find()", "expected a message with 'other'"),
        ("IndexError --match no.such", "shelf.find()", "expected a message with 'no.such'"),
        ("IndexError --in shelf_find", "shelf.find()", "in the C function shelf_find, got find_book"),
        ("ZeroDivisionError --in f", "1 / 0", "in the C function f, got no C function"),
        ("ValueError", "int('x')", "expected mxerr.error.ValueError, got builtins.ValueError"),
        ("no.such", "1 / 0", "expected no.such, which names no class, got builtins.ZeroDivisionError"),
        (
            "NoText --match x",
            "class NoText(Exception):\n  def __str__(self): 1 / 0\nraise NoText()",
            "got ''",
        ),
        ("IndexError", "%%mxerr_raises TypeError\n1 / 0", "got mxerr.ipython.magics.ExpectedError"),
    ],
)
def test_a_cell_that_does_not_raise_what_it_must_fails(shell, capsys, arguments, code, complaint):
    result, _ = run(shell, capsys, f"%%mxerr_raises {arguments}\n{code}")
    assert type(result.error_in_exec).__name__ == "ExpectedError"
    assert complaint in str(result.error_in_exec)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("%%mxerr_raises IndexError --mtach x\n1", "unrecognized arguments: --mtach x"),
        ("%%mxerr_raises\n1", "the following arguments are required: kind"),
        ("%%mxerr_raises IndexError --match 'it\n1", "No closing quotation"),
        ("%%mxerr_trace --save\n1", "argument --save: expected one argument"),
        ("%%mxerr_trace\nimport asyncio\nawait asyncio.sleep(0)", "%%mxerr_trace: a cell that awaits"),
    ],
)
def test_wrong_arguments_fail_the_cell_before_it_runs(shell, capsys, code, complaint):
    result, text = run(shell, capsys, code)
    assert type(result.error_in_exec).__name__ == "UsageError"
    assert text.startswith(f"UsageError: {complaint}")


@pytest.mark.parametrize("magic", ["mxerr_raises ZeroDivisionError", "mxerr_trace"])
def test_lines_and_counts_of_a_cell_are_those_that_the_user_sees(shell, capsys, magic):
    shell.run_cell("1", store_history=True)
    capsys.readouterr()
    shell.run_cell(f"%%{magic}\nx = 1\n1 / 0", store_history=True)
    text = "".join(capsys.readouterr())
    assert "Cell In[2], line 3\n" in text
    assert "----> 3 1 / 0" in text
    assert shell.execution_count == 3


def test_an_expected_error_is_the_last_error(shell, capsys):
    run(shell, capsys, "%%mxerr_raises IndexError\nshelf.find()")
    assert isinstance(sys.last_value, IndexError)
    assert "MXERR_CHECK_LT" in run(shell, capsys, "%mxerr last")[1]


def test_after_an_expected_error_others_are_shown_as_before(shell, capsys):
    before = shell.__dict__.copy()
    run(shell, capsys, "%%mxerr_raises IndexError\nshelf.find()")
    for name in ("showtraceback", "showsyntaxerror", "showindentationerror"):
        assert shell.__dict__.get(name) is before.get(name)
    assert "ZeroDivisionError" in run(shell, capsys, "1 / 0")[1]
