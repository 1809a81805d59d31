"""The build backend: meson-python, with wheels tagged for every Python 3.

The library is loaded with ctypes and links to no Python, so one wheel serves all versions. meson-python
takes whatever lies in a platform folder for an extension module and tags it with the version at hand.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from mesonpy import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)
from mesonpy import build_wheel as _build_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]


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
