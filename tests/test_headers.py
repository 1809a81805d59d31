"""Prototypes read from C headers: every form of declaration that C APIs have."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_size_t,
    c_ubyte,
    c_uint64,
    c_void_p,
)

import pytest
from support.compiler import compile_c

from mxerr import Library, _native, headers
from mxerr.library import STATUS

Callback = CFUNCTYPE(c_int, c_void_p, c_float)


def read(tmp_path, text, **options):
    path = tmp_path / "api.h"
    path.write_text(text)
    return headers.read(path, **options)


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("int f(void);", (STATUS, ())),
        ("int f();", (STATUS, ())),
        ("extern int f(int a, unsigned b);", (STATUS, (c_int, ctypes.c_uint))),
        ("void f(double, float x);", (None, (c_double, c_float))),
        ("const char *f(const char *name);", (c_char_p, (c_char_p,))),
        ("char *f(char *buffer, size_t size);", (c_void_p, (c_void_p, c_size_t))),
        ("int32_t f(uint64_t, int8_t);", (int, (c_uint64, ctypes.c_int8))),
        ("bool f(unsigned char c, signed char d);", (ctypes.c_bool, (c_ubyte, ctypes.c_byte))),
        ("long f(unsigned long int x);", (ctypes.c_long, (ctypes.c_ulong,))),
        ("long long int f(long unsigned long x);", (ctypes.c_longlong, (ctypes.c_ulonglong,))),
        ("short f(long double x, char c);", (ctypes.c_short, (ctypes.c_longdouble, ctypes.c_char))),
        ("int f(const float *x, int shape[3], void **out);", (STATUS, (POINTER(c_float), POINTER(c_int), POINTER(c_void_p)))),
        ("int f(const char *const *names, const char ***out);", (STATUS, (POINTER(c_char_p), POINTER(POINTER(c_char_p))))),
        ("typedef void *Handle; int f(Handle h, Handle *out);", (STATUS, (c_void_p, POINTER(c_void_p)))),
        ("struct op; int f(struct op *a, struct op **out);", (STATUS, (c_void_p, POINTER(c_void_p)))),
        ("typedef struct op *Op; int f(Op a, FILE *file);", (STATUS, (c_void_p, c_void_p))),
        ("typedef int (*cb)(void *, float); int f(cb call, int (*other)(void *, float));", (STATUS, (Callback, Callback))),
        ("enum e { A, B }; int f(enum e x); ", (STATUS, (c_int,))),
        ("int f(const char *format, ...);", (STATUS, (c_char_p,))),
        ("#define API __attribute__((visibility(\"default\")))\nAPI int f(int x);", (STATUS, (c_int,))),
        ("#include <no/such/header.h>\nint f(void);", (STATUS, ())),
        ("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif", (STATUS, ())),
        ("/* int g(void); */ static inline int g(void) { return 0; } int f(void);", (STATUS, ())),
    ],
)  # fmt: skip
def test_a_declaration_becomes_a_prototype(tmp_path, declaration, expected):
    assert read(tmp_path, declaration) == {"f": expected}


@pytest.mark.parametrize(
    ("declaration", "status", "restype"),
    [
        ("typedef int Status; Status f(void);", ("Status",), STATUS),
        ("typedef int Status; Status f(void);", ("int",), int),
        ("typedef enum { OK, BAD } Status; Status f(void);", ("Status",), STATUS),
        ("typedef enum { OK, BAD } Status; Status f(void);", ("int",), int),
        ("enum status { OK, BAD }; enum status f(void);", ("enum status",), STATUS),
        ("int f(void);", (), int),
    ],
)
def test_it_is_said_which_types_mean_a_status(tmp_path, declaration, status, restype):
    assert read(tmp_path, declaration, status=status) == {"f": (restype, ())}


STRUCTS = """
typedef enum { FIRST = 2, SECOND, WIDE = (SECOND << 2) | 1 } sizes;
typedef struct node { struct node *next; char name[WIDE]; } node;
typedef struct {
  int32_t type;
  union { int64_t number; double real; const char *text; };
  struct { uint8_t low : 4, high : 4; } bits;
  node inner[SECOND - 1], *outer;
  char tail[sizeof(double) * 2 - -1];
} value;
int take(const value *in, value **out, node by_value);
"""


def test_structs_have_the_layout_that_the_compiler_gives_them(tmp_path):
    arguments = read(tmp_path, STRUCTS)["take"][1]
    value, node = arguments[0]._type_, arguments[2]
    assert (value.__name__, node.__name__) == ("value", "node")
    assert arguments[1] is POINTER(POINTER(value))
    source = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n" + STRUCTS
    names = ("type", "number", "bits", "inner", "outer", "tail")
    sizes = ", ".join(["sizeof(value)", "sizeof(node)", *(f"offsetof(value, {name})" for name in names)])
    source += f"size_t sizes_of(int i) {{ const size_t all[] = {{{sizes}}}; return all[i]; }}\n"
    c = ctypes.CDLL(str(compile_c(source, tmp_path / "sizes.so"))).sizes_of
    ours = [ctypes.sizeof(value), ctypes.sizeof(node), *(getattr(value, name).offset for name in names)]
    assert ours == [c(i) for i in range(len(ours))]
    assert node._fields_[0][1] is POINTER(node)


def test_a_header_finds_what_it_includes_and_macros_can_be_given(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "types.h").write_text("#pragma once\ntypedef float real;\n")
    (tmp_path / "other" / "more.h").write_text("#include <types.h>\n#if LEVEL > 1\nint g(real);\n#endif\n")
    text = '#include "types.h"\n#include <more.h>\nint f(real);\n'
    assert set(read(tmp_path, text)) == {"f"}
    found = read(tmp_path, text, include=[tmp_path / "other"], define={"LEVEL": "2"})
    assert found == {"f": (STATUS, (c_float,)), "g": (STATUS, (c_float,))}


def described(type_):
    """Name a type as far as both sides do: structs of two origins are two classes, and Python's has no prefix."""
    return re.sub("(?<=LP_)(MX|Xla)", "", getattr(type_, "__name__", str(type_)))


def test_the_headers_of_libmxerr_give_the_prototypes_that_are_written_for_it():
    folder = _native.source_root() / "lib" / "include" / "mxerr"
    found = {}
    for path in sorted(folder.glob("*.h")):
        found |= headers.read(path)
    for name, (restype, argtypes) in _native.PROTOTYPES.items():
        assert (described(restype), [*map(described, argtypes)]) == (
            described(found[name][0]),
            [*map(described, found[name][1])],
        ), name


def test_a_library_is_called_by_its_header(tmp_path):
    header = "int half(int x, double *out); int32_t version(void);\nvoid *handle(void);\n"
    source = "#include <stdint.h>\n" + header
    source += "int half(int x, double *out) { return x < 0 ? -1 : (*out = x / 2.0, 0); }\n"
    source += "int32_t version(void) { return 203; }\nvoid *handle(void) { return (void *)-1; }\n"
    library = Library(compile_c(source, tmp_path / "half.so"), prototypes=read(tmp_path, header))
    out = c_double()
    assert library.half(5, out) == 0
    assert out.value == 2.5
    assert library.version() == 203
    assert library.handle() == 2 ** (8 * ctypes.sizeof(c_void_p)) - 1
    with pytest.raises(RuntimeError, match="half failed with status -1"):
        library.half(-1, out)
    with pytest.raises(ctypes.ArgumentError):
        library.half("5", out)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int f(;", r"api\.h: expected declarations of C, got .*api\.h:1"),
        ("class A {};", "expected declarations of C"),
        ("int f(int x[N]);", r"1:\d+: expected a constant whole number"),
        ("enum e { A = 1.5 + B }; int f(enum e);", "expected a constant whole number|invalid literal"),
    ],
)
def test_what_is_no_c_is_said_to_be_none_and_where(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)


def test_a_header_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.h"):
        headers.read(tmp_path / "missing.h")


def test_without_its_packages_the_module_names_the_extra():
    code = "import sys; sys.modules['pcpp'] = None; import mxerr; import mxerr.headers"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert "pip install 'mxerr[headers]'" in done.stderr
