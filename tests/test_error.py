"""The exception classes: what catches them, and that nothing is lost when they travel."""

from __future__ import annotations

import builtins
import copy
import pickle

import pytest

from mxerr import MXNetError, NativeError, error
from mxerr.exception import make_exception
from mxerr.registry import GLOBAL
from mxerr.report import Check, NativeFrame, NativeReport

BUILTINS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "AttributeError": AttributeError,
    "IndexError": IndexError,
    "NotImplementedError": NotImplementedError,
    "InternalError": RuntimeError,
    "IOError": OSError,
    "FileNotFoundError": FileNotFoundError,
    "FloatingPointError": FloatingPointError,
    "OverflowError": OverflowError,
    "MemoryError": MemoryError,
    "RuntimeError": RuntimeError,
}
CLASSES = [NativeError, MXNetError, *(getattr(error, name) for name in BUILTINS)]

REPORT = NativeReport(
    "Check failed: a == b (1 vs. 2) : no",
    "no",
    kind="ValueError",
    check=Check("a == b", "1", "2"),
    frames=(
        NativeFrame("api", "/no/such/a.c", 3),
        NativeFrame("inner", "/no/such/a.c", 7, (("a", "1"), ("b", "2"))),
    ),
    function="api",
    status=-1,
)


@pytest.mark.parametrize(("name", "builtin"), BUILTINS.items())
def test_an_error_is_caught_by_its_builtin_by_each_base_and_by_runtime_error(name, builtin):
    cls = getattr(error, name)
    for base in (builtin, MXNetError, NativeError, builtins.RuntimeError):
        with pytest.raises(base):
            raise cls("text")
    assert cls.__name__ == name
    assert cls.__module__ == "mxerr.error"


def test_default_errors_are_no_value_errors():
    assert not issubclass(MXNetError, ValueError)
    assert issubclass(MXNetError, RuntimeError)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("text", ["text", "", "'quoted'\nand {braces} %s", "caf\\xe9 \u6587"])
def test_the_text_is_the_one_argument_and_the_string(cls, text):
    made = cls(text)
    assert made.args == (text,)
    assert type(made)(*made.args).args == made.args
    expected = f"{text}\n{error.InternalError.HINT}" if cls is error.InternalError else text
    assert str(made) == expected


def test_an_error_that_nothing_raised_has_no_report_and_no_kind():
    made = error.ValueError("text")
    assert made.native is None
    assert made.kind is None


def raised(cls: type[Exception]) -> Exception:
    """An exception with everything on it that should travel."""
    made = make_exception(REPORT, GLOBAL, cls)
    made = cls(made.args[0]).with_traceback(made.__traceback__)
    made.native = REPORT  # type: ignore[attr-defined]
    made.add_note("a note")
    try:
        raise made
    except Exception as caught:
        return caught


def c_frames(exception: BaseException) -> list[tuple[str, str, int]]:
    found, entry = [], exception.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename.endswith(".c"):
            found.append((code.co_name, code.co_filename, entry.tb_lineno))
        entry = entry.tb_next
    return found


WAYS = [copy.copy, copy.deepcopy] + [
    pytest.param(lambda e, p=p: pickle.loads(pickle.dumps(e, p)), id=f"pickle{p}")
    for p in range(pickle.HIGHEST_PROTOCOL + 1)
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cls", CLASSES)
def test_a_copy_has_class_text_report_notes_and_c_frames(cls, way):
    original = raised(cls)
    travelled = way(original)
    assert type(travelled) is cls
    assert travelled.args == original.args
    assert str(travelled) == str(original)
    assert travelled.native == REPORT
    assert travelled.kind == "ValueError"
    assert travelled.__notes__ == ["a note"]
    assert (
        c_frames(travelled)
        == c_frames(original)
        == [("api", "/no/such/a.c", 3), ("inner", "/no/such/a.c", 7)]
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_an_error_that_nothing_raised_is_the_same(way):
    travelled = way(error.IOError("text"))
    assert (type(travelled), travelled.args, travelled.native) == (error.IOError, ("text",), None)
    assert travelled.__traceback__ is None


@pytest.mark.parametrize("foreign", ["a report of another release", ("text", "message", None)])
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_whose_frames_cannot_be_made_arrives_and_says_so(way, foreign):
    original = error.ValueError("text")
    original.native = foreign
    travelled = way(original)
    assert (type(travelled), travelled.args, travelled.native) == (error.ValueError, ("text",), foreign)
    (note,) = travelled.__notes__
    assert note.startswith("mxerr: the C frames could not be shown: AttributeError: ")


def test_hasattr_works_with_the_attribute_error():
    class Handle:
        def __getattr__(self, name: str) -> None:
            raise error.AttributeError(f"there is no parameter '{name}'")

    assert not hasattr(Handle(), "z")
