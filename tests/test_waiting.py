"""Waiting for the engine: signals are handled meanwhile, and whoever waits gets what there is to wait for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from mxerr import np

SECONDS = 120
"""After which a process hangs, also on a busy machine."""

A = np.array([1.0])


@pytest.fixture(autouse=True)
def threaded():
    with np.engine("threaded"):
        yield
    np.waitall()


@pytest.fixture
def gate():
    """Give an event that custom operators named "gated" wait for."""
    event = threading.Event()

    @np.register_custom("gated")
    def gated(*arrays):
        event.wait(SECONDS)
        return arrays[0]

    yield event
    event.set()


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that has to end."""
    code = "import os, sys, threading, time\nfrom mxerr import np\n" + textwrap.dedent(program)
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=SECONDS, check=False)


class Stopped(BaseException):
    """What the handlers of these tests raise."""


@pytest.fixture
def alarm():
    """Give a function that sends signals soon, whose handlers raise `Stopped`."""

    def stop(number, frame):
        raise Stopped(number)

    before = {
        number: signal.signal(number, stop) for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
    }

    def send(*numbers):
        def kill():
            for number in numbers:
                os.kill(os.getpid(), number)

        threading.Timer(0.05, kill).start()

    yield send
    for number, handler in before.items():
        signal.signal(number, handler)


# ---- signals ----

WAITS = {
    "asnumpy": lambda a: a.asnumpy(),
    "wait_to_read": lambda a: a.wait_to_read(),
    "waitall": lambda a: np.waitall(),
    "repr": repr,
    "save": lambda a: np.save("/no/such/file", a),
    "out": lambda a: np.add(a, a, out=np.zeros((1,))),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_signal_ends_a_wait_and_the_array_can_still_be_read(gate, alarm, wait):
    result = np.custom(A, op_type="gated")
    alarm(signal.SIGALRM)
    with pytest.raises(Stopped) as caught:
        wait(result)
    assert caught.value.args == (signal.SIGALRM,)
    assert not gate.is_set()
    gate.set()
    assert result.item() == 1


def test_a_signal_ends_a_wait_of_an_operator_that_runs_at_once(gate, alarm):
    result = np.custom(A, op_type="gated")
    with np.engine("naive"):
        alarm(signal.SIGALRM)
        with pytest.raises(Stopped):
            result + 1
        gate.set()
        assert (result + 1).item() == 2


@pytest.mark.parametrize("operator", [np.matmul, np.dot])
def test_a_signal_ends_a_long_product(alarm, operator):
    with np.engine("naive"):
        a = b = np.ones((2500, 2500))
        alarm(signal.SIGALRM)
        with pytest.raises(Stopped) as caught:
            operator(a, b)
    assert "mx_gemm_run" in [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]


def test_ctrl_c_ends_a_wait(gate):
    result = np.custom(A, op_type="gated")
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        result.wait_to_read()


def test_a_handler_that_raises_nothing_lets_the_wait_go_on(gate):
    before = signal.signal(signal.SIGALRM, lambda number, frame: gate.set())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert np.custom(A, op_type="gated").item() == 1
    finally:
        signal.signal(signal.SIGALRM, before)


def test_signals_at_the_same_time_are_all_handled(gate, alarm, capfd):
    result = np.custom(A, op_type="gated")
    for _ in range(3):
        alarm(signal.SIGALRM, signal.SIGUSR1)
        stopped = []
        while len(stopped) < 2:
            try:
                result.wait_to_read()
            except Stopped as error:
                stopped += [error, error.__context__] if isinstance(error.__context__, Stopped) else [error]
        assert {error.args[0] for error in stopped} == {signal.SIGALRM, signal.SIGUSR1}
    assert capfd.readouterr() == ("", "")


def test_a_handler_that_waits_itself_can_be_stopped(gate, alarm):
    result = np.custom(A, op_type="gated")
    before = signal.signal(signal.SIGUSR2, lambda number, frame: (alarm(signal.SIGALRM), np.waitall()))
    try:
        alarm(signal.SIGUSR2)
        with pytest.raises(Stopped) as caught:
            result.wait_to_read()
        assert caught.value.args == (signal.SIGALRM,)
    finally:
        signal.signal(signal.SIGUSR2, before)


# ---- threads of the program ----


def test_operators_may_wait_for_threads_that_use_operators():
    count = 4 * (os.cpu_count() or 1)
    with ThreadPoolExecutor(count) as pool:
        np.register_custom("inner")(lambda a: pool.submit(lambda: (a + 1).asnumpy()).result())
        np.register_custom("outer")(
            lambda a: pool.submit(lambda: np.custom(a, op_type="inner").asnumpy()).result()
        )
        assert [np.custom(A, op_type="inner") for _ in range(count)][-1].item() == 2
        arrays = [np.custom(A, op_type="outer") for _ in range(count // 2)]
        assert [a.item() for a in arrays] == [2.0] * (count // 2)


def test_waiting_for_all_leaves_out_what_is_queued_after_it(gate):
    np.register_custom("slow")(lambda a: time.sleep(0.001) or a)
    stop = threading.Event()
    queued = threading.Event()

    def queue():
        kept = []
        while not stop.is_set():
            kept = [*kept[-20:], np.custom(A, op_type="slow")]
            kept[0].wait_to_read()
            queued.set()

    threads = [threading.Thread(target=queue) for _ in range(3)]
    for thread in threads:
        thread.start()
    queued.wait(SECONDS)
    np.waitall()
    assert all(thread.is_alive() for thread in threads)
    stop.set()
    for thread in threads:
        thread.join()


def test_queueing_waits_where_much_is_queued_but_not_for_what_does_not_move(gate, alarm):
    first = np.custom(A, op_type="gated")
    for _ in range(4096):
        last = first + 1
    begin = time.monotonic()
    last = first + 1  # nothing ends: it is queued all the same
    assert time.monotonic() - begin > 0.05
    alarm(signal.SIGALRM)
    with pytest.raises(Stopped):
        for _ in range(SECONDS * 10):
            last = first + 1
    gate.set()
    assert last.item() == 2


# ---- ends ----


def test_a_process_ends_while_daemon_threads_go_on_to_queue():
    done = run("""
        def queue():
            a = np.array([1.0])
            while True:
                a = a + 1

        np.engine("threaded")
        for _ in range(3):
            threading.Thread(target=queue, daemon=True).start()
        time.sleep(0.1)
        print("bye")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


@pytest.mark.parametrize("before", ["", "(np.array([1.0]) + 1).asnumpy()"])
def test_a_child_that_returns_from_the_function_that_forked_ends_with_an_error(before):
    done = run(f"""
        @np.register_custom("forks")
        def forks(a):
            child = os.fork()
            if child == 0:
                {before}
                return a
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            return a

        np.engine("threaded")
        print(np.custom([1.0], op_type="forks").item())
    """)
    assert (done.returncode, done.stdout) == (0, "1\n1.0\n")
    assert "custom: a function forked the process and returned in the child" in done.stderr
