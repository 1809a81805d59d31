"""The extension in a real kernel: what the front end is sent, and what notebook tests make of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from queue import Empty

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager
from support.kernel import SETUP, Kernel, plain

BREAK = "from mxerr.ipython import formatter\ndef broken(*args): raise ZeroDivisionError()\n"
BREAK_OURS = f"{BREAK}formatter.NativeTB._runs = broken"
GROUP = """
try:
    shelf.find()
except Exception as error:
    raise ExceptionGroup("books", [error, ValueError("second")])
"""
CHAIN = "try:\n    shelf.find()\nexcept IndexError as error:\n    raise KeyError('outer') from error"
NO_TEXT = "class NoText(Exception):\n    def __str__(self): raise KeyError()\nraise NoText()"
FOREIGN = (
    "class Foreign(Exception):\n    def _render_traceback_(self): raise KeyError()\nraise Foreign('theirs')"
)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    kernel = Kernel(tmp_path_factory.mktemp("kernel"))
    kernel.run(SETUP)
    yield kernel
    kernel.stop()


@pytest.fixture
def fresh_kernel(tmp_path):
    kernel = Kernel(tmp_path)
    kernel.run(SETUP)
    yield kernel
    kernel.stop()


# ---- what the front end is sent ----


@pytest.mark.parametrize(
    ("code", "name", "value", "shown"),
    [
        (
            "shelf.find()",
            "IndexError",
            "Check failed: index < size (7 vs. 3) : no such book",
            "MXERR_CHECK_LT",
        ),
        (CHAIN, "KeyError", "'outer'", "MXERR_CHECK_LT"),
        (GROUP, "ExceptionGroup", "books (2 sub-exceptions)", "MXERR_CHECK_LT"),
        (
            "raise ExceptionGroup('g', [ValueError('x')])",
            "ExceptionGroup",
            "g (1 sub-exception)",
            "ValueError: x",
        ),
        (NO_TEXT, "NoText", "<NoText whose __str__ failed>", "NoText"),
        (FOREIGN, "Foreign", "theirs", "raise Foreign"),
        ("1 / 0", "ZeroDivisionError", "division by zero", "1 / 0"),
        ("%mxerr rubbish", "UsageError", "invalid choice: 'rubbish'", "UsageError: argument what"),
        ("%%mxerr_raises E --mtach x\n1", "UsageError", "unrecognized arguments", "UsageError: unrecognized"),
        ("%%mxerr_raises E\nawait x", "UsageError", "a cell that awaits", "UsageError: %%mxerr_raises"),
        ("%nosuchmagic", "UsageError", "Line magic function", "UsageError: Line magic function"),
        ("def f(:", "SyntaxError", "invalid syntax", "def f(:"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "", "KeyboardInterrupt"),
    ],
)
def test_an_error_reaches_the_front_end_as_one_error(kernel, code, name, value, shown):
    error = kernel.error(code)
    assert error["ename"] == name
    assert value in error["evalue"]
    assert shown in error["text"]
    assert "formatter failed" not in error["text"]


def test_the_helper_sees_where_an_error_is_not_sent(kernel):
    with pytest.raises(ValueError, match="not enough values"):
        kernel.error("1 + 1")


@pytest.mark.parametrize("mode", ["Plain", "Context", "Verbose", "Minimal"])
def test_every_mode_sends_an_error(kernel, mode):
    kernel.run(f"%xmode {mode}")
    assert kernel.error("shelf.find()")["ename"] == "IndexError"
    assert kernel.error(GROUP)["ename"] == "ExceptionGroup"
    kernel.run("%xmode Context")


def test_a_renderer_that_fails_still_sends_the_error_and_says_so(fresh_kernel):
    fresh_kernel.run(BREAK_OURS)
    error = fresh_kernel.error("shelf.find()")
    assert error["ename"] == "IndexError"
    assert "mxerr's traceback formatter failed" in error["text"].splitlines()[-1]
    assert "MXERR_CHECK_LT" in error["text"]


def test_an_unloaded_extension_leaves_ipythons_traceback(fresh_kernel):
    fresh_kernel.run("%unload_ext mxerr")
    text = fresh_kernel.error("shelf.find()")["text"]
    assert "Python calls C" not in text
    assert "MXERR_CHECK_LT" in text


def test_a_users_handler_is_called_before_and_after(fresh_kernel):
    fresh_kernel.run("get_ipython().set_custom_exc((KeyError,), lambda *a, tb_offset=None: print('theirs'))")
    for command in ("%reload_ext mxerr", "%unload_ext mxerr"):
        fresh_kernel.run(command)
        outputs, _ = fresh_kernel.run("{}['k']")
        assert [output.get("text") for output in outputs] == ["theirs\n"]


@pytest.mark.parametrize(
    ("code", "commands", "printed"),
    [
        (
            "shelf.find()",
            ["p index", "up", "list", "up", "p self"],
            ["7\n", "MXERR_API(find_book", "<shelf>"],
        ),
        (
            "from mxerr import np\nmatrix = np.array([[1, 2]])\nmatrix.transpose((0, 0))",
            ["p int(axes.ndim) + 40", "p axes_set.size", "list", "up", "down", "args"],
            ["42\n", "1\n", "MXERR_CHECK_EQ(axes_set.size", "axes.ndim = 2", "param.axes = [0,0]"],
        ),
    ],
)
def test_the_debugger_goes_through_c_frames(kernel, code, commands, printed):
    kernel.run(code)
    sent = kernel.client.execute("%debug", allow_stdin=True)
    answers = iter([*commands, "q"])
    deadline = time.monotonic() + 60
    texts = []
    while time.monotonic() < deadline:
        try:
            kernel.client.get_stdin_msg(timeout=0.2)
            kernel.client.input(next(answers))
        except Empty:
            pass
        try:
            message = kernel.client.get_iopub_msg(timeout=0.2)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") != sent:
            continue
        if message["msg_type"] == "stream":
            texts.append(message["content"]["text"])
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            break
    kernel.client.get_shell_msg(timeout=120)
    text = plain("".join(texts))
    for each in printed:
        assert each in text


PRINTING = """%%mxerr_c
#include <stdio.h>
MXERR_EXPORT void say(void) { printf("out\\n"); fprintf(stderr, "err\\n"); printf("no end of line"); }
"""


def test_what_c_prints_is_sent_by_the_cell_that_caused_it(kernel):
    kernel.run(PRINTING)
    outputs, reply = kernel.run("print('before'); say(); print('!')")
    assert reply["status"] == "ok"
    texts = {
        name: "".join(output["text"] for output in outputs if output["name"] == name)
        for name in ("stdout", "stderr")
    }
    assert texts == {"stdout": "before\nout\nno end of line!\n", "stderr": "err\n"}
    assert kernel.run("1;")[0] == []


def test_a_cell_that_does_not_compile_sends_an_error(kernel):
    error = kernel.error("%%mxerr_c\nMXERR_EXPORT int f(void) { return nothing_; }")
    assert error["ename"] == "BuildError"
    assert "cell.c, line 2" in error["evalue"]


def test_the_stop_button_ends_a_loop_that_polls(kernel):
    kernel.run("%%mxerr_c\nMXERR_EXPORT int spin(void) { for (;;) MXERR_POLL(); }")
    timer = threading.Timer(1, kernel.manager.interrupt_kernel)
    timer.start()
    error = kernel.error("spin()")
    assert error["ename"] == "KeyboardInterrupt"
    assert "MXERR_POLL();" in error["text"]
    assert kernel.run("1;")[1]["status"] == "ok"


def test_a_crash_of_an_isolated_cell_leaves_the_kernel_alive(kernel):
    kernel.run("alive = 7")
    kernel.run("%%mxerr_c --isolated\n#include <stdlib.h>\nMXERR_EXPORT int die(void) { abort(); }")
    error = kernel.error("die()")
    assert error["ename"] == "CrashError"
    assert "die: ended its process by SIGABRT" in error["evalue"]
    assert kernel.run("alive")[0][0]["data"]["text/plain"] == "7"


def test_nbclient_tells_the_message_once(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in (SETUP, "shelf.find()")]
    )
    specs = NbvalKernelspecManager()
    manager = AsyncKernelManager(kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=specs)
    with pytest.raises(CellExecutionError) as caught:
        NotebookClient(notebook, manager, timeout=120).execute(
            cwd=str(tmp_path), env={**os.environ, "IPYTHONDIR": str(tmp_path)}, cleanup_kc=True
        )
    text = plain(str(caught.value))
    assert text.count("IndexError: Check failed: index < size (7 vs. 3)") == 1
    assert "IndexError: IndexError" not in text
    assert caught.value.evalue.startswith("Check failed: index < size")


# ---- front ends that show ANSI text alone, as VS Code does with errors and with what it trusts no HTML of ----

_ESCAPE = re.compile(r"\x1b(?!\[[0-9;]*m)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")


def as_ansi(outputs):
    """What a front end shows that knows neither HTML nor the terminal's cursor."""
    texts = []
    for output in outputs:
        if output["type"] == "error":
            assert all(type(line) is str for line in output["traceback"])
            texts += ["\n".join(output["traceback"]), f"{output['ename']}: {output['evalue']}"]
        else:
            texts.append(output["text"] if output["type"] == "stream" else output["data"]["text/plain"])
    text = "\n".join(texts)
    assert not _ESCAPE.search(text)
    assert not _CONTROL.search(text)
    return plain(text)


FACTS = ["Cell In[", "shelf.find()", "Python calls C: shelf_find", "shelf.c:5", "index < size, 7 against 3"]
VALUES = ["index = 7", "size = 3"]


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        (
            "shelf.find()",
            [*FACTS, *VALUES, "MXERR_CHECK_LT(index, size", "IndexError: Check failed: index < size"],
        ),
        (CHAIN, [*FACTS, *VALUES, "direct cause of the following", "KeyError: 'outer'"]),
        (GROUP, [*FACTS, *VALUES, "ValueError: second", "ExceptionGroup: books (2 sub-exceptions)"]),
        ("%%mxerr_raises IndexError\nshelf.find()", [*FACTS, *VALUES, "IndexError: Check failed"]),
        (
            "%mxerr explain",
            [
                *("The way of the error:", "find, ", "shelf_find returned -1", "find_book, ", "shelf.c:5"),
                *(
                    "The check that failed:",
                    "index < size, 7 against 3",
                    "The C values:",
                    "index, in find_book: 7",
                ),
                *(
                    "stated by C: IndexError",
                    "registered as: mxerr.error.IndexError",
                    "LookupError",
                    "raw text",
                ),
            ],
        ),
        ("%mxerr last", [*FACTS, *VALUES, "IndexError: Check failed"]),
        ("%mxerr", ["mxerr ", "frames: short", "last error: mxerr.error.IndexError: Check failed"]),
        ("%mxerr kinds", ["ValueError", "mxerr.error.ValueError"]),
        ("%mxerr rubbish", ["UsageError: argument what: invalid choice: 'rubbish'"]),
        (
            "%%mxerr_trace\nfrom mxerr import np\nnp.array([[1, 2]]).T.shape",
            ["call transpose", "transpose.infer_shape", "Python", "µs", "(2, 1)"],
        ),
        (
            "%%mxerr_c\nMXERR_EXPORT int f(void) { return no_; }",
            ["BuildError: cell.c, line 2", "return no_;"],
        ),
        ("%%mxerr_c\nMXERR_EXPORT double f(void) { int no_; return 1; }", ["cell.c:2:", "unused variable"]),
    ],
)
def test_a_front_end_of_ansi_text_is_told_everything(kernel, code, facts):
    kernel.run("try:\n    shelf.find()\nexcept IndexError:\n    get_ipython().showtraceback()")
    text = as_ansi(kernel.run(code)[0])
    for fact in facts:
        assert fact in text


@pytest.mark.parametrize("text", ["\x1b[2J", "\x1b]8;;x\x07", "\r", "\x00"])
def test_the_check_of_ansi_text_can_fail(text):
    with pytest.raises(AssertionError):
        as_ansi([{"type": "stream", "text": text}])


# ---- what nbval makes of it ----

NOTEBOOKS = {
    "plain": ("1", "shelf.find()"),
    "chain": ("1", CHAIN),
    "group": ("1", GROUP),
    "group_of_python": ("1", "raise ExceptionGroup('g', [ValueError('x')])"),
    "broken_renderer": (BREAK_OURS, "shelf.find()"),
    "broken_renderer_group": (BREAK_OURS, GROUP),
    "no_text": ("1", NO_TEXT),
    "wrong_arguments": ("1", "%%mxerr_raises IndexError --mtach x\nshelf.find()"),
    "wrong_class": ("1", "%%mxerr_raises ValueError\nshelf.find()"),
    "nothing_raised": ("1", "x = 1"),
}


@pytest.fixture(scope="module", params=["--nbval", "--nbval-lax"])
def nbval(request, tmp_path_factory):
    """What nbval says of all notebooks. None was ever run, so whatever is no error is as it should be."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name, cells in NOTEBOOKS.items():
        cells = [SETUP, f"{cells[0]};", cells[1]]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbformat.write(notebook, folder / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", request.param]
    result = subprocess.run(
        [*command, "--nbval-current-env"],
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(folder)},
        capture_output=True,
        text=True,
    )
    return re.findall(r"^(PASSED|FAILED) (\w+)\.ipynb::Cell (\d)", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nbval_fails_just_the_cell_that_raises(nbval, name):
    last = "PASSED" if name == "nothing_raised" else "FAILED"
    found = sorted((cell, outcome) for outcome, notebook, cell in nbval if notebook == name)
    assert found == [("0", "PASSED"), ("1", "PASSED"), ("2", last)]
