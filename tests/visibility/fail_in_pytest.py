"""A test for each row, which fails with the row's error, in each style of pytest; ROWS names their folder."""

import os
import runpy
from pathlib import Path

import pytest

_ROWS = runpy.run_path(str(Path(__file__).with_name("rows.py")))["make_rows"](os.environ["ROWS"])


@pytest.mark.parametrize("number", range(len(_ROWS)))
def test_row(number):
    raise _ROWS[number].make()
