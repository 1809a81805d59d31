"""What README, docstrings and the notebook say of XLA's classes is what the table says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from xla_table import TABLE

import mxerr.xla.exceptions as xla_exceptions
from mxerr.xla.exceptions import StatusCode

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
NOTEBOOK = json.loads((ROOT / "notebooks" / "02_xla_errors.ipynb").read_text("utf-8"))
NAMES = [name for name, *_ in TABLE]


def outputs(notebook):
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            yield "".join(output.get("text", ""))


def rows_of(notebook):
    """Find the rows of the notebook's table: code, its name, class, builtin."""
    row = re.compile(r"^ ?(\d+) ([A-Z_]+) +(Xla\w+Error) +(\w+)$", re.M)
    return [found for output in outputs(notebook) for found in row.findall(output)]


def test_the_table_of_the_notebook_is_the_table():
    assert rows_of(NOTEBOOK) == [
        (str(int(StatusCode[code])), code, name, builtin) for name, code, _, builtin in TABLE
    ]


def test_a_notebook_with_a_row_less_would_fail():
    (table,) = (output for output in outputs(NOTEBOOK) if "XlaCancelledError" in output)
    shorter = {"cells": [{"outputs": [{"text": table.partition("\n")[2]}]}]}
    assert len(rows_of(shorter)) == len(TABLE) - 1


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_raises_its_own_class(name):
    doc = getattr(xla_exceptions, name).__doc__
    raised = re.findall(r"^ *mxerr\.xla\.exceptions\.(\w+): ", doc, re.M)
    assert raised == [name]  # tests/test_docs.py runs it


def test_all_names_the_classes_of_the_table():
    others = {"StatusCode", "XlaError", "code_of", "from_code", "from_text"}
    assert set(xla_exceptions.__all__) == others | set(NAMES)
    assert xla_exceptions.__all__ == sorted(xla_exceptions.__all__)


PAGES = [README, *("".join(cell["source"]) for cell in NOTEBOOK["cells"]), xla_exceptions.__doc__]


def test_pages_name_classes_and_codes_that_there_are():
    text = "\n".join(PAGES)
    named = set(re.findall(r"\bXla\w+Error\b", text))
    assert named
    assert named <= {*NAMES, "XlaError"}
    codes = {code.name for code in StatusCode}
    words = set(re.findall(r"`((?!XLA)[A-Z]+(?:_[A-Z]+)+)`", "".join(PAGES[1:-1])))
    assert words
    assert words <= codes


def test_the_readme_counts_the_codes():
    numbered = [row for row in TABLE if row[2]]
    assert len(numbered) == len(StatusCode) - 1 == 16
    assert "XLA has sixteen status codes" in README
