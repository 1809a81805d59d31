"""Every exported function with every sort of bad argument: a status and a reason, and never the end of the process."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mxerr import _native, error, np
from mxerr.library import STATUS
from mxerr.xla import _native as xla_native

PROTOTYPES = {**_native.PROTOTYPES, **xla_native.PROTOTYPES}

NUMBERS = {
    ctypes.c_int: (0, -1, 2**31 - 1, -(2**31)),
    ctypes.c_int64: (0, -1, 2**63 - 1, -(2**63)),
    ctypes.c_bool: (True, False),
    ctypes.c_uint64: (0, 2**64 - 1),
    ctypes.c_size_t: (0, 1, 2**64 - 1),
    ctypes.c_char_p: (None, b"", b"transpose", b"\xff" * 100_000),
}
"""What is tried for an argument of a type. A pointer is NULL, or points to zeros."""

ROOM = 4096


def freed_handle() -> int:
    handle = ctypes.c_void_p()
    _native.library().MXNDArrayCreate(None, 0, 1, handle)
    _native.library().MXNDArrayFree(handle)
    assert handle.value is not None
    return handle.value


def values(argtype: Any, handles: tuple[Any, ...]) -> tuple[Any, ...]:
    if argtype is ctypes.c_void_p:
        return handles
    if argtype in NUMBERS:
        return NUMBERS[argtype]
    null = (
        argtype() if hasattr(argtype, "_flags_") else None
    )  # a pointer to a function is made, also from nothing
    return null, ctypes.cast(ctypes.create_string_buffer(ROOM), argtype)


def bad_calls(name: str) -> Iterator[tuple[Any, ...]]:
    """Combine all values of all arguments; no handle is one of an array."""
    handles = (None,) if name == "mxerr_pack_record" else (None, 2**64 - 1, 1, freed_handle())
    return itertools.product(*[values(argtype, handles) for argtype in PROTOTYPES[name][1]])


def try_all(name: str) -> int:
    """Call a function with all of them; returns how often it failed."""
    restype, argtypes = PROTOTYPES[name]
    library = xla_native.library() if name in xla_native.PROTOTYPES else _native.library()
    function = library.unchecked(name)
    function.restype, function.argtypes = restype, argtypes
    failures = 0
    for arguments in bad_calls(name):
        status = function(*arguments)
        if restype is STATUS:
            assert status in (0, -1), (arguments, status)
            report = library.report(status)
            assert status == 0 or (report.message and report.frames), arguments
            failures += status != 0
    return failures


def test_every_function_answers_bad_arguments_with_a_status():
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from test_exports import PROTOTYPES, try_all
for name in PROTOTYPES:
    print(name, end=" ", flush=True)  # the last one, where the process ends
    print(try_all(name))
"""
    command = [sys.executable, "-X", "faulthandler", "-c", program]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    failures = {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}
    assert failures.keys() == PROTOTYPES.keys()
    # a function without arguments has none that are bad, and a seed is good whatever it is
    for name, (restype, argtypes) in PROTOTYPES.items():
        can_fail = restype is STATUS and bool(argtypes) and name != "MXRandomSeed"
        assert (failures[name] > 0) == can_fail, name


def test_each_pointer_that_a_result_needs_is_asked_for():
    """The functions that write results fail where any one of their pointers is NULL."""
    for name, (restype, argtypes) in PROTOTYPES.items():
        if (
            restype is STATUS
            and argtypes
            and all(a not in NUMBERS and a is not ctypes.c_void_p for a in argtypes)
        ):
            with pytest.raises(error.ValueError, match="NULL"):
                getattr(_native.library(), name)(*[None] * len(argtypes))


@pytest.mark.parametrize(
    "name",
    [n for n, (_, argtypes) in PROTOTYPES.items() if argtypes[:1] == (ctypes.c_void_p,) and n[:2] == "MX"],
)
def test_an_array_that_was_freed_is_recognised(name):
    rest = [None if argtype not in NUMBERS else 0 for argtype in PROTOTYPES[name][1][1:]]
    rest = [ctypes.cast(ctypes.create_string_buffer(ROOM), a) if v is None and a is not ctypes.c_void_p else v
            for a, v in zip(PROTOTYPES[name][1][1:], rest, strict=True)]  # fmt: skip
    with pytest.raises(error.ValueError, match="was freed"):
        getattr(_native.library(), name)(freed_handle(), *rest)


def test_an_array_is_freed_once():
    array = np.array([1])
    handle, array._handle = array._handle, 0
    _native.library().MXNDArrayFree(handle)
    for _ in range(3):
        with pytest.raises(error.ValueError, match="freed already"):
            _native.library().MXNDArrayFree(handle)
