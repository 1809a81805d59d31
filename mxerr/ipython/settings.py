"""What the user chose about tracebacks: how many frames they show, and whose frames are plumbing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Final

from mxerr.ipython import runs

VARIABLE: Final = "MXERR_TRACEBACK"
"""The environment variable that sets `Settings.frames` when the extension is loaded."""

CHOICES: Final = ("short", "full")


class Settings:
    """The choices of one process.

    Attributes
    ----------
    frames : str
        ``"short"``: plumbing and repeated C frames are folded into one line that counts them; ``"full"``:
        every frame is shown.
    plumbing : list of str
        Folders and files whose Python frames are folded, each as the beginning of a file name.
    """

    def __init__(self) -> None:
        self.frames = "short"
        self.plumbing = [f"{Path(runs.__file__).parents[1]}{os.sep}", "<mxerr "]

    def read(self, environ: Mapping[str, str]) -> None:
        """Take over what the environment says; warn once of what it does not mean.

        Examples
        --------
        >>> settings = Settings()
        >>> settings.read({"MXERR_TRACEBACK": "full"})
        >>> settings.frames
        'full'
        """
        wanted = environ.get(VARIABLE, "")
        self.frames = wanted if wanted in CHOICES else CHOICES[0]
        if wanted not in ("", *CHOICES):
            warnings.warn(
                f"{VARIABLE}: expected {' or '.join(CHOICES)}, got {wanted!r}; it counts as {self.frames}",
                stacklevel=2,
            )

    def is_plumbing(self, frame: FrameType) -> bool:
        """Tell whether a Python frame is folded."""
        return frame.f_code.co_filename.startswith(tuple(self.plumbing))


SETTINGS: Final = Settings()
"""The settings in force."""


def add_plumbing(path: str | os.PathLike[str]) -> None:
    """Fold the Python frames of more files: for front ends that call C in mxerr's way.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder with all below it.

    Examples
    --------
    >>> import mylibrary  # doctest: +SKIP
    >>> add_plumbing(Path(mylibrary.__file__).parent / "_calls.py")  # doctest: +SKIP
    """
    text = os.fspath(path)
    prefix = f"{text}{os.sep}" if Path(text).is_dir() else text
    if prefix not in SETTINGS.plumbing:
        SETTINGS.plumbing.append(prefix)
