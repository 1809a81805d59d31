"""Arrays and operators of libmxerr, with NumPy's names.

Each operator of the C library is a function here, made from the library's own table: its signature, its
defaults and its docstring come from C. Those named ``random_...`` are in `mxerr.np.random`.
"""

from typing import Any

from mxerr import failpoints
from mxerr.np import _functions as _other_functions, _operators, random
from mxerr.np._errstate import errstate
from mxerr.np._ndarray import array, ndarray

failpoints.set_from_environment()

_functions = _operators.functions(prefix="")
# those that have NumPy's arguments only in Python take the place of the operator's own
_functions |= {name: getattr(_other_functions, name) for name in ("arange", "full", "ones", "save")}
globals().update(_functions)

__all__ = sorted(["array", "errstate", "ndarray", "random", *_functions])


def __getattr__(name: str) -> Any:  # for names that only the operator table knows, type checkers ask here
    raise AttributeError(
        f"module 'mxerr.np' has no attribute {name!r}, and libmxerr no operator of that name"
    )
