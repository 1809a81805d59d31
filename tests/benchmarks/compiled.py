"""Compiles what the benchmarks measure, against the headers as they are installed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

from mxerr import _native

HERE = Path(__file__).parent
COMPILERS = {
    ".c": ("C", "c11", ("cc", "gcc", "clang")),
    ".cpp": ("C++", "c++17", ("c++", "g++", "clang++")),
}


def build(name: str, folder: str) -> ctypes.CDLL:
    """Compile a source of this folder into another one, and load it."""
    source = HERE / name
    language, standard, programs = COMPILERS[source.suffix]
    compiler = next(filter(None, map(shutil.which, programs)), None)
    if compiler is None:
        raise SystemExit(
            f"benchmarks: expected a {language} compiler ({', '.join(programs[:2])} or {programs[2]}), found none"
        )
    include = _native.source_root() / "lib" / "include"
    target = Path(folder, source.stem).with_suffix(".so")
    command = [compiler, f"-std={standard}", "-O2", "-fPIC", "-shared", f"-I{include}", str(source), "-o"]
    subprocess.run([*command, str(target)], check=True)
    return ctypes.CDLL(str(target))
