"""A front end that re-exports XLA's classes, and code that catches them by either name."""

from __future__ import annotations

import subprocess
import sys

import pytest
import xla_frontend

import mxerr.xla.exceptions as xla_exceptions
from mxerr.xla import runtime


def test_the_front_end_has_the_very_classes():
    for name in xla_exceptions.__all__:
        assert getattr(xla_frontend, name) is getattr(xla_exceptions, name)
    assert xla_frontend.XlaError.__module__ == "mxerr.xla.exceptions"


@pytest.mark.parametrize("names", [xla_frontend, xla_exceptions])
def test_except_clauses_work_across_both(names):
    with pytest.raises(names.XlaResourceExhaustedError, match="out of memory") as caught:
        runtime.Client(memory_limit=8).buffer([0.0] * 10)
    assert names.code_of(caught.value) is names.StatusCode.RESOURCE_EXHAUSTED


def test_the_classes_need_the_standard_library_alone():
    code = """if True:
        import sys
        before = set(sys.modules)
        import mxerr.xla.exceptions as xla_exceptions
        new = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
        assert {name for name in new if not name.startswith("_")} <= {"mxerr"}, new
        assert issubclass(xla_exceptions.XlaNotFoundError, LookupError)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_jax_it_is_said_what_to_install(monkeypatch):
    from mxerr.xla import jax

    monkeypatch.setitem(sys.modules, "jax", None)
    for call in (jax.install, jax.typed().__enter__):
        with pytest.raises(ImportError, match=r"needs JAX: pip install 'mxerr\[jax\]'"):
            call()
    assert jax.translate(ValueError("NOT_FOUND: mine")) is None
