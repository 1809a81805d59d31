"""What is built and installed: wheel, sdist and editable install of a copy of the tree, without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.environment import BUILD, install, python, run

from mxerr import _native

ROOT = Path(__file__).parents[1]
VERSION = "0.1.0"
JUNK = ("mxerr/__pycache__/left.pyc", "mxerr/np/__pycache__/left.pyc", ".venv/left.txt", "build/left.txt")
IN_LESS_TIME = "--config-settings=setup-args=-Doptimization=0"

FAILING_CALL = "from mxerr import np; np.random.normal(0, 1, (3, 4, 5)).transpose((0, 0, 1))"
C_LINE = "MXERR_CHECK_EQ(axes_set.size, axes.ndim,"


def tracked() -> list[str]:
    """List the files of the project: those that git lists; in an unpacked sdist, all but what tools left."""
    if (ROOT / ".git").exists():
        listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        return sorted(name for name in listed if (ROOT / name).is_file())
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    left = re.compile(r"(build|dist|\.venv)[^/]*/|(.*/)?(__pycache__|\.\w+_cache)/|PKG-INFO$")
    return sorted(path.as_posix() for path in paths if not left.match(path.as_posix()))


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project, in a folder with a space, as a git repository that is in use."""
    root = tmp_path_factory.mktemp("source") / "a tree"
    for name in tracked():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    git = ("git", "-c", "user.name=test", "-c", "user.email=test@localhost")
    run(*git, "init", "--quiet", cwd=root)
    run(*git, "add", "--all", cwd=root)
    run(*git, "commit", "--quiet", "--message=test", cwd=root)
    for name in JUNK:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("junk")
    return root


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    """The wheel, built from the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", *BUILD, "--wheel-dir", folder, tree)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def sdist(tree, tmp_path_factory):
    """The source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, tree)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def from_wheel(wheel, tmp_path_factory):
    """An interpreter with the wheel."""
    return install(python(tmp_path_factory.mktemp("from") / "wheel"), wheel)


@pytest.fixture(scope="module")
def from_sdist(sdist, tmp_path_factory):
    """An interpreter with a wheel that was built from the sdist, by another compiler where there is one."""
    folder = tmp_path_factory.mktemp("wheel")
    compiler = {"CC": "clang"} if shutil.which("clang") else {}
    run(sys.executable, "-m", "pip", "wheel", *BUILD, "--wheel-dir", folder, IN_LESS_TIME, sdist, **compiler)
    return install(python(tmp_path_factory.mktemp("from") / "sdist"), *folder.iterdir())


@pytest.fixture(scope="module")
def from_editable(tree, tmp_path_factory):
    """An interpreter with the tree in editable mode."""
    return install(python(tmp_path_factory.mktemp("from") / "editable"), IN_LESS_TIME, "--editable", tree)


@pytest.fixture
def interpreter(request):
    """The interpreter of the installation that the test is run for."""
    return request.getfixturevalue(request.param)


INSTALLATIONS = pytest.mark.parametrize(
    "interpreter", ["from_wheel", "from_sdist", "from_editable"], indirect=True
)


# ---- what is in it ----


def test_one_wheel_serves_every_python(wheel):
    name, version, *tag = wheel.stem.split("-")
    assert (name, version) == ("mxerr", VERSION)
    assert tag[:2] == ["py3", "none"]
    assert tag[2] == sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with zipfile.ZipFile(wheel) as files:
        metadata = files.read(f"mxerr-{VERSION}.dist-info/WHEEL").decode()
    assert f"Tag: {'-'.join(tag)}\n" in metadata
    assert "Root-Is-Purelib: false\n" in metadata


def test_the_wheel_holds_the_package_its_library_and_the_c_sources_that_errors_show(wheel):
    with zipfile.ZipFile(wheel) as files:
        # newer releases of meson-python put licences into a folder
        held = {name.replace("/licenses/", "/") for name in files.namelist() if not name.endswith("/")}
    package = {name for name in tracked() if name.startswith("mxerr/")}
    sources = {
        f"mxerr/{name}" for name in tracked() if re.match(r"lib/(src|include)/.*\.([ch](pp)?|inc)$", name)
    }
    info = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE"}
    assert "mxerr/py.typed" in package
    assert held == {
        *package,
        *sources,
        "mxerr/lib/pkgconfig/mxerr.pc",
        f"mxerr/lib/{_native.file_name()}",
        *(f"mxerr-{VERSION}.dist-info/{name}" for name in info),
    }


def test_the_sdist_holds_every_file_of_the_project_and_nothing_else(sdist):
    with tarfile.open(sdist) as files:
        held = [member.name.partition("/")[2] for member in files if member.isfile()]
    assert sorted(held) == sorted([*tracked(), "PKG-INFO"])
    assert any(name.startswith("tests/native/") for name in held)
    assert any(name.startswith("notebooks/") for name in held)


# ---- it works ----


@INSTALLATIONS
def test_an_error_shows_its_c_line_from_any_working_folder(interpreter, tmp_path):
    for folder in (Path("/"), tmp_path):
        output = run(interpreter, "-c", FAILING_CALL, cwd=folder, fail=True)
        assert C_LINE in output
        assert "mxerr.error.ValueError: Check failed: axes_set.size == axes.ndim (2 vs. 3)" in output


@INSTALLATIONS
def test_c_files_have_the_same_names_wherever_they_were_compiled(interpreter):
    code = f"""
try:
    {FAILING_CALL}
except ValueError as error:
    print(*{{frame.file for frame in error.native.frames}})
"""
    files = run(interpreter, "-c", code, cwd=Path("/")).split()
    assert "lib/src/ops/transpose.c" in files
    assert not [file for file in files if not file.startswith("lib/src/")]


@INSTALLATIONS
def test_each_installation_loads_its_own_library(interpreter, tree):
    folder = tree if "editable" in str(interpreter) else interpreter.parents[1]
    output = run(interpreter, "-c", "from mxerr import _native; print(_native.path())", cwd=Path("/"))
    assert Path(output.strip()).is_relative_to(folder)


def test_an_editable_install_works_in_the_source_tree_too(from_editable, tree):
    assert C_LINE in run(from_editable, "-c", FAILING_CALL, cwd=tree, fail=True)


@INSTALLATIONS
def test_pytest_finds_the_examples_of_the_installed_package_from_any_folder(interpreter, tmp_path):
    command = ("-m", "pytest", "--pyargs", "mxerr", "--doctest-modules", "--collect-only", "-q")
    for folder in (Path("/"), tmp_path):
        listed = run(interpreter, *command, "-p", "no:cacheprovider", cwd=folder)
        assert "text.py::mxerr.text.read\n" in listed
        assert not re.search(r"errors? in |\b0 tests", listed)


def test_processes_that_import_at_once_after_an_edit_all_see_it(from_editable, tree):
    source = tree / "lib" / "src" / "c_api.c"
    before = source.read_text()
    code = "from mxerr import _native as n; v = n.c_int(); n.library().MXGetVersion(v); print(v.value)"
    assert run(from_editable, "-c", code, cwd=Path("/")) == "100\n"
    source.write_text(before.replace("VERSION = 100", "VERSION = 777"))
    try:
        (tree / "lib" / "src" / "op.h").touch()  # many files to compile: time to get into each other's way
        command = [from_editable, "-c", code]
        running = [subprocess.Popen(command, cwd="/", stdout=subprocess.PIPE, text=True) for _ in range(4)]
        assert [process.communicate()[0] for process in running] == ["777\n"] * 4
    finally:
        source.write_text(before)


# ---- it is not there ----


@pytest.fixture
def without_library(from_wheel):
    """The library of the wheel, taken away for one test."""
    (library,) = from_wheel.parents[1].rglob(_native.file_name())
    hidden = library.with_suffix(".hidden")
    library.rename(hidden)
    yield library
    hidden.rename(library)


def test_a_missing_library_is_an_import_error_that_says_where_it_was_looked_for(from_wheel, without_library):
    output = run(from_wheel, "-c", "from mxerr import np", cwd=Path("/"), fail=True)
    assert output.rstrip().endswith(
        f"ImportError: mxerr: its C library is not there. Looked for:\n  {without_library}\n"
        "To build it, in the source tree:\n  pip install ."
    )


def test_a_library_that_cannot_be_loaded_is_an_import_error_that_names_it(from_wheel, without_library):
    without_library.write_text("no library")
    output = run(from_wheel, "-c", "from mxerr import np", cwd=Path("/"), fail=True)
    without_library.unlink()
    assert f"\nImportError: mxerr: its C library cannot be loaded from {without_library}: " in output


def test_the_bare_source_tree_says_that_it_is_one(from_wheel, tree):
    output = run(from_wheel, "-c", "import mxerr; from mxerr import np", cwd=tree, fail=True)
    assert (
        f"ImportError: mxerr: its C library is not there. Looked for:\n  {tree / 'mxerr' / 'lib'}" in output
    )
    assert f"{tree / 'mxerr'} is the bare source tree" in output
    assert "pip install --no-build-isolation --editable ." in output


def test_an_editable_install_that_lost_its_library_builds_it_again(from_editable, tree):
    (library,) = tree.glob(f"build/*/lib/{_native.file_name()}")
    library.unlink()
    assert C_LINE in run(from_editable, "-c", FAILING_CALL, cwd=Path("/"), fail=True)
    assert library.exists()


def test_an_editable_install_that_cannot_build_names_the_folder_and_the_command(from_editable, tree):
    (library,) = tree.glob(f"build/*/lib/{_native.file_name()}")
    code = f"import mxerr, os; os.unlink({str(library)!r}); from mxerr import np"
    output = run(from_editable, "-c", code, cwd=Path("/"), fail=True)
    assert f"Looked for:\n  {library}\n{tree} is installed in editable mode" in output
    assert "pip install --no-build-isolation --editable ." in output
