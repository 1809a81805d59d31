"""What holds for every test: the installed package is tested, and no test fails for being slow once."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

# `python -m pytest` puts the working folder on the path: the source tree, which holds no compiled library.
# An editable install is found all the same, as it does not go by the path.
sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != ROOT]

# Programs that a shell runs in the background ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Options given in the environment are for this run, not for the runs of pytest that tests start.
os.environ.pop("PYTEST_ADDOPTS", None)

# How long a call takes on a busy machine says nothing; tests/benchmarks compares times. CI tries the same
# examples each time, so that no change is blamed for what another one did.
settings.register_profile("mxerr", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("mxerr")


@pytest.fixture(scope="session", autouse=True)
def _no_trace_in_the_users_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What tests compile goes to a folder of this run, and so do the builds of programs that they start."""
    os.environ["MXERR_CACHE"] = str(tmp_path_factory.mktemp("cache"))
