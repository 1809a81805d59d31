"""The table of XLA's error classes, as C++ has it."""

from __future__ import annotations

import re

from mxerr import _native


def read_table():
    """Read the rows of xla_errors.inc: class, name of the code, its number where it has one, builtin."""
    text = (_native.source_root() / "lib" / "include" / "mxerr" / "xla_errors.inc").read_text()
    row = re.compile(r"^XLA_(STATUS|DIRECT)_ERROR\((\w+), \w+, (\w+), (?:(\d+), )?(\w+)\)$", re.M)
    return [
        (f"Xla{name}Error", code, number, builtin) for _, name, code, number, builtin in row.findall(text)
    ]


TABLE = read_table()
