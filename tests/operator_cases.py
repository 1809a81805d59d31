"""What the tests of operators share: arrays to try, NumPy as the reference, and rows of documented failures."""

from __future__ import annotations

import builtins
import doctest
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mxerr import error, np

ELEMENTS = ["bool", "uint8", "int32", "int64", "float32", "float64"]
"""The types that operators compute in."""

REALS = ["int32", "int64", "float32", "float64"]

dtypes = st.sampled_from(ELEMENTS).map(numpy.dtype)


def arrays(dtype: Any = dtypes, shape: Any = None) -> st.SearchStrategy[Any]:
    """Arrays of the types that operators compute in: empty ones, scalars, NaN and infinities among them."""
    return hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4) if shape is None else shape
    )


def same(result: Any, expected: Any, *, ulp: int = 0, atol: float = 0) -> None:
    """Check shape, type and elements of an mxerr array against NumPy's; floats may differ by a few ulp."""
    expected = numpy.asarray(expected)
    assert isinstance(result, np.ndarray)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind == "f" and (ulp or atol):
        rtol = ulp * float(numpy.finfo(expected.dtype).eps)
        numpy.testing.assert_allclose(result.asnumpy(), expected, rtol=rtol, atol=atol, equal_nan=True)
    else:
        numpy.testing.assert_array_equal(result.asnumpy(), expected)


class Failure(NamedTuple):
    """A documented failure: what is called, and what its error must say."""

    call: Callable[[], Any]
    kind: str
    check: str | None
    """The check with its operands: ``a == b (1 vs. 2)``."""
    message: str
    values: dict[str, str]
    function: str
    """The C function that failed."""
    stage: str
    """The C function of the operator's stage that led there."""


def row(
    call: Callable[[], Any],
    kind: str,
    check: str | None,
    message: str,
    values: dict[str, str],
    *functions: str,
):
    """A row of a table of failures; one function where the stage itself failed."""
    return pytest.param(Failure(call, kind, check, message, values, functions[-1], functions[0]), id=message)


def assert_fails(failure: Failure) -> None:
    """Call it and compare kind, check, message, values and C functions."""
    builtin = getattr(builtins, failure.kind, getattr(error, failure.kind))
    with pytest.raises(builtin) as caught:
        failure.call()
    assert type(caught.value) is getattr(error, failure.kind)
    report = caught.value.native
    frames = [frame.function for frame in report.frames]
    assert (report.kind or "MXNetError") == failure.kind
    assert (report.check.text.removeprefix("Check failed: ") if report.check else None) == failure.check
    assert report.message == failure.message
    values = {name: value for frame in report.frames for name, value in frame.values}
    assert failure.values.items() <= values.items()
    assert frames[-1] == failure.function
    assert failure.stage in frames


def assert_documented(function: Any, *kinds: str) -> None:
    """Check a generated docstring: a summary, every parameter, the kinds it raises, and examples that run."""
    doc = inspect.getdoc(function)
    assert doc is not None
    assert doc.splitlines()[0].endswith(".")
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in doc
    raised = doc.partition("Raises\n------\n")[2].partition("\n\n")[0].splitlines()
    assert set(kinds) == {line for line in raised if not line.startswith(" ")}
    test = doctest.DocTestParser().get_doctest(doc, {"np": np}, function.__name__, None, None)
    assert test.examples
    output: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=output.append)
    assert output == []
