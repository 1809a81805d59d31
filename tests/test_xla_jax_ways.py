"""Ways by which an error of JAX comes: compiled ahead of time, in groups, through transformations, from tasks."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import importlib
import inspect
import logging
import sys
import threading

import numpy
import pytest

jax = pytest.importorskip("jax", reason="needs the extra mxerr[jax]")
import jax.numpy as jnp  # noqa: E402
from jax.experimental import checkify  # noqa: E402

import mxerr.xla.exceptions as x  # noqa: E402
import mxerr.xla.jax as xla_jax  # noqa: E402
from mxerr.xla.jax import install, typed, uninstall  # noqa: E402

# JAX's own warnings are no business of these tests
pytestmark = pytest.mark.filterwarnings("default")

OUT_OF_MEMORY = "RESOURCE_EXHAUSTED: Out of memory allocating 17592186044416 bytes."
NO_OPTION = "INVALID_ARGUMENT: No such compile option: 'no_such_option'"
NO_TARGET = "NOT_FOUND: No FFI handler registered for mxerr_missing on a platform Host (canonical host)"


def huge(*_arguments):
    return jnp.zeros(2**42)


def missing(v):
    return jax.ffi.ffi_call("mxerr_missing", jax.ShapeDtypeStruct(v.shape, v.dtype))(v)


def deleted():
    array = jnp.ones(3)
    array.delete()
    return array


def fail(_v):
    raise LookupError("in the callback")


def pure(v):
    return jax.pure_callback(fail, jax.ShapeDtypeStruct(v.shape, v.dtype), v)


def debugged(v):
    jax.debug.callback(fail, v)
    return v


pure_with_gradient = jax.custom_jvp(pure)
pure_with_gradient.defjvp(lambda primals, tangents: (pure(primals[0]), tangents[0]))

AHEAD = {
    "compiling with a wrong option": (
        lambda: jax.jit(lambda v: v).lower(1.0).compile(compiler_options={"no_such_option": 1}),
        NO_OPTION,
    ),
    "compiling with a wrong option of the function": (
        lambda: jax.jit(lambda v: v, compiler_options={"no_such_option": 1}).lower(1.0).compile(),
        NO_OPTION,
    ),
    "compiling what was traced first": (
        lambda: jax.jit(lambda v: v, compiler_options={"no_such_option": 1}).trace(1.0).lower().compile(),
        NO_OPTION,
    ),
    "calling what was compiled": (lambda: jax.jit(huge).lower().compile()(), OUT_OF_MEMORY),
    "calling what has a part missing": (
        lambda: jax.jit(missing).lower(jnp.ones(3)).compile()(jnp.ones(3)).block_until_ready(),
        NO_TARGET,
    ),
    "waiting for an array that was deleted": (
        lambda: jax.block_until_ready(deleted()),
        "INVALID_ARGUMENT: BlockHostUntilReady() called on deleted or donated buffer",
    ),
    "putting more than there is room for": (
        lambda: jax.device_put(numpy.broadcast_to(numpy.float32(1), (2**42,))),
        OUT_OF_MEMORY,
    ),
}


@pytest.mark.parametrize(("call", "text"), AHEAD.values(), ids=AHEAD)
@pytest.mark.parametrize("by", ["typed", "install"])
def test_what_is_compiled_ahead_of_time_or_copied_is_typed(by, call, text):
    if by == "install":
        install()
    try:
        for _ in range(2):
            with (
                pytest.raises(x.XlaError) as caught,
                contextlib.nullcontext() if by == "install" else typed(),
            ):
                call()
            assert str(caught.value) == text
            assert type(caught.value) is type(x.from_text(text))
            assert type(caught.value.__cause__) is jax.errors.JaxRuntimeError
    finally:
        uninstall()


@pytest.mark.parametrize(
    ("call", "cls"),
    [
        (lambda: deleted() + 1, RuntimeError),
        (lambda: numpy.asarray(deleted()), RuntimeError),
        (lambda: jax.jit(lambda v: v).lower(jnp.ones(3)).compile()(jnp.ones(4)), TypeError),
        (lambda: jax.device_put(object()), TypeError),
    ],
)
def test_what_jax_checks_in_python_keeps_its_class(call, cls):
    with pytest.raises(cls) as caught, typed():
        call()
    assert not isinstance(caught.value, x.XlaError)


# ---- groups ----


def raised(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_members_of_a_group_are_typed_however_deep():
    mine = ValueError("NOT_FOUND: mine")
    status = [raised(jax.jit(huge)) for _ in range(2)]
    group = ExceptionGroup("several", [status[0], mine, ExceptionGroup("inner", [status[1], KeyError("k")])])
    group.add_note("a note")
    with pytest.raises(ExceptionGroup) as caught, typed():
        raise group from mine
    first, second, inner = caught.value.exceptions
    assert (caught.value.message, caught.value.__notes__, caught.value.__cause__) == (
        "several",
        ["a note"],
        mine,
    )
    assert second is mine
    for error, cause in zip((first, inner.exceptions[0]), status, strict=True):
        assert (type(error), str(error)) == (x.XlaResourceExhaustedError, OUT_OF_MEMORY)
        assert error.__cause__ is cause
    assert type(inner.exceptions[1]) is KeyError
    try:
        with typed():
            raise group
    except* MemoryError as found:
        assert len(found.exceptions) == 2
    except* (ValueError, KeyError):
        pass


def test_a_group_without_errors_of_jax_is_the_same_group():
    group = ExceptionGroup("several", [ValueError("NOT_FOUND: mine"), ExceptionGroup("inner", [OSError()])])
    with pytest.raises(ExceptionGroup) as caught, typed():
        raise group
    assert caught.value is group


def test_a_group_keeps_its_class():
    class Mine(ExceptionGroup):
        def derive(self, members):
            return Mine(self.message, members)

    with pytest.raises(Mine) as caught, typed():
        raise Mine("mine", [raised(jax.jit(huge))])
    assert type(caught.value.exceptions[0]) is x.XlaResourceExhaustedError


def typed_of(error, cause=None):
    with pytest.raises(BaseExceptionGroup) as caught, typed():
        try:
            raise KeyError("before")
        except KeyError:
            error.__cause__ = cause
            raise error  # noqa: B904 - the context is what is tested
    return caught.value


@pytest.mark.parametrize("cause", [None, OSError("the cause")])
def test_a_group_keeps_what_it_came_from(cause):
    inner = ExceptionGroup("inner", [raised(jax.jit(huge))])
    inner.__context__ = OSError("inside")
    outer = ExceptionGroup("outer", [inner])
    group = typed_of(outer, cause)
    assert repr(group.__context__) == "KeyError('before')"
    assert (group.__cause__, group.__suppress_context__) == (cause, outer.__suppress_context__)
    assert group.exceptions[0].__context__ is inner.__context__
    assert group.exceptions[0].__suppress_context__ is False
    assert type(group.exceptions[0].exceptions[0]) is x.XlaResourceExhaustedError


def test_a_member_in_two_places_stays_one():
    error = raised(jax.jit(huge))
    group = typed_of(ExceptionGroup("outer", [error, ExceptionGroup("inner", [error])]))
    assert type(group.exceptions[0]) is x.XlaResourceExhaustedError
    assert group.exceptions[1].exceptions[0] is group.exceptions[0]


@pytest.mark.parametrize("derived", ["anew", None, TypeError("derive")])
def test_a_group_keeps_its_attributes_or_is_left_alone_where_it_cannot_be_made_anew(derived):
    class Mine(ExceptionGroup):
        def derive(self, members):
            if isinstance(derived, Exception):
                raise derived
            return derived and Mine(self.message, members)

    group = Mine("mine", [raised(jax.jit(huge))])
    group.extra = 5
    assert typed_of(group).extra == 5
    assert (typed_of(group) is group) is (derived != "anew")


def test_groups_that_are_too_deep_are_left_alone():
    group = raised(jax.jit(huge))
    for _ in range(3000):
        group = ExceptionGroup("deep", [group])
    assert typed_of(group) is group


def test_the_tasks_of_a_group_are_typed():
    async def one():
        await asyncio.sleep(0)
        jnp.zeros(2**42).block_until_ready()

    async def main():
        with typed():
            async with asyncio.TaskGroup() as group:
                group.create_task(one())
                group.create_task(asyncio.sleep(0))

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(main())
    assert [type(error) for error in caught.value.exceptions] == [x.XlaResourceExhaustedError]


# ---- transformations ----

THREE = jnp.ones(3)
TRANSFORMED = {
    "grad": lambda: jax.grad(lambda v: pure_with_gradient(v).sum())(THREE),
    "vmap": lambda: jax.vmap(
        lambda v: jax.pure_callback(fail, jax.ShapeDtypeStruct((), v.dtype), v, vmap_method="sequential")
    )(THREE),
    "scan": lambda: jax.lax.scan(lambda c, v: (c + pure(v), v), jnp.zeros(()), THREE),
    "cond": lambda: jax.lax.cond(THREE[0] > 0, pure, lambda v: v, THREE),
    "while": lambda: jax.lax.while_loop(lambda v: v[0] < 9, pure, THREE),
    "shard_map": lambda: jax.jit(
        jax.shard_map(
            pure,
            mesh=jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,)),
            in_specs=jax.P("i"), out_specs=jax.P("i"),
        )
    )(THREE),
    "checkify": lambda: checkify.checkify(pure)(THREE),
    "a debug callback": lambda: (jax.jit(debugged)(THREE), jax.effects_barrier()),
    "remat": lambda: jax.checkpoint(pure)(THREE),
}  # fmt: skip


@pytest.mark.parametrize("call", TRANSFORMED.values(), ids=TRANSFORMED)
def test_a_callback_that_raises_within_a_transformation_is_found(call):
    for _ in range(2):
        with pytest.raises(x.XlaInternalError) as caught, typed():
            jax.block_until_ready(call())
        original = caught.value.__cause__.__cause__
        assert (type(original), original.args) == (LookupError, ("in the callback",))


def test_the_check_of_checkify_is_not_xlas():
    def check(v):
        checkify.check(v > 0, "must be positive")
        return v

    error, _ = checkify.checkify(check)(-1.0)
    with pytest.raises(checkify.JaxRuntimeError, match="must be positive") as caught, typed():
        error.throw()
    assert not isinstance(caught.value, x.XlaError)


# ---- threads, and odd orders ----


def test_threads_are_typed_each_on_its_own():
    def once(_):
        try:
            with typed():
                jnp.zeros(2**42).block_until_ready()
        except x.XlaResourceExhaustedError as error:
            return str(error)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(once, range(20))) == {OUT_OF_MEMORY}


def test_a_generator_that_leaves_its_block_open_is_typed():
    def batches():
        with typed():
            yield 1
            jnp.zeros(2**42).block_until_ready()

    running = batches()
    assert next(running) == 1
    with pytest.raises(x.XlaResourceExhaustedError):
        next(running)
    unfinished = batches()
    next(unfinished)
    unfinished.close()


def test_installing_and_uninstalling_in_odd_orders_leaves_jax_as_it_was():
    stages = [getattr(jax.stages, name) for name in ("Traced", "Lowered", "Compiled")]
    before = [dict(vars(owner)) for owner in stages], jax.jit
    uninstall()
    install()
    with typed():
        uninstall()
        install()
        install()
    function = jax.jit(huge)
    assert isinstance(function, jax.stages.Wrapped)
    assert isinstance(function.lower(), jax.stages.Lowered)
    uninstall()
    uninstall()
    assert ([dict(vars(owner)) for owner in stages], jax.jit) == before
    with typed(), pytest.raises(x.XlaResourceExhaustedError):  # made while it was installed
        function()


def test_threads_that_install_and_uninstall_leave_jax_as_it_was():
    jit, interval = jax.jit, sys.getswitchinterval()

    def often():
        for _ in range(100):
            install()
            uninstall()

    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(often) for _ in range(6)]:
                done.result()
    finally:
        sys.setswitchinterval(interval)
    assert jax.jit is jit
    assert not logging.getLogger("jax._src.callback").handlers


def test_a_block_that_was_not_entered_is_not_left():
    with typed():
        with pytest.raises(RuntimeError, match="typed: __exit__ without an __enter__"):
            typed().__exit__(None, None, None)
        assert logging.getLogger("jax._src.callback").handlers
    assert not logging.getLogger("jax._src.callback").handlers


def test_what_other_code_put_in_the_place_of_ours_stays(monkeypatch):
    monkeypatch.setattr(jax, "jit", jax.jit)
    install()
    ours = jax.jit
    jax.jit = theirs = functools.wraps(ours)(lambda *args, **kwargs: ours(*args, **kwargs))
    with pytest.warns(RuntimeWarning, match=r"uninstall: jax\.jit was replaced by other code"):
        uninstall()
    assert jax.jit is theirs
    with pytest.raises(x.XlaResourceExhaustedError):
        jax.jit(huge)()


def test_a_jitted_method_is_a_method():
    install()
    try:

        class Model:
            @functools.partial(jax.jit, static_argnums=0)
            def double(self, v):
                """Double it."""
                return v * 2

    finally:
        uninstall()
    model = Model()
    assert model.double(3.0) == 6
    assert model.double.lower(model, 3.0).compile()(3.0) == 6
    assert (model.double.__name__, model.double.__self__) == ("double", model)
    assert model.double == model.double
    assert inspect.ismethod(model.double)
    assert inspect.isfunction(Model.double.__wrapped__)


def test_a_reload_while_installed_loses_nothing():
    jit = jax.jit
    install()
    try:
        reloaded = importlib.reload(xla_jax)
        reloaded.uninstall()
        assert jax.jit is jit
    finally:
        uninstall()


def test_installed_functions_work_under_functools_and_in_threads():
    install()
    try:
        function = functools.partial(jax.jit(huge), 1)
        errors = []
        threads = [threading.Thread(target=lambda: errors.append(raised(function))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [type(error) for error in errors] == [x.XlaResourceExhaustedError] * 4
    finally:
        uninstall()
