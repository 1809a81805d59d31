"""The extension in a terminal: IPython itself, and the console of Jupyter."""

from __future__ import annotations

import os
import re
import sys

import pexpect
import pytest

# The child runs another program at once; where JAX was imported by another test, it warns of every fork.
pytestmark = pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")

PATIENCE = 180
SETUP = ["%load_ext mxerr", "from mxerr import np; x = np.array([[1, 2], [3, 4]])"]
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A program that is typed to, line by line."""

    def __init__(self, folder, *command):
        environ = {**os.environ, "IPYTHONDIR": str(folder), "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
        options = {"encoding": "utf-8", "timeout": PATIENCE, "cwd": str(folder), "dimensions": (50, 120)}
        self.child = pexpect.spawn(sys.executable, list(command), env=environ, **options)
        self.number = 0
        self._prompt()
        for line in SETUP:
            self.run(line)

    def _prompt(self):
        self.number += 1
        self.child.expect(re.escape(f"In [{self.number}]: "))
        return _COLOUR.sub("", self.child.before).replace("\r", "")

    def run(self, line):
        """Type a line; gives what is printed until the next prompt."""
        self.child.send(line + "\r")
        return self._prompt()

    def close(self):
        self.child.close(force=True)


@pytest.fixture(params=["ipython", "console"])
def terminal(request, tmp_path):
    if request.param == "console":
        pytest.importorskip("jupyter_console", reason="pip install 'mxerr[browser]'")
        terminal = Terminal(
            tmp_path, "-m", "jupyter_console", "--ZMQTerminalInteractiveShell.simple_prompt=True"
        )
    else:
        terminal = Terminal(tmp_path, "-m", "IPython", "--no-banner", "--simple-prompt", "--colors=linux")
    yield terminal
    terminal.close()


def test_a_terminal_shows_c_frames_and_explains_them(terminal):
    error = terminal.run("x.transpose((0, 0))")
    for text in ("Python calls C: MXImperativeInvoke", "MXERR_CHECK_EQ(axes_set.size", "1 against 2"):
        assert text in error
    assert "formatter failed" not in error
    assert "The way of the error:" in terminal.run("%mxerr explain")
    assert "MXERR_CHECK_EQ(axes_set.size" in terminal.run("%tb")
