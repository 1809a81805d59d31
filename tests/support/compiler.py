"""Compiles C and C++ text of a test, against the kit, into a shared library."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from mxerr import _native

STRICT = ("-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
DATA = Path(__file__).parents[1] / "data"


def compiler() -> str:
    """Find the machine's C compiler."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert found, "the tests need a C compiler"
    return found


def compile_c(source: str, target: Path, *options: str) -> Path:
    """Compile a text. The source lies beside the library, so that its lines are found there."""
    target.with_suffix(".c").write_text(source)
    include = f"-I{_native.source_root() / 'lib' / 'include'}"
    files = [target.with_suffix(".c").name, "-o", target.name]
    command = [compiler(), "-shared", "-fPIC", "-O1", include, *options, *files]
    subprocess.run(command, cwd=target.parent, check=True)
    return target


def compile_cpp(
    source: str, target: Path, compiler: str = "c++", *, strict: bool = False
) -> subprocess.CompletedProcess[str]:
    """Compile a text in C++, where every warning may be an error; returns what the compiler says."""
    target.with_suffix(".cpp").write_text(source)
    include = f"-I{_native.source_root() / 'lib' / 'include'}"
    options = ("-std=c++17", "-O0", "-g0", "-shared", "-fPIC", *(STRICT if strict else ()))
    files = (target.with_suffix(".cpp").name, "-o", target.name)
    command = [compiler, *options, include, *files]
    return subprocess.run(command, cwd=target.parent, capture_output=True, text=True, check=False)
