"""Runs a piece of a test on several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable


def together(work: Callable[[int], object], count: int) -> None:
    """Call `work` with each number below `count`, each on a thread of its own, and wait for all."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
