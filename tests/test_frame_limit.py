"""Many C frames: the first and the last are shown, the rest is counted, and a switch shows them all."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mxerr import frames
from mxerr.frames import MOST, VARIABLE, traceback_of
from mxerr.report import NativeFrame, NativeReport

SOURCE = r"""
static int sink(int depth) {
  if (depth == 0) MXERR_FAIL("IndexError: too deep");
  MXERR_TRY_WITH(sink(depth - 1), MXERR_LOCAL("depth", "%d"), depth);
  return 0;
}
MXERR_EXPORT int dive(int depth) { MXERR_API(sink(depth)); }
"""

PROGRAM = """
import sys, traceback
from mxerr import build
library = build(sys.argv[1])
for _ in range(2):
    try:
        library.dive(int(sys.argv[2]))
    except IndexError as error:
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.name in ("sink", "dive") or "omitted" in frame.name:
                print(frame.name)
"""


def run(depth: int, setting: str | None) -> tuple[list[str], str]:
    """Fail in C so deep, in a process of its own, twice; gives the C frames of each time, and stderr."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if setting is not None:
        environment[VARIABLE] = setting
    command = [sys.executable, "-c", PROGRAM, SOURCE, str(depth)]
    done = subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.fixture
def limit(monkeypatch):
    """Set the variable as at the start of a process."""

    def forget() -> None:
        frames._most.cache_clear()
        frames._ready.cache_clear()

    def set(value: str | None) -> None:
        if value is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, value)
        forget()

    yield set
    monkeypatch.undo()
    forget()


def names(count: int, omitted: int = 0) -> list[str]:
    made = tuple(NativeFrame(f"f{i}") for i in range(count))
    entry, found = traceback_of(NativeReport("bad", "bad", frames=made, frames_omitted=omitted)), []
    while entry is not None:
        found.append(entry.tb_frame.f_code.co_name)
        entry = entry.tb_next
    return found


@pytest.mark.parametrize(
    ("setting", "kept", "gap"),
    [
        (None, 64, "[438 C frames omitted]"),
        ("20", 20, "[482 C frames omitted; MXERR_FRAMES=all shows 44 of them]"),
        ("4", 4, "[498 C frames omitted; MXERR_FRAMES=all shows 60 of them]"),
        ("all", 64, "[438 C frames omitted]"),
    ],
)
def test_a_recursion_shows_where_it_began_and_ended_and_says_how_deep_it_went(setting, kept, gap):
    shown, stderr = run(500, setting)
    once = ["dive", *["sink"] * (kept // 2 - 1), gap, *["sink"] * (kept - kept // 2)]
    assert shown == once * 2
    assert stderr == ""


def test_a_setting_that_is_none_is_told_once():
    shown, stderr = run(500, "lots")
    assert shown.count("[438 C frames omitted]") == 2
    assert stderr.count(f"{VARIABLE}: expected a number or 'all', got 'lots'") == 1


@pytest.mark.parametrize(
    ("setting", "count", "omitted", "expected"),
    [
        (None, MOST, 0, [f"f{i}" for i in range(MOST)]),
        (
            None,
            MOST + 2,
            0,
            [
                *(f"f{i}" for i in range(32)),
                "[2 C frames omitted; MXERR_FRAMES=all shows 2 of them]",
                *(f"f{i}" for i in range(34, 66)),
            ],
        ),
        ("3", 3, 0, ["f0", "f1", "f2"]),
        ("3", 5, 0, ["f0", "[2 C frames omitted; MXERR_FRAMES=all shows 2 of them]", "f3", "f4"]),
        ("2", 4, 7, ["f0", "[9 C frames omitted; MXERR_FRAMES=all shows 2 of them]", "f3"]),
        ("4", 4, 7, ["f0", "f1", "[7 C frames omitted]", "f2", "f3"]),
        ("0", 2, 0, ["[2 C frames omitted; MXERR_FRAMES=all shows 2 of them]"]),
        ("all", 50, 0, [f"f{i}" for i in range(50)]),
        ("all", 500, 0, [f"f{i}" for i in range(500)]),
    ],
)
def test_the_middle_is_left_out(limit, setting, count, omitted, expected):
    limit(setting)
    assert names(count, omitted) == expected


@pytest.mark.parametrize("setting", ["-1", "1.5", "None", "ALL!"])
def test_any_other_setting_is_a_warning_and_changes_nothing(limit, setting):
    limit(setting)
    with pytest.warns(UserWarning, match="MXERR_FRAMES: expected a number or 'all'"):
        first = names(50)
    assert names(50) == first
    limit(None)
    assert names(50) == first
