"""Tracebacks as IPython shows them with the extension loaded, compared with golden files.

Each line of IPython (8, and 9 on) has its own golden files in ``tests/golden``. After a change that is meant,
write them anew in an environment of each line, and look at what has changed:

    MXERR_REWRITE_GOLDEN=1 python -m pytest tests/test_ipython.py
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import IPython
import pytest
from IPython.core.interactiveshell import InteractiveShell
from support.caller import compile_caller

import mxerr
from mxerr.ipython import SETTINGS, add_plumbing
from mxerr.library import STATUS
from mxerr.registry import GLOBAL

sys.path.insert(0, str(Path(__file__).parent / "support"))

from shelf import SOURCE, Shelf, interactive_shell, modes, report

LINE = f"ipython{min(int(IPython.__version__.split('.')[0]), 9)}"
GOLDEN = Path(__file__).parent / "golden" / LINE
REWRITE = bool(os.environ.get("MXERR_REWRITE_GOLDEN"))
FAILED = "mxerr's traceback formatter failed"

_FOLDER = re.compile(rf"[^\s\[]*/(?={SOURCE.name}|caller\.c)|[^\s]*/(?=mxerr/)|[^\s]*/(?=tests/)")
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class QuotaError(Exception):
    pass


CASES = {
    "plain": "shelf.find()",
    "cause_is_native": """
try:
    shelf.find()
except IndexError as error:
    raise KeyError("the outer one") from error
""",
    "while_handling": """
try:
    {}["the inner one"]
except KeyError:
    shelf.find()
""",
    "noted": """
try:
    shelf.find()
except IndexError as error:
    error.add_note("first note")
    error.add_note("second note")
    raise
""",
    "group": """
def caught(shelf):
    try:
        shelf.find()
    except Exception as error:
        return error
raise ExceptionGroup("two books", [caught(shelf), caught(quota), ValueError("never raised")])
""",
    "custom_class": "quota.find()",
    "recursive": "deep.find()",
    "callback": """
import ctypes
import mxerr

@mxerr.callback(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int))
def visit(value):
    10 // value
    return 0

caller.caller_visit((ctypes.c_int * 3)(2, 1, 0), 3, visit)
""",
}

CHAINED = ("cause_is_native", "while_handling")


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A library that calls back."""
    path = tmp_path_factory.mktemp("caller") / "caller.so"
    compile_caller(path)
    types = (
        STATUS,
        (ctypes.POINTER(ctypes.c_int), ctypes.c_int, ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)),
    )
    return mxerr.Library(path, prototypes={"caller_visit": types}, source_root=path.parent)


@pytest.fixture
def shell(monkeypatch, caller):
    monkeypatch.setenv("MXERR_FRAMES", "all")  # what is folded here is what the extension folds
    with interactive_shell() as shell, GLOBAL.temporary(QuotaError=QuotaError):
        shell.user_ns.update(
            caller=caller,
            shelf=Shelf(report()),
            quota=Shelf(report("QuotaError")),
            deep=Shelf(report("IndexError", *["walk"] * 20)),
        )
        shell.run_line_magic("load_ext", "mxerr")
        yield shell
        shell.run_line_magic("unload_ext", "mxerr")


def shown(shell: InteractiveShell, capsys: pytest.CaptureFixture[str], code: str) -> str:
    """What a cell shows, the same on every machine; a formatter of ours that fails fails the test."""
    capsys.readouterr()
    shell.run_cell(code)
    captured = capsys.readouterr()
    text = _ADDRESS.sub("0x...", _FOLDER.sub("", captured.out + captured.err))
    assert FAILED not in text
    return text


def compare(name: str, text: str) -> None:
    text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    file = GOLDEN / f"{name}.txt"
    if REWRITE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8"), f"{file}: shows something else; see the top of this file"


# ---- what is shown ----


@pytest.mark.parametrize("case", CASES)
def test_a_traceback_is_shown_as_its_golden_file_says(shell, capsys, case):
    texts = []
    for mode in modes(shell):
        if mode == "Docs" and case in CHAINED:
            continue
        shell.run_line_magic("xmode", mode)
        texts.append(f"======== {mode} ========\n{shown(shell, capsys, CASES[case])}")
    compare(case, "\n".join(texts))


@pytest.mark.parametrize("case", CHAINED)
def test_a_chained_error_is_shown_in_docs_mode_where_ipythons_own_formatter_fails(shell, capsys, case):
    if "Docs" not in modes(shell):
        pytest.skip("this IPython has no Docs mode")
    shell.run_line_magic("xmode", "Docs")
    text = shown(shell, capsys, CASES[case])
    assert "KeyError" in text
    assert "MXERR_CHECK_LT(index, size" in text
    assert "Unexpected exception formatting" not in text


@pytest.mark.parametrize("colours", ["linux", "lightbg"])
def test_colours_are_those_of_the_theme(capsys, colours):
    with interactive_shell(
        colors=colours if LINE == "ipython9" else {"linux": "Linux"}.get(colours, "LightBG")
    ) as shell:
        shell.user_ns["shelf"] = Shelf(report())
        shell.run_line_magic("load_ext", "mxerr")
        coloured = shown(shell, capsys, "shelf.find()")
        shell.run_line_magic("unload_ext", "mxerr")
    compare(f"colours_{colours}", coloured.replace("\x1b", "\\e"))


def test_a_changed_golden_file_fails(shell, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.modules[__name__], "GOLDEN", tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "REWRITE", False)
    (tmp_path / "plain.txt").write_text("something else\n")
    with pytest.raises(AssertionError, match="shows something else"):
        compare("plain", shown(shell, capsys, CASES["plain"]))


def test_an_error_without_c_frames_shows_the_function_and_the_check(shell, capsys):
    shell.user_ns["shelf"] = Shelf(report()._replace(frames=()))
    text = shown(shell, capsys, "shelf.find()")
    assert "Python calls C: shelf_find" in text
    assert "shelf_find returned -1; it left no C frames" in text
    assert "check failed: index < size, 7 against 3" in text


def test_a_python_function_that_c_called_stands_behind_a_rule(shell, capsys):
    text = shown(shell, capsys, CASES["callback"])
    order = ["Python calls C: caller_visit", "C calls Python", "10 // value", "\nZeroDivisionError: "]
    places = [text.rindex(piece) for piece in order]  # the failing line is context of the caller's, too
    assert places == sorted(places)


def _entries(entry):
    while entry is not None:
        yield entry
        entry = entry.tb_next


@pytest.mark.parametrize("mode", ["Context", "Verbose", "Plain"])
def test_full_shows_every_frame_and_short_counts_those_it_folds(shell, capsys, monkeypatch, mode):
    shell.run_line_magic("xmode", mode)
    short = shown(shell, capsys, "deep.find()")
    monkeypatch.setattr(SETTINGS, "frames", "full")
    full = shown(shell, capsys, "deep.find()")
    assert "19 repeated C frames of walk folded" in short
    assert short.count("in walk") == 1
    assert full.count("in walk") == 20
    assert "mxerr/library.py" in full
    assert "mxerr/library.py" not in short
    assert "folded" not in full


def test_many_different_c_frames_are_folded_but_for_head_and_tail(shell, capsys):
    names = [f"step{i}" for i in range(30)]
    many = report()
    [outer, inner] = many.frames
    steps = [outer._replace(function=name) for name in names]
    shell.user_ns["shelf"] = Shelf(many._replace(frames=(outer, *steps, inner)))
    text = shown(shell, capsys, "shelf.find()")
    assert "24 C frames folded" in text
    assert ", in step1\n" in text
    assert ", in step29\n" in text
    assert ", in step15" not in text


def test_the_traceback_itself_stays_whole(shell, capsys):
    shown(shell, capsys, "deep.find()")
    names = [entry.tb_frame.f_code.co_name for entry in _entries(sys.last_value.__traceback__)]
    assert names.count("walk") == 20
    assert "check" in names


def test_third_parties_can_fold_their_plumbing(shell, capsys, monkeypatch):
    monkeypatch.setattr(SETTINGS, "plumbing", list(SETTINGS.plumbing))
    assert "in Shelf.find" in shown(shell, capsys, "shelf.find()")
    add_plumbing(Path(sys.modules["shelf"].__file__))
    text = shown(shell, capsys, "shelf.find()")
    assert "in Shelf.find" not in text
    assert "2 frames of the call folded" in text


@pytest.mark.parametrize(
    ("value", "frames", "warned"),
    [
        (None, "short", 0),
        ("", "short", 0),
        ("short", "short", 0),
        ("full", "full", 0),
        ("rubbish", "short", 1),
    ],
)
def test_the_environment_chooses_and_rubbish_gives_the_default_and_one_warning(
    monkeypatch, value, frames, warned
):
    monkeypatch.setattr(SETTINGS, "frames", "short")
    if value is not None:
        monkeypatch.setenv("MXERR_TRACEBACK", value)
    with interactive_shell() as shell, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mxerr.load_ipython_extension(shell)
        mxerr.load_ipython_extension(shell)
        mxerr.unload_ipython_extension(shell)
    assert SETTINGS.frames == frames
    assert [str(w.message) for w in caught if "MXERR_TRACEBACK" in str(w.message)] == [
        "MXERR_TRACEBACK: expected short or full, got 'rubbish'; it counts as short"
    ] * warned


# ---- what stays IPython's ----


@pytest.mark.parametrize(
    "code", ["1 / 0", "def f(:", "%nosuchmagic", "raise KeyboardInterrupt", "import nosuchmodule"]
)
def test_what_is_not_native_looks_as_without_the_extension(shell, capsys, code):
    for mode in modes(shell):
        shell.run_line_magic("xmode", mode)
        loaded = shown(shell, capsys, code)
        shell.run_line_magic("unload_ext", "mxerr")
        unloaded = shown(shell, capsys, code)
        shell.run_line_magic("load_ext", "mxerr")
        assert loaded == unloaded


def test_tb_shows_the_last_error_again(shell, capsys):
    first = shown(shell, capsys, "shelf.find()")
    again = shown(shell, capsys, "%tb")
    assert "MXERR_CHECK_LT(index, size" in again
    assert again.splitlines()[-1] == first.splitlines()[-1]


# ---- loading and unloading ----


def test_importing_mxerr_loads_neither_ipython_nor_numpy():
    code = "import mxerr, sys; print(sorted({'IPython', 'numpy', 'mxerr.ipython'} & set(sys.modules)))"
    folder = Path(
        __file__
    ).parent  # not the root: there, -c would find the source tree before an installed mxerr
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def state(shell):
    """Everything of a shell that the extension touches."""
    magics = {kind: dict(found) for kind, found in shell.magics_manager.magics.items()}
    return (
        type(shell.InteractiveTB),
        shell.InteractiveTB,
        dict(shell.InteractiveTB.__dict__),
        shell.__dict__.get("showtraceback"),
        shell.showtraceback.__func__ if hasattr(shell.showtraceback, "__func__") else shell.showtraceback,
        shell.custom_exceptions,
        shell.CustomTB.__func__,
        shell.__dict__.get("_showtraceback"),
        magics,
        dict(shell.magics_manager.registry),
        dict(shell.strdispatchers["complete_command"].strs),
    )


def set_handler(shell):
    shell.set_custom_exc((KeyError,), lambda self, etype, value, tb, tb_offset=None: print("theirs"))


def replace_showtraceback(shell):
    shell.showtraceback = lambda *args, **kwargs: print("theirs")


@pytest.mark.parametrize("before", [lambda shell: None, set_handler, replace_showtraceback])
@pytest.mark.parametrize("loads", [["load_ext"], ["load_ext", "load_ext"], ["load_ext", "reload_ext"]])
def test_unloading_puts_back_what_was_there(before, loads, capsys):
    with interactive_shell() as shell:
        before(shell)
        shell.run_line_magic("unload_ext", "mxerr")  # IPython loads the magics for extensions when first used
        untouched = state(shell)
        for command in loads:
            shell.run_line_magic(command, "mxerr")
        assert state(shell) != untouched
        shell.run_line_magic("unload_ext", "mxerr")
        assert state(shell) == untouched


def test_a_handler_of_the_user_still_gets_its_exceptions(shell, capsys):
    set_handler(shell)
    assert shown(shell, capsys, "{}['k']") == "theirs\n"


def test_a_mode_chosen_while_loaded_is_kept(shell, capsys):
    shell.run_line_magic("xmode", "Minimal")
    shell.run_line_magic("unload_ext", "mxerr")
    assert shell.InteractiveTB.mode == "Minimal"
    shell.run_line_magic("load_ext", "mxerr")


def test_who_replaced_showtraceback_since_is_left_alone(capsys):
    with interactive_shell() as shell:
        shell.run_line_magic("load_ext", "mxerr")
        ours = shell.showtraceback
        shell.showtraceback = theirs = lambda *args, **kwargs: ours(*args, **kwargs)
        shell.run_line_magic("unload_ext", "mxerr")
        assert shell.showtraceback is theirs
        shell.run_cell("1 / 0")
        assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("order", [["rich", "mxerr"], ["mxerr", "rich"]])
def test_it_gets_on_with_rich(order, capsys):
    pytest.importorskip("rich")
    hook = sys.excepthook
    with interactive_shell() as shell:
        shell.user_ns["shelf"] = Shelf(report())
        for extension in order:
            shell.run_line_magic("load_ext", extension)
        for code in ["shelf.find()", CASES["group"].replace("quota", "shelf")]:
            shell.run_cell(code)
            captured = capsys.readouterr()
            text = _COLOUR.sub("", captured.out + captured.err)
            assert "IndexError" in text
            assert "MXERR_CHECK_LT" in text
        shell.run_line_magic("unload_ext", "mxerr")
        shell.run_cell("1 / 0")
        assert "ZeroDivisionError" in "".join(capsys.readouterr())
    sys.excepthook = hook


def test_it_gets_on_with_autoreload(shell, capsys):
    shell.run_line_magic("load_ext", "autoreload")
    shell.run_line_magic("autoreload", "2")
    assert "MXERR_CHECK_LT" in shown(shell, capsys, "shelf.find()")
    assert "MXERR_CHECK_LT" in shown(shell, capsys, "shelf.find()")
    shell.run_line_magic("autoreload", "0")
