"""``mxerr new``: the project that it writes is complete, and what it refuses leaves nothing behind.

After a change of the template, store what its notebook shows now:

    python tests/test_project.py --rewrite
"""

from __future__ import annotations

import copy
import importlib.util
import os
import re
import sys
import tempfile
import tomllib
from pathlib import Path

import nbformat
import pytest
from support.environment import install, python, run

import mxerr
from mxerr import cli, project

TESTS = Path(__file__).parent
NAME = "my_Lib2"
TEMPLATE = TESTS.parent / "mxerr" / "template"
NOTEBOOK = TEMPLATE / "notebooks" / "mylib.ipynb.in"
FOLDER = re.compile(r"/[^\x1b\n]*/site-packages/")
PASSES = "5 passed"  # two tests, three cells


def load(path):
    """Import a program by its path: the folder of the notebooks is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check = load(TESTS.parent / "notebooks" / "check.py")


def new(*arguments, cwd):
    """Run the command; returns what it says."""
    return run(sys.executable, "-m", "mxerr", "new", *arguments, cwd=cwd)


def installed(folder, *options):
    """Install a project into an environment of its own; returns the interpreter."""
    interpreter = python(folder.parent / f"environment of {folder.name}", with_mxerr=True)
    return install(interpreter, *options, folder)


def run_tests(interpreter, folder, *, fail=False):
    return run(interpreter, "-m", "pytest", "-p", "no:cacheprovider", cwd=folder, fail=fail)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A new project, in a folder that is not easy to build in."""
    parent = tmp_path_factory.mktemp("new") / "a ü folder"
    parent.mkdir()
    new(NAME, cwd=parent)
    return parent / NAME


@pytest.fixture(scope="module")
def interpreter(made):
    return installed(made)


# ---- the project ----


def test_it_builds_and_passes_its_tests_and_its_notebook_as_it_is_written(made, interpreter):
    assert PASSES in run_tests(interpreter, made)


def test_the_c_line_is_shown_wherever_it_is_used(made, interpreter, tmp_path):
    output = run(interpreter, "-c", f"import {NAME}; {NAME}.mean([])", cwd=tmp_path, fail=True)
    file = next(interpreter.parents[1].rglob(f"{NAME}.c"))
    (line,) = (n for n, text in enumerate(file.read_text().splitlines(), 1) if "MXERR_CHECK_GT(" in text)
    assert f'File "{file}", line {line}, in mean\n    MXERR_CHECK_GT(count, 0,' in output


def test_in_editable_mode_a_changed_check_is_compiled_and_its_tests_fail(tmp_path):
    new("edited", cwd=tmp_path)
    interpreter = installed(tmp_path / "edited", "--editable")
    assert PASSES in run_tests(interpreter, tmp_path / "edited")
    source = tmp_path / "edited" / "src" / "edited" / "edited.c"
    source.write_text(source.read_text().replace("MXERR_CHECK_GT(", "MXERR_CHECK_GE("))
    output = run_tests(interpreter, tmp_path / "edited", fail=True)
    assert "DID NOT RAISE" in output
    assert re.search(r"notebooks.edited\.ipynb::Cell 1", output)
    source.write_text(source.read_text().replace("sum / ", "sum * "))
    assert "assert 27.0 == 3.0" in run_tests(interpreter, tmp_path / "edited", fail=True)


def test_every_file_of_the_template_is_written_with_the_name_filled_in(made):
    expected = [path.relative_to(TEMPLATE).as_posix() for path in TEMPLATE.rglob("*.in")]
    expected = [path.removesuffix(".in").replace("mylib", NAME) for path in expected]
    left = ("build/", "src/my_Lib2/__pycache__/", "tests/__pycache__/")
    found = (path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
    written = sorted(path for path in found if not path.startswith(left))
    assert written == sorted([*expected, f"src/{NAME}/mxerr.h"])
    header = Path(mxerr.get_include(), "mxerr", "mxerr.h").read_bytes()
    assert (made / "src" / NAME / "mxerr.h").read_bytes() == header
    texts = [(made / path).read_text("utf-8") for path in written if not path.endswith("mxerr.h")]
    assert not [text for text in texts if re.search(r"mylib|MXERR_VERSION", text)]


def test_what_it_asks_for_is_the_mxerr_that_wrote_it(made):
    settings = tomllib.loads((made / "pyproject.toml").read_text("utf-8"))["project"]
    assert settings["name"] == NAME
    assert settings["dependencies"] == [f"mxerr>={mxerr.__version__}"]


def test_the_command_lists_the_files_and_says_what_comes_next(tmp_path):
    said = new("bank", cwd=tmp_path).splitlines()
    assert all((tmp_path / line).is_file() for line in said[: said.index("next:")])
    assert said[said.index("next:") :] == ["next:", "  cd bank", "  pip install '.[test]'", "  pytest"]


def test_its_readme_shows_what_the_example_raises(made, interpreter):
    (code,) = re.findall(r"^```python\n(.*?)^```$", (made / "README.md").read_text("utf-8"), re.M | re.S)
    *_, line = code.splitlines()
    output = run(interpreter, "-c", code, cwd=Path("/"), fail=True)
    assert output.splitlines()[-1].endswith(f".{line.partition('# ')[2]}")


# ---- its notebook ----


def without_folders(notebook):
    """Take out of tracebacks what stands before the package."""
    notebook = copy.deepcopy(notebook)
    for cell in check.code_cells(notebook):
        for output in cell.outputs:
            if "traceback" in output:
                output.traceback = [FOLDER.sub("", line) for line in output.traceback]
    return notebook


def shown(notebook):
    return [check.shown(cell) for cell in check.code_cells(without_folders(notebook))]


def test_its_notebook_shows_what_is_stored_tracebacks_included(made, interpreter, monkeypatch):
    (site,) = (interpreter.parents[1] / "lib").glob("python*/site-packages")
    monkeypatch.setenv("PYTHONPATH", str(site))
    stored = check.read(made / "notebooks" / f"{NAME}.ipynb")
    assert shown(stored) == shown(check.run(stored))
    assert stored.metadata == check.METADATA
    assert [cell.execution_count for cell in check.code_cells(stored)] == [1, 2, 3]


def rewrite():
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "mylib")
        project.create(folder)
        (site,) = (installed(folder).parents[1] / "lib").glob("python*/site-packages")
        os.environ["PYTHONPATH"] = str(site)
        fresh = check.run(check.read(folder / "notebooks" / "mylib.ipynb"))
    nbformat.write(without_folders(check.storable(fresh)), NOTEBOOK)


# ---- what is refused ----


BAD_NAMES = [
    *(
        ("my-lib", "letters"),
        ("2lib", "letters"),
        ("_lib", "letters"),
        ("lib_", "letters"),
        ("a b", "letters"),
    ),
    *(("é", "letters"), ("a" * 65, "letters"), ("..", "letters"), ("/", "letters"), ("lib\n", "letters")),
    *(("class", "keyword"), ("json", "standard library"), ("pytest", "already"), ("mxerr", "already")),
    ("tests", "the tests of the project"),
]


def refused(capsys, folder):
    """What the command says as it refuses."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["new", str(folder)])
    out, err = capsys.readouterr()
    assert (caught.value.code, out) == (2, "")
    assert "Traceback" not in err
    return err.partition("error: ")[2]


@pytest.mark.parametrize(("name", "reason"), BAD_NAMES, ids=ascii)
def test_a_name_that_no_package_can_have_is_refused(tmp_path, monkeypatch, capsys, name, reason):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, name)
    assert said.startswith("name: ")
    assert reason in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["folder", "file", "link to nowhere"])
def test_what_is_there_is_left_alone(tmp_path, capsys, kind):
    target = tmp_path / "bank"
    {
        "folder": target.mkdir,
        "file": target.touch,
        "link to nowhere": lambda: target.symlink_to("nowhere"),
    }[kind]()
    assert refused(capsys, target) == f"{target} is there already\n"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_missing_is_not_made(tmp_path, capsys):
    assert refused(capsys, tmp_path / "gone" / "bank") == f"{tmp_path / 'gone'} is no folder\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="the system has no folder that nobody can write to"
)
def test_a_folder_that_cannot_be_written_to_is_said_to_be_one(capsys):
    assert re.match(r"\[Errno \d+\] .*: '/proc/self/\.bank", refused(capsys, Path("/proc/self/bank")))


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=ascii)
def test_what_is_cut_short_leaves_nothing_behind(tmp_path, monkeypatch, error):
    write_text = Path.write_text

    def fail(path, *args, **options):
        if path.name == "mxerr.h":
            raise error
        return write_text(path, *args, **options)

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(type(error)):
        project.create(tmp_path / "bank")
    assert not list(tmp_path.iterdir())


if __name__ == "__main__":
    if sys.argv[1:] != ["--rewrite"]:
        sys.exit(__doc__)
    rewrite()
