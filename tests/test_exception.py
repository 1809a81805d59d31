"""From a report to an exception: whatever a class does, the error of C is raised."""

from __future__ import annotations

import pytest

from mxerr import NativeError
from mxerr.exception import make_exception
from mxerr.registry import GLOBAL, Registry
from mxerr.report import NativeFrame, NativeReport


class Turncoat(Exception):
    """Passes the trial at registration, and fails afterwards."""

    broken = False

    def __init__(self, text: str) -> None:
        if self.broken:
            raise KeyError(text)
        super().__init__(text)


class Closed(Exception):
    """Takes no attributes of others."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


class Taken(Exception):
    """Has another use for the name."""

    @property
    def native(self) -> int:
        return 7


REPORT = NativeReport("text", "text", kind="X", frames=(NativeFrame("f", "f.c", 1),))


def test_a_class_that_cannot_be_made_any_more_gives_the_base_with_a_note(monkeypatch):
    monkeypatch.setattr(Turncoat, "broken", True)
    registry = Registry()
    registry.classes["X"] = Turncoat
    made = make_exception(REPORT, registry, NativeError)
    assert (type(made), str(made)) == (NativeError, "text")
    assert made.__notes__ == ["mxerr: Turncoat could not be made from its text: KeyError: 'text'"]


@pytest.mark.parametrize("cls", [dict, lambda text: text, lambda text: KeyboardInterrupt(text)])
def test_what_is_put_into_the_table_by_force_does_no_harm(cls):
    registry = Registry()
    registry.classes["X"] = cls
    made = make_exception(REPORT, registry, NativeError)
    assert (type(made), str(made)) == (NativeError, "text")
    assert "could not be made from its text" in made.__notes__[0]


def test_a_class_that_takes_no_attributes_is_raised_all_the_same():
    registry = Registry()
    registry.classes["X"] = Closed
    made = make_exception(REPORT, registry, NativeError)
    assert (type(made), made.native, hasattr(made, "__notes__")) == (Closed, REPORT, False)


def test_a_class_with_another_use_for_the_name_is_raised_with_a_note():
    registry = Registry()
    registry.classes["X"] = Taken
    made = make_exception(REPORT, registry, NativeError)
    assert (type(made), made.native) == (Taken, 7)
    assert "the report could not be kept: AttributeError" in made.__notes__[0]


def test_frames_that_cannot_be_made_leave_a_note(monkeypatch):
    def broken(report: NativeReport, inner: object) -> None:
        raise OSError("no frames today")

    monkeypatch.setattr("mxerr.frames.traceback_of", broken)
    made = make_exception(REPORT, Registry(), NativeError)
    assert made.__notes__ == ["mxerr: the C frames could not be shown: OSError: no frames today"]
    assert made.native is REPORT


def hostile(**members):
    """Put a class into the table that does what no class should."""
    registry = Registry()
    registry.classes["X"] = type("Hostile", (Exception,), members)
    return registry


class MuteError(Exception):
    def __str__(self):
        raise LookupError("no text")


def raising(error):
    def method(self, *args):
        raise error

    return method


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit(), "GeneratorExit: "),
        (MuteError(), "MuteError"),
    ],
)
def test_whatever_a_constructor_raises_is_a_note(odd, said):
    made = make_exception(REPORT, hostile(__init__=raising(odd)), NativeError)
    assert (type(made), str(made)) == (NativeError, "text")
    assert made.__notes__ == [f"mxerr: Hostile could not be made from its text: {said}"]


def test_the_users_own_interrupt_is_not_held_back():
    with pytest.raises(KeyboardInterrupt):
        make_exception(REPORT, hostile(__init__=raising(KeyboardInterrupt())), NativeError)


@pytest.mark.parametrize(
    "members",
    [
        {"with_traceback": raising(SystemExit(3))},
        {"add_note": raising(OSError()), "native": property(lambda self: 7)},
        {"__notes__": (), "native": property(lambda self: 7)},
        {"__dict__": property(raising(OSError())), "native": property(lambda self: 7)},
    ],
)
def test_methods_and_notes_of_its_own_do_no_harm(members):
    made = make_exception(REPORT, hostile(**members), NativeError)
    assert type(made).__name__ == "Hostile"
    assert made.args == ("text",)
    assert made.__traceback__.tb_frame.f_code.co_name == "f"


@pytest.mark.parametrize("put", [5, 0, "", None, (), 1.5])
def test_no_class_at_all_in_the_table_does_no_harm(put):
    with GLOBAL.temporary():
        GLOBAL.classes["X"] = put
        made = make_exception(REPORT, GLOBAL, NativeError)
    assert (type(made), str(made)) == (NativeError, "text")
