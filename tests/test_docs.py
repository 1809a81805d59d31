"""The examples of the documentation run and print what they say, those of generated functions too."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import mxerr
from mxerr import np
from mxerr.registry import GLOBAL

ROOT = Path(__file__).parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXTRAS = {"mxerr.xla.jax": "jax"}
"""What the examples of a module need besides what the tests need."""
PAGES = [ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md"]


def modules() -> Iterator[ModuleType]:
    """Import every module of the package but ``__main__``, which is a program."""
    yield mxerr
    for info in pkgutil.walk_packages(mxerr.__path__, "mxerr."):
        if not info.name.endswith(".__main__"):
            yield importlib.import_module(info.name)


def examples(module: ModuleType) -> Iterator[doctest.DocTest]:
    """Find the examples of a module, in its functions and classes, and in what is generated into it."""
    finder = doctest.DocTestFinder()
    found = {test.name: test for test in finder.find(module)}
    for name in getattr(module, "__all__", ()):
        if callable(value := getattr(module, name)) and value.__module__ == module.__name__:
            tests = finder.find(
                value, f"{module.__name__}.{name}", module=False, globs={**vars(module), "np": np}
            )
            found |= {test.name: test for test in tests}
    return (test for test in found.values() if test.examples)


def page(path: Path) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(path.read_text("utf-8"), {}, path.name, str(path), 0)


def run(test: doctest.DocTest) -> str:
    """Run the examples of one docstring; returns what went wrong."""
    lines: list[str] = []
    with GLOBAL.temporary():
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lines.append)
    return "".join(lines)


EXAMPLES = {test.name: test for module in modules() for test in examples(module)}


def row(name: str) -> object:
    extra = next((extra for module, extra in EXTRAS.items() if name.startswith(module)), None)
    missing = extra is not None and importlib.util.find_spec(extra) is None
    return pytest.param(name, marks=[pytest.mark.skip(f"needs the extra mxerr[{extra}]")] if missing else [])


@pytest.mark.parametrize("name", [row(name) for name in EXAMPLES])
def test_the_examples_print_what_they_say(name):
    assert not run(EXAMPLES[name])


@pytest.mark.parametrize("path", [path for path in PAGES if path.exists()], ids=lambda path: path.name)
def test_the_examples_of_a_page_print_what_they_say(path):
    assert not run(page(path))


def test_examples_are_found_in_functions_and_methods():
    assert {"mxerr.text.read", "mxerr.np._ndarray.ndarray.transpose"} <= set(EXAMPLES)


def test_examples_are_found_in_functions_that_are_generated():
    module = ModuleType("made")
    namespace = {"__name__": "made"}  # as the operators have theirs, which is not that of the module
    exec('def function():\n    """>>> 1 + 1\n    2\n    """', namespace)
    module.__dict__.update(function=namespace["function"], __all__=["function"])
    assert [test.name for test in examples(module)] == ["made.function"]


def test_an_example_that_prints_something_else_fails():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert "Expected:\n    3\nGot:\n    2" in run(test)
