"""What shows tracebacks, each as a function from error to text, and what must be seen there."""

import inspect
import io
import logging
import os
import pdb
import re
import subprocess
import sys
import traceback
from pathlib import Path

from IPython.core import debugger

WRONG = "THIS IS ANOTHER FILE"  # as in rows.py
FAILURES = {
    "exception formatting exception": "a dump of IPython's own failure",
    "Error retrieving source": "stack_data found no source",
    "could not be shown": "the C frames could not be made",
    WRONG: "a line of another file",
}


def complaints(row, text, *, sees_line=True):
    """Say what is wrong with what a tool shows of a row."""
    text = plain(text)
    for sign, failure in FAILURES.items():
        if sign in text:
            yield f"{row.name}: {failure}"
    if row.text not in text or "ValueError" not in text:
        yield f"{row.name}: the error is not to be seen"
    if sees_line and row.line and row.line not in text:
        yield f"{row.name}: the C line is not to be seen"


def assert_shows_each_c_frame(error, text, *, values=False):
    """Check for function, file, line, source line and, if asked for, the values of each C frame."""
    text = plain(text)
    for frame in error.native.frames:
        file = Path(error.native.source_root, frame.file)
        assert re.search(rf'{re.escape(file.name)}"?(, line |:|\(){frame.line}\b', text), (frame, text)
        assert frame.function in text
        assert file.read_text().splitlines()[frame.line - 1].strip() in text
        for name, value in frame.values if values else ():
            assert re.search(rf"{re.escape(name)} *= *{re.escape(value)}", text), (name, text)


def plain(text):
    """Take the colours off."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def raised(error):
    """Raise an error and catch it."""
    try:
        raise error
    except Exception as caught:
        return caught


def debug(error, commands, cls=pdb.Pdb):
    """Give what a debugger answers to commands, post mortem."""
    output = io.StringIO()
    debugger = cls(stdin=io.StringIO("\n".join((*commands, "q", ""))), stdout=output)
    debugger.use_rawinput = False
    debugger.reset()
    debugger.interaction(None, error.__traceback__)
    return output.getvalue()


def _log(error):
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    try:
        raise error
    except Exception:
        logger.exception("It failed: %s", error)
    return stream.getvalue()


def _print_exception(error):
    stream = io.StringIO()
    traceback.print_exception(error, file=stream)
    return stream.getvalue()


def _format_as_cgitb(error):
    """Format as that module did, which is gone from the standard library and lives on in copies."""
    frames = inspect.getinnerframes(error.__traceback__, context=5)
    return "\n".join(
        f"{f.filename}:{f.lineno} {f.function}{inspect.formatargvalues(*inspect.getargvalues(f.frame))}\n"
        f"{''.join(f.code_context or ())}"
        for f in frames
    )


def _with_message(show):
    """Add what the tool leaves to others."""
    return lambda error: f"{type(error).__name__}: {error}\n{show(error)}"


_COMMANDS = ("w", "l", "a", "locals()", "up", "l", "a", "down", "p ndim")

STANDARD = {
    "print_exception": _print_exception,
    "format_exception": lambda error: "".join(traceback.format_exception(error)),
    "capture_locals": lambda error: "".join(
        traceback.TracebackException.from_exception(error, capture_locals=True).format()
    ),
    "logging": _log,
    "getinnerframes": _with_message(_format_as_cgitb),
    "pdb": _with_message(lambda error: debug(error, _COMMANDS)),
    "IPython's pdb": _with_message(lambda error: debug(error, _COMMANDS, debugger.Pdb)),
}


class Kernel:
    """A Jupyter kernel, to run cells in."""

    def __init__(self, client):
        self._client = client

    def run(self, code, *answers):
        """Run a cell; gives its error message, if it has one, and all that is to be read."""
        messages = []
        answers = list(answers)
        self._client.execute_interactive(
            code,
            allow_stdin=True,
            timeout=60,
            output_hook=messages.append,
            stdin_hook=lambda _: self._client.input(answers.pop(0)),
        )
        errors = [message["content"] for message in messages if message["msg_type"] == "error"]
        printed = [message["content"]["text"] for message in messages if message["msg_type"] == "stream"]
        traces = [line for error in errors for line in error["traceback"]]
        return (errors[0] if errors else None), "\n".join([*printed, *traces])


def run_pytest(folder, *options):
    """Run fail_in_pytest.py, with plain pytest."""
    program = [sys.executable, "-m", "pytest", "-c", os.devnull, "--color=no", "-p", "no:cacheprovider"]
    program += [f"--rootdir={folder}", *options, str(Path(__file__).with_name("fail_in_pytest.py"))]
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "10000"}
    return subprocess.run(
        program,
        cwd=folder / "work",
        env={**os.environ, **plain, "ROWS": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
