"""Whatever C does, every tool shows the right error, and the C line where there is one.

The errors are the rows of visibility/rows.py. A test of every row is one tool in one mode; it names the rows
that fail. Time is CPU time, for machines that are busy with other things.
"""

import json
import linecache
import pdb
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core import debugger, ultratb
from jupyter_client.manager import start_new_kernel

from mxerr import NativeFrame

HERE = Path(__file__).parent / "visibility"
ROWS = SimpleNamespace(**runpy.run_path(str(HERE / "rows.py")))
TOOLS = SimpleNamespace(**runpy.run_path(str(HERE / "tools.py")))
IPYTHON = SimpleNamespace(**runpy.run_path(str(HERE / "show_in_ipython.py")))
IPYTHON_CASES = [" ".join(case).strip() for case in IPYTHON.cases(ultratb.FormattedTB().valid_modes)]
SECONDS = 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


@pytest.fixture(scope="module")
def rows(folder):
    return ROWS.make_rows(folder)


@pytest.fixture
def transpose(rows):
    """Make the error of a real call."""
    return TOOLS.raised(rows[0].make())


@pytest.fixture
def working_folder(folder, rows, monkeypatch):
    """Stand in the folder that has files of the same names as C's, with other text in them."""
    monkeypatch.chdir(folder / "work")


@pytest.fixture(scope="module")
def shown_in_ipython(folder, rows):
    """Run all rows through IPython; gives a dict from case to a dict from row to text and seconds."""
    program = [sys.executable, str(HERE / "show_in_ipython.py"), str(folder)]
    output = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True, timeout=600).stdout
    shown = {}
    for line in map(json.loads, output.splitlines()):
        shown.setdefault(line["case"], {})[line["row"]] = line["text"], line["seconds"]
    return shown


@pytest.fixture(scope="module")
def kernel(folder, rows):
    manager, client = start_new_kernel(cwd=str(folder / "work"))
    kernel = TOOLS.Kernel(client)
    kernel.run(
        f"import runpy; rows = runpy.run_path({str(HERE / 'rows.py')!r})['make_rows']({str(folder)!r})"
    )
    kernel.run("%colors nocolor")
    yield kernel
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
    client.context.term()


@pytest.mark.parametrize("tool", TOOLS.STANDARD)
def test_every_row_in_tools_of_the_standard_library(tool, rows, working_folder):
    failures = []
    for row in rows:
        start = time.process_time()
        failures += TOOLS.complaints(row, TOOLS.STANDARD[tool](TOOLS.raised(row.make())))
        if time.process_time() - start > SECONDS:
            failures.append(f"{row.name}: slow")
    assert failures == []


@pytest.mark.parametrize("case", IPYTHON_CASES)
def test_every_row_in_plain_ipython(case, rows, shown_in_ipython):
    sees_line = case.startswith(("Plain", "Context", "Verbose"))
    failures = []
    for row in rows:
        text, seconds = shown_in_ipython[case][row.name]
        failures += TOOLS.complaints(row, text, sees_line=sees_line)
        if seconds > SECONDS:
            failures.append(f"{row.name}: took {seconds} s")
    assert failures == []


def test_every_row_in_a_jupyter_kernel(kernel, rows):
    failures = []
    for number, row in enumerate(rows):
        error, text = kernel.run(f"raise rows[{number}].make()")
        failures += TOOLS.complaints(row, text)
        if error is None or error["ename"] != "ValueError" or row.text not in error["evalue"]:
            failures.append(f"{row.name}: the error message says {error}")
    assert failures == []


@pytest.mark.parametrize("option", ["", "--showlocals"])
@pytest.mark.parametrize("style", ["auto", "long", "short"])
def test_every_row_in_styles_of_pytest(style, option, folder, rows, transpose):
    run = TOOLS.run_pytest(folder, f"--tb={style}", *option.split())
    sections = check_pytest(run, rows, sees_line=True)
    TOOLS.assert_shows_each_c_frame(transpose, sections[0], values=bool(option))


@pytest.mark.parametrize("style", ["line", "native", "no"])
def test_every_row_in_plain_styles_of_pytest(style, folder, rows, transpose):
    run = TOOLS.run_pytest(folder, f"--tb={style}")
    sections = check_pytest(run, rows, sees_line=style == "native")
    if style == "native":
        TOOLS.assert_shows_each_c_frame(transpose, sections[0])


def check_pytest(run, rows, *, sees_line):
    """Check a run over all rows; gives what was shown of each, where the style has sections."""
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout[-3000:]
    assert f"{len(rows)} failed" in run.stdout
    assert run.stdout.count(" - mxerr.error.ValueError: ") == len(rows)
    shown = re.split(r"^_+ test_row\[\d+\] _+$|^=+ short test summary", run.stdout, flags=re.M)[1:-1]
    sections = shown or [run.stdout] * len(rows)
    failures = [TOOLS.complaints(*pair, sees_line=sees_line) for pair in zip(rows, sections, strict=True)]
    assert [failure for row in failures for failure in row] == []
    return sections


@pytest.mark.parametrize("tool", TOOLS.STANDARD)
def test_tools_of_the_standard_library_show_each_c_frame(tool, transpose):
    text = TOOLS.STANDARD[tool](transpose)
    TOOLS.assert_shows_each_c_frame(transpose, text, values=tool in {"capture_locals", "getinnerframes"})


@pytest.mark.parametrize("mode", ["Plain", "Context", "Verbose"])
def test_ipython_shows_each_c_frame(mode, transpose, shown_in_ipython):
    text, _ = shown_in_ipython[f"{mode} nocolor"]["transpose"]
    TOOLS.assert_shows_each_c_frame(transpose, text, values=mode == "Verbose")


def test_the_kernel_shows_the_last_error_again(kernel, transpose):
    kernel.run("raise rows[0].make()")
    TOOLS.assert_shows_each_c_frame(transpose, kernel.run("%tb")[1])


def test_the_kernel_debugs_the_last_error(kernel, transpose):
    kernel.run("raise rows[0].make()")
    _, text = kernel.run("%debug", "w", "p axes.ndim", "a", "l", "up", "up", "p op_name", "down", "q")
    TOOLS.assert_shows_each_c_frame(transpose, text)
    assert re.search(r"^3\n.*^axes_set.size = 2\naxes.ndim = 3\nparam.axes = \[0,0,1\]\n", text, re.S | re.M)
    assert "\ntranspose\n" in text


COMPANY = {
    "chained": (
        "try: raise rows[0].make()\nexcept Exception as error: raise rows[1].make() from error",
        "The above exception was the direct cause",
    ),
    "in its context": (
        "try: raise rows[1].make()\nexcept Exception: raise rows[0].make()",
        "During handling of the above exception",
    ),
    "noted": ("error = rows[0].make(); error.add_note('a note'); raise error", "a note"),
    "grouped": ("raise ExceptionGroup('a group', [rows[0].make(), rows[1].make()])", "a group"),
}


@pytest.mark.parametrize("mode", ["Plain", "Context", "Verbose"])
@pytest.mark.parametrize("company", COMPANY)
def test_the_kernel_shows_errors_in_company(kernel, rows, transpose, mode, company):
    cell, says = COMPANY[company]
    kernel.run(f"%xmode {mode}")
    _, text = kernel.run(cell)
    kernel.run("%xmode Context")
    assert says in text
    TOOLS.assert_shows_each_c_frame(transpose, text)
    assert [c for row in rows[: 1 if company == "noted" else 2] for c in TOOLS.complaints(row, text)] == []


@pytest.mark.parametrize("tool", ["print_exception", "format_exception", "capture_locals", "logging"])
def test_the_standard_library_shows_errors_in_company(tool, rows):
    cause, error, last = (row.make() for row in rows[:3])
    error.__cause__ = cause
    error.add_note("a note")
    text = TOOLS.STANDARD[tool](TOOLS.raised(ExceptionGroup("a group", [error, last])))
    assert "a note" in text
    assert "a group" in text
    assert [complaint for row in rows[:3] for complaint in TOOLS.complaints(row, text)] == []


ANSWERS = {
    "a": "axes_set.size = 2\naxes.ndim = 3\nparam.axes = [0,0,1]\n",
    "p axes.ndim": "3\n",
    "p axes_set.size, param.axes": "(2, [0,0,1])\n",
    "p locals()": "{'axes_set.size': 2, 'axes.ndim': 3, 'param.axes': [0,0,1]}\n",
    "p axes.size": "*** AttributeError: axes.size: C gave no such value\n",
    "down": "*** Newest frame\n",
}


@pytest.mark.parametrize("cls", [pdb.Pdb, debugger.Pdb])
@pytest.mark.parametrize("command", ANSWERS)
def test_debuggers_answer_in_a_c_frame(cls, command, transpose):
    _, answer, _ = re.split(r"\(Pdb\) |ipdb> ", TOOLS.plain(TOOLS.debug(transpose, [command], cls)))
    assert answer == ANSWERS[command]


def test_a_debugger_lists_the_c_function(transpose):
    frame = transpose.native.frames[-1]
    lines = Path(transpose.native.source_root, frame.file).read_text().splitlines()
    head = next(i for i, line in enumerate(lines, 1) if line.startswith("static int transpose_infer_shape("))
    end = lines.index("}", head) + 1
    around, whole = (TOOLS.debug(transpose, [command]).split("(Pdb) ")[1] for command in ("l", "ll"))
    listed = f"{frame.line:3}  ->\t{lines[frame.line - 1]}\n"
    assert listed in around
    assert len(around.splitlines()) == 11
    assert listed in whole
    assert f"{head:3}  \t{lines[head - 1]}\n" in whole
    if sys.version_info >= (3, 13):  # before, `inspect` starts at the last line that looks like a def
        assert len(whole.splitlines()) == end - head + 1


def test_lines_survive_what_happens_to_files_and_caches(tmp_path):
    file = tmp_path / "op.c"
    file.write_bytes(ROWS.FUNCTION)
    row = ROWS.make_row("a file", [NativeFrame("infer_shape", str(file), 2)], ROWS.CHECK)
    error = TOOLS.raised(row.make())
    file.write_text(f"{ROWS.WRONG}\n" * 10)
    for happens in (linecache.checkcache, linecache.clearcache, file.unlink, linecache.clearcache):
        happens()
        assert list(TOOLS.complaints(row, TOOLS.STANDARD["print_exception"](error))) == []
