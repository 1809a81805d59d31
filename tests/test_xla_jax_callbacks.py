"""Which exception of a callback goes with which error: in threads, after others, whatever logging is set to."""

from __future__ import annotations

import collections
import contextlib
import logging
import threading

import numpy
import pytest

jax = pytest.importorskip("jax", reason="needs the extra mxerr[jax]")
import jax.numpy as jnp  # noqa: E402
from jax import experimental  # noqa: E402

import mxerr.xla.exceptions as x  # noqa: E402
from mxerr.xla._jax_callbacks import Callbacks, KeptCallback  # noqa: E402
from mxerr.xla.jax import install, typed, uninstall  # noqa: E402

# JAX's own warnings are no business of these tests
pytestmark = pytest.mark.filterwarnings("default")

THREE = jax.ShapeDtypeStruct((3,), numpy.float32)


def failing(make):
    def fail(_v):
        raise make()

    return jax.jit(lambda v: jax.pure_callback(fail, THREE, v))


def original(function):
    with pytest.raises(x.XlaInternalError) as caught, typed():
        function(jnp.ones(3)).block_until_ready()
    return caught.value.__cause__.__cause__


def test_each_thread_gets_an_exception_where_all_have_one_text():
    function, seen, barrier = (
        failing(lambda: LookupError("boom")),
        collections.Counter(),
        threading.Barrier(4),
    )

    def run():
        for _ in range(20):
            barrier.wait(60)
            try:
                with typed():
                    function(jnp.ones(3)).block_until_ready()
            except x.XlaError as error:
                seen[type(error.__cause__.__cause__)] += 1

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert seen == {LookupError: 80}


def test_the_newest_of_one_text_is_given():
    made = []
    function = failing(lambda: made.append(LookupError("boom")) or made[-1])
    with typed():
        for _ in range(3):
            with pytest.raises(jax.errors.JaxRuntimeError):
                function(jnp.ones(3)).block_until_ready()
        assert original(function) is made[3]


def test_a_class_whose_name_ends_alike_is_another():
    short, long = type("Error", (Exception,), {}), type("ValueError2Error", (Exception,), {})
    with typed():
        with pytest.raises(jax.errors.JaxRuntimeError):
            failing(lambda: long("boom"))(jnp.ones(3)).block_until_ready()
        with pytest.raises(jax.errors.JaxRuntimeError):
            failing(lambda: short("boom"))(jnp.ones(3)).block_until_ready()
        assert type(original(failing(lambda: long("boom")))) is long


def io(fail):
    return jax.jit(lambda v: experimental.io_callback(fail, THREE, v))


def pure(fail):
    return jax.jit(lambda v: jax.pure_callback(fail, THREE, v))


@pytest.mark.parametrize("make", [pure, io])
def test_while_installed_it_does_not_depend_on_logging(make, monkeypatch):
    def fail(_v):
        raise LookupError("in the callback")

    monkeypatch.setattr(logging.getLogger("jax._src.callback"), "disabled", True)
    install()
    try:
        function = make(fail)
        with pytest.raises(x.XlaInternalError) as caught:
            jax.block_until_ready(function(jnp.ones(3)))
    finally:
        uninstall()
        with contextlib.suppress(jax.errors.JaxRuntimeError):  # which JAX would raise again when it ends
            jax.effects_barrier()
    assert type(caught.value.__cause__.__cause__) is LookupError


def test_a_callback_that_is_called_again_is_equal():
    """JAX compiles anew for another one."""
    first, second = (KeptCallback(numpy.sin, Callbacks()) for _ in range(2))
    assert (first == second, hash(first) == hash(second), first.__name__) == (True, True, "sin")
    assert first != KeptCallback(numpy.cos, Callbacks())
    install()
    try:
        given = jax.pure_callback(numpy.sin, THREE, jnp.ones(3))
    finally:
        uninstall()
    numpy.testing.assert_allclose(given, numpy.sin(numpy.ones(3)), rtol=1e-6)
