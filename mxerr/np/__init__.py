"""Arrays and operators of libmxerr, with NumPy's names.

Each operator of the C library is a function here, made from the library's own table: its signature, its
defaults and its docstring come from C. Those named ``random_...`` are in `mxerr.np.random`.

For each kind of error, some of the operators that raise it, and when. Each is a
class of `mxerr.error`:

===================  =========================================================================================
Kind                 Operators
===================  =========================================================================================
ValueError           transpose (an axis named twice), split (parts that are not equal), percentile (not from 0
                     to 100), add (shapes that do not broadcast)
TypeError            sum (an `out` of bools), cast (to a type that the rule forbids), subtract (bools),
                     take (positions that are no integers), reshape (a shape that is none)
IndexError           index (a position outside of the array), take (the same), sum (an axis that is not there)
AttributeError       custom (a function that is not registered), reshape (in C, a parameter that is not there)
NotImplementedError  assign (an array changed in place), unsupported (an expression that is not there),
                     index (by a list or a mask), add (a type that is not computed in)
InternalError        transpose (a stage left undone, for a fail point), sum (the same)
FileNotFoundError    load (a file that is missing), save (a folder that is missing)
IOError              load (a file that is broken), save (a folder in place of a file)
FloatingPointError   divide (by zero), log (of a negative number), exp (of a large one): where `errstate` asks
RuntimeError         custom (a C function that does not say why it fails), add (a queued array that waits for
                     itself)
OverflowError        reshape (a number of more than 64 bits), take (the same), full (an integer that the type
                     does not hold), arange (the same)
MemoryError          zeros (more than there is memory for), full (the same)
MXNetError           transpose (an axis that is not there), custom (a C function that names no kind)
===================  =========================================================================================

`MXNetError` is the base of all, and what is raised where C names no kind.
"""

from typing import Any

import numpy

from mxerr import failpoints
from mxerr.np import _definitions, _functions as _other_functions, random
from mxerr.np._custom import register_custom
from mxerr.np._engine import engine, waitall
from mxerr.np._errstate import errstate
from mxerr.np._ndarray import array, ndarray

failpoints.set_from_environment()

_functions = _definitions.functions(prefix="")
# those that have NumPy's arguments only in Python take the place of the operator's own
_OTHERS = ("arange", "asarray", "custom", "from_dlpack", "full", "ones", "save")
_functions |= {name: getattr(_other_functions, name) for name in _OTHERS}
# NumPy's own
_TYPES = ("bool_", "uint8", "int32", "int64", "float32", "float64")
_functions |= {name: getattr(numpy, name) for name in (*_TYPES, "e", "inf", "nan", "newaxis", "pi")}
globals().update(_functions)

__all__ = sorted(
    ["array", "engine", "errstate", "ndarray", "random", "register_custom", "waitall", *_functions]
)


def __getattr__(name: str) -> Any:  # for names that only the operator table knows, type checkers ask here
    raise AttributeError(
        f"module 'mxerr.np' has no attribute {name!r}, and libmxerr no operator of that name"
        f"{_definitions.nearest(name, __all__)}"
    )
