"""The registry: which classes it takes, which it finds, and what happens to a name that is taken."""

from __future__ import annotations

import re
import warnings

import pytest
from support.threads import together

from mxerr import error
from mxerr.registry import GLOBAL, Registry


class QuotaError(Exception):
    """A class of our own."""


class TwoArgumentsError(Exception):
    def __init__(self, function: str, alias: str) -> None:
        super().__init__(function, alias)


class OddError(Exception):
    def __new__(cls, text: str) -> QuotaError:  # type: ignore[misc]
        return QuotaError(text)


@pytest.fixture
def registry() -> Registry:
    return Registry()


def as_plain_decorator(registry: Registry) -> type[Exception]:
    return registry.register(QuotaError)


def as_decorator_with_name(registry: Registry) -> type[Exception]:
    return registry.register("QuotaError")(QuotaError)


def as_empty_decorator(registry: Registry) -> type[Exception]:
    return registry.register()(QuotaError)


def as_call(registry: Registry) -> type[Exception]:
    return registry.register("QuotaError", QuotaError)


@pytest.mark.parametrize("way", [as_plain_decorator, as_decorator_with_name, as_empty_decorator, as_call])
def test_every_way_to_register_gives_the_class_back_and_finds_it(registry, way):
    assert way(registry) is QuotaError
    assert registry.lookup("QuotaError") is QuotaError
    assert "QuotaError" in registry


@pytest.mark.parametrize("kind", ["mxnet.error.QuotaError", "mxerr.error.QuotaError"])
def test_a_prefix_is_taken_off(registry, kind):
    registry.register(QuotaError)
    assert registry.lookup(kind) is QuotaError


@pytest.mark.parametrize("kind", ["mxnet.error.QuotaError", "mxerr.error.QuotaError"])
def test_a_kind_is_registered_without_the_prefix_too(registry, kind):
    registry.register(kind, QuotaError)
    assert registry.lookup("QuotaError") is registry.lookup(kind) is QuotaError


def test_dotted_kinds_are_kinds_of_their_own(registry):
    registry.register("storage.QuotaError", QuotaError)
    assert registry.lookup("storage.QuotaError") is QuotaError
    assert registry.lookup("QuotaError") is None


def test_a_registry_falls_back_to_its_parent_and_goes_first(registry):
    child = Registry(registry)
    registry.register("ValueError", ValueError)
    assert child.lookup("ValueError") is ValueError
    child.register("ValueError", QuotaError)
    assert child.lookup("ValueError") is QuotaError
    assert registry.lookup("ValueError") is ValueError


def test_what_others_register_is_found_while_a_temporary_class_goes(registry):
    registry.register("ValueError", ValueError)
    seen = set()

    class Watched(dict):
        def __setitem__(self, kind, cls):
            seen.add(registry.lookup("ValueError"))
            super().__setitem__(kind, cls)

        def pop(self, *args):
            seen.add(registry.lookup("ValueError"))
            return super().pop(*args)

        def clear(self):
            raise AssertionError("for a moment nothing would be registered")

    registry.classes = Watched(registry.classes)
    with registry.temporary(QuotaError=QuotaError):
        pass
    assert seen == {ValueError}
    assert registry.lookup("QuotaError") is None


class Falsy(type):
    def __bool__(cls):
        raise ZeroDivisionError("it cannot say")


def test_a_class_is_not_asked_whether_it_is_true(registry):
    odd = Falsy("odd", (Exception,), {})
    registry.register("QuotaError", odd)
    assert registry.lookup("QuotaError") is odd
    assert Registry(registry).lookup("QuotaError") is odd


@pytest.mark.parametrize("kind", [None, "", "Nothing", "value error"])
def test_what_is_not_registered_is_not_found(registry, kind):
    assert registry.lookup(kind) is None
    assert kind not in registry


@pytest.mark.parametrize("kind", ["", "1Error", "a b", "Error:", "naïve", ".Error", "Error.", 7, b"Error"])
def test_a_kind_that_is_no_identifier_is_refused(registry, kind):
    with pytest.raises(
        ValueError, match=re.escape(f"expected an ASCII identifier, dots allowed, got {kind!r}")
    ):
        registry.register(kind, QuotaError)


@pytest.mark.parametrize("kind", ["SystemExit", "lib.KeyboardInterrupt", "StopIteration"])
def test_no_class_is_registered_for_what_ends_more_than_a_call(registry, kind):
    with pytest.raises(ValueError, match="ends more than a call"):
        registry.register(kind, QuotaError)
    assert registry.classes == {}


@pytest.mark.parametrize("kind", [7, "a b", "SystemExit"])
def test_a_decorator_refuses_its_kind_at_once(registry, kind):
    with pytest.raises(ValueError, match="kind: expected"):
        registry.register(kind)


@pytest.mark.parametrize(
    "cls", [int, "QuotaError", object(), KeyboardInterrupt, SystemExit, BaseException, GeneratorExit]
)
def test_only_subclasses_of_exception_are_taken(registry, cls):
    with pytest.raises(TypeError, match="expected a subclass of Exception"):
        registry.register("QuotaError", cls)
    assert registry.classes == {}


@pytest.mark.parametrize("cls", [TwoArgumentsError, UnicodeDecodeError, OddError])
def test_a_class_that_is_not_made_from_one_string_is_refused(registry, cls):
    with pytest.raises(TypeError, match=cls.__name__):
        registry.register(cls)
    assert registry.classes == {}


def test_the_same_class_again_is_silent_and_another_warns_naming_both(registry):
    registry.register(QuotaError)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registry.register(QuotaError)
        # a notebook cell that is run again makes a new class with the same name
        again = type("QuotaError", (Exception,), {"__module__": __name__})
        registry.register(again)
    assert registry.lookup("QuotaError") is again
    with pytest.warns(UserWarning, match=r"builtins\.ValueError replaces .*QuotaError"):
        registry.register("QuotaError", ValueError)
    assert registry.lookup("QuotaError") is ValueError


def test_replace_says_that_it_is_meant(registry):
    registry.register("QuotaError", QuotaError)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registry.register("QuotaError", ValueError, replace=True)
        registry.register("QuotaError", replace=True)(KeyError)
    assert registry.lookup("QuotaError") is KeyError


def test_the_warning_points_at_the_line_that_registers(registry):
    registry.register("QuotaError", QuotaError)
    with pytest.warns(UserWarning) as caught:
        registry.register("QuotaError", ValueError)
    assert caught[0].filename == __file__


def test_temporary_classes_are_gone_after_the_block_also_when_it_raises(registry):
    registry.register("ValueError", ValueError)
    with pytest.raises(LookupError), registry.temporary(ValueError=QuotaError, OtherError=QuotaError):
        assert registry.lookup("ValueError") is registry.lookup("OtherError") is QuotaError
        raise LookupError
    assert registry.classes == {"ValueError": ValueError}


def test_threads_may_register_at_once(registry):
    def register(number: int) -> None:
        registry.register(f"Kind{number}Error", QuotaError)

    together(register, 50)
    assert len(registry.classes) == 50


def test_the_kinds_of_mxnet_come_registered():
    expected = {
        "ValueError", "TypeError", "AttributeError", "IndexError", "NotImplementedError", "InternalError",
        "IOError", "FloatingPointError", "RuntimeError",
    }  # fmt: skip
    assert expected <= set(GLOBAL.classes)
    assert all(GLOBAL.lookup(kind) is getattr(error, kind) for kind in expected)
