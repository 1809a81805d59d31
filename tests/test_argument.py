"""Arguments for C are refused by name, and never cut or wrapped."""

from __future__ import annotations

import re

import pytest

import mxerr
from mxerr import argument

NAME = "transpose.forward"


@pytest.mark.parametrize(
    ("call", "cls", "said"),
    [
        (lambda: mxerr.trace(2**32 + 5), ValueError, "trace: capacity: expected an integer from"),
        (lambda: mxerr.trace(2**63), ValueError, "got 9223372036854775808"),
        (lambda: mxerr.trace("x"), TypeError, "trace: capacity: expected an integer from"),
        (lambda: mxerr.failpoint(NAME, "m", after=2**32 + 1), ValueError, "failpoint: after: expected"),
        (lambda: mxerr.failpoint(NAME, "m", after=None), TypeError, "failpoint: after: expected"),
        (lambda: mxerr.failpoint(NAME, "m", times=2**31), ValueError, "failpoint: times: expected"),
        (lambda: mxerr.failpoint(NAME, None), TypeError, "failpoint: message: expected a str, got None"),
        (lambda: mxerr.failpoint(NAME, b"m"), TypeError, "failpoint: message: expected a str, got b'm'"),
        (lambda: mxerr.failpoint(NAME, "a\0b"), ValueError, "expected a text without NUL, got 'a\\x00b'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, cls, said):
    with pytest.raises(cls, match=re.escape(said)), call():
        pass
    with mxerr.failpoint(NAME, "can be set"), mxerr.trace():  # nothing is left behind
        pass


@pytest.mark.parametrize(("least", "most"), [(1, 3), argument.INT, (0, 2**64 - 1)])
def test_both_ends_of_a_range_belong_to_it(least, most):
    for inside in (least, most):
        assert argument.integer("n", inside, least, most) == inside
    for outside in (least - 1, most + 1):
        with pytest.raises(ValueError, match="n: expected an integer from"):
            argument.integer("n", outside, least, most)


def test_a_text_that_no_encoding_has_is_escaped():
    assert argument.text("t", "é\udcff") == "é\\udcff".encode()
