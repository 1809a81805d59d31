"""mxerr.hpp seen from Python, and by compilers that make every warning an error."""

from __future__ import annotations

import ctypes
import re
import shutil

import pytest
from support.compiler import compile_cpp

from mxerr import Library, NativeError, error
from mxerr.registry import GLOBAL

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]

SOURCE = r"""
#define MXERR_IMPLEMENTATION
#define MXERR_SHORT_NAMES
#include "mxerr/mxerr.hpp"

struct Silent : std::exception {
  const char *what() const noexcept override { return nullptr; }
};

static void raise_kind(int kind) {
  switch (kind) {
    case 0: CHECK_EQ(kind, 1) << "ValueError: bad " << mxerr::Value("kind", kind);
    case 1: LOG(FATAL) << "MyError: this is a custom error message";
    case 2: throw std::invalid_argument("x");
    case 3: throw std::out_of_range("x");
    case 4: throw std::bad_alloc();
    case 5: throw std::system_error(2, std::generic_category(), "open");
    case 6: throw std::overflow_error("x");
    case 7: throw std::underflow_error("x");
    case 8: throw std::bad_cast();
    case 9: throw std::runtime_error("x");
    case 10: throw kind;
    case 11: LOG(FATAL) << "SystemExit: 3";
    case 12: LOG(FATAL) << "shape: bad";
    case 13: CHECK_EQ(std::string(), "a") << "IndexError: x";
    case 14: CHECK_EQ("a", std::string()) << "x";
    case 15: throw Silent();
  }
}

static int work(int kind) {
  MXERR_CALL_WITH(raise_kind(kind), mxerr::Local("kind", kind));
  return kind;
}

MXERR_EXPORT int run(int kind);
int run(int kind) { MXERR_API(MXERR_GUARD(work(kind))); }
"""


@pytest.fixture(scope="module", params=COMPILERS)
def library(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    done = compile_cpp(SOURCE, folder / "libcpp.so", request.param)
    assert done.returncode == 0, done.stderr
    return Library(folder / "libcpp.so", source_root=folder)


@pytest.mark.parametrize(
    ("kind", "cls", "text"),
    [
        (0, error.ValueError, "Check failed: kind == 1 (0 vs. 1) : bad kind = 0"),
        (1, NativeError, "MyError: this is a custom error message"),
        (2, error.ValueError, "x"),
        (3, error.IndexError, "x"),
        (4, error.MemoryError, "std::bad_alloc"),
        (5, error.IOError, "open: No such file or directory"),
        (6, error.OverflowError, "x"),
        (7, error.FloatingPointError, "x"),
        (8, error.TypeError, "std::bad_cast"),
        (9, error.RuntimeError, "x"),
        (10, error.RuntimeError, "a C++ exception of type int was thrown"),
        (11, NativeError, "SystemExit: 3"),
        (12, NativeError, "shape: bad"),
        (13, error.IndexError, 'Check failed: std::string() == "a" ( vs. a) : x'),
        (14, NativeError, 'Check failed: "a" == std::string() (a vs. ) : x'),
        (15, error.RuntimeError, ""),
    ],
)
def test_a_throw_in_cpp_is_raised_as_the_class_that_fits(library, kind, cls, text):
    with pytest.raises(NativeError) as caught:
        library.run(kind)
    assert type(caught.value) is cls
    assert caught.value.args == (text,)
    frames = caught.value.native.frames
    assert [frame.function for frame in frames][:2] == ["run", "work"]
    assert frames[1].values == (("kind", str(kind)),)


def test_a_kind_of_ones_own_is_raised_as_its_class(library):
    class MyError(NativeError):
        pass

    with GLOBAL.temporary():
        GLOBAL.register("MyError", MyError)
        with pytest.raises(MyError) as caught:
            library.run(1)
    assert caught.value.args == ("this is a custom error message",)


def test_a_call_that_throws_nothing_succeeds(library):
    assert library.run(99) == 0


def test_the_number_of_a_system_error_is_errno(library):
    with pytest.raises(OSError, match="No such file") as caught:
        library.run(5)
    assert (caught.value.errno, caught.value.native.code) == (2, 2)


def test_the_frames_show_the_lines_of_the_cpp_source(library):
    with pytest.raises(ValueError, match="bad kind") as caught:
        library.run(0)
    lines = SOURCE.splitlines()
    assert [lines[frame.line - 1].strip().split("(")[0] for frame in caught.value.native.frames] == [
        "int run",
        "MXERR_CALL_WITH",
        "case 0: CHECK_EQ",
    ]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "header",
    [
        "mxerr.hpp",
        "cpp/error.hpp",
        "cpp/message.hpp",
        "cpp/check.hpp",
        "cpp/guard.hpp",
        "xla.hpp",
        "xla/text.hpp",
        "xla/error.hpp",
        "xla/status.hpp",
        "xla_c_api.h",
    ],
)
def test_each_header_stands_alone_without_a_warning(tmp_path, compiler, header):
    done = compile_cpp(f'#include "mxerr/{header}"\n', tmp_path / "lib.so", compiler, strict=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("order", [("mxerr.h", "mxerr.hpp"), ("mxerr.hpp", "mxerr.h")])
def test_the_implementation_may_come_with_either_header_and_in_either_order(tmp_path, compiler, order):
    text = "#define MXERR_IMPLEMENTATION\n" + "".join(f'#include "mxerr/{header}"\n' for header in order)
    text += 'void f(int); void f(int a) { MXERR_CHECK_GT(a, 0u) << "ValueError: a"; }\n'
    done = compile_cpp(text, tmp_path / "lib.so", compiler, strict=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_check_in_the_c_form_is_refused_by_the_compiler(tmp_path, compiler):
    body = 'MXERR_CHECK_EQ(a, 0, "no %d", a); return 0;'
    text = f'#include "mxerr/mxerr.hpp"\nint f(int a); int f(int a) {{ {body} }}\n'
    done = compile_cpp(text, tmp_path / "lib.so", compiler)
    assert done.returncode != 0
    assert re.search(r"passed 4 arguments|too many arguments", done.stderr)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "statement",
    [
        'return xla::XlaInternalError("not found: %s", 3);',
        'return xla::XlaInternalError("not found: %s");',
        'throw xla::XlaAttributeError("unknown: %d", "x");',
    ],
)
def test_the_compiler_checks_the_arguments_of_an_xla_error(tmp_path, compiler, statement):
    text = '#include "mxerr/xla.hpp"\nxla::Status f(); xla::Status f() { %s }\n'
    good = compile_cpp(
        text % 'return xla::XlaInternalError("%s", "x");', tmp_path / "good.so", compiler, strict=True
    )
    assert (good.returncode, good.stderr) == (0, "")
    bad = compile_cpp(text % statement, tmp_path / "bad.so", compiler, strict=True)
    assert bad.returncode != 0
    assert re.search(r"-W(error=)?format", bad.stderr)


def test_two_libraries_do_not_see_each_others_errors(tmp_path):
    """Loaded with RTLD_GLOBAL, the dynamic linker merges what the headers do not hide."""
    loaded = []
    for name in ("one", "two"):
        done = compile_cpp(SOURCE.replace("bad ", f"bad in {name} "), tmp_path / f"lib{name}.so")
        assert done.returncode == 0, done.stderr
        loaded.append(ctypes.CDLL(str(tmp_path / f"lib{name}.so"), mode=ctypes.RTLD_GLOBAL))
    one, two = map(Library, loaded)
    for library, name in ((two, "two"), (one, "one")):
        for kind in (0, 3):
            assert library.unchecked("run")(kind) == -1
            other = one if library is two else two
            assert other.report(-1, "run").frames == ()
            report = library.report(-1, "run")
            assert [frame.function for frame in report.frames][:2] == ["run", "work"]
            assert kind or f"bad in {name}" in report.text
