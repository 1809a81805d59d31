"""C text that is compiled, kept and loaded; what a compiler complains of; what tells others where the kit is."""

import ctypes
import importlib.util
import os
import pickle
import re
import shutil
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mxerr
from mxerr import BuildError, compiled, compiler

DIVIDE = """
static int divide(int a, int b, int *out) {
  MXERR_CHECK_NE(b, 0, "ValueError: cannot divide %d", a);
  *out = a / b;
  return 0;
}

MXERR_EXPORT int divided(int a, int b, int *out) { MXERR_API(divide(a, b, out)); }
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("MXERR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def runs(monkeypatch):
    """The commands that compile, as they are run; those that only read the text are not among them."""
    commands = []
    run = compiler.run

    def noted(command, *args):
        if "-shared" in command and "-E" not in command:
            commands.append(command)
        return run(command, *args)

    monkeypatch.setattr(compiler, "run", noted)
    return commands


# ---- a text becomes a library ----


def test_a_text_becomes_a_library_whose_errors_are_typed_and_show_its_lines():
    library = mxerr.build(DIVIDE)
    out = ctypes.c_int()
    assert library.divided(7, 2, out) == 0
    assert out.value == 3
    with pytest.raises(mxerr.NativeError, match=r"b != 0 \(0 vs. 0\) : cannot divide 7") as caught:
        library.divided(7, 0, out)
    text = "".join(traceback.format_exception(caught.value))
    assert 'MXERR_CHECK_NE(b, 0, "ValueError' in text
    assert "MXERR_API(divide(a, b, out))" in text
    assert [frame.file for frame in caught.value.native.frames] == ["source.c", "source.c"]


def test_the_error_keeps_its_lines_where_it_is_unpickled():
    with pytest.raises(mxerr.NativeError) as caught:
        mxerr.build(DIVIDE).divided(7, 0, None)
    code = "import sys, pickle, traceback; traceback.print_exception(pickle.load(sys.stdin.buffer))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd="/",
        input=pickle.dumps(caught.value),
        capture_output=True,
        check=True,
    )
    assert b"MXERR_CHECK_NE(b, 0" in done.stderr


def test_names_of_files_are_what_the_caller_says():
    library = mxerr.build(DIVIDE, name="my-cell_1.c")
    with pytest.raises(mxerr.NativeError) as caught:
        library.divided(7, 0, None)
    assert caught.value.native.frames[-1].file == "my-cell_1.c"


@pytest.mark.parametrize("name", ["a/b.c", "../a.c", 'a".c', "a\n.c", "a b.c", ".", ".."])
def test_a_name_that_is_no_plain_file_name_is_refused(name):
    with pytest.raises(ValueError, match="name: expected a file name"):
        mxerr.build(DIVIDE, name=name)


def test_a_language_that_is_neither_is_refused():
    with pytest.raises(ValueError, match=r"language: expected c or c\+\+, got 'fortran'"):
        mxerr.build("", "fortran")


def test_each_load_has_its_own_static_variables_and_its_own_errors():
    source = 'MXERR_EXPORT int count(void) { static int n; MXERR_CHECK_LT(n, 1, "ValueError: again"); n++; return 0; }'
    first, second = mxerr.build(source), mxerr.build(source)
    assert (first.count(), second.count()) == (0, 0)
    status = first.unchecked("count")()
    assert status == -1
    assert "set no error message" in second.report(status).text
    assert first.report(status).text.endswith("again")


def test_functions_of_the_process_do_not_take_the_place_of_those_of_the_text():
    source = (
        "MXERR_EXPORT double cos(double x) { return x; } MXERR_EXPORT double f(double x) { return cos(x); }"
    )
    library = mxerr.build(source, options=["-fno-builtin"])
    assert library.f(7.0) == 7.0


def test_the_classes_come_from_the_registry_that_is_given():
    class Mine(Exception):
        pass

    registry = mxerr.Registry()
    registry.register("ValueError", Mine)
    with pytest.raises(Mine):
        mxerr.build(DIVIDE, registry=registry).divided(1, 0, None)


def test_cplusplus_throws_into_the_record():
    library = mxerr.build(
        """
        static void use(int bytes) { MXERR_CHECK_LE(bytes, 10) << "ValueError: too much: " << bytes; }
        MXERR_EXPORT int use_disk(int bytes) { MXERR_API(MXERR_GUARD(use(bytes))); }
        """,
        "c++",
    )
    assert library.use_disk(10) == 0
    with pytest.raises(mxerr.error.ValueError, match=r"bytes <= 10 \(11 vs. 10\) : too much: 11") as caught:
        library.use_disk(11)
    assert "MXERR_CHECK_LE(bytes, 10) <<" in "".join(traceback.format_exception(caught.value))


# ---- what was compiled before is not compiled again ----


def test_the_same_text_is_compiled_once(cache, runs):
    for _ in range(2):
        mxerr.build(DIVIDE)
    assert len(runs) == 1
    mxerr.build(DIVIDE + "\n")
    mxerr.build(DIVIDE, options=["-DX=1"])
    mxerr.build(DIVIDE, name="other.c")
    assert len(runs) == 4


def test_a_header_that_has_changed_is_seen(cache, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        (tmp_path / "number.h").write_text(f"#define NUMBER {number}\n")
        library = mxerr.build('#include "number.h"\nMXERR_EXPORT double number(void) { return NUMBER; }')
        assert library.number() == number
    assert len(runs) == 2


def test_an_entry_without_its_library_is_made_anew(cache, runs):
    mxerr.build(DIVIDE)
    [library] = cache.glob("*/library*")
    library.unlink()
    assert mxerr.build(DIVIDE).divided(1, 1, ctypes.c_int()) == 0
    assert len(runs) == 2


def test_many_that_compile_the_same_at_once_all_get_it(cache):
    with ThreadPoolExecutor(4) as pool:
        libraries = list(pool.map(lambda _: mxerr.build(DIVIDE), range(4)))
    assert [library.divided(1, 1, ctypes.c_int()) for library in libraries] == [0] * 4
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("place", ["a file", "/proc/nothing"])
def test_a_cache_that_cannot_be_written_to_is_a_warning(tmp_path, monkeypatch, place):
    folder = Path(place) if place.startswith("/") else tmp_path / place
    if folder.parent == tmp_path:
        folder.write_text("")
    monkeypatch.setenv("MXERR_CACHE", str(folder))
    source = 'MXERR_EXPORT int f(int a) { MXERR_CHECK_EQ(a, 1, "ValueError: no"); return 0; }'
    for _ in range(2):
        with pytest.warns(
            compiler.BuildWarning, match=f"cannot be kept: .*{place}.*; MXERR_CACHE names the folder"
        ):
            library = mxerr.build(source)
        with pytest.raises(ValueError, match="no") as caught:
            library.f(2)
        assert traceback.extract_tb(caught.value.__traceback__)[-1].line == source


def test_the_cache_keeps_what_was_used_last(cache, runs, monkeypatch):
    monkeypatch.setattr(compiled, "_MOST_ENTRIES", 2)
    a, b, c = (f"MXERR_EXPORT double f(void) {{ return {n}; }}" for n in range(3))
    for age, source in enumerate([a, b, a, c, a]):
        mxerr.build(source)
        for entry in cache.iterdir():  # clocks of files are coarse
            os.utime(entry, (entry.stat().st_mtime - 10,) * 2)
        assert len(list(cache.iterdir())) == min(age + 1, 2)
    assert len(runs) == 3


def test_the_cache_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.delenv("MXERR_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mxerr.build(DIVIDE)
    assert (tmp_path / "mxerr").stat().st_mode & 0o777 == 0o700


# ---- what a compiler complains of ----


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        ("\n\nMXERR_EXPORT int f(void) { return 0 }", 3, "return 0 }"),
        ("int a;\nMXERR_EXPORT int f(void) { return nothing_; }", 2, "return nothing_"),
        ('\n#include "no_such_header.h"', 2, "no_such_header.h"),
        ("\n#error it is so", 2, "it is so"),
        ("int no_such(void);\nMXERR_EXPORT int f(void) {\n  return no_such(); }", 3, "no_such"),
    ],
)
def test_a_text_that_does_not_compile_names_the_line_and_shows_it(source, line, text):
    with pytest.raises(BuildError) as caught:
        mxerr.build(source, name="mine.c")
    error = caught.value
    assert (error.file, error.line) == ("mine.c", line)
    assert str(error).startswith(f"mine.c, line {line}: ")
    assert text in error.output
    assert error.output.strip() in str(error)


def test_the_column_is_marked_by_the_compiler():
    with pytest.raises(BuildError) as caught:
        mxerr.build("int a;\nint f(void) { return nothing_; }")
    lines = str(caught.value).splitlines()
    marked = next(i for i, line in enumerate(lines) if "return nothing_;" in line)
    assert lines[marked + 1].index("^") == lines[marked].index("nothing_")
    assert caught.value.column == "int f(void) { return nothing_; }".index("nothing_") + 1


def test_a_build_error_is_pickled_with_all_that_it_knows():
    with pytest.raises(BuildError) as caught:
        mxerr.build("int")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


def test_warnings_of_the_compiler_are_warnings_also_of_what_was_compiled_before(cache):
    source = "MXERR_EXPORT int f(int a) { int unused; return 0 * a; }"
    for _ in range(2):
        with pytest.warns(mxerr.compiler.BuildWarning, match="source.c:1:33: warning: unused variable"):
            mxerr.build(source)


def test_a_text_without_end_of_complaints_gives_a_message_that_has_one():
    with pytest.raises(BuildError) as caught:
        mxerr.build("\n".join(f"int f{n}(void) {{ return {n} }}" for n in range(3000)))
    assert len(str(caught.value)) < 25_000
    assert caught.value.line == 1


# ---- compilers ----


def test_the_environment_names_the_compiler():
    assert compiler.find("c", {"CC": "/some/cc -m64", "PATH": ""}) == ["/some/cc", "-m64"]
    assert compiler.find("c++", {"CXX": "mine", "PATH": ""}) == ["mine"]


def test_a_compiler_of_the_search_path_comes_before_ziglang(tmp_path):
    (tmp_path / "clang").write_text("")
    (tmp_path / "clang").chmod(0o755)
    assert compiler.find("c", {"PATH": str(tmp_path)}) == [str(tmp_path / "clang")]


def test_without_a_compiler_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        BuildError, match=r"looked for cc, gcc, clang on the search path.*CC.*pip install ziglang"
    ):
        compiler.find("c", {"PATH": ""})


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("true", "the compiler true made no library, and no complaint"),
        ("false", "source.c does not compile"),
        ("'cc", 'CC: expected a command, got "\'cc": No closing quotation'),
    ],
)
def test_what_is_no_compiler_is_a_build_error(monkeypatch, named, said):
    monkeypatch.setenv("CC", named)
    with pytest.raises(BuildError, match=re.escape(said)):
        mxerr.build("int no_compiler;")


def test_a_blank_name_of_a_compiler_is_none():
    assert compiler.find("c", {**os.environ, "CC": " "}) == compiler.find("c", {**os.environ, "CC": ""})


def test_a_compiler_that_cannot_be_run_is_a_build_error(monkeypatch):
    monkeypatch.setenv("CC", "/no/such/cc")
    with pytest.raises(BuildError, match="cannot be run"):
        mxerr.build(DIVIDE)


@pytest.mark.parametrize("program", ["gcc", "clang", "ziglang"])
def test_every_compiler_builds_the_kit_and_finds_the_line_of_an_error(cache, monkeypatch, program):
    if program == "ziglang":
        pytest.importorskip("ziglang")
        monkeypatch.setenv("CC", f"{sys.executable} -m ziglang cc")
    elif shutil.which(program):
        monkeypatch.setenv("CC", program)
    else:
        pytest.skip(f"{program} is not installed")
    with pytest.raises(mxerr.NativeError, match="cannot divide 7"):
        mxerr.build(DIVIDE).divided(7, 0, None)
    with pytest.raises(BuildError) as caught:
        mxerr.build("\nint f(void) { return nothing_; }")
    assert caught.value.line == 2


# ---- what tells others where the kit is ----


def test_the_command_line_prints_the_options_for_a_compiler(tmp_path):
    flags = subprocess.run(
        [sys.executable, "-m", "mxerr", "--cflags"], cwd="/", capture_output=True, text=True, check=True
    ).stdout.strip()
    assert flags == f"-I{mxerr.get_include()}"
    (tmp_path / "a.c").write_text(f"#define MXERR_IMPLEMENTATION\n#include <mxerr/mxerr.h>\n{DIVIDE}")
    subprocess.run(f"{compiler.find('c')[0]} {flags} -c a.c", shell=True, cwd=tmp_path, check=True)
    assert (tmp_path / "a.o").exists()


# ---- what is refused; what is linked ----


@pytest.mark.parametrize(
    ("arguments", "cls", "said"),
    [
        ({"source": None}, TypeError, "source: expected C or C++ text, got None"),
        ({"source": b"int x;"}, TypeError, "source: expected C or C++ text, got b'int x;'"),
        (
            {"source": "\n// \ud800"},
            ValueError,
            r"source: expected text, got half a character in line 2: '\ud800'",
        ),
        ({"source": "int x;", "options": "-lm"}, TypeError, "options: expected a list of them, got '-lm'"),
        ({"source": "int x;", "name": "messages.txt"}, ValueError, "name: expected another than those of "),
        (
            {"source": "int x;", "name": f"library{compiled._SUFFIX}"},
            ValueError,
            "name: expected another than ",
        ),
    ],
)
def test_arguments_of_another_form_are_refused_by_name(arguments, cls, said):
    with pytest.raises(cls, match=f"^{re.escape(said)}"):
        mxerr.build(**arguments)


def test_the_mark_before_a_text_is_no_part_of_it():
    assert mxerr.build("\ufeffMXERR_EXPORT double f(void) { return 1.5; }").f() == 1.5


@pytest.mark.parametrize("options", [["-Wl,{0}/u.o"], ["-L{0}", "-lu"], ["-L", "{0}", "-lu"]])
def test_what_an_option_links_is_looked_at_again(cache, runs, tmp_path, options):
    source = "int util(void);\nMXERR_EXPORT long f(void) { return util(); }"
    found = []
    for value in (1, 1, 20):
        if value not in found:
            (tmp_path / "u.c").write_text(f"int util(void) {{ return {value}; }}")
            for command in (f"{compiler.find('c')[0]} -fPIC -c u.c", "ar rc libu.a u.o"):
                subprocess.run(command, shell=True, cwd=tmp_path, check=True)
        found.append(mxerr.build(source, options=[option.format(tmp_path) for option in options]).f())
    assert found == [1, 1, 20]
    assert len(runs) == 2
