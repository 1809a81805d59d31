"""Floating-point errors: they raise where `errstate` asks for it, for NumPy's reasons, and never elsewhere."""

from __future__ import annotations

import asyncio
import contextvars
import doctest
import threading

import numpy
import pytest
from operator_cases import assert_fails, row

from mxerr import MXNetError, _native, error, np
from mxerr.np import _errstate

INF, NAN, HUGE, TINY = float("inf"), float("nan"), 1e308, 1e-308
WORDS = {
    "divide": "divide by zero encountered",
    "over": "overflow encountered",
    "under": "underflow encountered",
    "invalid": "invalid value encountered",
}
FLAGS = {"divide": "FE_DIVBYZERO", "over": "FE_OVERFLOW", "under": "FE_UNDERFLOW", "invalid": "FE_INVALID"}

REASONS = [
    ("divide", "divide", [1.0], [0.0]),
    ("divide", "divide", [1], [0]),
    ("divide", "log", [0.0]),
    ("divide", "log", [0]),
    ("divide", "power", [0.0], [-1.0]),
    ("over", "add", [HUGE], [HUGE]),
    ("over", "subtract", [-HUGE], [HUGE]),
    ("over", "multiply", [HUGE], [10.0]),
    ("over", "divide", [HUGE], [0.1]),
    ("over", "power", [10.0], [400.0]),
    ("over", "exp", [1000.0]),
    ("over", "exp", numpy.array([100.0], "float32")),
    ("over", "sum", [HUGE, HUGE]),
    ("over", "mean", [HUGE, HUGE]),
    ("over", "prod", [HUGE, HUGE]),
    ("over", "dot", [HUGE, HUGE], [1.0, 1.0]),
    ("over", "matmul", [HUGE, HUGE], [1.0, 1.0]),
    ("over", "percentile", [-HUGE, HUGE], 25.0),
    ("under", "multiply", [TINY], [0.01]),
    ("under", "divide", [TINY], [300.0]),
    ("under", "exp", [-1000.0]),
    ("under", "power", [10.0], [-400.0]),
    ("under", "prod", [TINY, 0.01]),
    ("invalid", "add", [INF], [-INF]),
    ("invalid", "subtract", [INF], [INF]),
    ("invalid", "multiply", [INF], [0.0]),
    ("invalid", "divide", [0.0], [0.0]),
    ("invalid", "log", [-1.0]),
    ("invalid", "sqrt", [-1.0]),
    ("invalid", "sqrt", [-1]),
    ("invalid", "power", [-1.0], [0.5]),
    ("invalid", "sum", [INF, -INF]),
    ("invalid", "mean", []),
    ("invalid", "prod", [INF, 0.0]),
    ("invalid", "dot", [INF, 1.0], [0.0, 1.0]),
    ("invalid", "matmul", [INF, 1.0], [0.0, 1.0]),
    ("invalid", "percentile", [-INF, INF], 50.0),
]


def call(kind: str, name: str, *inputs: object) -> object:
    with np.errstate(**{kind: "raise"}):
        return getattr(np, name)(*inputs)


ROWS = [
    row(lambda reason=reason: call(*reason), "FloatingPointError", f"!(raised & {FLAGS[reason[0]]})",
        f"{WORDS[reason[0]]} in {reason[1]}", {}, f"{reason[1]}_forward", "mx_float_errors_end")
    for reason in REASONS
]  # fmt: skip


@pytest.mark.parametrize("failure", ROWS)
def test_an_error_raises_where_it_was_asked_for(failure):
    assert_fails(failure)


@pytest.mark.parametrize(("kind", "name", "inputs"), [(k, n, i) for k, n, *i in REASONS])
def test_nothing_raises_where_nobody_asked_or_for_another_reason(kind, name, inputs):
    getattr(np, name)(*inputs)
    with np.errstate(all="raise", **{kind: "ignore"}):
        getattr(np, name)(*inputs)
    getattr(np, name)(*inputs)


@pytest.mark.parametrize(
    "quiet",
    [
        lambda a: np.less(a, 1.0),
        lambda a: np.equal(a, a),
        lambda a: np.maximum(a, 1.0),
        lambda a: np.minimum(1.0, a),
        lambda a: np.max(a),
        lambda a: np.argmax(a),
        lambda a: np.clip(a, -1.0, 1.0),
        lambda a: np.where(a, a, 0.0),
        lambda a: np.isnan(a),
        lambda a: np.negative(a),
        lambda a: np.abs(a),
        lambda a: np.add(a, 1.0),
        lambda a: np.sqrt(a),
        lambda a: np.percentile(numpy.abs(a[:3]), 50.0),
        lambda a: np.interp(a, [0.0, 1.0], [0.0, 1.0]),
        lambda a: np.divide(0, numpy.array([1, 2])),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_not_a_number_that_comes_in_is_no_error(quiet, dtype):
    with np.errstate(all="raise"):
        quiet(numpy.array([NAN, 1.0, NAN, 3.0, NAN, 5.0, 6.0, NAN, INF] * 3, dtype))


def state() -> tuple[int, ...]:
    errors = [_native.c_int() for _ in range(4)]
    _native.library().MXGetErrState(*errors)
    return tuple(each.value for each in errors)


def test_blocks_nest_and_leave_what_was_there_also_after_an_error():
    assert state() == (0, 0, 0, 0)
    with np.errstate(divide="raise", invalid="raise"):
        assert state() == (1, 0, 0, 1)
        with np.errstate(over="raise", divide="ignore"):
            assert state() == (0, 1, 0, 1)
        with np.errstate(all="raise", under="ignore"):
            assert state() == (1, 1, 0, 1)
        assert state() == (1, 0, 0, 1)
        with pytest.raises(error.FloatingPointError), np.errstate():
            np.log(0.0)
        assert state() == (1, 0, 0, 1)
    assert state() == (0, 0, 0, 0)


def test_it_decorates_functions_also_recursive_ones():
    @np.errstate(divide="raise")
    def log_down(number: float) -> int:
        """Doc."""
        np.log(number)
        return 1 + log_down(number - 1.0)

    with pytest.raises(FloatingPointError, match="divide by zero encountered in log") as caught:
        log_down(3.0)
    assert isinstance(caught.value, MXNetError)
    assert (log_down.__name__, log_down.__doc__) == ("log_down", "Doc.")
    assert state() == (0, 0, 0, 0)


def test_it_is_of_one_thread():
    seen = []
    with np.errstate(all="raise"):
        thread = threading.Thread(target=lambda: seen.append((state(), np.log(0.0).item())))
        thread.start()
        thread.join()
    assert seen == [((0, 0, 0, 0), -INF)]


def logs() -> bool:
    """Whether a logarithm of zero raises here."""
    try:
        np.log(0.0)
    except FloatingPointError:
        return False
    return True


def test_it_is_of_one_task():
    seen = {}

    async def within() -> None:
        with np.errstate(all="raise"):
            for turn in range(3):
                seen["within", turn] = logs()
                await asyncio.sleep(0)
            with np.errstate(divide="ignore"):
                await asyncio.sleep(0)
                seen["within", "again"] = logs()

    async def beside() -> None:
        for turn in range(6):
            seen["beside", turn] = logs()
            await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(within(), beside(), asyncio.to_thread(beside_in_a_thread))
        with np.errstate(all="raise"):
            # a context goes along to the thread, as NumPy's does
            seen["thread", "within"] = await asyncio.to_thread(logs)
        seen["thread", "without"] = await asyncio.to_thread(logs)

    def beside_in_a_thread() -> None:
        seen["thread"] = logs()

    asyncio.run(both())
    raising = {("within", 0), ("within", 1), ("within", 2), ("thread", "within")}
    assert seen == {key: key not in raising for key in seen}
    assert len(seen) == 13
    assert logs()
    assert state() == (0, 0, 0, 0)


def test_a_context_that_ends_within_a_block_leaves_others_as_they_are():
    def suspended():
        with np.errstate(all="raise"):
            yield logs()

    generator = suspended()
    assert contextvars.copy_context().run(next, generator) is False
    assert logs()
    assert state() == (0, 0, 0, 0)
    with pytest.raises(ValueError, match="was created in a different Context"):
        generator.close()
    assert logs()


def test_what_a_worker_has_from_who_queued_holds_in_its_functions():
    seen = []

    def function(a):
        seen.append((state(), logs()))
        with np.errstate(divide="ignore"):
            seen.append((state(), logs()))
        seen.append((state(), logs()))
        return a

    np.register_custom("logs")(function)
    with np.engine("threaded"):
        with np.errstate(divide="raise"):
            first = np.custom([1.0], op_type="logs")
        first.wait_to_read()
        np.custom([1.0], op_type="logs").wait_to_read()
    raising, quiet = ((1, 0, 0, 0), False), ((0, 0, 0, 0), True)
    assert seen == [raising, quiet, raising, quiet, quiet, quiet]


@pytest.mark.parametrize("name", ["divide", "over", "under", "invalid", "all"])
@pytest.mark.parametrize("mode", ["warn", "Raise", 1])
def test_another_mode_is_told_with_those_that_there_are(name, mode):
    with pytest.raises(
        ValueError, match=f"errstate: parameter '{name}': expected 'raise' or 'ignore', got {mode!r}"
    ):
        np.errstate(**{name: mode})


def test_one_object_is_entered_once():
    once = np.errstate(divide="raise")
    with once, pytest.raises(TypeError, match="the same object cannot be entered twice"), once:
        pass
    assert state() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 0, 0, 0), "expected 0 or 1 for each error, got error = 2"),
        ((0, 0, 0, -1), "expected 0 or 1 for each error, got error = -1"),
    ],
)
def test_the_c_api_checks_its_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        _native.library().MXSetErrState(*arguments)
    with pytest.raises(ValueError, match="the result pointer is NULL"):
        _native.library().MXGetErrState(None, None, None, None)
    assert state() == (0, 0, 0, 0)


def test_the_examples_run():
    assert doctest.testmod(_errstate, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0
