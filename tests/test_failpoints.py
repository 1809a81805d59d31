"""Fail points: the error that was asked for, where and when it was asked for, and never afterwards."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy
import pytest

import mxerr
from mxerr import MXNetError, error, failpoints, np

NAMES = failpoints.names()


A = np.array([[4, 1], [2, 3]])
FLAT = np.array([1.0, 2.0, 4.0, 8.0])


@np.register_custom("of fail points")
def custom(a):
    return a


def save_and_load(op_name):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.npy")
        numpy.save(file, [1, 2])
        return np.save(file, A) if op_name == "save" else np.load(file)


TWO = (
    "add subtract multiply divide power maximum minimum equal not_equal less less_equal greater greater_equal"
)
ONE = "abs negative positive exp log sqrt isnan sum mean prod max min argmax argmin all any squeeze transpose"
CALLS = {
    **{name: lambda name=name: getattr(np, name)(A, A) for name in [*TWO.split(), "dot", "matmul"]},
    **{name: lambda name=name: getattr(np, name)(A) for name in ONE.split()},
    **{name: lambda name=name: getattr(np, name)(FLAT, 2) for name in ("split", "array_split", "hsplit")},
    **{name: lambda name=name: getattr(np, name)([A, A]) for name in ("concatenate", "stack")},
    **{name: lambda name=name: save_and_load(name) for name in ("save", "load")},
    "random_bernoulli": lambda: np.random.bernoulli(0.5),
    "random_normal": lambda: np.random.normal(),
    "random_uniform": lambda: np.random.uniform(),
    "arange": lambda: np.arange(3),
    "assign": lambda: operator.setitem(A, 0, 1),
    "cast": lambda: np.cast(A, "float32"),
    "clip": lambda: np.clip(A, 1, 2),
    "custom": lambda: np.custom(A, op_type="of fail points"),
    "dsplit": lambda: np.dsplit(np.zeros((1, 1, 2)), 2),
    "expand_dims": lambda: np.expand_dims(A, 0),
    "full": lambda: np.full(2, 1),
    "index": lambda: A[0],
    "interp": lambda: np.interp(1.5, FLAT, FLAT),
    "percentile": lambda: np.percentile(FLAT, 50),
    "reshape": lambda: np.reshape(A, 4),
    "take": lambda: np.take(A, [0]),
    "unsupported": lambda: A // 2,
    "vsplit": lambda: np.vsplit(A, 2),
    "where": lambda: np.where(True, A, A),
    "zeros": lambda: np.zeros(2),
}
"""A call of each operator, with arguments that are good."""

NEVER_THERE = {"assign": "cannot be changed", "unsupported": "is not implemented"}
"""Operators that only say no: they get no further than infer_shape."""

REACHED = [
    name
    for name in NAMES
    if name.split(".")[0] not in NEVER_THERE or name.endswith((".parse", ".infer_shape"))
]


def run(name: str) -> object:
    """Call the operator of a fail point."""
    op_name = name.split(".")[0]
    if op_name in NEVER_THERE:
        with pytest.raises(NotImplementedError, match=NEVER_THERE[op_name]):
            CALLS[op_name]()
        return None
    return CALLS[op_name]()


def test_there_is_a_call_of_each_operator():
    assert CALLS.keys() == {name.split(".")[0] for name in NAMES}


def test_every_stage_of_every_operator_is_a_fail_point():
    stages = ["parse", "infer_shape", "infer_type", "allocate", "forward"]
    assert NAMES[:5] == [f"{NAMES[0].split('.')[0]}.{stage}" for stage in stages]
    assert len(NAMES) % 5 == 0
    assert "transpose.forward" in NAMES


@pytest.mark.parametrize("name", REACHED)
def test_every_fail_point_fails_with_its_kind_its_text_and_its_place(name):
    run(name)
    with mxerr.failpoint(name, "IndexError: injected here"), pytest.raises(IndexError) as caught:
        CALLS[name.split(".")[0]]()
    assert type(caught.value) is error.IndexError
    assert str(caught.value) == "injected here"
    assert caught.value.native.frames[-1].function == name
    run(name)


@pytest.mark.parametrize(
    ("after", "times", "expected"),
    [
        (0, None, "xxxxxx"),
        (2, None, "..xxxx"),
        (0, 1, "x....."),
        (2, 1, "..x..."),
        (1, 3, ".xxx.."),
        (9, 1, "......"),
    ],
)
def test_it_fails_after_and_times_as_asked(after, times, expected):
    passed = ""
    with mxerr.failpoint("transpose.forward", "ValueError: injected", after=after, times=times):
        for _ in expected:
            try:
                run("transpose.forward")
                passed += "."
            except ValueError:
                passed += "x"
    assert passed == expected
    run("transpose.forward")


@pytest.mark.parametrize(
    ("stage", "condition", "message"),
    [
        ("parse", "call->param != NULL", "parse left no parameters"),
        ("infer_shape", "output->shape.ndim >= 0", "infer_shape left output 0 without a shape"),
        ("infer_type", "output->dtype >= 0", "infer_type left output 0 without a type"),
        ("allocate", "call->outputs[i].array->data != NULL", "allocate left output 0 without memory"),
    ],
)
@pytest.mark.parametrize("engine", ["naive", "threaded"])
def test_what_a_stage_leaves_undone_is_found(engine, stage, condition, message):
    with np.engine(engine), mxerr.failpoint(f"transpose.{stage}", ""), pytest.raises(MXNetError) as caught:
        run(f"transpose.{stage}").asnumpy()
    assert type(caught.value) is error.InternalError
    assert (caught.value.native.check.condition, caught.value.native.message) == (
        condition,
        f"transpose: {message}",
    )
    assert str(caught.value).endswith(error.InternalError.HINT)


def test_forward_cannot_be_left_out():
    with pytest.raises(ValueError, match="forward cannot be left out"):
        with mxerr.failpoint("transpose.forward", ""):
            pass
    np.transpose([[1, 2]])


@pytest.mark.parametrize(
    ("message", "cls", "text"),
    [
        ("no kind at all", MXNetError, "no kind at all"),
        ("UnheardOfError: x", MXNetError, "UnheardOfError: x"),
        ("ValueError: %s %n {braces} \u6587", error.ValueError, "%s %n {braces} \u6587"),
    ],
)
def test_the_message_is_taken_as_it_is(message, cls, text):
    with mxerr.failpoint("transpose.parse", message), pytest.raises(MXNetError) as caught:
        run("transpose.parse")
    assert (type(caught.value), str(caught.value)) == (cls, text)


def test_it_is_cleared_also_when_the_body_raises():
    with pytest.raises(LookupError), mxerr.failpoint("transpose.parse", "ValueError: injected"):
        raise LookupError
    run("transpose.parse")


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match=r"there is no 'transpose\.nothing'; expected one of .*transpose\.parse"
    ):
        with mxerr.failpoint("transpose.nothing", "x"):
            pass


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"after": -1}, "cannot come before the first pass"),
        ({"times": 0}, "fails once or more"),
        ({"times": -2}, "fails once or more"),
        ({"message": "x" * 600}, "message is too long"),
    ],
)
def test_bad_numbers_are_refused_and_nothing_is_set(arguments, text):
    arguments = {"message": "ValueError: injected", **arguments}
    with pytest.raises(ValueError, match=text), mxerr.failpoint("transpose.parse", **arguments):
        pass
    run("transpose.parse")
    with mxerr.failpoint("transpose.parse", "ValueError: injected"):
        pass


def test_one_place_is_set_once_and_several_places_at_a_time():
    with mxerr.failpoint("transpose.parse", "ValueError: outer"):
        with pytest.raises(ValueError, match="is set already"), mxerr.failpoint("transpose.parse", "x"):
            pass
        with (
            mxerr.failpoint("random_normal.parse", "IndexError: other"),
            pytest.raises(IndexError, match="other"),
        ):
            run("random_normal.parse")
        with pytest.raises(ValueError, match="outer"):
            run("transpose.parse")


def test_times_are_counted_over_all_threads():
    failed: list[int] = []

    def work() -> None:
        for _ in range(200):
            try:
                run("transpose.forward")
            except ValueError:
                failed.append(1)

    with mxerr.failpoint("transpose.forward", "ValueError: injected", after=100, times=321):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(failed) == 321


def program(spec: str, tmp_path) -> subprocess.CompletedProcess[str]:
    code = (
        "from mxerr import np\n"
        "for i in range(4):\n"
        "    try: np.transpose([[1]]); print('.', end='')\n"
        "    except Exception as e: print(type(e).__name__, end='')"
    )
    environment = {**os.environ, failpoints.ENVIRONMENT: spec}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", "...."),
        ("transpose.forward=ValueError: injected", "ValueError" * 4),
        ("transpose.forward@1*2=ValueError: injected", ".ValueErrorValueError."),
        (" transpose.forward*1 = IndexError: a=b ; transpose.parse@3=TypeError: b;", "IndexError..TypeError"),
    ],
)
def test_the_environment_sets_them_for_a_whole_process(spec, expected, tmp_path):
    run = program(spec, tmp_path)
    assert (run.stdout, run.stderr) == (expected, "")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("transpose.forward", "expected NAME[@AFTER][*TIMES]=MESSAGE, got 'transpose.forward'"),
        ("transpose.nothing=x", "there is no 'transpose.nothing'; expected one of"),
        ("transpose.forward*0=x", "fails once or more"),
    ],
)
def test_a_bad_environment_is_told_when_the_operators_are_loaded(spec, text, tmp_path):
    run = program(spec, tmp_path)
    assert run.returncode == 1
    assert text in run.stderr


def test_what_the_environment_set_stays_set(tmp_path):
    code = (
        "from mxerr import failpoint, np\n"
        "try:\n"
        "    with failpoint('transpose.forward', 'IndexError: injected'): print('entered')\n"
        "except ValueError as e: print(e)\n"
        "try: np.transpose([[1]])\n"
        "except TypeError as e: print(e)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, failpoints.ENVIRONMENT: "transpose.forward=TypeError: of the environment"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    expected = "failpoint: 'transpose.forward' is set already; expected one that is not\nof the environment\n"
    assert (run.stdout, run.stderr) == (expected, "")
