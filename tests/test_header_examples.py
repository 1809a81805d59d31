"""The examples in the headers' comments compile as they are written, without a warning, and fail as they say."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import pytest
from support.compiler import STRICT

import mxerr.xla.exceptions  # noqa: F401 - registers the classes that xla.hpp names
from mxerr import Library, _native
from mxerr.library import STATUS

INCLUDE = _native.source_root() / "lib" / "include"
COMPILERS = {
    "mxerr.h": ["gcc", "clang", "g++", "clang++"],
    "mxerr.hpp": ["g++", "clang++"],
    "xla.hpp": ["g++", "clang++"],
}
PAIRS = [(header, compiler) for header, compilers in COMPILERS.items() for compiler in compilers]


def examples(header):
    """Find the indented blocks in the comments of a header, blank lines within them included."""
    text = (INCLUDE / "mxerr" / header).read_text("utf-8")
    blocks = re.findall(r"(?:^ \*     .*\n(?:^ \*\n(?=^ \*     ))*)+", text, re.MULTILINE)
    return [re.sub(r"^ \*(?:     )?", "", block, flags=re.MULTILINE) for block in blocks]


def compiled(folder, compiler, source):
    """Compile a source as strictly as the tests of the headers do; `run` loads what comes out."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    is_cpp = compiler.endswith("++")
    name = "example.cpp" if is_cpp else "example.c"
    (folder / name).write_text(source.strip() + "\n")
    options = ["-std=c++17" if is_cpp else "-std=c11", *STRICT, "-shared", "-fPIC", f"-I{INCLUDE}"]
    done = subprocess.run(
        [compiler, *options, name, "-o", "libexample.so"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "libexample.so"


def run(header, path):
    """Fail the calls of the example."""
    out = ctypes.c_double()
    calls = {
        "mxerr.h": [("mylib_divide", 1, 0, ctypes.byref(ctypes.c_int()))],
        "mxerr.hpp": [("mylib_mean", None, ctypes.c_size_t(0), ctypes.byref(out))],
        "xla.hpp": [("mylib_run", b"mian", 2), ("mylib_run", b"main", 3), ("mylib_attribute", b"colour")],
    }[header]
    library = Library(path, prototypes={name: (STATUS, None) for name, *_ in calls})
    for name, *arguments in calls:
        with pytest.raises(RuntimeError) as caught:
            getattr(library, name)(*arguments)
        yield (
            f"{type(caught.value).__name__}: {caught.value}",
            [frame.function for frame in caught.value.native.frames],
        )


SAID = {
    "mxerr.h": [("ValueError: Check failed: b != 0 (0 vs. 0) : cannot divide 1", ["mylib_divide", "divide"])],
    "mxerr.hpp": [
        (
            "NativeError: Check failed: b != 0 (0 vs. 0) : ZeroDivisionError: cannot divide 0",
            ["mylib_mean", "mean", "divide"],
        )
    ],
    "xla.hpp": [
        ("XlaInternalError: exported function not found: mian", ["mylib_run", "Run", "Find"]),
        ("XlaInvalidArgumentError: expected 2 arguments, got 3", ["mylib_run", "Run", "Check"]),
        ("XlaAttributeError: Unknown attribute colour", ["mylib_attribute", "Attribute"]),
    ],
}


@pytest.mark.parametrize(("header", "compiler"), PAIRS)
def test_the_example_that_a_header_begins_with_is_a_library(tmp_path, header, compiler):
    path = compiled(tmp_path, compiler, examples(header)[0])
    assert list(run(header, path)) == SAID[header]


FRAGMENTS = {
    ("mxerr.hpp", "const Shape shape = "): """
        #define MXERR_IMPLEMENTATION
        #include "mxerr/mxerr.hpp"
        #include <vector>
        using Shape = std::vector<int>;
        struct Op { std::string name; };
        static Shape infer_shape(const Shape &x, const Shape &axes) { return x.size() > 1 ? axes : x; }
        static int run(const Op &op, const Shape &x) { return static_cast<int>(op.name.size() + x.size()); }
        int example(const Op &op, const Shape &x, const Shape &axes);
        int example(const Op &op, const Shape &x, const Shape &axes) { %s }
    """,
    ("mxerr.h", "MXERR_FAIL"): """
        #define MXERR_IMPLEMENTATION
        #include "mxerr/mxerr.h"
        int example(int index, int size, const char *axes, const char *name);
        int example(int index, int size, const char *axes, const char *name) {
          if (axes == NULL && name == NULL) return index + size;
          %s
        }
    """,
}


@pytest.mark.parametrize(("header", "compiler"), [pair for pair in PAIRS if pair[0] != "xla.hpp"])
def test_its_other_examples_compile_where_they_belong(tmp_path, header, compiler):
    found = [(block, wrapper) for (of, begin), wrapper in FRAGMENTS.items() if of == header
             for block in examples(header)[1:] if block.startswith(begin)]  # fmt: skip
    assert found
    for block, wrapper in found:
        assert compiled(tmp_path, compiler, wrapper % re.sub(r"  +says .*", "", block))


def test_a_header_whose_example_lacks_a_line_would_fail(tmp_path):
    with pytest.raises(AssertionError):
        compiled(
            tmp_path,
            "g++",
            examples("mxerr.hpp")[0]
            .replace("#include <numeric>\n", "")
            .replace("std::accumulate", "std::accumulated"),
        )
