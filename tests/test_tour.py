"""The tour and the command line: the walk is true, and shows well wherever it is shown."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nbformat
import pytest

from mxerr import _native, cli, tour
from mxerr.registry import GLOBAL

WALK = Path(__file__).parents[1] / "notebooks" / "01_transpose_valueerror.ipynb"
MESSAGE = (
    "mxerr.error.ValueError: Check failed: axes_set.size == axes.ndim (2 vs. 3) : "
    "Repeated axis in transpose. param.axes = [0,0,1]"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COLOURS = ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING", "TERM")

_, *STAGES, _ = tour.stages()


def environment(**changes):
    return {name: value for name, value in os.environ.items() if name not in COLOURS} | changes


def mxerr(*arguments, **changes):
    """Run the command line as a program, isolated from the working folder and the user's settings."""
    return subprocess.run(
        [sys.executable, "-I", "-m", "mxerr", *arguments],
        cwd="/",
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def text_of(*arguments, **changes):
    """Run the command line to its good end; returns what it printed."""
    done = mxerr(*arguments, **{"PYTHONIOENCODING": "utf-8", **changes})
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def plain(text, role):
    return text


@pytest.fixture(scope="module")
def walk():
    """The tour as a program prints it into a pipe."""
    return text_of("tour")


# ---- the walk ----


def test_the_tour_has_the_stages_in_order(walk):
    headings = re.findall(r"^(\d+)\. (.+)$", walk, re.MULTILINE)
    assert headings == [(str(number), stage.title) for number, stage in enumerate(STAGES, 1)]


def test_the_tour_shows_every_line_of_code_that_it_runs(walk):
    shown = re.findall(r"^(?:>>>|\.\.\.) (.*)$", walk, re.MULTILINE)
    assert shown == [line for stage in STAGES for line in stage.code.splitlines() if line]


def test_the_tour_ends_with_the_whole_traceback(walk):
    last = walk.rpartition("Traceback (most recent call last):\n")[2]
    assert last.endswith(f"{MESSAGE}\n")
    assert '  File "<stage 1>", line 5, in <module>\n    dat.transpose((0, 0, 1))\n' in last
    assert re.search(
        r'  File ".*transpose\.c", line \d+, in transpose_infer_shape\n'
        r"    MXERR_CHECK_EQ\(axes_set\.size, axes\.ndim,\n",
        last,
    )


def test_the_tour_shows_what_the_notebook_shows():
    """Nothing in the walk is prepared: two programs that run it see the same."""
    cells = [cell for cell in nbformat.read(WALK, as_version=4).cells if cell.cell_type == "code"]
    namespace = {"__name__": "__main__"}
    with GLOBAL.temporary():
        for stage, cell in zip(STAGES, cells, strict=False):
            steps = list(tour.run(stage.code, namespace))
            assert "".join(step.output for step in steps) == shown(cell), stage.title
            raised = [(o.ename, o.evalue) for o in cell.outputs if o.output_type == "error"]
            assert [(type(s.error).__name__, str(s.error)) for s in steps if s.error] == raised


def shown(cell):
    texts = [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.outputs]
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in texts if text)


def test_the_walk_has_no_result_in_its_own_words():
    namespace = {"__name__": "__main__"}
    written = "".join("".join(stage) for stage in tour.stages())
    with GLOBAL.temporary():
        outputs = [step.output for stage in STAGES for step in tour.run(stage.code, namespace)]
    lines = [line for line in "".join(outputs).splitlines() if len(line) > 2]
    assert len(lines) > 50
    assert not [line for line in lines if line in written]


@pytest.mark.parametrize("number", range(1, len(STAGES) + 1))
def test_what_a_stage_says_to_try_works(number, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("args\nup\nargs\nquit\n"))  # for the debugger
    tried = re.findall(r"`([^`]+)`", STAGES[number - 1].after.partition("Try: ")[2])
    namespace = {"__name__": "__main__"}
    with GLOBAL.temporary():
        for stage in STAGES[:number]:
            list(tour.run(stage.code, namespace))
        steps = [step for code in tried if re.search(r"[.(]", code) for step in tour.run(code, namespace)]
    assert steps
    assert not [step.error for step in steps if step.error]


def test_the_walk_leaves_the_registry_as_it_was():
    before = dict(GLOBAL.classes)
    list(tour.show(plain, 80))
    assert before == GLOBAL.classes


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.title)
def test_a_stage_has_few_words_and_says_what_to_read_and_to_try(stage):
    assert len(stage.text.split()) < 120
    assert re.fullmatch(r"Read: .*\.\n\nTry: .*[.?]", stage.after, re.DOTALL)
    assert (stage.text + stage.code + stage.after).isascii()


def test_code_after_an_error_is_not_run():
    steps = list(tour.run("print(1)\n1 / 0\nprint(2)\n", {}))
    assert [step.output for step in steps] == ["1\n", ""]
    assert isinstance(steps[-1].error, ZeroDivisionError)


def test_the_notebook_tells_the_walk_in_the_same_words():
    cells = nbformat.read(WALK, as_version=4).cells[1:]
    for number, stage in enumerate(STAGES, 1):
        text, code = cells[2 * number - 2 : 2 * number]
        assert text.source == f"## {number}. {stage.title}\n\n{stage.text}\n\n{stage.after}"
        assert code.source == stage.code


# ---- where it is shown ----


@pytest.mark.parametrize(("columns", "width"), [("40", 72), ("80", 80), ("300", 100)])
def test_prose_is_as_wide_as_the_terminal_within_bounds(columns, width):
    text = text_of("tour", COLUMNS=columns)
    lines = text.partition("\n>>>")[0].splitlines()
    assert width - 16 < max(map(len, lines)) <= width


def test_there_are_no_colours_in_a_pipe(walk):
    assert "\x1b" not in walk


def test_colours_change_nothing_else(walk):
    coloured = text_of("tour", FORCE_COLOR="1")
    assert "\x1b[1m1. The call\x1b[0m" in coloured
    assert COLOUR.sub("", coloured) == walk


@pytest.mark.parametrize("forbids", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colours_gets_none(forbids):
    assert not cli.wants_colour(True, forbids)
    assert not cli.wants_colour(True, {"FORCE_COLOR": "1", **forbids})
    assert "\x1b" not in text_of("tour", FORCE_COLOR="1", **forbids)


@pytest.mark.parametrize(("environ", "expected"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colours(environ, expected):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-I", "-m", "mxerr", "tour"]
    with subprocess.Popen(command, env=environment(**environ), stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        read = b""
        while piece := read_terminal(ours):
            read += piece
    os.close(ours)
    assert process.returncode == 0
    assert (b"\x1b[" in read) is expected
    assert MESSAGE.encode() in read


def read_terminal(file):
    try:
        return os.read(file, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


@pytest.mark.parametrize("lines", [0, 3, 100])
def test_a_reader_that_leaves_early_causes_no_noise(lines):
    command = [sys.executable, "-I", "-m", "mxerr", "tour"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_output_that_knows_only_ascii_gets_the_same_walk(walk):
    done = mxerr("tour", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("ascii") == walk.encode("ascii", "backslashreplace").decode()


# ---- the command line ----


def test_without_a_command_there_is_help():
    help_text = text_of()
    assert help_text.startswith("usage: mxerr ")
    assert all(command in help_text for command in ("tour", "info", "new"))
    assert help_text == text_of("--help")


def test_a_command_that_does_not_exist_is_an_error_of_usage():
    done = mxerr("tuor")
    assert done.returncode == 2
    assert b"invalid choice: 'tuor'" in done.stderr


def test_the_console_script_is_the_same_program():
    (script,) = metadata.entry_points(group="console_scripts", name="mxerr")
    assert script.load() is cli.main


def test_info_names_versions_library_and_kinds(capsys):
    assert cli.main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"mxerr     {metadata.version('mxerr')}" in lines
    assert f"libmxerr  0.1.0, {_native.path()}" in lines
    assert "  ValueError            mxerr.error.ValueError" in lines
    assert [line for line in lines if line.startswith("  ")] == [
        f"  {kind:<22}{cls.__module__}.{cls.__qualname__}" for kind, cls in sorted(GLOBAL.classes.items())
    ]


def test_a_distribution_that_is_missing_is_no_reason_to_fail(capsys, monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert cli.main(["info"]) == 0
    assert "ipython   not installed\n" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["tour", "info"])
def test_a_missing_library_is_one_message_and_status_1(command, capsys, monkeypatch):
    def missing():
        raise ImportError("mxerr: its C library is not there.")

    monkeypatch.setattr(_native, "library", missing)
    monkeypatch.setattr(_native, "path", missing)
    assert cli.main([command]) == 1
    assert capsys.readouterr().err == "mxerr: its C library is not there.\n"
