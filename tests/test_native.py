"""The tests in C (tests/native): built with meson and run, plainly and under the sanitizers of each compiler.

Also what a compiler says of the kit under strict warnings, and which functions the library exports.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "tests" / "native"
INCLUDE = ROOT / "lib" / "include"

CXX = {"gcc": "g++", "clang": "clang++"}
PLAIN = ""

WARNINGS = """
    -Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wundef -Wwrite-strings
    -Wcast-qual -Wfloat-equal -Wformat=2 -Wdouble-promotion
""".split()
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes"]
CXX_WARNINGS = ["-Wold-style-cast"]


def tool(name):
    """Find a program, beside this Python first; the test is skipped where there is none."""
    path = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(command, **options):
    """Run a command to its end; its output, errors included, is text."""
    return subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )


def environment(compiler):
    """The environment for meson: it finds ninja beside this Python, and uses one compiler for both languages."""
    found = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for name in ["CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DESTDIR"]:
        found.pop(name, None)
    return {**found, "CC": compiler, "CXX": CXX[compiler]}


# ---- the tests in C ----


def sanitizer_command(compiler, sanitizer, folder):
    """How to run a program with a sanitizer: what to put before it. Skips where the sanitizer does not work."""
    source, program = folder / "probe.c", folder / "probe"
    source.write_text("int main(void) { return 0; }\n", "utf-8")
    built = run([tool(compiler), f"-fsanitize={sanitizer}", source, "-o", program])
    if built.returncode != 0:
        pytest.skip(f"{compiler} has no {sanitizer} sanitizer: {built.stdout.strip().splitlines()[-1]}")
    # Some thread sanitizers do not bear that the kernel places memory at random.
    for prefix in [[], ["setarch", "--addr-no-randomize"]]:
        if (not prefix or shutil.which(prefix[0])) and run([*prefix, program]).returncode == 0:
            return prefix
    pytest.skip(f"a program with the {sanitizer} sanitizer of {compiler} does not run here")


def results(build):
    """The results of the last ``meson test``: one dict for each test."""
    log = build / "meson-logs" / "testlog.json"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def run_c_tests(build, compiler, sanitizer):
    """Set a build folder up, build and run all tests; returns their results."""
    # optimized as users have it; under a sanitizer as it is written, which also compiles faster
    setup = [tool("meson"), "setup", build, ROOT, f"-Dbuildtype={'debug' if sanitizer else 'debugoptimized'}"]
    wrapper = []
    if sanitizer != PLAIN:
        prefix = sanitizer_command(compiler, sanitizer, build.parent)
        wrapper = ["--wrapper", " ".join(prefix)] if prefix else []
        setup += [f"-Db_sanitize={sanitizer}", "-Db_lundef=false"]
    done = run(setup, env=environment(compiler))
    assert done.returncode == 0, done.stdout
    test = [tool("meson"), "test", "-C", build, "--print-errorlogs", "--timeout-multiplier", "10", *wrapper]
    done = run(test, env=environment(compiler))
    assert done.returncode == 0, done.stdout[-20000:]
    return results(build)


@pytest.mark.parametrize(
    ("compiler", "sanitizer"),
    [
        pytest.param("gcc", PLAIN, id="gcc"),
        pytest.param("clang", PLAIN, id="clang"),
        pytest.param("gcc", "address,undefined", id="gcc-address-undefined"),
        pytest.param("clang", "address,undefined", id="clang-address-undefined"),
        pytest.param("gcc", "thread", id="gcc-thread"),
        pytest.param("clang", "thread", id="clang-thread"),
    ],
)
def test_the_tests_in_c_pass(compiler, sanitizer, tmp_path):
    tool("ninja")
    tool(compiler)
    tool(CXX[compiler])
    ran = run_c_tests(tmp_path / "build", compiler, sanitizer)
    for result in ran:
        print(f"{result['result']:>8} {result['duration']:6.2f} s  {result['name']}")
        for skipped in re.findall(r"- (.*) # SKIP (.*)", result.get("stdout", "")):
            print("         skipped: {}: {}".format(*skipped))
    assert {result["result"] for result in ran} == {"OK"}
    # a file that no list in meson.build names would be a test that nobody runs
    names = {result["name"].rpartition(":")[2].split(" ")[-1] for result in ran}
    files = {path.stem.removeprefix("test_") for path in NATIVE.glob("test_*.c*")}
    assert not {file for file in files if not any(name.startswith(file) for name in names)}


# ---- what compilers say of the kit ----

DIALECTS = [
    *[(compiler, "c", standard) for compiler in CXX for standard in ["c11", "c17"]],
    *[(compiler, "c++", standard) for compiler in CXX.values() for standard in ["c++17", "c++20"]],
]


def compile_strictly(compiler, language, standard, source, *options):
    extra = C_WARNINGS if language == "c" else CXX_WARNINGS
    command = [tool(compiler), "-x", language, f"-std={standard}", "-O1", "-S", "-o", os.devnull, f"-I{INCLUDE}"]
    return run([*command, *WARNINGS, *extra, *options, source])


@pytest.mark.parametrize(("compiler", "language", "standard"), DIALECTS)
def test_the_kit_compiles_without_warnings(compiler, language, standard, tmp_path):
    source = tmp_path / "kit.c"
    source.write_text('#define MXERR_IMPLEMENTATION\n#include "mxerr/mxerr.h"\n', "utf-8")
    # of the implementation C++ asks for one thing that C cannot have: other casts
    done = compile_strictly(compiler, language, standard, source, "-Wno-error=old-style-cast")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("compiler", "language", "standard"), DIALECTS)
def test_code_that_uses_the_kit_compiles_without_warnings(compiler, language, standard, tmp_path):
    source = tmp_path / "user.c"
    source.write_text(USER, "utf-8")
    done = compile_strictly(compiler, language, standard, source)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("compiler", CXX)
def test_a_wrong_argument_of_a_message_is_a_compile_error(compiler, tmp_path):
    source = tmp_path / "user.c"
    source.write_text(USER.replace("%d calls", "%s calls"), "utf-8")
    done = compile_strictly(compiler, "c", "c11", source)
    assert done.returncode != 0
    assert "format" in done.stdout


USER = """
#include "mxerr/mxerr.h"

int user(int number, double real, const void *pointer, int (*function)(void), size_t size);

static int silent(int status) { return status; }

static int inner(int number, double real, const void *pointer, int (*function)(void), size_t size) {
  MXERR_CHECK(number > 0, "ValueError: %d calls", number);
  MXERR_CHECK_LT(real, number, "ValueError: " MXERR_VALUE("real", "%f") MXERR_LOCAL("n", "%d"), real, number);
  MXERR_CHECK_GE(real, 0.5f, "ValueError: small");
  MXERR_CHECK_NE(pointer, NULL, "ValueError: NULL");
  MXERR_CHECK_NE(function, NULL, "ValueError: NULL");
  MXERR_CHECK_LE(number, size, "ValueError: %zu", size);
  MXERR_CHECK_EQ(number++, 2u, "ValueError: not two");
  if (number == 5) MXERR_FAIL("five");
  if (MXERR_FAILED(silent(number))) return MXERR_FAILURE;
  if (MXERR_FAILED_WITH(silent(number), MXERR_LOCAL("n", "%d"), number)) return MXERR_FAILURE;
  MXERR_TRY_WITH(silent(number), MXERR_LOCAL("n", "%d"), number);
  MXERR_TRY(silent(number));
  return 0;
}

MXERR_EXPORT int api(int number);
int api(int number) { MXERR_API(silent(number)); }

MXERR_EXPORT int quiet(int number);
int quiet(int number) { MXERR_API_QUIET(silent(number)); }

int user(int number, double real, const void *pointer, int (*function)(void), size_t size) {
  MXERR_API(inner(number, real, pointer, function, size));
}
"""


# ---- what the library exports ----


def declared_functions():
    """The functions of the C API, as its header has them."""
    text = (INCLUDE / "mxerr" / "c_api.h").read_text("utf-8")
    return set(re.findall(r"^MXERR_EXPORT [^;(]*?(\w+)\(", text, re.M))


def test_the_library_exports_its_c_api_and_the_reader_of_records_only():
    from mxerr import _native  # the tests above need no built package

    listed = run([tool("nm"), "--dynamic", "--defined-only", _native.path()])
    assert listed.returncode == 0, listed.stdout
    exported = {line.split()[-1].partition("@")[0] for line in listed.stdout.splitlines()}
    assert len(declared_functions()) >= 12
    assert exported == declared_functions() | {"mxerr_pack_record"}
