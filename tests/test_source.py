"""C source lines: which file, which line, and nothing that Python takes for Python."""

import ast
import inspect
import linecache
import os
import shutil
import subprocess
import sys
import threading

import pytest

from mxerr import source
from mxerr.source import SourceLines, check_columns, find, function_line

TEXT = "int f(int x) {\n  CHECK(x);\n  return 0;\n}\n"


@pytest.fixture
def file(tmp_path):
    """Make a C file; nothing of it stays in the caches."""
    file = tmp_path / "op.c"
    file.write_text(TEXT)
    yield file
    for name in [name for name in linecache.cache if str(tmp_path) in str(name)]:
        del linecache.cache[name]


# ---- find: names ----


def test_a_relative_name_is_found_below_the_root_alone(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert find("op.c", str(file.parent), 2)[0] == str(file)
    assert find("./op.c", str(file.parent), 2)[0] == str(file)
    assert find("op.c", "", 2) == ("<op.c>", [])
    assert find("op.c", "/no/such/folder", 2) == ("<op.c>", [])


def test_a_relative_root_means_the_folder_that_it_meant_first(file, monkeypatch):
    monkeypatch.chdir(file.parent.parent)
    name, lines = find("op.c", file.parent.name, 2)
    assert name == str(file)
    assert lines == TEXT.splitlines(keepends=True)


def test_an_absolute_name_is_not_looked_for_below_the_root(file):
    assert find(str(file), "/no/such/folder", 2)[0] == str(file)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("", "<native>"),
        ("/no/such/op.c", "/no/such/op.c"),  # leads nowhere
        ("/no/such/op.py", "</no/such/op.py>"),
        ("op.c", "<op.c>"),
        ("<stdin>", "<<stdin>>"),  # Python's own is in `linecache` under that name
        ("a\nb.c", r"<a\nb.c>"),
        ("/a\0b.c", r"</a\x00b.c>"),
        ("\ud800.c", r"<\ud800.c>"),
        ("/", "</>"),  # a folder
        ("/dev/null", "</dev/null>"),
        ("/" + "x" * 300, "/" + "x" * 300),
    ],
)
def test_a_name_without_a_line_is_shown_so_that_nobody_follows_it(given, shown):
    assert find(given, "", 2) == (shown, [])


@pytest.mark.parametrize("name", ["op.py", "op.pyc", "a\nb.c", "\u3000.c"])
def test_a_name_that_tools_would_misread_is_bracketed_and_has_its_lines(name, file):
    odd = file.rename(file.with_name(name))
    shown, lines = find(str(odd), "", 2)
    assert shown == f"<{str(odd) if str(odd).isprintable() else repr(str(odd))[1:-1]}>"
    assert lines
    assert linecache.getline(shown, 2) == "  CHECK(x);\n"
    assert str(odd) not in linecache.cache


def test_the_lines_of_a_python_file_stay_what_they_are_for_python(tmp_path):
    module = tmp_path / "module.py"
    module.write_text("def f():\n    return '''\n}\n'''\n")
    code = compile(module.read_text(), str(module), "exec").co_consts[0]
    find(str(module), "", 2)
    assert inspect.getsource(code) == module.read_text()


@pytest.mark.parametrize("line", [0, -1, 5, 2**31, 10**20])
def test_a_line_that_the_file_does_not_have_is_no_line_of_it(line, file):
    assert find(str(file), "", line) == (f"<{file}>", [])
    assert linecache.getlines(f"<{file}>") == []


# ---- find: files ----


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.c")
    thread = threading.Thread(target=find, args=(str(tmp_path / "pipe.c"), "", 1), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs /proc")  # noqa: PTH110
@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/mem", "/dev/zero", "/proc/self/pagemap"])
def test_files_without_end_are_not_read(name):
    assert find(name, "", 1) == (f"<{name}>", [])


def test_a_file_that_is_too_large_is_not_read(file, monkeypatch):
    monkeypatch.setattr(source, "MAX_BYTES", len(TEXT) - 1)
    assert find(str(file), "", 2) == (f"<{file}>", [])


def test_a_file_is_read_once_and_stays_what_it_was(file):
    find(str(file), "", 2)
    file.write_text("another\n" * 10)
    assert find(str(file), "", 2)[1][1] == "  CHECK(x);\n"
    file.unlink()
    assert find(str(file), "", 2)[0] == str(file)


@pytest.mark.parametrize("forget", [linecache.clearcache, linecache.checkcache])
def test_linecache_serves_a_file_after_it_was_told_to_forget(forget, file):
    find(str(file), "", 2)
    file.write_text("another\n" * 10)
    forget()
    assert linecache.getline(str(file), 2) == "  CHECK(x);\n"
    assert isinstance(linecache.getlines(str(file)), SourceLines)


def test_linecache_serves_other_files_as_ever(file, tmp_path):
    find(str(file), "", 2)
    other = tmp_path / "other.py"
    other.write_text("a = 1\n")
    assert linecache.getlines(str(other)) == ["a = 1\n"]
    assert linecache.getlines(str(tmp_path / "missing.py")) == []
    assert linecache.getlines("missing", {"__name__": "m", "__loader__": Loader()}) == ["from a loader\n"]


class Loader:
    def get_source(self, name):
        return "from a loader"


def test_import_leaves_linecache_alone():
    program = "import linecache; u = linecache.updatecache; import mxerr; assert linecache.updatecache is u"
    subprocess.run([sys.executable, "-P", "-c", program], check=True)


def test_the_files_that_are_kept_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_files", {})
    monkeypatch.setattr(source, "_MAX_FILES", 5)
    files = [tmp_path / f"{i}.c" for i in range(20)]
    for file in files:
        file.write_text(TEXT)
        find(str(file), "", 1)
    assert len(source._files) <= 6
    assert str(files[0]) not in linecache.cache
    assert str(files[-1]) in linecache.cache


def test_threads_may_find_files_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_files", {})
    monkeypatch.setattr(source, "_MAX_FILES", 3)
    files = [tmp_path / f"{i}.c" for i in range(20)]
    for file in files:
        file.write_text(TEXT)
    failures = []

    def find_all():
        try:
            for file in files * 20:
                assert find(str(file), "", 2) == (str(file), TEXT.splitlines(keepends=True))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=find_all) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_inspect_need_not_look_for_the_module_of_a_c_file(file, monkeypatch):
    find(str(file), "", 2)
    code = compile("", str(file), "exec")
    monkeypatch.setattr(sys, "modules", ModulesThatMustNotBeLookedThrough(sys.modules))
    assert inspect.getmodule(code) is None


class ModulesThatMustNotBeLookedThrough(dict):
    def copy(self):
        raise AssertionError


# ---- lines ----

LINES = {
    b"": [],
    b"\n": [""],
    b"a": ["a"],
    b"a\nb": ["a", "b"],
    b"a\r\nb\rc\nd\n": ["a", "b", "c", "d"],
    b"\r\r\n\n": ["", "", ""],
    b"a\fb\vc": ["a b c"],
    b" \f\t \n\t\n": ["", ""],
    b"\ta\t": ["\ta\t"],
    b"\xef\xbb\xbfa\xef\xbb\xbf": [r"a\ufeff"],
    b"\0\x1b[0m\x7f": [r"\x00\x1b[0m\x7f"],
    "\x1c\x1d\x1e\x85\u2028\u2029\u202e": [r"\x1c\x1d\x1e\x85\u2028\u2029\u202e"],
    "dön't 行": ["dön't 行"],
    b"caf\xe9 \xed\xa0\x80": [r"caf\xe9 \xed\xa0\x80"],
    "x" * 1001: ["x" * 1000 + " ..."],
}


@pytest.mark.parametrize("text", LINES)
def test_lines_are_those_of_c_and_one_line_for_python_too(text, tmp_path):
    lines = source._lines(text if isinstance(text, bytes) else text.encode())
    assert lines == [line + "\n" for line in LINES[text]]
    assert "".join(lines).splitlines(keepends=True) == lines


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_line_numbers_are_those_of_the_compiler(tmp_path):
    text = b"/* \x1c \xe2\x80\xa8 \x0b\x0c\xc2\x85 */\r\n\f\n\rint main(void) {\r\treturn __LINE__;\f}\n"
    file = tmp_path / "lines.c"
    file.write_bytes(text)
    subprocess.run(["cc", "-w", "-o", str(tmp_path / "lines"), str(file)], check=True)
    line = subprocess.run([str(tmp_path / "lines")]).returncode
    assert "__LINE__" in find(str(file), "", line)[1][line - 1]


# ---- SourceLines ----


@pytest.mark.parametrize(
    "text", ["a = 1\n", "~" * 9000 + "\n", "'''\n", "(\n", "# a\n", "a\\\n" * 9000, "\n"]
)
def test_python_gives_up_at_once_on_what_iteration_gives(text):
    lines = SourceLines(text.splitlines(keepends=True))
    with pytest.raises(SyntaxError, match=r"U\+FEFF"):
        ast.parse("".join(tuple(lines)))
    assert "".join(tuple(lines)) == "\ufeff" + text


def test_lines_are_a_list_in_all_else():
    lines = SourceLines(["a\n", "b\n", "c\n"])
    assert lines == ["a\n", "b\n", "c\n"]
    assert (lines[0], lines[-1], len(lines)) == ("a\n", "c\n", 3)
    assert lines[0:2] == ["a\n", "b\n"]
    assert lines[:2] == ["a\n", "b\n"]
    assert lines[::2] == ["a\n", "c\n"]
    assert list(SourceLines()) == []


@pytest.mark.parametrize(
    "hostile", ["'", '"', "'''", '"""', "( [ {", ") ] }", "\\", "\t a\n b", "1_", "0x", "f'{"]
)
def test_inspect_cuts_the_function_out_and_tokenises_nothing(hostile):
    lines = SourceLines([f"/* {hostile} */\n", "int f() {\n", f"  {hostile}\n", "}\n", "int g() {\n", "}\n"])
    whole = inspect.getblock(lines[1:])
    assert whole[:3] == lines[1:4]
    assert len(whole) == (3 if sys.version_info >= (3, 13) else 5)


# ---- function_line ----


@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ("int f(int x) {\n  @\n}", "f", 1),
        ("int\nf (int x)\n{\n  @\n}", "f", 2),
        ("int f(int x) { @ }", "f", 1),
        ("int f(int);\nint a;\nint f(int x) {\n  @\n}", "f", 3),
        ("int f(int x) {\n}\nint g() {\n  @\n}", "f", 4),  # another function
        ("int ff(int x) {\n  f(x);\n  @\n}", "f", 3),
        ("int f(int x) {\nf(x);\n@\n}", "f", 1),  # not indented
        ("bool ns::A<int>::f(int x) const {\n  @\n}", "ns::A<int>::f(int) const", 1),
        ("bool A::operator()(int x) const {\n  @\n}", "ns::A<int>::operator()(int) const", 1),
        ("T f(T x) {\n  @\n}", "f<int>", 1),
        ("int main() {\n  auto l = [] {\n    @\n", "main()::{lambda()#1}", 1),
        ("int f(int x) {\n  @\n}", "", 2),
        ("int f(int x) {\n  @\n}", "f[(*", 2),
        ("int f(int x) {\n  @\n}", "(anonymous namespace)::f(int)", 2),
        ("int f(int x) {\n  @\n}", "a\nb\0", 2),
    ],
)
def test_function_line(text, function, expected):
    lines = text.splitlines(keepends=True)
    line = next(i for i, content in enumerate(lines, 1) if "@" in content)
    assert function_line(lines, function, line) == expected


@pytest.mark.parametrize("line", [0, -1, 5, 2**31])
def test_function_line_of_a_line_outside_is_that_line(line):
    assert function_line(TEXT.splitlines(), "f", line) == line


@pytest.mark.parametrize("function", ["f" * 10**6, "f<" * 10**5, "a!" * 10**5, "<" * 10**6])
def test_function_line_of_a_long_name_takes_no_time(function):
    assert function_line(["int f(" + "f " * 1000] * 100, function, 100) == 100


# ---- check_columns ----


@pytest.mark.parametrize(
    ("text", "condition", "underlined"),
    [
        ("  MXERR_CHECK_EQ(a, b, text);", "a == b", "a, b"),
        ("  MXERR_CHECK_LE(a.n ,b->n);", "a.n <= b->n", "a.n ,b->n"),
        ("  CHECK(a == b);", "a == b", "a == b"),
        ("  CHECK(a==b);", "a == b", "a==b"),
        ("\t\tCHECK(i >= -n && i < n, text);", "i >= -n && i < n", "i >= -n && i < n"),
        ("  CHECK(ok(x));", "ok(x)", "ok(x)"),
        ("  CHECK_EQ(a, b); CHECK_EQ(a, b);", "a == b", None),  # which?
        ("  CHECK_EQ(aa, b);", "a == b", None),
        ("  CHECK_EQ(a, bb);", "a == b", None),
        ("  CHECK_EQ(a,", "a == b", None),
        ("  x;\tCHECK_EQ(a, b);", "a == b", None),  # carets would stand elsewhere
        ("  /* 行 */ CHECK_EQ(a, b);", "a == b", None),
        ("  CHECK_EQ(a, b); /* 行\t */", "a == b", "a, b"),
        ("  CHECK(x);", "", None),
        ("  CHECK(x);", "(", None),
        ("  CHECK(.*);", ".*", ".*"),
        ("x" * 2000, "x" * 2000, None),
    ],
)
def test_check_columns(text, condition, underlined):
    columns = check_columns([text], 1, condition)
    assert (text[slice(*columns)] if columns else None) == underlined


@pytest.mark.parametrize("line", [0, -1, 2, 2**31])
def test_check_columns_of_a_line_outside(line):
    assert check_columns(["CHECK(x);"], line, "x") is None
