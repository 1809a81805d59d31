"""C or C++ text as a loaded library."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from mxerr.compiler import BuildWarning
from mxerr.error import NativeError
from mxerr.library import Library, Prototypes
from mxerr.registry import GLOBAL, ErrorClass, Registry


def build(
    source: str,
    language: str = "c",
    *,
    name: str = "",
    options: Sequence[str] = (),
    prototypes: Prototypes | None = None,
    default: ErrorClass = NativeError,
    registry: Registry = GLOBAL,
) -> Library:
    """Compile C or C++ text against the kit, and load it.

    The kit is included in front of the text: ``mxerr/mxerr.h`` for C, ``mxerr/mxerr.hpp`` for C++. Functions
    marked ``MXERR_EXPORT`` are attributes of the result; those that return ``int`` are checked. Each call
    gives a library of its own, with static variables of its own; what was compiled before is not compiled
    again.

    Parameters
    ----------
    source : str
        The text.
    language : str
        ``"c"`` (C11) or ``"c++"`` (C++17).
    name : str
        The file name that C frames and the compiler give; by default ``source.c`` or ``source.cpp``.
    options : sequence of str
        More options for the compiler, such as ``"-lm"``.
    prototypes : mapping of str to (restype, argtypes), optional
        Types of functions, where they are not to be those that the text states.
    default : type
        The exception class for errors whose kind is not registered.
    registry : Registry
        Where kinds are looked up.

    Returns
    -------
    Library
        The library.

    Raises
    ------
    BuildError
        If the text does not compile, or there is no compiler.
    TypeError
        If a function of the text has a result type that is neither a number, a text nor a pointer, such as a
        struct or an enum, and `prototypes` does not say what it is for ctypes.

    Warns
    -----
    BuildWarning
        With what the compiler warns of; and where the cache cannot be written to.

    Examples
    --------
    >>> library = build('''
    ... MXERR_EXPORT int set_age(int age) {
    ...   MXERR_CHECK_GE(age, 0, "ValueError: an age cannot be negative");
    ...   return 0;
    ... }''')
    >>> library.set_age(-1)
    Traceback (most recent call last):
        ...
    mxerr.error.ValueError: Check failed: age >= 0 (-1 vs. 0) : an age cannot be negative
    """
    from mxerr import compiled, prototype  # they take long to import, and few programs compile

    built = compiled.compile_source(source, language, name=name, options=options)
    if built.messages:
        warnings.warn(built.messages, BuildWarning, stacklevel=2)
    # what comes before is of the kit, and C++ has a lot of that
    _, marker, text = built.preprocessed.partition(compiled.EXPORT)
    functions = prototype.read(marker + text, built.preprocessed)
    unknown = {name for name, function in functions.items() if function.restype is prototype.UNKNOWN}
    stated = {name: function.prototype for name, function in functions.items() if name not in unknown}
    library = compiled.load(built, {**stated, **(prototypes or {})}, default, registry)
    for name in sorted(unknown.difference(prototypes or ())):
        if hasattr(library, name):  # a header may declare what is not there
            raise TypeError(
                f"{name}: expected a number, a text or a pointer as result, got "
                f"{functions[name].declaration!r}; state it: prototypes={{{name!r}: (restype, argtypes)}}"
            )
    return library
