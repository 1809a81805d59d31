"""Compares the time of two calls in one process: interleaved, so that a busy machine slows both."""

from __future__ import annotations

import gc
import subprocess
import sys
import timeit
from collections.abc import Callable
from statistics import median


def ratio(
    measured: Callable[[], object],
    reference: Callable[[], object],
    *,
    rounds: int = 31,
    seconds: float = 0.01,
) -> tuple[float, float]:
    """Time two calls in turn.

    Parameters
    ----------
    measured, reference : callable
        What is compared.
    rounds : int
        How often each is timed.
    seconds : float
        How long one timing of the reference takes.

    Returns
    -------
    ratio : float
        Median over the rounds of time of `measured` / time of `reference`.
    time : float
        Median time of one call of `measured`, in seconds.
    """
    timers = [timeit.Timer(measured), timeit.Timer(reference)]
    number = max(1, int(seconds / max(timers[1].timeit(3) / 3, 1e-8)))
    for timer in timers:
        timer.timeit(number)
    gc.collect()
    times = [[timer.timeit(number) / number for timer in timers] for _ in range(rounds)]
    return median(a / b for a, b in times), median(a for a, _ in times)


def import_ratio(measured: str, reference: str, *, rounds: int = 15) -> tuple[float, float]:
    """Time two import statements in turn, each in a new process of its own, without the start of Python.

    Parameters
    ----------
    measured, reference : str
        What is compared: ``"import re"``.
    rounds : int
        How often each is timed.

    Returns
    -------
    ratio : float
        Median over the rounds of time of `measured` / time of `reference`.
    time : float
        Median time of `measured`, in seconds.
    """

    def seconds(statement: str) -> float:
        program = f"import time; begin = time.perf_counter(); {statement}; print(time.perf_counter() - begin)"
        done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)
        return float(done.stdout)

    times = [(seconds(measured), seconds(reference)) for _ in range(rounds)]
    return median(a / b for a, b in times), median(a for a, _ in times)
