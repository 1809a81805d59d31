"""The extension beside JAX, whose functions take frames out of tracebacks: in every mode of its filter."""

from __future__ import annotations

import re

import pytest
from support.kernel import SETUP, Kernel, plain

pytest.importorskip("jax", reason="needs the extra mxerr[jax]")

MODES = ("auto", "off", "tracebackhide", "remove_frames", "quiet_remove_frames")
IMPORT = "import jax; import jax.numpy as jnp"
LOOK = "shell = get_ipython(); (type(shell.InteractiveTB), vars(shell).get('showtraceback'))"
TRACED = """
@jax.jit
def traced(v):
    shelf.find()  # while JAX traces
    return v
traced(1.0)
"""
CALLED_BACK = """
from mxerr.xla.jax import typed
def fail(v):
    shelf.find()  # while XLA runs
call = jax.jit(lambda v: jax.pure_callback(fail, jax.ShapeDtypeStruct((3,), jnp.float32), v))
with typed():
    call(jnp.ones(3)).block_until_ready()
"""
MESSAGE = "Check failed: index < size (7 vs. 3) : no such book. index = 7"
C_FRAMES = ("Python calls C: shelf_find", "MXERR_API(find_book", "MXERR_CHECK_LT(index, size", "7 against 3")
INTERNAL = "jax/_src/pjit.py"

_COUNT = re.compile(r"\bIn\[\d+\]")


@pytest.fixture(scope="module", params=["before", "after"])
def kernel(request, tmp_path_factory):
    """A kernel where the extension was loaded before JAX was imported, or afterwards."""
    kernel = Kernel(tmp_path_factory.mktemp("kernel"))
    outputs, _ = kernel.run(LOOK)
    kernel.untouched = outputs[0]["data"]["text/plain"]
    for code in [SETUP, IMPORT] if request.param == "before" else [IMPORT, SETUP]:
        assert kernel.run(code)[1]["status"] == "ok"
    yield kernel
    kernel.stop()


@pytest.fixture(params=MODES)
def mode(request, kernel):
    assert kernel.run(f"jax.config.update('jax_traceback_filtering', {request.param!r})")[1]["status"] == "ok"
    return request.param


def test_a_native_error_in_a_function_of_jax_arrives_with_its_c_frames(kernel, mode):
    error = kernel.error(TRACED)
    assert error["ename"] == "IndexError"
    assert error["evalue"].startswith(MESSAGE)
    assert "formatter failed" not in error["text"]
    shown = error["text"].rpartition("direct cause of the following")[2]  # of the error itself
    for text in ("traced(1.0)", "shelf.find()  # while JAX traces", *C_FRAMES, f"IndexError: {MESSAGE}"):
        assert text in shown
    assert (INTERNAL in shown) == (mode == "off")
    # the frames that JAX took out are those of a cause, C frames included
    assert ("UnfilteredStackTrace" in error["text"]) == (mode == "remove_frames")
    if mode == "remove_frames":
        assert error["text"].count("MXERR_CHECK_LT(index, size") == 2
    assert ("JAX_TRACEBACK_FILTERING=off" in shown) == (mode == "quiet_remove_frames")


def test_a_native_error_in_a_callback_of_jax_is_shown_as_the_cause(kernel, mode):
    error = kernel.error(CALLED_BACK)
    assert error["ename"] == "XlaInternalError"
    assert MESSAGE in error["evalue"]
    assert "formatter failed" not in error["text"]
    for text in ("shelf.find()  # while XLA runs", *C_FRAMES):
        assert text in error["text"]
    assert f"IndexError: {MESSAGE}" in plain(kernel.run("%mxerr last")[0][0]["text"])


def test_an_error_of_jax_itself_looks_as_without_the_extension(kernel):
    kernel.run("jax.config.update('jax_traceback_filtering', 'remove_frames')")
    code = "jnp.ones(3) @ jnp.ones(4)"
    kernel.error(code)  # the first call has frames that later ones have not
    loaded = kernel.error(code)
    kernel.run("%unload_ext mxerr")
    unloaded = kernel.error(code)
    kernel.run("%load_ext mxerr")
    assert _COUNT.sub("In[*]", loaded["text"]) == _COUNT.sub("In[*]", unloaded["text"])
    assert loaded["ename"] == unloaded["ename"] == "TypeError"


def test_unloading_beside_jax_puts_back_what_was_there_and_leaves_the_error(kernel):
    kernel.run("%unload_ext mxerr")
    outputs, _ = kernel.run(LOOK)
    error = kernel.error(TRACED)
    kernel.run("%load_ext mxerr")
    assert outputs[0]["data"]["text/plain"] == kernel.untouched
    assert error["evalue"].startswith(MESSAGE)
    assert "MXERR_CHECK_LT(index, size" in error["text"]
    assert "Python calls C" not in error["text"]
