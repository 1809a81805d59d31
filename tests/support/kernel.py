"""A real kernel of Jupyter, and what it sends to its front end."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

SUPPORT = Path(__file__).parent
SETUP = f"""
%load_ext mxerr
import sys; sys.path.insert(0, {str(SUPPORT)!r})
from shelf import Shelf, report
shelf = Shelf(report())
"""
"""What a kernel runs first: the extension, and `shelf`, a library whose calls fail."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def plain(text: str) -> str:
    """Take the colours out of what a terminal would show."""
    return _COLOUR.sub("", text)


class Kernel:
    """A running kernel that tells what it sends for a cell."""

    def __init__(self, folder: Path) -> None:
        specs = NbvalKernelspecManager()
        self.manager = KernelManager(kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=specs)
        self.manager.start_kernel(
            cwd=str(folder), env={**os.environ, "IPYTHONDIR": str(folder)}, stderr=subprocess.DEVNULL
        )
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=180)

    def run(self, code: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Run a cell; gives the outputs, each with its message type, and the reply."""
        sent = self.client.execute(code)
        outputs = []
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            content = {**message["content"], "type": message["msg_type"]}
            if message["parent_header"].get("msg_id") != sent:
                continue
            if content["type"] == "status" and content["execution_state"] == "idle":
                break
            if content["type"] in ("error", "stream", "display_data", "execute_result"):
                outputs.append(content)
        while True:
            reply = self.client.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == sent:
                return outputs, reply["content"]

    def error(self, code: str) -> dict[str, Any]:
        """Run a cell that must send one error, and reply with the same; its traceback becomes a text."""
        outputs, reply = self.run(code)
        [error] = [output for output in outputs if output["type"] == "error"]
        assert reply["status"] == "error"
        assert (reply["ename"], reply["evalue"]) == (error["ename"], error["evalue"])
        return {**error, "text": plain("\n".join(error["traceback"]))}

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
