"""MXNet's names, and the example of its documentation."""

from __future__ import annotations

import ctypes

import pytest

import mxerr as mx
from mxerr import _native, np
from mxerr.registry import GLOBAL


def fail(axes: tuple[int, ...]) -> int:
    """Transpose by the C API as plain ctypes has it; gives the status."""
    library = _native.library()
    invoke = library.unchecked("MXImperativeInvoke")
    array = np.array([[1.0, 2.0]])
    return invoke(
        b"transpose",
        1,
        (ctypes.c_void_p * 1)(array.handle),
        1,
        (ctypes.c_char_p * 1)(b"axes"),
        (ctypes.c_char_p * 1)(str(axes).encode()),
        ctypes.byref(ctypes.c_int()),
        ctypes.byref(_native.Handles()),
    )


def test_the_documented_example_runs_unchanged():
    dat = np.random.normal(0, 1, (3, 4, 5))
    with pytest.raises(ValueError, match=r"Repeated axis in transpose\. param\.axes = \[0,0,1\]") as caught:
        dat.transpose((0, 0, 1))
    assert isinstance(caught.value, mx.MXNetError)
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value, mx.NativeError)
    with pytest.raises(mx.MXNetError, match=r"axes\[2\]=3 exceeds the range") as caught:
        dat.transpose((0, 1, 3))
    assert not isinstance(caught.value, ValueError)


def test_a_class_registered_as_documented_is_raised_by_name():
    before = dict(GLOBAL.classes)
    try:

        @mx.error.register
        class MyError(mx.MXNetError):
            def __init__(self, msg):
                super().__init__(msg)

        assert mx.base.error_types["MyError"] is MyError
        assert mx.error.register("Named", MyError) is MyError
        assert mx.error.register("Other")(MyError) is MyError
        assert mx.base.error_types["Named"] is mx.base.error_types["Other"] is MyError
    finally:
        GLOBAL.classes.clear()
        GLOBAL.classes.update(before)


def test_check_call_passes_a_success_and_raises_a_failure():
    assert mx.base.check_call(0) is None
    status = fail((0, 0))
    assert status == -1
    with pytest.raises(ValueError, match="Repeated axis") as caught:
        mx.base.check_call(status)
    assert caught.value.native.frames[-1].function == "transpose_infer_shape"


def test_the_last_error_may_be_asked_for_again():
    fail((0, 0))
    first, second = mx.base.get_last_ffi_error(), mx.base.get_last_ffi_error()
    assert type(first) is type(second) is mx.error.ValueError
    assert str(first) == str(second)
    assert [f[:3] for f in first.native.frames] == [f[:3] for f in second.native.frames]


@pytest.mark.parametrize("status", [None, "no status", 1.5])
def test_what_is_no_status_at_all_is_told_too(status):
    with pytest.raises(mx.MXNetError):
        mx.base.check_call(status)


def test_check_call_after_a_failure_that_was_read_does_not_raise_it_as_something_else():
    with pytest.raises(ValueError, match="Repeated axis"):
        np.array([[1]]).transpose((0, 0))
    with pytest.raises(ValueError, match="Repeated axis"):
        mx.base.check_call(-1)


def test_what_is_put_into_error_types_is_registered():
    class Rule(Exception):
        pass

    mx.base.error_types["Rule"] = Rule
    try:
        assert GLOBAL.lookup("Rule") is Rule
    finally:
        del mx.base.error_types["Rule"]
