"""The threaded engine: the same results, errors that wait for who reads, and nothing that hangs."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
import threading
import traceback
import types

import numpy
import pytest
from hypothesis import given, settings, strategies as st
from support.threads import together

import mxerr
from mxerr import error, frames, np
from mxerr.np import _engine

SECONDS = 120
"""After which a process hangs, also on a busy machine."""


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    np.waitall()
    assert _engine.queues is False


@pytest.fixture
def threaded():
    with np.engine("threaded"):
        yield


def functions(caught: pytest.ExceptionInfo[BaseException]) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that has to end, and show nothing on stderr but what it says itself."""
    code = "import os, sys\nfrom mxerr import np\n" + textwrap.dedent(program)
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=SECONDS, check=False)


# ---- choosing it ----


@pytest.mark.parametrize(("name", "type"), [("threaded", "ThreadedEngine"), ("ThreadedEngine", "ThreadedEngine"), ("naive", "NaiveEngine"), ("NaiveEngine", "NaiveEngine")])  # fmt: skip
def test_an_engine_is_chosen_by_either_name_until_the_block_ends(name, type):
    with np.engine(name) as engine:
        assert (engine.type, repr(engine)) == (type, f"<engine {type}>")
        with np.engine("naive"):
            pass
        a = np.take([1], [1]) if type == "ThreadedEngine" else None
    if a is not None:
        with pytest.raises(IndexError):
            a.wait_to_read()
    with pytest.raises(IndexError):
        np.take([1], [1])


def queues():
    try:
        np.take([1], [1])
    except IndexError:
        return False
    with pytest.raises(IndexError):
        np.waitall()
    return True


def test_the_block_that_was_entered_last_counts_in_whichever_order_they_end():
    a, b = np.engine("threaded"), np.engine("threaded")
    with a:
        pass
    assert queues()  # `b` was made for good
    a, c = np.engine("threaded"), np.engine("naive")
    for first, second in ((a, b), (b, a)):
        a.__enter__()
        b.__enter__()
        first.__exit__()
        assert queues()
        second.__exit__()
        assert not queues()
        a.__enter__()
        c.__enter__()
        assert not queues()
        a.__exit__()
        assert not queues()
        c.__exit__()
        assert not queues()


def test_an_engine_can_be_entered_again_and_within_itself():
    engine = np.engine("threaded")
    assert queues()
    for _ in range(2):
        with engine:
            with engine:
                assert queues()
            assert queues()
        assert not queues()


def test_an_engine_that_is_chosen_in_a_block_is_left_with_it():
    with np.engine("threaded"):
        np.engine("naive")
        assert not queues()
        kept = [np.engine("threaded") for _ in range(3)]
        for _ in range(10):
            np.engine("naive")
        assert len(_engine._slots[-1]._chosen) <= 6
        assert not queues()
    assert not queues()
    assert len(_engine._slots) == 1
    del kept


def test_blocks_of_many_threads_leave_the_engine_as_it_was():
    def work(number):
        for i in range(100):
            with np.engine(("naive", "threaded")[number % 2]):
                assert (np.array([i]) + 1).item() == i + 1

    together(work, 6)
    assert not queues()


@pytest.mark.parametrize("name", ["Threaded", "", None, 1, ["threaded"], {}, b"threaded"])
def test_another_engine_is_told_with_those_that_there_are(name):
    with pytest.raises(ValueError, match=r"engine: expected one of 'naive', 'threaded', .*, got "):
        np.engine(name)


# ---- results ----

STEPS = {
    "add": lambda m, x, y: m.add(x, y),
    "multiply": lambda m, x, y: m.multiply(x, y),
    "transpose": lambda m, x, y: m.transpose(x),
    "concatenate": lambda m, x, y: m.concatenate([x, y])[:3],
    "dot": lambda m, x, y: m.clip(m.dot(x, y), -9, 9),
    "sum": lambda m, x, y: x + m.sum(y, axis=0),
}


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 99), st.integers(0, 99)), max_size=40)
)
def test_what_is_queued_gives_what_numpy_gives(steps):
    start = numpy.arange(9.0).reshape(3, 3)
    expected, queued = [start], [np.array(start)]
    with np.engine("threaded"), numpy.errstate(all="ignore"):
        for name, i, j in steps:
            x, y = i % len(expected), j % len(expected)
            expected.append(STEPS[name](numpy, expected[x], expected[y]))
            queued.append(STEPS[name](np, queued[x], queued[y]))
        for result, number in zip(queued, expected, strict=True):
            numpy.testing.assert_array_equal(result.asnumpy(), number)


def test_operators_without_a_result_run_at_once(threaded, tmp_path):
    a = np.array([1.0, 2.0])
    for _ in range(20):
        a = a + 1
    np.save(tmp_path / "a.npy", a)
    assert numpy.load(tmp_path / "a.npy").tolist() == [21.0, 22.0]
    assert np.load(tmp_path / "a.npy").asnumpy().tolist() == [21.0, 22.0]


def test_the_same_seed_gives_the_same_numbers(threaded):
    def draw():
        np.random.seed(5)
        return [a.asnumpy().tolist() for a in [np.random.normal(size=(50,)) for _ in range(20)]]

    first = draw()
    with np.engine("naive"):
        assert draw() == first
    assert draw() == first


# ---- errors ----


def queue_a_failure():
    return np.take([1, 2], [7])


def test_an_error_waits_for_the_reader_with_the_line_that_queued_it(threaded):
    a = queue_a_failure()
    with pytest.raises(IndexError, match="index = 7 is out of bounds") as caught:
        a.asnumpy()
    assert type(caught.value) is error.IndexError
    names = functions(caught)
    assert names[0] == inspect.currentframe().f_code.co_name
    assert names[1] == "asnumpy"
    assert names[-1] == "read_positions"
    at = names.index("queue_a_failure")
    assert names.index("mx_wait_to_read") < at < names.index("take_forward")
    entry = traceback.extract_tb(caught.value.__traceback__)[at]
    lines, first = inspect.getsourcelines(queue_a_failure)
    assert (entry.filename, entry.lineno, entry.line) == (__file__, first + 1, lines[1].strip())
    (frame,) = [f for f in caught.value.native.frames if f.function == "queue_a_failure"]
    assert frame.values == ((frames.PYTHON, "take"),)


READS = {
    "asnumpy": lambda a: a.asnumpy(),
    "wait_to_read": lambda a: a.wait_to_read(),
    "repr": repr,
    "bool": bool,
    "item": lambda a: a.item(),
    "numpy": numpy.asarray,
    "save": lambda a: np.save("/no/such/file", a),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_each_read_of_each_spoiled_array_raises_it_again(threaded, read):
    a = queue_a_failure()
    b = np.concatenate([np.exp(a), np.array([1.0])])
    good = np.array([1, 2]) + 1
    texts = set()
    for array in (b, a, b, a):
        with pytest.raises(IndexError) as caught:
            read(array)
        texts.add(str(caught.value))
        assert "queue_a_failure" in functions(caught)
    assert len(texts) == 1
    np.waitall()
    assert good.asnumpy().tolist() == [2, 3]
    with np.engine("naive"), pytest.raises(IndexError):
        a + 1
    assert (a.shape, a.dtype) == ((1,), numpy.dtype("int64"))


def test_waiting_for_all_raises_what_nobody_was_told_of_and_then_is_clean(threaded):
    arrays = [queue_a_failure() for _ in range(3)]
    with pytest.raises(IndexError) as caught:
        np.waitall()
    assert "queue_a_failure" in functions(caught)
    values = {name: value for frame in caught.value.native.frames for name, value in frame.values}
    assert values["errors"] == "3"
    np.waitall()
    for array in arrays:
        with pytest.raises(IndexError):
            array.wait_to_read()
    np.waitall()


def test_what_is_wrong_with_a_call_itself_is_raised_at_once(threaded):
    with pytest.raises(error.ValueError, match="Repeated axis"):
        np.array([[1, 2]]).transpose((0, 0))
    with pytest.raises(ValueError, match="array is too big"):
        np.zeros((2**40, 2**40))
    too_large = np.zeros((2**59,))
    with pytest.raises(MemoryError, match="cannot allocate an array"):
        too_large.wait_to_read()


def test_an_array_that_is_freed_while_it_is_queued_is_no_reason_to_hang(threaded):
    for _ in range(100):
        np.exp(np.array([1.0])) + 1
    queue_a_failure()
    with pytest.raises(IndexError):
        np.waitall()


class Name(str):
    def startswith(self, *_):
        raise AssertionError("it is not asked")


@pytest.mark.parametrize("name", [None, 5, [], Name("user"), "no name"], ids=repr)
@pytest.mark.parametrize("file", ["f.py", "\ud800.py", "f\udcff.py", "f\0.py", ""], ids=ascii)
def test_any_module_may_queue(threaded, name, file):
    code = compile("def call(np):\n    return np.take([1, 2], [7])", "f.py", "exec")
    code = code.replace(co_consts=tuple(_renamed(constant, file) for constant in code.co_consts))
    module = {} if name == "no name" else {"__name__": name}
    exec(code, module)
    with pytest.raises(error.IndexError, match="index = 7"):
        module["call"](np).asnumpy()


def _renamed(constant, file):
    """Give code another file, a name that is no text in any encoding, and no lines."""
    if not isinstance(constant, types.CodeType):
        return constant
    return constant.replace(co_filename=file, co_name="call\ud800", co_linetable=b"")


# ---- what a worker takes over ----


def test_the_errstate_is_that_of_the_call(threaded):
    with np.errstate(divide="raise"):
        strict = np.divide([1.0], [0.0])
    loose = np.divide([1.0], [0.0])
    with np.errstate(divide="raise"):
        assert loose.item() == numpy.inf
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        strict.wait_to_read()


@pytest.mark.parametrize("stage", ["parse", "infer_shape", "infer_type", "allocate", "forward"])
def test_a_fail_point_is_that_of_the_call(threaded, stage):
    before = np.exp([1.0])
    with pytest.raises(error.InternalError, match="injected") as caught:
        with mxerr.failpoint(f"exp.{stage}", "InternalError: injected", times=1):
            results = [np.exp([1.0]) for _ in range(2)]
        results[0].wait_to_read()
    assert f"exp.{stage}" in functions(caught)
    before.wait_to_read()
    if stage in {"allocate", "forward"}:
        results[1].wait_to_read()


def test_a_trace_has_the_stages_on_the_threads_that_ran_them(threaded):
    with mxerr.trace() as trace:
        np.exp([1.0])
        np.waitall()
    threads = {event.name: event.thread for event in trace.events if event.phase == "enter"}
    assert threads["exp.infer_type"] == threading.get_native_id()
    assert threads["exp.allocate"] == threads["exp.forward"] != threading.get_native_id()


# ---- forks and ends ----


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="the system has no fork")
def test_a_child_computes_what_is_queued_and_is_told_what_was_running():
    done = run("""
        import threading
        gate, entered = threading.Event(), threading.Event()

        @np.register_custom("gated")
        def gated(a):
            entered.set()
            gate.wait()
            return a

        np.engine("threaded")
        running = np.custom([1.0], op_type="gated")
        queued = running + 1
        entered.wait()
        child = os.fork()
        gate.set()
        if child == 0:
            try:
                running.asnumpy()
            except RuntimeError as error:
                print(error)
            print((np.array([1.0]) + 1).item())
            sys.stdout.flush()
            os._exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), queued.item())
    """)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "custom: was running when the process was forked; the child has no result of it",
        "2.0",
        "3 2.0",
    ]


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "os._exit(0)"])
def test_a_process_ends_while_work_is_queued(end):
    done = run(f"""
        import time

        @np.register_custom("slow")
        def slow(a):
            time.sleep(0.01)
            return a

        np.engine("threaded")
        kept = [np.custom([float(i)], op_type="slow") + np.ones((300, 300)) for i in range(30)]
        {end}
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_error_that_nobody_saw_is_shown_when_the_process_ends():
    done = run("np.engine('threaded')\nnp.take([1], [1])")
    assert done.returncode == 0
    assert "mxerr.error.IndexError: " in done.stderr
    assert "in read_positions" in done.stderr


def test_a_failure_on_a_worker_leaves_the_process_alive():
    done = run("""
        np.engine("threaded")
        for _ in range(200):
            try:
                np.take([1], [1]).asnumpy()
            except IndexError:
                pass
            try:
                np.take([1], [1])
                np.waitall()
            except IndexError:
                pass
        print("alive")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")
