"""Kinds: for each one that is registered there are operators that raise it, as the table of `mxerr.np` says."""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections import defaultdict
from typing import Any

import pytest
from operator_cases import assert_fails, row

import mxerr
from mxerr import _native, np
from mxerr.registry import GLOBAL

A = np.array([[1, 2], [3, 4]])


def invoke(name: bytes, key: bytes) -> None:
    """Call an operator as C would, with a parameter that Python would not pass on."""
    count, outputs, handle = ctypes.c_int(), _native.Handles(), ctypes.c_void_p(A.handle)
    keys, values = (ctypes.c_char_p * 1)(key), (ctypes.c_char_p * 1)(b"(1, 4)")
    _native.library().MXImperativeInvoke(name, 1, handle, 1, keys, values, count, outputs)


def within(context: Any, call: Any, *args: Any) -> Any:
    with context:
        return call(*args)


def fail_in_silence() -> Any:
    """Run a C function that fails and says nothing."""
    infer_shape = _native.CustomInferShape(lambda *_: 3)
    functions = _native.CustomOp(infer_shape, _native.CustomForward(lambda *_: 4))
    _native.library().MXCustomOpRegister(b"silent", functions)
    return np.custom(A, op_type="silent")


def fail_without_a_kind() -> Any:
    """Run a C function that fails for a reason that has no name."""

    def infer_shape(*arguments: Any) -> int:
        arguments[-1][0].message = b"the device is on fire"
        return 1

    functions = _native.CustomOp(_native.CustomInferShape(infer_shape), _native.CustomForward(lambda *_: 1))
    _native.library().MXCustomOpRegister(b"kindless", functions)
    return np.custom(A, op_type="kindless")


def wait_for_itself() -> Any:
    """Run a function that needs its own result."""
    result, is_there = [], threading.Event()

    @np.register_custom("ouroboros")
    def ouroboros(a):
        assert is_there.wait(60)
        return np.add(result[0], a)

    with np.engine("threaded"):
        result.append(np.custom(A, op_type="ouroboros"))
        is_there.set()
        return result[0].asnumpy()


def large(name: str) -> Any:
    shape = (2**59,)
    return np.zeros(shape) if name == "zeros" else np.full(shape, 1.0)


ROWS = [
    ("transpose", row(
        lambda: A.transpose((0, 0)), "ValueError", "axes_set.size == axes.ndim (1 vs. 2)",
        "Repeated axis in transpose. param.axes = [0,0]", {"param.axes": "[0,0]"}, "transpose_infer_shape",
    )),
    ("split", row(
        lambda: np.split(A, 3), "ValueError", "!equal || length % sections == 0",
        "split: array split does not result in an equal division. length = 2, sections = 3",
        {"length": "2", "sections": "3"}, "split_infer_shape", "check_sections",
    )),
    ("percentile", row(
        lambda: np.percentile(A, 101), "ValueError", "q >= 0 && q <= 100",
        "Percentiles must be in the range [0, 100]", {"q": "101"}, "percentile_forward", "percentile_check",
    )),
    ("add", row(
        lambda: np.add(A, [1, 2, 3]), "ValueError", "length == expected (2 vs. 3)",
        "add: shapes do not broadcast: a.shape = [2,2], b.shape = [3]", {}, "add_infer_shape", "fail_broadcast",
    )),
    ("sum", row(
        lambda: np.sum(A, out=np.array(False)), "TypeError", "mx_cast_is_same_kind(result->dtype, out->dtype)",
        "sum: cannot cast the result to the type of out by the rule 'same_kind': dtype = int64, out.dtype = bool", {"dtype": "int64", "out.dtype": "bool"},
        "mx_invoke", "mx_out_check",
    )),
    ("cast", row(
        lambda: A.astype("int32", "safe"), "TypeError", "allowed",
        "cast: cannot cast from = int64 to dtype = int32 according to the rule 'safe'",
        {"from": "int64", "dtype": "int32"}, "cast_infer_type",
    )),
    ("subtract", row(
        lambda: np.array(True) - np.array(True), "TypeError", "loops[element].state != MX_LOOP_UNDEFINED",
        "subtract: not defined for dtype = bool", {"dtype": "bool"}, "subtract_infer_type", "mx_elementwise_find",
    )),
    ("take", row(
        lambda: np.take(A, [0.5]), "TypeError", "!mx_element_is_float(element) && element != MX_ELEMENT_boolean",
        "take: expected indices of an integer type, got float64", {}, "take_infer_type",
    )),
    ("reshape", row(
        lambda: A.reshape("abc"), "TypeError", None,
        "reshape: parameter 'newshape': expected tuple of int, got 'abc'", {}, "parse", "set_param",
    )),
    ("index", row(
        lambda: A[5], "IndexError", "index >= -length && index < length",
        "index: index = 5 is out of bounds for axis = 0 with length = 2", {"index": "5", "length": "2"},
        "index_infer_shape", "apply_number",
    )),
    ("take", row(
        lambda: np.take(A, [7]), "IndexError", "out[i] >= -length && out[i] < length",
        "take: index = 7 is out of bounds for an axis of length = 4", {"index": "7"}, "take_forward", "read_positions",
    )),
    ("sum", row(
        lambda: np.sum(A, axis=2), "IndexError", "axis >= -ndim && axis < ndim",
        "sum: axis = 2 is out of bounds for an array with ndim = 2", {"axis": "2"}, "sum_infer_shape", "mx_axis_resolve",
    )),
    ("custom", row(
        lambda: np.custom(A, op_type="unheard of"), "AttributeError", "found != NULL",
        "custom: there is no custom operator 'unheard of'; register it first", {}, "custom_infer_shape", "look_up",
    )),
    ("reshape", row(
        lambda: invoke(b"reshape", b"new_shape"), "AttributeError", None,
        "reshape: there is no parameter 'new_shape'; did you mean 'newshape'?", {}, "parse", "find_param",
    )),
    ("assign", row(
        lambda: A.__setitem__(0, 1), "NotImplementedError", None,
        "assign: an array cannot be changed in place; make a new one. a.shape = [2,2]", {"a.shape": "[2,2]"},
        "assign_infer_shape",
    )),
    ("unsupported", row(
        lambda: A // 2, "NotImplementedError", None,
        "unsupported: a // b is not implemented for arrays. a.shape = [2,2]", {"a.shape": "[2,2]"},
        "unsupported_infer_shape",
    )),
    ("index", row(
        lambda: A[[0, 1]], "NotImplementedError", "param->type != MX_PARAM_KEY || !picks_many(text)",
        "index: picking by a list, an array or bools is not implemented; expected numbers, slices, '...' or None, "
        "got '[0, 1]'", {}, "parse", "set_param",
    )),
    ("add", row(
        lambda: np.array([1], "float16") + 1, "NotImplementedError", None,
        "add: not implemented for dtype = float16; expected bool, uint8, int32, int64, float32 or float64",
        {"dtype": "float16"}, "add_infer_type", "mx_element_of_dtype",
    )),
    ("transpose", row(
        lambda: within(mxerr.failpoint("transpose.infer_type", ""), lambda: A.T), "InternalError",
        "output->dtype >= 0 (-1 vs. 0)", "transpose: infer_type left output 0 without a type", {}, "declare",
    )),
    ("sum", row(
        lambda: within(mxerr.failpoint("sum.allocate", ""), np.sum, A), "InternalError",
        "call->outputs[i].array->data != NULL (NULL vs. NULL)", "sum: allocate left output 0 without memory", {},
        "mx_call_run",
    )),
    ("load", row(
        lambda: np.load("/no/such/file.npy"), "FileNotFoundError", None,
        "load: cannot read '/no/such/file.npy': No such file or directory", {}, "load_infer_shape", "open_file",
    )),
    ("load", row(
        lambda: np.load(os.devnull), "IOError", None,
        f"load: '{os.devnull}' is truncated", {}, "load_infer_shape", "short_read",
    )),
    ("save", row(
        lambda: np.save("/", A), "IOError", None,
        "save: cannot write '/': Is a directory", {"param.file": "/"}, "save_forward", "write_in_place",
    )),
    ("save", row(
        lambda: np.save("/no/such/file.npy", A), "FileNotFoundError", None,
        "save: cannot write '/no/such/file.npy': No such file or directory", {}, "save_forward", "write_and_replace",
    )),
    ("divide", row(
        lambda: within(np.errstate(divide="raise"), np.divide, A, 0), "FloatingPointError",
        "!(raised & FE_DIVBYZERO)", "divide by zero encountered in divide", {}, "divide_forward", "mx_float_errors_end",
    )),
    ("log", row(
        lambda: within(np.errstate(invalid="raise"), np.log, -1.0), "FloatingPointError",
        "!(raised & FE_INVALID)", "invalid value encountered in log", {}, "log_forward", "mx_float_errors_end",
    )),
    ("exp", row(
        lambda: within(np.errstate(over="raise"), np.exp, 1000.0), "FloatingPointError",
        "!(raised & FE_OVERFLOW)", "overflow encountered in exp", {}, "exp_forward", "mx_float_errors_end",
    )),
    ("custom", row(
        fail_in_silence, "RuntimeError", "error->message[0] != '\\0'",
        "custom: 'silent': infer_shape failed with status = 3 and did not say why", {"status": "3"},
        "custom_infer_shape", "fail_custom",
    )),
    ("add", row(
        wait_for_itself, "RuntimeError", "!stuck",
        "an operator waits for an array that would never be ready, as all workers wait", {}, "wait_for_inputs", "wait_until",
    )),
    ("reshape", row(
        lambda: A.reshape(2**70), "OverflowError", "!holds_integers(param->type) || !has_huge_integer(text)",
        "reshape: parameter 'newshape': expected tuple of int of 64 bits, got '1180591620717411303424'", {},
        "parse", "set_param",
    )),
    ("take", row(
        lambda: np.take(A, 0, axis=-(2**63) - 1), "OverflowError",
        "!holds_integers(param->type) || !has_huge_integer(text)",
        "take: parameter 'axis': expected int or None of 64 bits, got '-9223372036854775809'", {}, "parse", "set_param",
    )),
    *[(name, row(
        call, "OverflowError",
        "mx_element_is_float(element) || (number >= least[element] && number <= most[element])",
        f"{name}: number = 300 is out of bounds for dtype = uint8", {"number": "300"}, f"{name}_forward",
        "mx_element_check_holds",
    )) for name, call in (
        ("full", lambda: np.full(2, 300, "uint8")), ("arange", lambda: np.arange(300, 310, dtype="uint8")),
    )],
    ("custom", row(
        fail_without_a_kind, "MXNetError", None, "the device is on fire", {}, "custom_infer_shape", "fail_custom",
    )),
    ("transpose", row(
        lambda: A.transpose((0, 2)), "MXNetError", "axis >= -ndim && axis < ndim",
        "axes[1]=2 exceeds the range [-2, 2)", {"axis": "2"}, "transpose_infer_shape", "canonicalize_axes",
    )),
    *[(name, row(
        lambda name=name: large(name), "MemoryError", "array->data != NULL",
        "cannot allocate an array. shape = [576460752303423488]", {}, "allocate", "mx_ndarray_allocate",
    )) for name in ("zeros", "full")],
]  # fmt: skip


def raised_by() -> dict[str, set[str]]:
    """Collect the operators of each kind from the rows."""
    operators = defaultdict(set)
    for operator, parameters in ROWS:
        operators[parameters.values[0].kind].add(operator)
    return dict(operators)


def documented() -> dict[str, set[str]]:
    """Read the table of the documentation: a kind, then operators with the reason in parentheses."""
    _, _, table, _ = re.split(r"^=+ +=+$", np.__doc__ + "\n", flags=re.MULTILINE)
    entries = re.split(r"^(?=\w)", table, flags=re.MULTILINE)[1:]
    assert entries
    kinds = [entry.split(maxsplit=1) for entry in entries]
    return {kind: set(re.findall(r"(\w+) \(", text)) for kind, text in kinds}


@pytest.mark.parametrize("failure", [parameters for _, parameters in ROWS])
def test_an_operator_fails_with_its_kind_check_values_and_function(failure):
    assert_fails(failure)


def test_every_registered_kind_has_two_operators_or_more():
    operators = raised_by()
    assert set(operators) == {kind for kind in GLOBAL.classes if not kind.startswith("Xla")}
    assert not {kind: names for kind, names in operators.items() if len(names) < 2}


def test_the_operators_are_there():
    names = {path.stem for path in (_native.source_root() / "lib" / "src" / "ops").glob("*.c")}
    assert not [operator for operator, _ in ROWS if operator not in names]


def test_the_table_in_the_documentation_says_the_same():
    assert documented() == raised_by()
