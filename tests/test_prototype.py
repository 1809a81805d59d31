"""The functions that a source exports, as ctypes is told of them."""

from __future__ import annotations

import ctypes
import re

import pytest

import mxerr
from mxerr import prototype
from mxerr.library import STATUS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(void)", (STATUS, ())),
        ("int f()", (STATUS, ())),
        ("void f(int a)", (None, (ctypes.c_int,))),
        ("double f(double x, float)", (ctypes.c_double, (ctypes.c_double, ctypes.c_float))),
        ("const char *f(const char *s)", (ctypes.c_char_p, (ctypes.c_char_p,))),
        ("int f(unsigned int n, unsigned m)", (STATUS, (ctypes.c_uint, ctypes.c_uint))),
        ("int f(uint8_t a, int64_t *b)", (STATUS, (ctypes.c_uint8, ctypes.POINTER(ctypes.c_int64)))),
        ("int f(std::size_t n)", (STATUS, (ctypes.c_size_t,))),
        ("int f(double x[], const double y[3])", (STATUS, (ctypes.POINTER(ctypes.c_double),) * 2)),
        ("int f(char **out)", (STATUS, (ctypes.POINTER(ctypes.c_char_p),))),
        ("int f(void *p, struct node *n, FILE *file)", (STATUS, (ctypes.c_void_p,) * 3)),
        ("int f(unsigned long long *restrict n)", (STATUS, (ctypes.POINTER(ctypes.c_ulonglong),))),
        ("int f(shape_t shape)", (STATUS, None)),
        ("int f(int (*call)(int, double), int x)", (STATUS, (ctypes.c_void_p, ctypes.c_int))),
        ("int f(void (*call)(int (*)(int)), double)", (STATUS, (ctypes.c_void_p, ctypes.c_double))),
        ("double f(double (*x)[3])", (ctypes.c_double, (ctypes.c_void_p,))),
        ("int f(int a /* not, this */, int b)", (STATUS, (ctypes.c_int, ctypes.c_int))),
        ("int\nf(\n  int a,\n  int b)", (STATUS, (ctypes.c_int, ctypes.c_int))),
    ],
)
def test_types_are_read_from_the_source(text, expected):
    [(name, function)] = prototype.read(f"MXERR_EXPORT {text} {{}}").items()
    assert (name, function.prototype) == ("f", expected)
    assert "".join(function.declaration.split()) == "".join(re.sub(r"/\*.*\*/", "", text).split())


@pytest.mark.parametrize(
    "source",
    [
        "// MXERR_EXPORT int f(void) {}",
        "/* MXERR_EXPORT int f(void) {} */",
        'const char *s = "MXERR_EXPORT int f(void) {}";',
        "#define E MXERR_EXPORT int f(void) {}",
        "static int f(void) { return 0; }",
        "MXERR_EXPORT static int f(void) { return 0; }",
    ],
)
def test_what_is_no_exported_function_is_not_read(source):
    assert prototype.read(source) == {}


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("long int", ctypes.c_long),
        ("unsigned long int", ctypes.c_ulong),
        ("long unsigned", ctypes.c_ulong),
        ("long long int", ctypes.c_longlong),
        ("int long long unsigned", ctypes.c_ulonglong),
        ("unsigned short int", ctypes.c_ushort),
        ("short int", ctypes.c_short),
        ("signed", STATUS),
        ("signed int", STATUS),
        ("unsigned int", ctypes.c_uint),
        ("signed char", ctypes.c_byte),
        ("char unsigned", ctypes.c_ubyte),
        ("char", ctypes.c_char),
        ("long double", ctypes.c_longdouble),
        ("double const", ctypes.c_double),
        ("__attribute__((noinline)) double", ctypes.c_double),
        ("[[nodiscard]] double", ctypes.c_double),
    ],
)
def test_a_number_may_be_spelled_in_any_way(spelling, expected):
    source = f"MXERR_EXPORT {spelling} f({spelling} x, {spelling});"
    assert prototype.read(source)["f"].prototype == (expected, (expected, expected))


@pytest.mark.parametrize(
    ("typedef", "expected"),
    [
        ("typedef double T;", ctypes.c_double),
        ("typedef int T;", STATUS),
        ("typedef float real;\ntypedef real T;", ctypes.c_float),
        ("typedef char *T;", ctypes.c_char_p),
        ("typedef struct node *T;", ctypes.c_void_p),
        ("using T = double;", ctypes.c_double),
    ],
)
def test_typedefs_are_looked_through(typedef, expected):
    source = f"{typedef}\nMXERR_EXPORT T f(T x, T);"
    assert prototype.read(source)["f"].prototype == (expected, (expected, expected))


@pytest.mark.parametrize(
    "source",
    [
        "MXERR_EXPORT struct point f(double x);",
        "MXERR_EXPORT union u f(void);",
        "MXERR_EXPORT enum colour f(void);",
        "MXERR_EXPORT std::string f(void);",
        "MXERR_EXPORT std::vector<int> f(void);",
        "MXERR_EXPORT status f(void);",
        "MXERR_EXPORT _Complex double f(void);",
        "double MXERR_EXPORT f(void);",
        "typedef T T;\nMXERR_EXPORT T f(void);",
        "#if A\ntypedef float T;\n#else\ntypedef double T;\n#endif\nMXERR_EXPORT T f(void);",
        "#if 1\nMXERR_EXPORT int f(int v);\n#else\nMXERR_EXPORT double f(int v);\n#endif",
        "#if 1\nMXERR_EXPORT int f(int v);\n#else\nMXERR_EXPORT int f(double v);\n#endif",
    ],
)
def test_a_result_that_is_not_known_is_taken_for_nothing(source):
    assert prototype.read(source)["f"].restype is prototype.UNKNOWN


@pytest.mark.parametrize("other", ["int f();", "int f(int y);"])
def test_a_function_may_be_declared_more_than_once(other):
    first = "MXERR_EXPORT int f(int x);"
    for source in (f"{first}\nMXERR_EXPORT {other}", f"MXERR_EXPORT {other}\n{first}"):
        assert prototype.read(source)["f"].prototype == (STATUS, (ctypes.c_int,))


def test_functions_come_in_their_order():
    assert list(prototype.read("MXERR_EXPORT int b(void) {}\nMXERR_EXPORT int a(void) {}")) == ["b", "a"]


# ---- in what is built ----


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "#if 1\nMXERR_EXPORT double f(int v) { return v / 2.0; }\n#else\nMXERR_EXPORT int f(int v);\n#endif",
            1.5,
        ),
        ("#define API MXERR_EXPORT\nAPI double f(int x) { return x * 0.5; }", 1.5),
        ("#define HALF(name) MXERR_EXPORT double name(int x) { return x * 0.5; }\nHALF(f)", 1.5),
        ("#define REAL double\nMXERR_EXPORT REAL f(REAL x) { return x * 0.5; }", 1.5),
        ("#include <time.h>\nMXERR_EXPORT time_t f(time_t x) { return x << 40; }", 3 << 40),
    ],
)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_what_the_preprocessor_says_counts(source, expected, language):
    assert mxerr.build(source, language).f(3) == expected


def test_what_if_leaves_in_is_checked():
    source = """#if 1
MXERR_EXPORT int f(int v) { MXERR_CHECK_EQ(v, 0, "ValueError: v is %d", v); return 0; }
#else
MXERR_EXPORT double f(int v) { return v; }
#endif"""
    with pytest.raises(mxerr.error.ValueError, match="v is 1") as caught:
        mxerr.build(source).f(1)
    assert caught.value.native.frames[-1].line == 2


def test_a_result_that_is_not_known_is_refused_unless_it_is_stated():
    source = "enum c { A, B, C };\nMXERR_EXPORT enum c pick(void) { return C; }"
    with pytest.raises(
        TypeError, match=r"pick: expected .* got 'enum c pick\(void\)'; .*prototypes={'pick': "
    ):
        mxerr.build(source)
    assert mxerr.build(source, prototypes={"pick": (int, ())}).pick() == 2
    assert (
        mxerr.build("MXERR_EXPORT enum c elsewhere(void);\nMXERR_EXPORT int f(void) { return 0; }").f() == 0
    )
