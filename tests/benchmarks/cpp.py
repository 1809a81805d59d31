"""Measures mxerr.hpp and xla.hpp: ``python tests/benchmarks/cpp.py``; status 1 where a row is over."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from compiled import build
from ratio import ratio

from mxerr import Library
from mxerr.xla.exceptions import XlaError

HERE = Path(__file__).parent
CALLS = 2000


def raises(call: Callable[[int], int]) -> Callable[[], None]:
    """Call, and catch what is raised."""

    def run() -> None:
        try:
            call(-1)
        except (ValueError, XlaError):
            return

    return run


class Row(NamedTuple):
    """What is compared, the most that the ratio may be, and the argument: negative ones fail."""

    name: str
    most: float
    measured: str
    reference: str
    argument: int


# On success the first two differ by less than a nanosecond a call; the limits are for a busy machine.
ROWS = [
    Row("success: MXERR_CALL / bare C++ calls", 1.5, "called", "thrown", 1),
    Row("success: MXERR_CHECK / if and throw", 1.5, "checked", "thrown", 1),
    Row("success: xla::Status / int status", 4.0, "statuses", "status", 1),
    Row("failure: MXERR_CALL / bare throw", 8.0, "called", "thrown", -1),
    Row("failure: MXERR_CHECK / if and throw", 4.0, "checked", "thrown", -1),
    Row("failure: xla::Status / bare throw", 1.0, "statuses", "thrown", -1),
]


def measure(cdll: ctypes.CDLL, row: Row) -> tuple[float, float]:
    """Get the ratio of a row, and the seconds of one call."""
    count = CALLS if row.argument > 0 else CALLS // 100
    measured, reference = getattr(cdll, f"run_{row.measured}"), getattr(cdll, f"run_{row.reference}")
    result, seconds = ratio(lambda: measured(count, row.argument), lambda: reference(count, row.argument))
    return result, seconds / count


def main() -> int:
    """Print the table; return the number of rows that are over."""
    with tempfile.TemporaryDirectory() as folder:
        cdll = build("cpp.cpp", folder)
        library = Library(cdll, source_root=HERE)
        results = [(row.name, row.most, *measure(cdll, row)) for row in ROWS]
        in_python = ratio(raises(library.raise_statuses), raises(library.raise_called))
        results.append(("raised in Python: xla::Status / throw", 1.2, *in_python))
    for name, most, result, seconds in results:
        print(f"{name:42} {result:7.3f}  at most {most:<5g} {seconds * 1e9:10.1f} ns")
    return sum(result > most for _, most, result, _ in results)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
