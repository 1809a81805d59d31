"""Cells of C and C++: their functions, their errors, their lines, and what they print."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import pytest

from mxerr.compiler import BuildError
from mxerr.ipython import SETTINGS
from mxerr.registry import GLOBAL

sys.path.insert(0, str(Path(__file__).parent / "support"))

from shelf import interactive_shell, modes

SET_AGE = """%%mxerr_c
MXERR_EXPORT int set_age(int age) {
  MXERR_CHECK_GE(age, 0, "ValueError: an age cannot be negative");
  return 0;
}
"""
QUOTA = """%%mxerr_cpp
static void use(int bytes) {
  if (bytes > 10) LOG(FATAL) << "QuotaError: this is a custom error message";
}
MXERR_EXPORT int use_disk(int bytes) { MXERR_API(MXERR_GUARD(use(bytes))); }
"""


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setattr(SETTINGS, "frames", "short")
    with interactive_shell() as shell, GLOBAL.temporary():
        shell.run_line_magic("load_ext", "mxerr")
        yield shell
        shell.run_line_magic("unload_ext", "mxerr")


def run(shell, capfd, code):
    capfd.readouterr()
    result = shell.run_cell(code, store_history=True)
    return result, "".join(capfd.readouterr())


def line_of(text, cell):
    return next(n for n, line in enumerate(cell.splitlines(), 1) if text in line)


# ---- functions ----


def test_a_function_of_a_cell_is_called_from_python(shell, capfd):
    assert run(shell, capfd, SET_AGE)[0].success
    result, _ = run(shell, capfd, "set_age(7)")
    assert result.result == 0
    assert repr(shell.user_ns["set_age"]) == "<C function int set_age(int age)>"
    assert shell.user_ns["set_age"].__doc__.startswith("int set_age(int age)")


def test_types_are_those_that_the_cell_states(shell, capfd):
    run(shell, capfd, "%%mxerr_c\nMXERR_EXPORT double half(double x) { return x / 2; }")
    assert run(shell, capfd, "half(3)")[0].result == 1.5
    assert isinstance(run(shell, capfd, "half('x')")[0].error_in_exec, ctypes.ArgumentError)


def test_a_cell_that_is_run_again_replaces_the_old_version_and_its_variables(shell, capfd):
    count = "%%mxerr_c\nMXERR_EXPORT double count(void) { static int n; return ++n + OFFSET; }"
    for offset, expected in ((0, 1), (0, 1), (10, 11)):
        run(shell, capfd, count.replace("OFFSET", str(offset)))
        assert run(shell, capfd, "count()")[0].result == expected
        assert run(shell, capfd, "count()")[0].result == expected + 1


def test_options_reach_the_compiler(shell, capfd):
    cell = "MXERR_EXPORT double number(void) { return NUMBER; }"
    run(shell, capfd, f"%%mxerr_c --flags '-DNUMBER=7 -O2'\n{cell}")
    assert run(shell, capfd, "number()")[0].result == 7


# ---- errors ----


@pytest.mark.parametrize("mode", ["Context", "Verbose", "Plain", "Minimal"])
def test_an_error_shows_the_line_of_the_cell(shell, capfd, mode):
    run(shell, capfd, SET_AGE)
    shell.run_line_magic("xmode", mode)
    result, text = run(shell, capfd, "set_age(-1)")
    assert type(result.error_in_exec).__name__ == "ValueError"
    assert "Check failed: age >= 0 (-1 vs. 0) : an age cannot be negative" in text
    if mode in ("Context", "Verbose"):
        assert f"Cell In[1], line {line_of('CHECK', SET_AGE)}, in set_age\n" in text
        assert '> 3   MXERR_CHECK_GE(age, 0, "ValueError' in text
        assert "      1 %%mxerr_c\n" in text  # the whole cell is there
        assert "check failed: age >= 0, -1 against 0" in text


def test_an_error_shows_the_line_without_the_extension_too(shell, capfd):
    run(shell, capfd, SET_AGE)
    shell.run_line_magic("unload_ext", "mxerr")
    _, text = run(shell, capfd, "set_age(-1)")
    shell.run_line_magic("load_ext", "mxerr")
    assert "Cell In[1], line 3" in text
    assert "MXERR_CHECK_GE(age, 0" in text


def test_lines_are_counted_from_the_top_of_the_cell_whatever_is_before_the_magic(shell, capfd):
    cell = f"\n\n{SET_AGE}"
    run(shell, capfd, cell)
    _, text = run(shell, capfd, "set_age(-1)")
    assert f"Cell In[1], line {line_of('CHECK', cell)}, in set_age\n" in text


@pytest.mark.parametrize("ending", ["", "  ", "\n\n", " \n\t\n \n"])
def test_blanks_at_the_end_of_a_cell_move_no_line(shell, capfd, ending):
    run(shell, capfd, SET_AGE.rstrip() + ending)
    assert "Cell In[1], line 3, in set_age\n" in run(shell, capfd, "set_age(-1)")[1]


def test_the_same_text_in_another_cell_is_named_after_that(shell, capfd):
    run(shell, capfd, SET_AGE)
    run(shell, capfd, SET_AGE)
    assert "Cell In[2], line 3" in run(shell, capfd, "set_age(-1)")[1]


def test_a_custom_class_of_one_cell_is_raised_by_another(shell, capfd):
    run(shell, capfd, "import mxerr\n@mxerr.error.register\nclass QuotaError(Exception): pass")
    assert run(shell, capfd, QUOTA)[0].success
    result, text = run(shell, capfd, "use_disk(11)")
    assert type(result.error_in_exec) is shell.user_ns["QuotaError"]
    assert f"Cell In[2], line {line_of('LOG', QUOTA)}, in use\n" in text
    assert text.rstrip().endswith("QuotaError: this is a custom error message")
    assert run(shell, capfd, "use_disk(1)")[0].result == 0


def test_an_expected_error_of_a_cell(shell, capfd):
    run(shell, capfd, SET_AGE)
    result, text = run(shell, capfd, "%%mxerr_raises ValueError --in set_age --match negative\nset_age(-1)")
    assert result.success
    assert "MXERR_CHECK_GE" in text


def test_an_explanation_names_the_cell(shell, capfd):
    run(shell, capfd, SET_AGE)
    run(shell, capfd, "set_age(-1)")
    assert "set_age, Cell In[1], line 3" in run(shell, capfd, "%mxerr explain")[1]


# ---- cells that do not compile ----


@pytest.mark.parametrize("magic", ["mxerr_c", "mxerr_cpp"])
def test_an_error_of_the_compiler_names_the_line_of_the_cell_and_shows_it(shell, capfd, magic):
    cell = f"%%{magic}\n\nMXERR_EXPORT int f(void) {{\n  return nothing_;\n}}"
    result, text = run(shell, capfd, cell)
    assert isinstance(result.error_in_exec, BuildError)
    assert result.error_in_exec.line == 4
    assert re.search(r"BuildError: cell\.c(pp)?, line 4: .*nothing_", text)
    assert "    4 |   return nothing_;\n" in text
    assert "/mxerr/" not in text.partition("BuildError:")[2]
    assert "f" not in shell.user_ns


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nMXERR_EXPORT int f(void) {\n  return 0;", 4, "at end of input|expected '}'"),
        ("\nMXERR_EXPORT int f(void) {\n  return 0; \\ \n \n", 4, "at end of input|expected '}'"),
        ("MXERR_EXPORT int f(void { return 0; }", 2, "expected"),
        ("#include <nosuch.h>\nMXERR_EXPORT int f(void) { return 0; }", 2, "nosuch.h"),
        ("MXERR_EXPORT int f(void) { return nosuch(); }", 2, "nosuch"),
        ("MXERR_EXPORT int f(void) { return 0; }\nMXERR_EXPORT int f(void) { return 1; }", 3, "redefinition"),
        pytest.param(
            f"{'int x; ' * 9}\n" * 5000 + "MXERR_EXPORT int f(void) { return no_; }", 5002, "no_", id="long"
        ),
    ],
)
def test_each_mistake_has_its_line(shell, capfd, text, line, said):
    error = run(shell, capfd, f"%%mxerr_c\n{text}")[0].error_in_exec
    assert isinstance(error, BuildError)
    assert error.line == line
    assert re.search(said, str(error).splitlines()[0])


@pytest.mark.parametrize(("frames", "shown"), [("short", False), ("full", True)])
def test_what_compiles_is_folded(shell, capfd, monkeypatch, frames, shown):
    monkeypatch.setattr(SETTINGS, "frames", frames)
    _, text = run(shell, capfd, "%%mxerr_c\nMXERR_EXPORT int f(void) { return nothing_; }")
    assert ("mxerr/compiled.py" in text) == shown
    assert ("4 frames of the call folded: %mxerr frames full shows them" in text) != shown


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--nosuch", "unrecognized arguments: --nosuch"),
        ("--timeout x --isolated", "invalid float value: 'x'"),
        ("--timeout 3", "--timeout: only a call in another process can be timed: add --isolated"),
        ("--isolated --timeout 0", "--timeout: expected seconds above 0, got 0.0"),
        ("--isolated --timeout nan", "--timeout: expected seconds above 0, got nan"),
        ("--flags '-O2", "No closing quotation: --flags '-O2"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_compiled(shell, capfd, arguments, complaint):
    result, text = run(shell, capfd, f"%%mxerr_c {arguments}\nMXERR_EXPORT int f(void) {{ return 0; }}")
    assert text.startswith("UsageError: ")
    assert complaint in text
    assert "f" not in shell.user_ns
    assert result.error_in_exec is not None


def test_a_struct_as_result_is_refused(shell, capfd):
    cell = "%%mxerr_c\nstruct p { double x; };\nMXERR_EXPORT struct p f(void) { struct p p = {1}; return p; }"
    error = run(shell, capfd, cell)[0].error_in_exec
    assert "f: expected a number, a text or a pointer as result, got: struct p f(void)" in str(error)
    assert "f" not in shell.user_ns


def test_what_is_not_compiled_is_not_named(shell, capfd):
    cell = "%%mxerr_c\n#if 0\nMXERR_EXPORT int f(void) { return 0; }\n#endif\nMXERR_EXPORT int g(void) { return 0; }"
    assert run(shell, capfd, cell)[0].success
    assert "f" not in shell.user_ns
    assert run(shell, capfd, "g()")[0].result == 0


def test_a_cell_may_call_back(shell, capfd):
    run(shell, capfd, "%%mxerr_c\nMXERR_EXPORT double apply(double (*f)(double), double x) { return f(x); }")
    run(shell, capfd, "import ctypes\nnumbers = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)")
    assert run(shell, capfd, "apply(numbers(lambda x: x + 1), 2)")[0].result == 3


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { return 0; }",
        "MXERR_EXPORT static int f(void) { return 0; }",
        "/* MXERR_EXPORT int f(void) { return 0; } */",
    ],
)
def test_a_cell_that_exports_nothing_says_what_to_do(shell, capfd, text):
    result, _ = run(shell, capfd, f"%%mxerr_c\n{text}")
    assert isinstance(result.error_in_exec, BuildError)
    assert "mark one with MXERR_EXPORT" in str(result.error_in_exec)


def test_warnings_are_shown_and_the_functions_are_there(shell, capfd):
    result, text = run(shell, capfd, "%%mxerr_c\nMXERR_EXPORT double f(void) { int unused; return 1; }")
    assert result.success
    assert "cell.c:2:35: warning: unused variable" in text
    assert run(shell, capfd, "f()")[0].result == 1


# ---- what C prints ----


def test_what_c_prints_comes_between_what_python_prints(shell, capfd):
    run(shell, capfd, '%%mxerr_c\n#include <stdio.h>\nMXERR_EXPORT void say(void) { printf("from C\\n"); }')
    assert run(shell, capfd, "print('before'); say(); print('after')")[1] == "before\nfrom C\nafter\n"


# ---- cells in a process of their own ----

FRAGILE = """%%mxerr_c --isolated --timeout 2
#include <stdio.h>
#include <stdlib.h>
MXERR_EXPORT int set_age(int age) { MXERR_CHECK_GE(age, 0, "ValueError: no"); return 0; }
MXERR_EXPORT int crash(void) { volatile int *nowhere = NULL; printf("here"); return *nowhere; }
MXERR_EXPORT int leave(void) { exit(3); }
MXERR_EXPORT int hang(void) { for (;;) { } }
"""


def test_a_crash_of_an_isolated_cell_is_an_error(shell, capfd):
    assert run(shell, capfd, FRAGILE)[0].success
    assert run(shell, capfd, "set_age(3)")[0].result == 0
    for code, text in (
        ("crash()", "crash: ended its process by SIGSEGV"),
        ("leave()", "leave: ended its process by exit(3)"),
        ("hang()", "hang: took more than 2 s"),
    ):
        result, shown = run(shell, capfd, code)
        assert text in str(result.error_in_exec)
        line = line_of(code[:-2] + "(void)", FRAGILE)
        assert f"Cell In[1], line {line}, in {code[:-2]}\n" in shown
        assert shown.startswith("here") == (code == "crash()")
    result, shown = run(shell, capfd, "set_age(-1)")
    assert type(result.error_in_exec).__name__ == "ValueError"
    assert "check failed: age >= 0, -1 against 0" in shown


# ---- loading ----


def test_every_mode_shows_cells_without_a_failure(shell, capfd):
    run(shell, capfd, SET_AGE)
    for mode in modes(shell):
        shell.run_line_magic("xmode", mode)
        assert "formatter failed" not in run(shell, capfd, "set_age(-1)")[1]


@pytest.mark.parametrize("magic", ["mxerr_c", "mxerr_cpp"])
def test_the_magics_have_help(shell, magic):
    assert "--flags" in shell.find_cell_magic(magic).__doc__


def test_the_example_of_the_help_is_an_error_of_the_class(shell, capfd):
    text = shell.find_cell_magic("mxerr_cpp").__doc__
    example = [
        line for line in text.splitlines() if 'LOG(FATAL) << "MyError: this' in line or "_GUARD(check" in line
    ]
    assert run(shell, capfd, "%%mxerr_cpp\n" + "\n".join(example))[0].success
    run(shell, capfd, "import mxerr\nclass MyError(mxerr.MXNetError): pass\nmxerr.error.register(MyError)")
    result, _ = run(shell, capfd, "f(-1)")
    assert type(result.error_in_exec).__name__ == "MyError"
    assert run(shell, capfd, "f(1)")[0].success
