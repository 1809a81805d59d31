"""The shape of the project: layers, what an import loads, and the facts that two files have to agree on."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mxerr
from mxerr import _native, record
from mxerr.xla import _native as xla_native

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mxerr"

LAYERS = (
    ("argument", "ignored", "kind", "mxnet", "report", "timeline", "xla.status"),
    ("registry", "source", "text", "xla._jax_callbacks"),
    ("binary", "raised", "record"),
    ("callback", "excerpt", "frames"),
    ("error", "reader", "render"),
    ("exception", "last_error", "xla.exceptions"),
    ("library", "xla._jax_errors"),
    ("_native", "headers", "presets", "prototype", "tvm_ffi", "xla.jax"),
    ("compiler", "np._host", "server"),
    ("compiled",),
    (
        "base",
        "build",
        "failpoints",
        "interrupt",
        "np._engine",
        "np._errstate",
        "np._methods",
        "np._spelling",
        "project",
        "trace",
        "xla._native",
    ),
    ("isolated", "np._ndarray", "xla._buffer"),
    ("np._custom", "np._functions", "np._operators", "xla._executable"),
    ("np._definitions", "xla.runtime"),
    ("np.random",),
    ("np", "xla"),
    ("explain", "ipython.output", "ipython.runs"),
    ("ipython.cells", "ipython.errors", "ipython.look", "ipython.settings", "ipython.timeline"),
    ("ipython.completion", "ipython.formatter", "ipython.show"),
    ("ipython.magics",),
    ("ipython",),
    ("tour",),
    ("cli",),
    ("__main__", "__init__"),
)
"""The modules from the bottom up; a module imports only from the rows above its own."""

THIRD_PARTY = {
    "excerpt": {"pygments"},
    "headers": {"pcpp", "pycparser"},
    "ipython": {"IPython", "pygments"},
    "np": {"numpy"},
    "xla._buffer": {"numpy"},
    "xla._executable": {"numpy"},
    "xla.jax": {"jax"},
    "xla.runtime": {"numpy"},
}
"""What a module, or each below a package, may import besides the standard library; all others nothing. `excerpt` does
without Pygments where it is not there."""

LONGEST = 300
LONGEST_TEST = 450  # a table has a row for each case
LONG_FILES = {
    "lib/include/mxerr/mxerr.h",  # one header is all that a library has to copy
    "mxerr/xla/exceptions.py",  # a table: a class for each error, in the one module that they are imported from
}

layer_of = {module: number for number, row in enumerate(LAYERS) for module in row}


def module_name(path: Path) -> str:
    """Name a file of the package as the table of layers does."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(source: str) -> list[str]:
    """List what a module imports, anywhere in it: modules of mxerr as ``.name``, others by their first name.

    The package itself, and what is no module of it, is ``mxerr`` or ``mxerr.name``.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            found += [f"{base}.{alias.name}" for alias in node.names]
    return [_resolve(name) for name in found]


def _resolve(name: str) -> str:
    package, _, rest = name.partition(".")
    if package != "mxerr":
        return package or name
    for module in (rest, rest.rpartition(".")[0]):
        if module in MODULES:
            return f".{module}"
    return name


def source_files() -> list[Path]:
    """List the files that people write and read: Python, C and meson."""
    folders = [PACKAGE, *(ROOT / name for name in ("lib", "notebooks", "tests"))]
    endings = {".py", ".c", ".cpp", ".h", ".hpp", ".build"}
    return sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in endings)


def c_files() -> list[Path]:
    return [path for path in source_files() if path.suffix in {".c", ".cpp", ".h", ".hpp"}]


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def header(name: str) -> str:
    """Read an installed header without its comments."""
    text = (_native.source_root() / "lib" / "include" / "mxerr" / name).read_text("utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def run(code: str) -> str:
    """Run a program in a new interpreter that has nothing but the installed packages to import."""
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- layers ----


def test_every_module_has_its_place_in_the_table_and_every_place_its_module():
    assert sorted(layer_of) == sorted(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_lower_layers(module):
    source = MODULES[module].read_text("utf-8")
    own = [name for name in imports(source) if name.startswith(".") or name.partition(".")[0] == "mxerr"]
    wrong = [name for name in own if layer_of.get(name[1:], sys.maxsize) >= layer_of[module]]
    assert not wrong, f"{module} may import from {LAYERS[: layer_of[module]]}"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_needs_the_standard_library_alone_unless_it_is_said(module):
    allowed = {
        *sys.stdlib_module_names,
        *THIRD_PARTY.get(module, THIRD_PARTY.get(module.partition(".")[0], ())),
    }
    names = imports(MODULES[module].read_text("utf-8"))
    assert not [name for name in names if name.partition(".")[0] not in {"", "mxerr", *allowed}]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from mxerr import error", [".error"]),
        ("from mxerr.error import MXNetError", [".error"]),
        ("from mxerr.np._ndarray import array", [".np._ndarray"]),
        ("import mxerr.np", [".np"]),
        ("def f():\n    from mxerr import text", [".text"]),
        ("import mxerr", ["mxerr"]),
        ("from mxerr import MXNetError", ["mxerr.MXNetError"]),
        ("from . import error", ["..error"]),
        ("import numpy.random, os", ["numpy", "os"]),
    ],
)
def test_imports_are_found_wherever_they_stand(source, expected):
    assert imports(source) == expected


# ---- what an import loads ----


def test_importing_mxerr_loads_neither_numpy_nor_ipython():
    loaded = json.loads(run("import mxerr, sys, json; print(json.dumps(sorted(sys.modules)))"))
    assert "mxerr.library" in loaded
    assert not [name for name in loaded if name.partition(".")[0] in {"IPython", "numpy", "traitlets"}]
    assert not [name for name in loaded if name.startswith("mxerr.np")]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not list what is loaded")
def test_only_the_first_call_loads_the_c_library():
    loaded = "print('libmxerr' in open('/proc/self/maps').read())"
    output = run(f"import mxerr; {loaded}; from mxerr import np; {loaded}")
    assert output.split() == ["False", "True"]


# ---- names and lengths ----


def test_the_public_names_are_sorted_and_exist():
    assert mxerr.__all__ == sorted(mxerr.__all__)
    assert not [name for name in mxerr.__all__ if not hasattr(mxerr, name)]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_first_what_it_is_for(module):
    doc = ast.get_docstring(ast.parse(MODULES[module].read_text("utf-8"))) or ""
    assert doc.partition("\n")[0].strip()


@pytest.mark.parametrize("name", names(c_files()))
def test_a_c_file_says_first_what_it_is_for(name):
    text = (ROOT / name).read_text("utf-8")
    assert re.match(rf"/\*\s(\s*\*\s)?{re.escape(Path(name).name)}: \S", text), text[:80]


def test_no_file_is_too_long():
    lengths = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in names(source_files())}
    longest = {name: LONGEST_TEST if name.startswith("tests/") else LONGEST for name in lengths}
    assert not {name: n for name, n in lengths.items() if n > longest[name] and name not in LONG_FILES}


def test_the_guide_names_files_that_exist_and_leaves_no_module_out():
    guide = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    named = {path: list(ROOT.glob(path)) for path in re.findall(r"`((?:lib|mxerr|tests)/[^`\s<]*)`", guide)}
    assert not [path for path, found in named.items() if not found]
    covered = {file for found in named.values() for file in found}
    modules = [path for path in MODULES.values() if path.stem != "__init__"]
    sources = [*ROOT.glob("lib/src/**/*.c"), *ROOT.glob("lib/src/**/*.cpp")]
    assert not names([path for path in [*modules, *sources] if path not in covered])


# ---- C and Python agree ----


def exported() -> list[str]:
    """List the functions that the library lets others call."""
    nm = shutil.which("nm")
    assert nm, "the tests need nm, which comes with every C compiler"
    lines = subprocess.run(
        [nm, "-D", "--defined-only", _native.path()], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return sorted(line.split()[-1] for line in lines)


def test_the_library_exports_what_its_headers_declare_and_nothing_else():
    text = header("c_api.h") + header("mxerr.h") + header("xla_c_api.h")
    assert exported() == sorted(re.findall(r"^MXERR_EXPORT\s[^;(]*?(\w+)\(", text, re.MULTILINE))


def test_every_exported_function_has_a_prototype_and_every_prototype_its_function():
    assert exported() == sorted([*_native.PROTOTYPES, *xla_native.PROTOTYPES])


def test_every_prototype_states_all_types():
    prototypes = {**_native.PROTOTYPES, **xla_native.PROTOTYPES}
    assert not [name for name, (restype, argtypes) in prototypes.items() if None in (restype, argtypes)]


def test_limits_and_layouts_have_the_same_number_on_both_sides():
    assert re.findall(r"#define MX_MAX_NDIM (\d+)", header("c_api.h")) == [str(_native.MAX_NDIM)]
    assert re.findall(r"#define MXERR_ABI (\d+)u?", header("mxerr.h")) == [str(record.ABI)]


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    (meson,) = re.findall(r"^  version: '(.+)'", (ROOT / "meson.build").read_text("utf-8"), re.MULTILINE)
    number = _native.ctypes.c_int()
    _native.library().MXGetVersion(number)
    c = f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"
    assert project == meson == mxerr.__version__ == c
