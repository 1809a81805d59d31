"""`c2pyerror` has the results of MXNet's."""

from __future__ import annotations

import pytest

from mxerr import mxnet

PYTHON = "Traceback (most recent call last):\n"
row = pytest.param

OF_MXNET = [
    row("", "", None, id="empty, where MXNet fails"),
    row("\n", "", None, id="one newline"),
    row("a.b_1é: x\n\n", "a.b_1é: x\n", "a.b_1é", id="any letter; one newline is dropped"),
    row("no colon", "no colon", None, id="no colon"),
    row("two words: x", "two words: x", None, id="space"),
    row("std::bad_alloc", "std::bad_alloc", "std", id="scope"),
    row(": x", ": x", "", id="empty name"),
    row("a\nE: b", "a\nE: b", None, id="first line only"),
    row("E: a\nStack trace:\nb", "E: a\nb", "E", id="header without lines"),
    row("E: a\nStack trace\n  1\nb\n  c\nStack trace\n  2\n", PYTHON + "  2\n  1\nE: a\nb\n  c", "E", id="2"),
    row("Stack trace\n  y", PYTHON + "  y\n", None, id="nothing but a stack"),
]


@pytest.mark.parametrize(("raw", "message", "name"), OF_MXNET)
def test_c2pyerror_gives_the_results_of_mxnet(raw, message, name):
    assert mxnet.c2pyerror(raw) == (message, name)


def test_c2pyerror_says_that_it_takes_str():
    with pytest.raises(TypeError, match=r"'str' .* to a 'bytes' object"):
        mxnet.c2pyerror(b"ValueError: bad")
