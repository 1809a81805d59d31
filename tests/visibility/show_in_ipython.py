"""Show every row in IPython, with no extension loaded, in each mode; prints one JSON object a line.

Called with the folder of the rows.
"""

import contextlib
import io
import json
import linecache
import os
import runpy
import sys
import time
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

# What happens between raising and showing.
STAGES = {"": lambda: None, "clearcache": linecache.clearcache, "checkcache": linecache.checkcache}


def cases(modes):
    """Give mode, colours and stage of each showing."""
    yield from ((mode, "nocolor", "") for mode in modes)
    yield "Context", "linux", ""
    yield from (("Context", "nocolor", stage) for stage in STAGES if stage)


def show(shell, row, stage):
    """Raise a row's error, catch what the shell prints for it; gives that and the seconds of work."""
    output = io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            fail(row)
        except Exception:
            STAGES[stage]()
            shell.showtraceback()
    return output.getvalue(), time.process_time() - start


def fail(row):
    """Raise one call further down: the shell takes the outermost frame for its own."""
    raise row.make()


def main(folder):
    """Show all rows."""
    rows = runpy.run_path(str(Path(__file__).with_name("rows.py")))["make_rows"](folder)
    os.chdir(Path(folder) / "work")
    shell = InteractiveShell.instance()
    for mode, colors, stage in cases(shell.InteractiveTB.valid_modes):
        shell.run_line_magic("colors", colors)
        shell.InteractiveTB.set_mode(mode)
        for row in rows:
            text, seconds = show(shell, row, stage)
            case = {"case": f"{mode} {colors} {stage}".strip(), "row": row.name}
            print(json.dumps({**case, "text": text, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1])
