"""An example of a front end over XLA that adopts the classes: one line."""

from mxerr.xla.exceptions import *  # noqa: F403 - the line that a front end needs
