"""A library whose calls fail as tests want it, without a compiler: made-up reports over real C text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from mxerr import Library, MXNetError
from mxerr.registry import GLOBAL
from mxerr.report import Check, NativeFrame, NativeReport

DATA = Path(__file__).parents[1] / "data"
SOURCE = DATA / "shelf.c"


def line_of(text: str, file: Path = SOURCE) -> int:
    """Find the line that holds a text."""
    return next(n for n, line in enumerate(file.read_text("utf-8").splitlines(), 1) if text in line)


def frames(*names: str) -> tuple[NativeFrame, ...]:
    """Make the frames of a failed look-up, `names` between the C API and the check."""
    places = {"walk": "walk(shelf->next"}
    middle = [NativeFrame(name, SOURCE.name, line_of(places[name])) for name in names]
    check = NativeFrame("find_book", SOURCE.name, line_of("MXERR_CHECK_LT"), (("index", "7"), ("size", "3")))
    return (NativeFrame("shelf_find", SOURCE.name, line_of("MXERR_API")), *middle, check)


def report(kind: str | None = "IndexError", *names: str) -> NativeReport:
    """Make a report."""
    check = Check("index < size", "7", "3")
    message = "no such book. index = 7"
    return NativeReport(
        f"{check.text} : {message}", message, kind, check, frames(*names), status=-1, source_root=str(DATA)
    )


class Shelf(Library):
    """A library of which every call fails with a given report."""

    def __init__(self, report: NativeReport) -> None:
        self._registry, self._default, self._report = GLOBAL, MXNetError, report

    def __repr__(self) -> str:
        return "<shelf>"

    def report(self, status: int, function: str = "") -> NativeReport:
        return self._report._replace(function=function, status=status)

    def find(self) -> None:
        self.check(-1, "shelf_find")


@contextmanager
def interactive_shell(**settings: Any) -> Iterator[InteractiveShell]:
    """Make an IPython shell in this process, without history and without the user's settings."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.update({"colors": "nocolor", **settings})
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    try:
        yield shell
    finally:
        shell.run_line_magic("xmode", "Context")
        InteractiveShell.clear_instance()


def modes(shell: InteractiveShell) -> Sequence[str]:
    """Name the modes of ``%xmode`` that this IPython has."""
    return [mode for mode in shell.InteractiveTB.valid_modes if mode != "Doctest"]
