"""A traceback as runs of frames: what is shown, what folded, and where Python calls C and C calls Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import groupby
from types import FrameType, TracebackType
from typing import Final, NamedTuple

from mxerr.excerpt import is_native

_MOST_NATIVE: Final = (
    8  # C frames that the short form shows in one run: this many, the head and the tail of it
)
_HEAD: Final = 3
FULL_HINT: Final = "%mxerr frames full shows them"


class Side(Enum):
    """What the frames of a run are."""

    PYTHON = "Python"
    C = "C"


class Run(NamedTuple):
    """Frames that follow each other.

    Attributes
    ----------
    side : Side
        What they are.
    entries : list of types.TracebackType
        The entries of the traceback, one for each frame.
    fold : str
        What is shown in their place; empty where they are shown.
    crosses : bool
        Whether the call comes from the other side here.
    """

    side: Side
    entries: list[TracebackType]
    fold: str = ""
    crosses: bool = False


def entries_of(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """Walk along a traceback, the outermost entry first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def has_native(traceback: TracebackType | None) -> bool:
    """Tell whether a traceback holds a C frame."""
    return any(is_native(entry.tb_frame) for entry in entries_of(traceback))


def ends_hidden(traceback: TracebackType | None, is_plumbing: Callable[[FrameType], bool]) -> bool:
    """Tell whether plumbing that asks to be hidden raised the error: IPython never hides the last frame."""
    frames = [entry.tb_frame for entry in entries_of(traceback)][-1:]
    return any(is_plumbing(frame) and frame.f_locals.get("__tracebackhide__") is True for frame in frames)


def part(entries: Sequence[TracebackType]) -> TracebackType:
    """Make a traceback of some entries of another, at least one; that other stays as it is."""
    first: TracebackType | None = None
    for entry in reversed(entries):
        first = TracebackType(first, entry.tb_frame, entry.tb_lasti, entry.tb_lineno or 0)
    assert first is not None
    return first


def split(
    traceback: TracebackType, is_plumbing: Callable[[FrameType], bool], *, full: bool = False
) -> list[Run]:
    """Split a traceback into runs.

    Parameters
    ----------
    traceback : types.TracebackType
        The traceback. It is not altered.
    is_plumbing : callable
        Says which Python frames are folded.
    full : bool
        Fold nothing.

    Returns
    -------
    list of Run
        Every entry, in order, in one of the runs.

    Examples
    --------
    >>> try:
    ...     1 / 0
    ... except ZeroDivisionError as error:
    ...     [run.side.value for run in split(error.__traceback__, lambda frame: False)]
    ['Python']
    """

    def kind(entry: TracebackType) -> tuple[Side, bool]:
        if is_native(entry.tb_frame):
            return Side.C, False
        return Side.PYTHON, not full and is_plumbing(entry.tb_frame)

    result: list[Run] = []
    side = Side.PYTHON  # a traceback begins in Python
    for (next_side, plumbing), group in groupby(entries_of(traceback), kind):
        entries = list(group)
        if plumbing:
            run = [Run(next_side, entries, f"{_count(entries, 'frame')} of the call folded: {FULL_HINT}")]
        elif next_side is Side.C and not full:
            run = _without_repeats(entries)
        else:
            run = [Run(next_side, entries)]
        result += [run[0]._replace(crosses=next_side is not side), *run[1:]]
        side = next_side
    return result


def _without_repeats(entries: list[TracebackType]) -> list[Run]:
    """Fold C frames that repeat the one before, and the middle of what is still too much."""
    result: list[Run] = []
    for _, group in groupby(entries, _place):
        first, *repeats = group
        result.append(Run(Side.C, [first]))
        if repeats:
            name = first.tb_frame.f_code.co_name
            fold = f"{_count(repeats, 'repeated C frame')} of {name} folded: {FULL_HINT}"
            result.append(Run(Side.C, repeats, fold))
    if len(result) <= _MOST_NATIVE:
        return result
    head, middle, tail = result[:_HEAD], result[_HEAD : _HEAD - _MOST_NATIVE], result[_HEAD - _MOST_NATIVE :]
    folded = [entry for run in middle for entry in run.entries]
    return [*head, Run(Side.C, folded, f"{_count(folded, 'C frame')} folded: {FULL_HINT}"), *tail]


def _place(entry: TracebackType) -> tuple[str, str, int | None]:
    code = entry.tb_frame.f_code
    return code.co_filename, code.co_name, entry.tb_lineno


def _count(entries: Sequence[object], what: str) -> str:
    return f"{len(entries)} {what}{'s' if len(entries) != 1 else ''}"
