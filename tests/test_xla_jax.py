"""Real JAX under `mxerr.xla.jax`: what is typed, and what is left alone."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import json
import re
import threading

import numpy
import pytest

jax = pytest.importorskip("jax", reason="needs the extra mxerr[jax]")
import jax.numpy as jnp  # noqa: E402
from jax.experimental import io_callback  # noqa: E402

import mxerr.xla.exceptions as x  # noqa: E402
from mxerr.xla.jax import install, translate, typed, uninstall  # noqa: E402

# JAX's own warnings are no business of these tests
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_for_the_end():
    """What an io callback raised is raised again when JAX ends, unless it has been asked for."""
    yield
    with contextlib.suppress(jax.errors.JaxRuntimeError):
        jax.effects_barrier()


def client():
    return jax.devices()[0].client


def deleted():
    array = jnp.ones(3)
    array.delete()
    return array


def fail(_x):
    raise LookupError("in the callback")


def shape(n=3):
    return jax.ShapeDtypeStruct((n,), numpy.float32)


DOUBLE = jax.jit(lambda v: v * 2, donate_argnums=0)
SWAP = jax.jit(lambda v, w: (w + 1, v + 1), donate_argnums=(0, 1))
PURE = jax.jit(lambda v: jax.pure_callback(fail, shape(), v))
IO = jax.jit(lambda v: io_callback(fail, shape(), v))
SCALAR = jax.jit(lambda v: jax.pure_callback(fail, jax.ShapeDtypeStruct((), numpy.float32), v))
SLOW = jax.jit(lambda v: (v @ v @ v).sum())
LARGE = jnp.ones((1000, 1000))
WRONG = jax.jit(lambda v: jax.pure_callback(lambda _: numpy.ones(7, numpy.float32), shape(), v))
MISSING = jax.jit(lambda v: jax.ffi.ffi_call("mxerr_missing", shape())(v))
HUGE = jax.jit(lambda: jnp.zeros(2**42))
OPTION = jax.jit(lambda v: v, compiler_options={"no_such_option": 1})
VALUE = jax.jit(lambda v: v, compiler_options={"xla_cpu_enable_fast_math": "maybe"})


def donated_twice():
    array = jnp.ones(3)
    SWAP(array, array)


def compile_text(text):
    return client().compile_and_load(text, jax.devices()[:1])


# jaxlib's class says UNKNOWN of an error without a code; before it had an attribute, it said nothing
UNSTATED = x.XlaUnknownError if hasattr(jax.errors.JaxRuntimeError("x"), "error_code") else x.XlaError

MISUSES = {
    "an array that is donated twice": (donated_twice, x.XlaInvalidArgumentError),
    "a deleted array, waited for": (lambda: deleted().block_until_ready(), x.XlaInvalidArgumentError),
    "a deleted array, asked for its pointer": (
        lambda: deleted().unsafe_buffer_pointer(),
        x.XlaInvalidArgumentError,
    ),
    "a deleted array, asked for its size": (
        lambda: deleted().on_device_size_in_bytes(),
        x.XlaInvalidArgumentError,
    ),
    "an array that is too large": (lambda: jnp.ones(2**42).block_until_ready(), x.XlaResourceExhaustedError),
    "a result that is too large": (lambda: HUGE().block_until_ready(), x.XlaResourceExhaustedError),
    "a pure callback that raises": (lambda: PURE(jnp.ones(3)).block_until_ready(), x.XlaInternalError),
    "an io callback that raises": (lambda: IO(jnp.ones(3)).block_until_ready(), x.XlaInternalError),
    "a callback with a wrong shape": (lambda: WRONG(jnp.ones(3)).block_until_ready(), x.XlaInternalError),
    "a foreign function that is not there": (
        lambda: MISSING(jnp.ones(3)).block_until_ready(),
        x.XlaNotFoundError,
    ),
    "a foreign function that is no function": (
        lambda: jax.ffi.register_ffi_target("mxerr_bad", 3),
        x.XlaInvalidArgumentError,
    ),
    "an option that there is not": (lambda: OPTION(jnp.ones(3)), x.XlaInvalidArgumentError),
    "an option with a wrong value": (lambda: VALUE(jnp.ones(3)), x.XlaInvalidArgumentError),
    "a program that is none": (lambda: compile_text("garbage"), x.XlaUnknownError),
    "a program without a main function": (lambda: compile_text("module {}"), x.XlaInvalidArgumentError),
    "a stored program that is none": (
        lambda: client().deserialize_executable(b"garbage", jax.devices()),
        x.XlaInvalidArgumentError,
    ),
}


@pytest.mark.parametrize(("misuse", "cls"), MISUSES.values(), ids=MISUSES)
def test_a_misuse_is_typed_the_same_on_every_call_and_thread(misuse, cls):
    errors = []

    def once():
        try:
            with typed():
                misuse()
        except x.XlaError as error:
            errors.append(error)

    once()
    DOUBLE(jnp.ones(3)).block_until_ready()
    once()
    thread = threading.Thread(target=once)
    thread.start()
    thread.join()
    assert [type(error) for error in errors] == [cls] * 3
    assert {error.code for error in errors} == {cls.CODE}
    # a failed callback is told of with the stack of its thread, in lines of their own
    assert len({re.sub(r"\n  .*", "", str(error)) for error in errors}) == 1
    for error in errors:
        assert str(error).startswith(f"{error.code_name}: ")
        assert not error.message.startswith(error.code_name)
        assert str(error.__cause__) == str(error)


CALLBACK_ERRORS = [
    *(AssertionError(), KeyboardInterrupt(), numpy.linalg.LinAlgError("Singular matrix")),
    *(json.JSONDecodeError("Expecting value", "x", 0), x.XlaNotFoundError("no such thing")),
]
CALLBACK_ERRORS[2].add_note("a note")


@pytest.mark.parametrize("raised", CALLBACK_ERRORS, ids=lambda error: type(error).__name__)
def test_the_exception_of_a_callback_may_be_of_any_class(raised):
    def fail(_):
        raise raised

    call = jax.jit(lambda v: jax.pure_callback(fail, shape(), v))
    with pytest.raises(x.XlaError) as caught, typed():
        call(jnp.ones(2)).block_until_ready()
    assert caught.value.__cause__.__cause__ is raised


def test_a_function_that_is_suspended_is_not_decorated():
    async def later():
        pass

    def some():
        yield

    for function in (later, some):
        with pytest.raises(TypeError, match="typed: expected a function that runs to its end"):
            typed()(function)


@pytest.mark.parametrize("call", [PURE, IO])
def test_the_exception_of_a_callback_is_the_cause_of_the_cause(call):
    with pytest.raises(x.XlaInternalError) as caught, typed():
        call(jnp.ones(3)).block_until_ready()
    original = caught.value.__cause__.__cause__
    assert type(original) is LookupError
    assert original.args == ("in the callback",)


def throw_into_generator():
    def generator():
        yield

    running = generator()
    next(running)
    running.throw(ValueError("NOT_FOUND: thrown in"))


async def failing():
    raise ValueError("ABORTED: in a task")


def raise_(error):
    raise error


def through_a_pool(error):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(raise_, error).result()


class Unspeakable(Exception):
    def __str__(self):
        raise KeyError("no text")


ORDINARY = [
    lambda: raise_(Unspeakable()),
    lambda: raise_(ValueError(Unspeakable())),
    *[
        lambda cls=cls: raise_(cls("NOT_FOUND: mine"))
        for cls in (ValueError, RuntimeError, TypeError, IndexError)
    ],
    *[
        lambda cls=cls: raise_(cls("INTERNAL: mine"))
        for cls in (KeyError, OSError, MemoryError, AssertionError)
    ],
    *[lambda code=code: raise_(ValueError(f"{code.name}: mine")) for code in x.StatusCode],
    lambda: raise_(type("XlaRuntimeError", (RuntimeError,), {})("INTERNAL: mine")),
    lambda: through_a_pool(RuntimeError("RESOURCE_EXHAUSTED: mine")),
    lambda: asyncio.run(failing()),
    throw_into_generator,
    lambda: exec("raise ValueError('INTERNAL: mine')"),
    lambda: int("NOT_FOUND: mine"),
    lambda: json.loads("NOT_FOUND: mine"),
    lambda: {}["NOT_FOUND: mine"],
    lambda: numpy.ones(3).reshape(2),
    lambda: jnp.ones((2, 3)) + jnp.ones((3, 2)),
    lambda: jnp.ones(3).reshape(2),
    lambda: jax.jit(lambda v: raise_(ValueError("INTERNAL: while tracing")))(1.0),
    lambda: jax.jit(lambda v: 1 if v > 0 else 2)(1.0),
    lambda: 1 / 0,
    lambda: sorted([1, "a"]),
    lambda: list(map(raise_, [ValueError("DATA_LOSS: mine")])),
]


@pytest.mark.parametrize("ordinary", ORDINARY, ids=range(len(ORDINARY)))
def test_an_ordinary_error_is_left_alone(ordinary):
    with pytest.raises(Exception) as plain:  # noqa: PT011 - each row raises something else
        ordinary()
    with pytest.raises(Exception) as caught, typed():  # noqa: PT011
        ordinary()
    assert (
        type(caught.value) is type(plain.value) or type(caught.value).__name__ == type(plain.value).__name__
    )
    assert not isinstance(caught.value, x.XlaError)


def test_there_are_enough_rows():
    assert len(MISUSES) >= 15
    assert len(ORDINARY) >= 30


def test_an_error_that_was_typed_is_not_typed_again():
    with pytest.raises(x.XlaResourceExhaustedError) as caught, typed(), typed():
        jnp.ones(2**42).block_until_ready()
    assert not isinstance(caught.value.__cause__, x.XlaError)


def test_typed_is_a_decorator():
    @typed()
    def run():
        return jnp.ones(2**42)

    with pytest.raises(MemoryError):
        run()


def test_an_interrupt_is_left_alone():
    with pytest.raises(KeyboardInterrupt), typed():
        raise KeyboardInterrupt


@pytest.mark.parametrize("code", [code for code in x.StatusCode if code])
def test_each_code_of_jaxlibs_class_gives_our_class(code):
    error = jax.errors.JaxRuntimeError(f"{code.name}: text")
    assert type(translate(error)) is type(x.from_code(code))


@pytest.fixture
def installed():
    """JAX with our classes installed, twice as a notebook's cell may do it, and put back once."""
    array = type(jnp.ones(()))
    before = dict(vars(jax)), dict(vars(array))
    install()
    install()
    yield
    uninstall()
    uninstall()
    now = vars(jax)  # which may hold more modules than before
    assert ({name: now[name] for name in before[0]}, dict(vars(array))) == before


# A compiled program whose argument is not there yet runs in the background; a small one at once.
@pytest.mark.parametrize("argument", [lambda: SLOW(LARGE), lambda: 1.0], ids=["in the background", "at once"])
def test_the_exception_of_a_callback_is_found_wherever_it_ran(argument):
    with pytest.raises(x.XlaInternalError) as caught, typed():
        SCALAR(argument()).block_until_ready()
    assert type(caught.value.__cause__.__cause__) is LookupError


@pytest.mark.parametrize(
    ("text", "cls", "message", "payloads"),
    [
        ("INTERNAL: x [type.example/a='1\\n']", x.XlaInternalError, "x", {"type.example/a": b"1\n"}),
        ("INTERNAL: NOT_FOUND: x", x.XlaInternalError, "NOT_FOUND: x", {}),
        ("while compiling: NOT_FOUND: x", UNSTATED, "while compiling: NOT_FOUND: x", {}),
        (": x", UNSTATED, "x", {}),
        ("x", UNSTATED, "x", {}),
        ("", UNSTATED, "", {}),
        ("Resource exhausted: x", x.XlaResourceExhaustedError, "x", {}),
        ("UNKNOWN: Traceback (most recent call last):\nValueError: x", x.XlaUnknownError, None, {}),
    ],
)
def test_the_text_of_jaxlibs_class_is_read_at_its_beginning(text, cls, message, payloads):
    error = translate(jax.errors.JaxRuntimeError(text))
    assert type(error) is cls
    assert (str(error), error.payloads) == (text, payloads)
    assert error.message == (text.partition(": ")[2] if message is None else message)


def test_a_version_of_jax_without_its_class_is_refused_by_name(monkeypatch):
    monkeypatch.delattr(jax.errors, "JaxRuntimeError")
    for call in (install, typed().__enter__):
        with pytest.raises(
            ImportError, match=f"jax {re.escape(jax.__version__)} has no jax.errors.JaxRuntime"
        ):
            call()


def test_a_version_of_jax_with_another_class_of_arrays_keeps_its_methods(monkeypatch):
    monkeypatch.setattr("mxerr.xla.jax._ARRAY", "Other")
    before = dict(vars(type(jnp.ones(()))))
    install()
    try:
        assert dict(vars(type(jnp.ones(())))) == before
        with pytest.raises(x.XlaResourceExhaustedError):
            jax.jit(lambda: jnp.zeros(2**42))()
    finally:
        uninstall()


@pytest.mark.usefixtures("installed")
class TestInstalled:
    def test_functions_that_are_jitted_now_are_typed_at_each_call(self):
        huge = jax.jit(lambda: jnp.zeros(2**42))
        for _ in range(3):
            with pytest.raises(x.XlaResourceExhaustedError):
                huge()
        swap = jax.jit(lambda v, w: (w + 1, v + 1), donate_argnums=(0, 1))
        swap(jnp.ones(3), jnp.zeros(3))
        array = jnp.ones(3)
        with pytest.raises(x.XlaInvalidArgumentError):
            swap(array, array)

    def test_they_compute_and_have_what_jaxs_have(self):
        @functools.partial(jax.jit, static_argnums=1)
        def power(v, n):
            """Raise to a power."""
            return v**n

        assert power(3.0, 2) == 9
        assert (power.__name__, power.__doc__) == ("power", "Raise to a power.")
        assert power.lower(3.0, 2).as_text()
        assert jax.grad(power)(3.0, 2) == 6
        assert jax.vmap(lambda v: power(v, 2))(jnp.arange(3.0)).tolist() == [0, 1, 4]
        assert jax.jit(lambda v: power(v, 2))(2.0) == 4
        assert jax.jit(static_argnums=1)(lambda v, n: v * n)(2.0, 3) == 6

    def test_a_jitted_method_is_bound(self):
        class Model:
            @functools.partial(jax.jit, static_argnums=0)
            def call(self, v):
                return jax.pure_callback(fail, shape(), v)

        with pytest.raises(x.XlaInternalError) as caught:
            jax.block_until_ready(Model().call(jnp.ones(3)))
        assert type(caught.value.__cause__.__cause__) is LookupError

    @pytest.mark.parametrize(
        "wait",
        [
            lambda v: jax.block_until_ready(v),
            lambda v: jax.device_get(v),
            lambda v: v.block_until_ready(),
            lambda v: v.tolist(),
            lambda v: v.item(),
            numpy.asarray,
            float,
            int,
            bool,
        ],
    )
    def test_waiting_is_typed_also_for_functions_that_were_made_before(self, wait):
        pending = SCALAR(
            SLOW(LARGE)
        )  # its argument is not there yet, so it runs, and fails, in the background
        with pytest.raises(x.XlaInternalError) as caught:
            wait(pending)
        assert type(caught.value.__cause__.__cause__) is LookupError

    def test_ordinary_errors_stay_what_they_are(self):
        with pytest.raises(ZeroDivisionError):
            jax.jit(lambda v: v / (1 // 0))(1.0)
        with pytest.raises(TypeError) as caught:
            float(jnp.ones(3))
        assert not isinstance(caught.value, x.XlaError)
        assert float(jnp.ones(())) == 1
        assert bool(jnp.zeros(())) is False
