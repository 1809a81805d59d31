"""The README is true: its code runs, its picture is what is printed, its files are there.

After a change that is meant, put the picture in anew:

    python tests/test_readme.py --rewrite
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import traceback
from pathlib import Path

import pytest

from mxerr.registry import GLOBAL

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXAMPLE = """\
from mxerr import np

dat = np.random.normal(0, 1, (3, 4, 5))


def test_example():
    dat.transpose((0, 0, 1))
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def run(code):
    """Run statement by statement; returns what was raised, each with the last line of its statement."""
    namespace = {}
    raised = []
    for statement in ast.parse(code).body:
        try:
            exec(compile(ast.Module([statement], []), "README.md", "exec"), namespace)
        except Exception as error:
            raised.append((code.splitlines()[statement.end_lineno - 1], error))
    return raised, namespace


def picture():
    """What pytest prints of the example, from the failing line to the last value."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_example.py").write_text(EXAMPLE)
        printed = subprocess.run(
            [sys.executable, "-m", "pytest", "--tb=short", "--showlocals", "-p", "no:cacheprovider"],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    shown = re.search(r"^test_example\.py:7: .*?(?=^===)", printed, re.MULTILINE | re.DOTALL)
    assert shown, printed
    return re.sub(r"^\S.*/(?=lib/src/)", "", shown[0], flags=re.MULTILINE)


def test_it_opens_with_two_commands_that_make_an_environment_of_their_own():
    command = r"python3 -m venv \.venv && \.venv/bin/pip install --quiet {} && \.venv/bin/{}\n"
    see, test = blocks("sh")[:2]
    assert re.fullmatch(command.format(r"\.", "mxerr tour"), see)
    assert re.fullmatch(command.format(r"'\.\[test\]'", "pytest -n auto --dist loadfile"), test)


def test_the_example_raises_what_its_comments_say(registry_unchanged):
    raised, namespace = run(blocks("python")[0])
    expected = [line for line in blocks("python")[0].splitlines() if "# " in line]
    assert [line for line, _ in raised] == expected
    (_, first), (_, second) = raised
    mx = namespace["mx"]
    assert isinstance(first, ValueError)
    assert isinstance(first, mx.MXNetError)
    assert isinstance(first, RuntimeError)
    assert isinstance(first, mx.NativeError)
    assert isinstance(second, mx.MXNetError)
    assert not isinstance(second, ValueError)
    assert mx.base.error_types["MyError"] is namespace["MyError"]


@pytest.fixture
def registry_unchanged():
    with GLOBAL.temporary():
        yield


def test_the_picture_is_what_pytest_prints():
    assert picture() in blocks("text")


@pytest.mark.parametrize("compiler", ["cc", "gcc", "clang"])
def test_the_kit_works_in_a_library_of_your_own(compiler, tmp_path, monkeypatch):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "lib" / "include" / "mxerr" / "mxerr.h", tmp_path)
    (source,) = blocks("c")
    Path("bank.c").write_text(source)
    name, *arguments = next(block for block in blocks("sh") if block.startswith("cc ")).split()
    assert name == "cc"
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *arguments], check=True)
    raised, namespace = run(blocks("python")[1])
    [(line, error)] = raised
    assert namespace["left"].value == 7
    assert isinstance(error, ValueError)
    assert f"ValueError: {error}".startswith(line.partition("# ")[2])
    innermost = traceback.extract_tb(error.__traceback__)[-2:]
    assert [entry.name for entry in innermost] == ["bank_withdraw", "withdraw"]
    assert [entry.line for entry in innermost] == [
        source.splitlines()[entry.lineno - 1].strip() for entry in innermost
    ]


def test_the_example_of_xla_raises_what_its_comments_say():
    raised, _ = run(next(block for block in blocks("python") if "xla" in block))
    assert len(raised) == 3
    for line, error in raised:
        assert line.partition("# ")[2] == f"{type(error).__name__}: {error}"


def test_the_table_agrees_with_what_the_package_asks_for():
    (oldest,) = re.findall(r"\| Python \| (3\.\d+),", TEXT)
    assert PROJECT["requires-python"] == f">={oldest}"
    (ipython,) = re.findall(r"\| IPython \| (\S+) to", TEXT)
    assert f"ipython>={ipython}" in PROJECT["optional-dependencies"]["notebook"]
    (numpy,) = re.findall(r"\| NumPy \| (\S+) or", TEXT)
    assert f"numpy>={numpy}" in PROJECT["dependencies"]


def test_it_lists_the_kinds_that_come_registered():
    (listed,) = re.findall(r"come registered: (.*?);", TEXT, re.DOTALL)
    registered = {kind for kind, cls in GLOBAL.classes.items() if cls.__module__ == "mxerr.error"}
    assert set(re.findall(r"`(\w+)`", listed)) == registered - {"MXNetError"}


def test_what_it_names_is_there():
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    folders = re.findall(r"^\| `([^`]+/)` \|", TEXT, re.MULTILINE)
    modules = re.findall(r"  ((?:mxerr|lib)/\S+)", TEXT)
    assert len(links) > 3
    assert len(folders) > 3
    assert len(modules) > 5
    assert not [path for path in [*links, *folders, *modules] if not (ROOT / path).exists()]


if __name__ == "__main__":
    if sys.argv[1:] != ["--rewrite"]:
        sys.exit(__doc__)
    old = next(block for block in blocks("text") if block.startswith("test_example.py"))
    README.write_text(TEXT.replace(old, picture()), "utf-8")
