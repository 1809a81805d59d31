"""The kit as others take it: one file, for any compiler and system, found by pkg-config."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

import mxerr
from mxerr import _native

LIB = _native.source_root() / "lib"

SOURCE = r"""
#define MXERR_IMPLEMENTATION
#include "mxerr.h"
static int inner(int a, double b, const char *name) {
  MXERR_CHECK_EQ(a, b, "ValueError: differ. " MXERR_VALUE("name", "%s"), name);
  MXERR_CHECK(name != NULL, "TypeError: no name");
  return 0;
}
MXERR_EXPORT int same(int a, double b, const char *name);
int same(int a, double b, const char *name) { MXERR_API(inner(a, b, name)); }
"""
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Werror"]

# What the object file of a system begins with.
SYSTEMS = {
    "x86_64-windows-gnu": b"\x64\x86",
    "aarch64-windows-gnu": b"\x64\xaa",
    "aarch64-macos": b"\xcf\xfa\xed\xfe",
    "x86_64-macos": b"\xcf\xfa\xed\xfe",
    "aarch64-linux-gnu": b"\x7fELF\x02\x01",
    "x86_64-linux-musl": b"\x7fELF\x02\x01",
}


def compile_alone(folder, command, language):
    """Compile a source beside a copy of the one header, as strictly as compilers can."""
    standard, ending = {"C": ("-std=c11", "c"), "C++": ("-std=c++17", "cpp")}[language]
    shutil.copy(LIB / "include" / "mxerr" / "mxerr.h", folder)
    (folder / f"own.{ending}").write_text(SOURCE)
    files = ["-c", f"own.{ending}", "-o", "own.o"]
    done = subprocess.run([*command, standard, *STRICT, *files], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "own.o").read_bytes()


@pytest.mark.parametrize(
    ("language", "compiler"), [("C", "gcc"), ("C", "clang"), ("C++", "g++"), ("C++", "clang++")]
)
def test_the_header_is_all_that_a_library_has_to_copy(tmp_path, language, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    assert compile_alone(tmp_path, [compiler, "-fPIC"], language)


needs_zig = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed: mxerr[cross]"
)


@needs_zig
@pytest.mark.parametrize("language", ["C", "C++"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_header_compiles_for_systems_that_are_not_here(tmp_path, system, language):
    command = [sys.executable, "-m", "ziglang", {"C": "cc", "C++": "c++"}[language], "-target", system]
    assert compile_alone(tmp_path, command, language).startswith(SYSTEMS[system])


# For Windows, zig compiles a whole C runtime before it links anything: that takes too long here.
LINKED = {"aarch64-macos": ("libown.dylib", 6), "aarch64-linux-gnu": ("libown.so", 3)}
CALL = "int {0}(void);\nint use(void);\nint use(void) {{ return {0}(); }}\n"


@needs_zig
@pytest.mark.parametrize("system", LINKED)
def test_a_library_for_another_system_gives_others_its_api_and_the_record_and_nothing_else(tmp_path, system):
    name, shared = LINKED[system]
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", system, "-shared", "-fPIC", "-Wl,-z,defs"]
    compile_alone(tmp_path, zig[:-3], "C")
    subprocess.run([*zig, "own.o", "-o", name], cwd=tmp_path, check=True)
    head = (tmp_path / name).read_bytes()[:18]
    assert head.startswith(SYSTEMS[system])
    assert int.from_bytes(head[12:16] if "macos" in system else head[16:18], "little") == shared
    for function, found in {"same": True, "mxerr_pack_record": True, "mxerr_record_clear": False}.items():
        (tmp_path / "use.c").write_text(CALL.format(function))
        command = [*zig, "use.c", name, "-o", "use.library"]
        linked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (linked.returncode == 0) is found, linked.stderr
        assert found or f"{function}\n" in linked.stderr


def test_the_strictness_would_show(tmp_path):
    compiler = shutil.which("cc") or "gcc"
    (tmp_path / "own.c").write_text("int f(int x) { int y = ({ x; }); return y; }\n")
    done = subprocess.run(
        [compiler, "-std=c11", *STRICT, "-c", "own.c"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0


PC = LIB / "pkgconfig" / "mxerr.pc"


def test_the_file_for_pkg_config_leads_to_the_headers_and_has_the_version():
    fields = dict(re.findall(r"^(\w+)[=:] *(.*)$", PC.read_text("utf-8"), re.MULTILINE))
    assert fields["Version"] == mxerr.__version__
    assert fields["Cflags"] == "-I${includedir}"
    assert fields["includedir"] == "${prefix}/include"
    assert fields["prefix"] == "${pcfiledir}/.."
    assert (PC.parent / ".." / "include" / "mxerr" / "mxerr.h").is_file()


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
def test_pkg_config_gives_what_a_compiler_needs(tmp_path):
    done = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "mxerr"],
        env={**os.environ, "PKG_CONFIG_PATH": str(PC.parent)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (flag,) = done.stdout.split()
    (tmp_path / "own.c").write_text(SOURCE.replace('"mxerr.h"', '"mxerr/mxerr.h"'))
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "the tests need a C compiler"
    subprocess.run([compiler, flag, "-c", "own.c"], cwd=tmp_path, check=True)
