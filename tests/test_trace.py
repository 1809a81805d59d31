"""The timeline: every step of both sides, in order, bounded, and in a form that viewers open."""

from __future__ import annotations

import json
import threading
from itertools import pairwise

import pytest

import mxerr
from mxerr import np, timeline

STAGES = [f"transpose.{stage}" for stage in ("parse", "infer_shape", "infer_type", "allocate", "forward")]


def entered(recorded) -> list[str]:
    return [event.name for event in recorded.events if event.phase == "enter"]


def balanced(events: list[timeline.Event]) -> bool:
    """Each step is left in the order in which it was entered, thread by thread."""
    stacks: dict[int, list[str]] = {}
    for event in events:
        stack = stacks.setdefault(event.thread, [])
        if event.phase == "enter":
            stack.append(event.name)
        elif event.phase == "leave" and (not stack or stack.pop() != event.name):
            return False
    return not any(stacks.values())


def test_a_call_passes_every_step_in_order():
    array = np.array([[1, 2]])
    with mxerr.trace() as recorded:
        array.transpose()
    assert entered(recorded) == ["call transpose", "invoke transpose", *STAGES]
    assert balanced(recorded.events)
    assert all(a.time <= b.time for a, b in pairwise(recorded.events))
    assert {event.thread for event in recorded.events} == {threading.get_native_id()}


def test_an_error_is_followed_on_both_sides():
    array = np.array([[1, 2]])
    with mxerr.trace() as recorded, pytest.raises(ValueError, match="Repeated"):
        array.transpose((0, 0))
    assert entered(recorded) == [
        "call transpose", "invoke transpose", *STAGES[:2], "check", "read", "look up ValueError", "make",
    ]  # fmt: skip
    raises = [(event.side, event.name) for event in recorded.events if event.phase == "raise"]
    assert raises == [
        ("C", "transpose.infer_shape"),
        ("Python", "ValueError"),
        ("Python", "invoke transpose"),
        ("Python", "call transpose"),
    ]
    assert balanced(recorded.events)


def test_nothing_is_noted_outside_of_a_trace_and_a_new_one_starts_empty():
    array = np.array([[1, 2]])
    with mxerr.trace() as first:
        array.transpose()
    array.transpose()
    with mxerr.trace() as second:
        pass
    assert len(first.events) == 14
    assert second.events == []
    assert str(second) == "no events"


def test_the_ring_keeps_the_last_events_and_counts_the_others():
    array = np.array([[1, 2]])
    with mxerr.trace(capacity=10) as recorded:
        for _ in range(100):
            array.transpose()
    assert [event.side for event in recorded.events].count("C") == 10
    assert [event.side for event in recorded.events].count("Python") == 10
    assert recorded.dropped == 100 * 14 - 20
    assert f"{recorded.dropped} events dropped" in str(recorded)


def test_every_thread_has_its_own_ring():
    array = np.array([[1, 2]])

    def work() -> None:
        for _ in range(50):
            array.transpose()

    with mxerr.trace() as recorded:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({event.thread for event in recorded.events}) == 4
    assert len(recorded.events) == 4 * 50 * 14
    assert balanced(recorded.events)


def test_a_trace_is_filled_and_ended_also_when_the_body_raises():
    with pytest.raises(LookupError), mxerr.trace() as recorded:
        np.array([[1, 2]]).transpose()
        raise LookupError
    assert len(recorded.events) == 14
    assert timeline.recorder is None


@pytest.mark.parametrize("capacity", [0, -1, 2**30])
def test_a_bad_capacity_is_refused_and_leaves_nothing_behind(capacity):
    with pytest.raises(ValueError, match="a trace"), mxerr.trace(capacity):
        pass
    assert timeline.recorder is None
    with mxerr.trace():
        pass


def test_traces_do_not_nest():
    with mxerr.trace(), pytest.raises(RuntimeError, match="a trace runs already"), mxerr.trace():
        pass


def test_the_table_has_a_line_for_each_event():
    with mxerr.trace() as recorded:
        np.array([[1, 2]]).transpose()
    lines = str(recorded).splitlines()
    assert len(lines) == 14
    assert lines[0].split() == ["0.0", "µs", "1", "Python", ">", "call", "transpose"]


def test_the_file_is_chromes_trace_event_format(tmp_path):
    with mxerr.trace() as recorded, pytest.raises(ValueError, match="Repeated"):
        np.array([[1, 2]]).transpose((0, 0))
    recorded.save(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    assert content == json.loads(json.dumps(recorded.to_chrome()))
    events = content["traceEvents"]
    assert len(events) == len(recorded.events)
    assert {event["ph"] for event in events} == {"B", "E", "i"}
    for event in events:
        assert event.keys() >= {"name", "cat", "ph", "ts", "pid", "tid"}
        assert event.get("s", "t") == "t"
    begins, ends = ([e["name"] for e in events if e["ph"] == phase] for phase in "BE")
    assert sorted(begins) == sorted(ends)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]
