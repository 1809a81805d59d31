"""The build backend: meson-python, with two things of our own.

Wheels are tagged for every Python 3: the library is loaded with ctypes and links to no Python, so one wheel
serves all versions, while meson-python takes whatever lies in a platform folder for an extension module and
tags it with the version at hand. And editable installs build under a lock: they call ninja at every import,
and ninja does not expect to meet itself in one build folder.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

from mesonpy import (
    build_editable as _build_editable,
    build_sdist,
    build_wheel as _build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

# Run in the build folder as: python -c TEXT NINJA ARGUMENT...
_NINJA_UNDER_LOCK = """
import fcntl, os, shutil, sys
ninja, *arguments = sys.argv[1:]
ninja = shutil.which(ninja) or shutil.which("ninja") or sys.exit(f"{ninja} is gone, and ninja not installed")
if "MXERR_NINJA_LOCKED" not in os.environ:  # else this ninja runs below another, as part of its build
    os.environ["MXERR_NINJA_LOCKED"] = "1"
    folder = os.open(".", os.O_RDONLY)
    os.set_inheritable(folder, True)  # the lock ends with ninja
    fcntl.flock(folder, fcntl.LOCK_EX)
os.execv(ninja, ["ninja", *arguments])
"""


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel and give it the tag ``py3-none-<platform>``; returns its file name."""
    name = _build_wheel(wheel_directory, config_settings, metadata_directory)
    tags = [sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag=py3", "--abi-tag=none", name]
    output = subprocess.run(tags, cwd=wheel_directory, check=True, stdout=subprocess.PIPE, text=True).stdout
    return output.split()[-1]


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the editable wheel, which calls a ninja that waits for its turn; returns its file name."""
    candidates = [os.environ["NINJA"]] if os.environ.get("NINJA") else ["ninja", "ninja-build", "samu"]
    ninja = next(filter(None, map(shutil.which, candidates)), None)
    if ninja and sys.platform != "win32":
        os.environ["NINJA"] = _locked(ninja)  # meson-python puts it into the editable wheel
    name: str = _build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def _locked(ninja: str) -> str:
    """Write a script that waits until no other of its kind runs in the build folder, then becomes `ninja`."""
    script = Path("build", f"ninja-{zlib.crc32(ninja.encode()):08x}").absolute()
    command = [sys.executable, "-IS", "-c", _NINJA_UNDER_LOCK, ninja]
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)
