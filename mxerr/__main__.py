"""``python -m mxerr``: the command line."""

import sys

from mxerr.cli import main

sys.exit(main())
