"""Native stacks: names as the source has them, the library's own frames, lines from debug information."""

from __future__ import annotations

import ctypes
import linecache
import shutil
import traceback

import pytest
from support.compiler import compile_c

from mxerr import Library, NativeError, binary
from mxerr.report import NativeFrame

# A library that raises as dmlc's do: with the addresses of the callers in its text.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
static char text[4096];
const char *last_error(void) { return text; }
__attribute__((noinline)) static int fail(void) {
  void *places[10];
  const int count = backtrace(places, 10);
  strcpy(text, "[12:00:00] stack.c:5: no luck\nStack trace:\n");
  for (int i = 0; i < count; i++) {
    Dl_info where;
    if (!dladdr(places[i], &where)) continue;
    const char *name = where.dli_sname ? where.dli_sname : "";
    const void *base = where.dli_sname ? where.dli_saddr : where.dli_fbase;
    sprintf(text + strlen(text), "  [bt] (%d) %s(%s+0x%lx) [%p]\n", i, where.dli_fname, name,
            (unsigned long)((char *)places[i] - (char *)base), places[i]);
  }
  return -1;
}
int start(int x) {
  return fail() + x; /* the call of fail */
}
"""


@pytest.fixture(scope="module", params=["-g", "-g0"])
def built(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stack")
    return compile_c(SOURCE, folder / "libstack.so", request.param), request.param == "-g"


def test_a_stack_has_the_frames_of_the_library_and_none_of_python(built):
    path, _ = built
    with pytest.raises(NativeError, match=r"^no luck$") as caught:
        Library(path, last_error="last_error").start(0)
    *_, outer, inner, header = caught.value.native.frames
    assert [frame.function for frame in caught.value.native.frames] == ["start", "", ""]
    assert {outer.library, inner.library} == {str(path)}
    assert header == NativeFrame("", "stack.c", 5)
    assert 0 < inner.offset < outer.offset < path.stat().st_size


@pytest.mark.skipif(
    not (shutil.which("addr2line") or shutil.which("llvm-symbolizer")),
    reason="the machine has no program that reads debug information",
)
def test_a_traceback_says_where_the_source_is_if_the_library_knows(built):
    path, has_lines = built
    assert binary.has_lines(str(path)) is has_lines
    with pytest.raises(NativeError, match="no luck") as caught:
        Library(path, last_error="last_error").start(0)
    start = caught.value.native.frames[0]
    name = f"<{path}+{start.offset:#x}>"
    assert name not in linecache.cache  # not before it is looked at
    shown = "".join(traceback.format_exception(caught.value))
    line = next(n for n, text in enumerate(SOURCE.splitlines(), 1) if "the call of fail" in text)
    assert f'File "{name}", line {int(has_lines)}, in start' in shown
    assert (f"libstack.c:{line}  return fail() + x;" in shown) is has_lines


@pytest.mark.parametrize(
    ("frames", "kept"),
    [
        ([NativeFrame("f", library="/l/a.so"), NativeFrame("g", library="/l/a.so")], ["f", "g"]),
        ([NativeFrame("main"), NativeFrame("ffi_call"), NativeFrame("f"), NativeFrame("g")], ["f", "g"]),
        ([NativeFrame("f"), NativeFrame("PyCFuncPtr_call", "c.c", 5), NativeFrame("g")], ["g"]),
        ([NativeFrame("", library="/x/libffi.so.8"), NativeFrame("g")], ["g"]),
        ([NativeFrame("", library="/x/_ctypes.cpython-312-x86_64.so"), NativeFrame("g")], ["g"]),
        ([NativeFrame("f"), NativeFrame("dmlc::LogMessageFatal::~LogMessageFatal()")], ["f"]),
        ([NativeFrame("f"), NativeFrame("dmlc::StackTrace(unsigned long)")], ["f"]),
        ([NativeFrame("dmlc::StackTrace()"), NativeFrame("g")], ["dmlc::StackTrace()", "g"]),
        ([NativeFrame("_ZN4dmlc15LogMessageFatalD1Ev")], []),
        ([NativeFrame("_ZN2ns1fEi"), NativeFrame("_Znot")], ["ns::f(int)", "_Znot"]),
        ([NativeFrame("ffi_call")], []),
        ([], []),
    ],
)
def test_what_is_not_of_the_library_is_left_out(frames, kept):
    assert [frame.function for frame in binary.readable(frames)] == kept


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN7xgboost6common4LoadERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "xgboost::common::Load(std::string const&)"),
        ("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int)", "f(std::string, int)"),
        ("MXGetVersion", "MXGetVersion"),
        ("_Z", "_Z"),
        ("", ""),
    ],
)  # fmt: skip
def test_names_are_spelled_as_in_the_source(symbol, name):
    assert binary.demangle(symbol) == name


@pytest.mark.parametrize(
    "address", ["0x0", "0x10", "0xffffffffffffffff", "0x7fffffffffffffff", "0x" + "f" * 16]
)
def test_addresses_of_other_processes_give_no_offset(address):
    frames = (NativeFrame("f", library="/no/such/lib.so"),)
    raw = f"bad\nStack trace:\n  [bt] (0) /no/such/lib.so(f+0x1) [{address}]\n".encode()
    assert binary.with_offsets(frames, raw) == frames


def test_an_address_gives_the_offset_of_the_library_that_is_there_and_of_no_other():
    libc = ctypes.CDLL(None)
    address = ctypes.cast(libc.qsort, ctypes.c_void_p).value
    frames = [NativeFrame("qsort", library=f"/x/{name}") for name in ("libc.so.6", "libm.so.6")]
    for frame, found in zip(frames, (True, False), strict=True):
        raw = f"  [bt] (0) {frame.library}(qsort+0x5) [{address:#x}]\n".encode()
        (after,) = binary.with_offsets([frame], raw)
        assert bool(after.offset) is found


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 80, b"MZ" * 50])
def test_what_is_no_elf_file_has_no_lines(tmp_path, content):
    path = tmp_path / "odd.so"
    path.write_bytes(content)
    assert not binary.has_lines(str(path))
    assert not binary.has_lines(str(tmp_path / "missing.so"))
    assert binary.find_line(str(path), 16) == ("", 0)
