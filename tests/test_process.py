"""What belongs to the process stays as it was: its locale, whatever the library is asked to do."""

from __future__ import annotations

import contextlib
import locale
import subprocess
import sys

PROGRAM = """
import ctypes, locale
name = {name!r}
if name:
    locale.setlocale(locale.LC_ALL, name)
before = locale.setlocale(locale.LC_ALL), locale.str(0.5)
from mxerr import np
assert (locale.setlocale(locale.LC_ALL), locale.str(0.5)) == before
texts = []
for call in (
    lambda: np.random.normal(scale=-1.5),
    lambda: np.percentile([1.0, 2.0], 100.5),
    lambda: np.interp(1.0, [1.0], [1.0], left="1,5"),
    lambda: np.random.uniform(low=0.25, high="x"),
):
    try:
        call()
    except Exception as error:
        values = [value for frame in error.native.frames for value in frame.values]
        texts.append(f"{{error}} {{values}}")
assert (locale.setlocale(locale.LC_ALL), locale.str(0.5)) == before
assert np.clip([0.0, 9.0], 0.5, 1.5).asnumpy().tolist() == [0.5, 1.5]
print(locale.str(0.5))
print(*texts, sep="\\n")
"""


def with_comma() -> str:
    """Find a locale that writes a comma in numbers; empty where the system has none."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pl_PL.UTF-8"):
            with contextlib.suppress(locale.Error):
                return locale.setlocale(locale.LC_ALL, name)
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return ""


def run(name: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM.format(name=name)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_locale_stays_as_it_was_and_errors_have_points():
    number, *texts = run("")
    assert number == "0.5"
    assert len(texts) == 4
    assert "-1.5" in texts[0]
    assert "100.5" in texts[1]
    # where the system has no such locale, tests/native/test_locale.c makes one
    if name := with_comma():
        assert run(name) == ["0,5", *texts]
