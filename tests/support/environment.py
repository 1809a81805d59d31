"""Environments of their own, and programs that run in them; nothing is fetched."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
# the test's own interpreter has what building needs
BUILD = ("--no-deps", "--no-index", "--no-build-isolation")


def run(*command: str | Path, cwd: Path = ROOT, fail: bool = False, **env: str) -> str:
    """Run a program to its end; returns what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHONPATH"))
    }
    done = subprocess.run(
        command,
        cwd=cwd,
        env=inherited | {"PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"} | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) is fail, done.stdout
    return done.stdout


def python(folder: Path, *, with_mxerr: bool = False) -> Path:
    """Make an environment that sees the packages of this one, but of its mxerr at most a regular install."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (site,) = (folder / "lib").glob("python*/site-packages")
    packages = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    if with_mxerr:  # an editable one, too
        packages = [f"import site; site.addsitedir({path!r})" for path in packages]
    # as a line of a .pth file a folder is only appended to the path, and its own .pth files do not count
    (site / "base.pth").write_text("\n".join(packages))
    return folder / "bin" / "python"


def install(python: Path, *what: str | Path) -> Path:
    """Install into an environment; returns its interpreter."""
    # the mxerr of this environment, which is seen there, must not count as installed
    run(sys.executable, "-m", "pip", "--python", python, "install", "--ignore-installed", *BUILD, *what)
    return python
