"""Errors from C as hostile as they come, one row per case, for the tools that show tracebacks.

For test_visibility.py and the programs beside this one: each makes the same rows in the same folder.
"""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mxerr import Check, NativeError, NativeFrame, NativeReport, np
from mxerr.exception import make_exception
from mxerr.registry import GLOBAL

CHECK = 'MXERR_CHECK_EQ(ndim, 3, "bad rank");'
FUNCTION = f"static int infer_shape(int ndim) {{\n  {CHECK}\n  return 0;\n}}\n".encode()
WRONG = "THIS IS ANOTHER FILE"

# What stands before the function that checks. In each of these files the line of the check is seen.
HEADS = {
    "nothing": b"",
    "an apostrophe": b"// don't\n",
    "open brackets": b"// ( [ {\n#if 0\n((([[[{{{\n#endif\n",
    "closing brackets": b"/* } ) ] */\n}\n)\n]\n",
    "a quote as character": b"static char q = '\"';\n",
    "triple quotes": b"/* \"\"\" and ''' */\n",
    "one triple quote": b'/* """ */\n',
    "continued lines": b"#define A(x) \\\n  b(x); \\\n  c(x)\n",
    "thousands of continued lines": b"a\\\n" * 5000 + b"\n",
    "tabs": b"\tint\ta;\n \t if\n\t b\n   c\n",
    "form feeds": b"\f\nint a;\f\v\n\f\n",
    "ends of line for Python only": "/* \x0b \x1c \x1d \x1e \x85 \u2028 \u2029 */\n".encode(),
    "NUL bytes": b"/* \0 */\n\0\n",
    "escape sequences": b"/* \x1b[31m \x07 \x08 */\n",
    "Latin-1": b"/* caf\xe9 */\n",
    "UTF-16 surrogates": b"/* \xed\xa0\x80 \xf4\x90\x80\x80 */\n",
    "a byte order mark": b"\xef\xbb\xbf/* */\n",
    "right to left": "/* \u202e \u2066 */\n".encode(),
    "a coding cookie": b"/* -*- coding: no-such-coding -*- */\n",
    "def": b"/*\ndef f(\n  '''\n*/\n",
    "async def": b"/*\n  async def f(\n*/\n",
    "lambda": b"/* lambda: ( */\n",
    "a decorator": b"/*\n@x(\n*/\n",
    "class": b"/*\nclass A(\n*/\n",
    "unary operators without end": b"~" * 9000 + b"x;\n",
    "binary operators without end": b"x = " + b"1|" * 20000 + b"1;\n",
    "deep brackets": b"f(" * 1000 + b"\n",
    "deep braces": b"{a:" * 1000 + b"\n",
    "deep indentation": b"".join(b" " * i + b"if x:\n" for i in range(150)),
    "an open string": b"'\n\"\n",
    "an open f-string": b'f"{a\n',
    "an open comment": b"/*\n",
    "a huge number": b"9" * 10000 + b";\n",
    "bad escapes": b'OP("\\%")\nOP("\\N{x}")\n',
    "a long line": b"/* " + b"x" * 2**20 + b" */\n",
    "50,000 lines": b"/* don't */ int a(int x) { return (x + 1) * 2; }\n" * 50_000,
}

# Whole files: their bytes, the line that fails, and what is seen of it.
FILES = {
    "CR LF": (FUNCTION.replace(b"\n", b"\r\n"), 2, CHECK),
    "lone CR": (FUNCTION.replace(b"\n", b"\r"), 2, CHECK),
    "no end of line at the end": (b"int infer_shape(int ndim) { " + CHECK.encode() + b" }", 1, CHECK),
    "the last line": (b"infer_shape(int ndim)\n{\n" + CHECK.encode() + b"\n", 3, CHECK),
    "a form feed in the line": (b"  a;\f" + CHECK.encode(), 1, CHECK),
    "a separator in the line": (f"  a;\x1c {CHECK} \u2028 b\n".encode(), 1, CHECK),
    "a NUL in the line": (b"  a;\0 " + CHECK.encode(), 1, CHECK),
    "tabs in the line": (b"\t\ta;\t" + CHECK.encode() + b"\t\n", 1, CHECK),
    "a line of a megabyte": (CHECK.encode() + b" /* " + b"x" * 2**20 + b" */\n", 1, CHECK),
    "Python": (b"check(ndim, 3);\n\n\ncheck(ndim, 4)\n", 4, "check(ndim, 4)"),
    "Python, two statements": (b"a = 1; b = 2\nif a:\n  b = 3; a = 4\n", 3, "b = 3; a = 4"),
    "Python, a comment": (b"#include <a.h>\n# define A\n#endif\n", 2, "# define A"),
    "Python, a blank line": (b"a\n\n\n\nb\n", 3, None),
    "Python, a decorator": (b"@x\ndef f(ndim):\n  g(ndim)\n", 1, "@x"),
    "100,000 lines of Python": (b"OP(a, b)\n" * 100_000, 50_000, "OP(a, b)"),
    "one blank line": (b"   \n", 1, None),
    "blank lines": (b"  \n\t\n    \n", 2, None),
    "random bytes": (random.Random(1).randbytes(200_000), 100, None),
    "no bytes": (b"", 1, None),
    "40 MB": (b"int a;\n" * 6_000_000, 1000, None),
}

LINES = {"0": 0, "-1": -1, "1": 1, "last": 4, "past the end": 5, "far past the end": 1000}
LINES |= {"2**31-1": 2**31 - 1, "2**31": 2**31, "-2**31": -(2**31), "10**20": 10**20}

FUNCTIONS = [
    "",
    "ns::A<int>::operator()(int) const",
    "main()::{lambda(int)#1}",
    "(anonymous namespace)::f(int)",
]
FUNCTIONS += [
    "a\nb",
    "a\0b",
    "\ud800",
    "<module>",
    "<lambda>",
    "f(",
    "f[(*",
    "naïve",
    "__init__",
    "x" * 10_000,
]
FUNCTIONS += ["std::vector<" * 500, "infer_shape"]

# Names of files that are there, below a folder.
NAMES = ["a b.c", "naïve.c", "(x).c", "'\".c", "<x>.c", "<x>", "new\nline.c", "\x1b[31m.c", "op.py", "op.pyc"]
NAMES += ["-rf.c", "%s.c", "{}.c", "\u3000.c", "\udcff.c", "[bold]x[/].c", "C:\\a.c"]

# Names that lead to no C line, as C gave them. The working folder has files of some of these names.
NOWHERE = [
    "",
    "decoy.c",
    "./decoy.c",
    "src/decoy.c",
    "../work/decoy.c",
    "decoy.py",
    "/no/such.c",
    "/no/such.py",
]
NOWHERE += [
    "<stdin>",
    "<string>",
    "<a b>",
    "a\0b.c",
    "/a\0b.c",
    "new\nline.c",
    "\ud800.c",
    "/" + "x" * 5000,
    "x" * 300,
]
NOWHERE += [
    "C:\\src\\a.cc",
    "/proc/kmsg",
    "/dev/zero",
    "/dev/stdin",
    ".",
    "/",
    "..",
    "~/a.c",
    "json.py",
    "-",
    " ",
]

VALUES = {
    "a dotted name": (("axes.ndim", "3"),),
    "the same name twice": (("a", "1"), ("a", "2"), ("a", "3")),
    "an empty name": (("", "1"),),
    "orders to tools": (
        ("__tracebackhide__", "1"),
        ("__debuggerskip__", "1"),
        ("@x", "1"),
        ("__tracebackhide__.x", "1"),
    ),
    "odd names": (("naïve", "1"), ("a\nb", "2"), ("a b", "3"), ("\ud800", "4"), (".0", "5"), ("self", "6")),
    "names of Python": (
        ("None", "1"),
        ("__builtins__", "2"),
        ("__exception__", "3"),
        ("print", "4"),
        ("print.x", "5"),
    ),
    "several lines": (("text", "line 1\nline 2\r\n\x1b[31m\0"),),
    "a surrogate": (("text", "\ud800"),),
    "a megabyte": (("text", "x" * 2**20),),
    "300 values": tuple((f"v{i}", str(i)) for i in range(300)),
}


class Row(NamedTuple):
    """An error, and what must be seen of it whatever shows it."""

    name: str
    make: Callable[[], Exception]
    text: str
    line: str | None = None  # of C; None where there is none to see


def make_rows(folder):
    """Make the files below a folder, where they are not there yet, and the rows that name them."""
    maker = _Maker(Path(folder))
    maker.rows.append(
        Row("transpose", _transpose, "Repeated axis in transpose", "MXERR_CHECK_EQ(axes_set.size, axes.ndim,")
    )
    for name, head in HEADS.items():
        maker.file(name, head + FUNCTION + b"\n/* 'tail */\n", None, CHECK)
    for name, (source, line, seen) in FILES.items():
        maker.file(name, source, line, seen)
    maker.odd_files()
    good = maker.write("good.c", FUNCTION)
    for name, line in LINES.items():
        maker.frame(
            f"line: {name}", good, line, FUNCTION.decode().splitlines()[line - 1] if 0 < line < 5 else None
        )
        maker.frame(f"line of a missing file: {name}", "/no/such.c", line)
    for function in FUNCTIONS:
        maker.frame(f"function: {ascii(function)[:40]}", good, 2, CHECK, function=function)
    for name in NAMES:
        maker.frame(f"name: {name!a}", maker.write(f"names/{name}", FUNCTION), 2, CHECK)
    for name in NOWHERE:
        maker.frame(f"nowhere: {ascii(name)[:40]}", name, 2)
    for name, values in VALUES.items():
        maker.frame(f"values: {name}", good, 2, CHECK, values=values)
    maker.stacks(good)
    return maker.rows


def _transpose():
    try:
        np.array([[[1.0]]]).transpose((0, 0, 1))
    except ValueError as error:
        return error


def make_row(name, frames, seen=None, omitted=0):
    """Make the row of an error with these C frames."""
    text = f"{re.sub(r'[^ -~]', '?', name)} is bad"
    report = NativeReport(text, text, "ValueError", Check("ndim == 3", "2", "3"), tuple(frames), omitted)
    return Row(name, lambda: make_exception(report, GLOBAL, NativeError), text, seen)


class _Maker:
    def __init__(self, folder):
        self.folder = folder
        self.rows = []
        for decoy in ("decoy.c", "src/decoy.c", "decoy.py"):
            self.write(f"work/{decoy}", b"// don't (\n" + f"{WRONG}\n".encode() * 5)

    def write(self, name, source):
        file = self.folder / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source)
        return str(file)

    def file(self, name, source, line, seen):
        file = self.write(f"files/{len(self.rows)}.c", source)
        if line is None:
            line = 1 + len(re.findall(rb"\r\n|\r|\n", source[: source.index(CHECK.encode())]))
        self.frame(f"file: {name}", file, line, seen)

    def odd_files(self):
        odd = self.folder / "odd"
        for end in ("c", "py"):
            (odd / f"folder.{end}").mkdir(parents=True, exist_ok=True)
            self.frame(f"file: folder.{end}", str(odd / f"folder.{end}"), 2)
            if not (odd / f"pipe.{end}").exists():
                os.mkfifo(odd / f"pipe.{end}")
            self.frame(f"file: pipe.{end}", str(odd / f"pipe.{end}"), 2)
        Path(self.write("odd/closed.c", FUNCTION)).chmod(0)
        self.frame("file: unreadable", str(odd / "closed.c"), 2)
        if not (odd / "loop.c").is_symlink():
            (odd / "loop.c").symlink_to(odd / "loop.c")
        self.frame("file: a link to itself", str(odd / "loop.c"), 2)

    def frame(self, name, file, line, seen=None, **parts):
        frame = NativeFrame("infer_shape", file, line, (("ndim", "2"),))._replace(**parts)
        api = NativeFrame("api_call", str(self.folder / "good.c"), 3)
        self.rows.append(make_row(name, (api, frame), seen))

    def stacks(self, good):
        api = NativeFrame("api_call", good, 3)
        frame = NativeFrame("infer_shape", good, 2, (("ndim", "2"),))
        different = [NativeFrame(f"f{i}", good, 1 + i % 4, (("i", str(i)),)) for i in range(499)]
        self.rows += [
            make_row("stack: none", ()),
            make_row("stack: only a gap", (), omitted=3),
            make_row("stack: a gap", (api, api, frame), CHECK, omitted=3),
            make_row("stack: 500 frames", (api, *[frame] * 499), CHECK),
            make_row("stack: 500 different frames", (*different, frame), CHECK),
        ]
