"""The small XLA: it computes, and each of XLA's errors is reached by a mistake in using it."""

from __future__ import annotations

import builtins
import copy
import ctypes
import os
import pickle
import signal
import threading
import time
import traceback

import numpy
import pytest
from xla_table import TABLE

import mxerr.xla.exceptions as xla_exceptions
from mxerr import NativeError
from mxerr.xla import _native as xla_native, runtime
from mxerr.xla.exceptions import XlaError

WAIT = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=5000 }"
CALL = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), target=f }"
DOT = "ENTRY f { x = f32[2,3] parameter(0) y = f32[3,1] parameter(1) ROOT z = f32[2,1] dot(x, y) }"


def compiled(text, **options):
    return runtime.Client(**options).compile(text)


# ---- it computes ----


def test_programs_compute_what_numpy_computes():
    x, y = numpy.arange(6.0).reshape(2, 3), numpy.arange(3.0).reshape(3, 1)
    numpy.testing.assert_array_equal(compiled(DOT).execute("f", [x, y]), x @ y)
    numpy.testing.assert_array_equal(runtime.example().execute("main", [[2, 4]]), [3, 6])


def test_an_executable_survives_being_stored():
    stored = runtime.example().serialize()
    restored = runtime.Client().deserialize(stored)
    assert restored.exports == ("main",)
    numpy.testing.assert_array_equal(restored.execute("main", [[2, 4]]), [3, 6])


def test_a_custom_call_runs_python():
    client = runtime.Client()
    client.register_custom_call("f", lambda x: x * 10)
    numpy.testing.assert_array_equal(client.compile(CALL).execute("main", [[1, 2]]), [10, 20])


def test_memory_is_given_back():
    client = runtime.Client(memory_limit=100)
    for _ in range(50):
        buffer = client.buffer(numpy.zeros(20))
        assert buffer.shape == (20,)
        del buffer
    executable = client.compile(runtime.EXAMPLE)
    for _ in range(50):
        executable.execute("main", [[1, 2]])


CHAIN = """
ENTRY main {
  a = f32[10] parameter(0)
  b = f32[10] add(a, a)
  c = f32[10] add(b, b)
  d = f32[10] add(c, c)
  ROOT e = f32[10] %s
}
"""


@pytest.mark.parametrize(
    ("last", "most"),
    [("add(d, d)", 3), ("add(d, c)", 4), ("add(d, b)", 4), ("add(d, a)", 3), ("multiply(a, a)", 3)],
)
def test_the_limit_holds_for_what_an_execution_holds_at_once(last, most):
    """The argument, and each value from the instruction that makes it to the last that needs it."""
    for room, fits in ((most * 40, True), (most * 40 - 1, False)):
        client = runtime.Client(memory_limit=room)
        executable, ones = client.compile(CHAIN % last), client.buffer(numpy.ones(10))
        if fits:
            assert executable.execute("main", [ones]).shape == (10,)
        else:
            with pytest.raises(MemoryError, match=f"allocate 40 bytes on device 0; {(most - 1) * 40} of"):
                executable.execute("main", [ones])
        ones.delete()
        client.buffer(numpy.ones(room // 4))  # all was given back, also after a failure


def test_an_argument_can_be_the_result_and_donated():
    client = runtime.Client(memory_limit=8)
    buffer = client.buffer([1, 2])
    same = client.compile("ENTRY main { x = f32[2] parameter(0) }")
    assert same.execute("main", [buffer], donate=True).tolist() == [1, 2]
    client.buffer([3, 4])


def test_a_long_element_wise_program_looks_at_the_clock():
    text = "f { x = f32[30000000] parameter(0) y = f32[30000000] add(x, x) }"
    executable = compiled(text)
    with pytest.raises(TimeoutError):
        executable.execute("f", [numpy.zeros(30000000)], timeout=0.001)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")
def test_ctrl_c_ends_a_wait():
    executable = compiled(WAIT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        executable.execute("main", [[1, 2]])
    assert time.monotonic() - begin < 3
    assert runtime.example().execute("main", [[1, 2]]).tolist() == [1.5, 3]


# ---- each class, by a mistake ----


def cancelled():
    executable = compiled(WAIT)
    threading.Timer(0.05, executable.cancel).start()
    executable.execute("main", [[1, 2]])


def unknown():
    client = runtime.Client()
    client.register_custom_call("f", lambda x: {}["lost"])
    client.compile(CALL).execute("main", [[1, 2]])


def already_exists():
    client = runtime.Client()
    client.register_custom_call("f", lambda x: x)
    client.register_custom_call("f", lambda x: x)


def failed_precondition():
    client = runtime.Client()
    buffer = client.buffer([1, 2])
    client.compile(runtime.EXAMPLE).execute("main", [buffer], donate=True)
    buffer.to_host()


def aborted():
    client = runtime.Client()
    threading.Timer(0.05, client.shutdown).start()
    client.compile(WAIT).execute("main", [[1, 2]])


def unavailable():
    mine = runtime.Client(exclusive=True)
    try:
        runtime.Client(exclusive=True)
    finally:
        mine.shutdown()


def set_attribute(name, value):
    return lambda: setattr(runtime.example().attributes, name, value)


MISUSES = {
    "XlaCancelledError": (cancelled, "execution of 'main' was cancelled"),
    "XlaUnknownError": (unknown, "custom call 'f' failed with status -1, and said no more"),
    "XlaInvalidArgumentError": (
        lambda: runtime.example().execute("main", [[1, 2, 3]]),
        "argument 0 of 'main': expected f32[2], got f32[3]",
    ),
    "XlaDeadlineExceededError": (
        lambda: compiled(WAIT).execute("main", [[1, 2]], timeout=0.5),
        "execution of 'main' took longer than 500 ms",
    ),
    "XlaNotFoundError": (
        lambda: runtime.Client("tpu"),
        'could not find registered platform with name: "tpu". Available platform names are: host, proxy',
    ),
    "XlaAlreadyExistsError": (already_exists, "duplicate custom call target 'f' on platform host"),
    "XlaPermissionDeniedError": (
        lambda: runtime.Client("proxy", credential="guest"),
        "'guest' may not use platform proxy",
    ),
    "XlaResourceExhaustedError": (
        lambda: runtime.Client(memory_limit=100).buffer(numpy.zeros(26)),
        "out of memory while trying to allocate 104 bytes on device 0; 0 of 100 bytes are in use",
    ),
    "XlaFailedPreconditionError": (failed_precondition, "buffer has been deleted or donated"),
    "XlaAbortedError": (aborted, "execution of 'main' was aborted: the client was shut down"),
    "XlaOutOfRangeError": (
        lambda: compiled("f { x = f32[] constant(1e99) }"),
        "line 1: constant 1e99 is out of range for f32",
    ),
    "XlaUnimplementedError": (
        lambda: compiled("f {\n x = bf16[2] parameter(0) }"),
        "line 2: element type bf16 is not implemented on platform host",
    ),
    "XlaInternalError": (
        lambda: runtime.example().execute("mian", [[1, 2]]),
        "exported function not found: mian",
    ),
    "XlaUnavailableError": (unavailable, "device 0 of platform host is in use by another client"),
    "XlaDataLossError": (
        lambda: runtime.Client().deserialize(runtime.example().serialize()[:-1]),
        "serialized executable is damaged: its checksum does not match",
    ),
    "XlaUnauthenticatedError": (lambda: runtime.Client("proxy"), "platform proxy needs a credential"),
    "XlaAttributeError": (lambda: runtime.example().attributes.colour, "Unknown attribute colour"),
    "XlaInvalidValueError": (
        set_attribute("optimization_level", 17),
        "optimization_level: expected 0 to 3, got 17",
    ),
    "XlaTypeError": (set_attribute("optimization_level", 1.5), "optimization_level: expected int, got float"),
    "XlaIndexError": (lambda: runtime.Client().device(2), "device index 2 is out of range [0, 2)"),
    "XlaKeyError": (
        lambda: runtime.example().cost("flopz"),
        "no cost named 'flopz'; there are: bytes, flops",
    ),
}


def test_there_is_a_misuse_for_each_class_of_the_table():
    assert list(MISUSES) == [name for name, *_ in TABLE]


@pytest.fixture(params=TABLE, ids=[row[0] for row in TABLE])
def row(request):
    return request.param


def raised_by(misuse, caught_as):
    try:
        misuse()
    except caught_as as error:
        return error
    raise AssertionError("nothing was raised")


def test_a_misuse_raises_the_class_with_code_text_and_frames(row):
    name, code_name, _, builtin = row
    misuse, text = MISUSES[name]
    cls = getattr(xla_exceptions, name)
    for caught_as in (cls, XlaError, NativeError, RuntimeError, getattr(builtins, builtin)):
        error = raised_by(misuse, caught_as)
        assert type(error) is cls
        assert (str(error), error.message, error.args) == (text, text, (text,))
        assert (error.code_name, error.native.code, error.native.kind) == (code_name, int(error.code), name)
        assert error.native.frames[0].function.startswith("Xla")
        assert all(frame.file.startswith("lib/src/xla/") for frame in error.native.frames)
        line = traceback.extract_tb(error.__traceback__)[-1].line
        assert f"return {name}(" in line or f"throw {name}(" in line or f"= {name}(" in line


def test_the_same_failure_is_the_same_error_every_time(row):
    """After a success, after a failure, and in another thread."""
    misuse, _ = MISUSES[row[0]]
    errors = []
    for _ in range(2):
        runtime.example().execute("main", [[1, 2]])
        errors.append(raised_by(misuse, XlaError))
    thread = threading.Thread(target=lambda: errors.append(raised_by(misuse, XlaError)))
    thread.start()
    thread.join()
    assert len({(type(e), e.code, str(e), e.native.frames) for e in errors}) == 1


def test_a_raised_error_survives_pickle_and_copy(row):
    error = raised_by(MISUSES[row[0]][0], XlaError)
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error), type(error)(str(error))):
        assert (type(other), str(other), other.code, other.args) == (
            type(error),
            str(error),
            error.code,
            error.args,
        )
    assert pickle.loads(pickle.dumps(error)).native == error.native


# ---- what goes with it ----


def test_payloads_are_separate_fields():
    error = raised_by(MISUSES["XlaResourceExhaustedError"][0], MemoryError)
    assert error.payloads == {"mxerr.xla/requested_bytes": b"104", "mxerr.xla/free_bytes": b"100"}


def test_the_exception_of_a_callback_is_the_cause_itself():
    raised = LookupError("mine")

    def fail(_x):
        raise raised

    client = runtime.Client()
    client.register_custom_call("f", fail)
    error = raised_by(lambda: client.compile(CALL).execute("main", [[1, 2]]), XlaError)
    assert error.__cause__ is raised


def test_an_interrupt_in_a_callback_goes_through():
    def interrupt(_x):
        raise KeyboardInterrupt

    client = runtime.Client()
    client.register_custom_call("f", interrupt)
    with pytest.raises(KeyboardInterrupt):
        client.compile(CALL).execute("main", [[1, 2]])


def test_hasattr_and_dir_work():
    attributes = runtime.example().attributes
    assert not hasattr(attributes, "colour")
    assert dir(attributes) == ["fingerprint", "name", "optimization_level"]
    assert getattr(attributes, "colour", 7) == 7
    with pytest.raises(PermissionError, match="fingerprint is read-only"):
        attributes.fingerprint = 1


@pytest.mark.parametrize("name", ["", "%s %n %d", "{} {0}", "caf\u00e9", "x" * 2**20, 'it\'s "quoted"'])
def test_a_message_holds_whatever_it_was_given(name):
    with pytest.raises(AttributeError) as caught:
        getattr(runtime.example().attributes, name)
    text = f"Unknown attribute {name}"
    if len(name) < 2**14:
        assert str(caught.value) == text
    else:
        assert text.startswith(str(caught.value).removesuffix(" ... [cut by mxerr]"))
        assert caught.value.native.truncated


def test_bytes_that_are_no_utf8_are_shown_escaped():
    with pytest.raises(XlaError) as caught:
        xla_native.library().XlaClientCreate(b"caf\xe9", None, 0, 0, ctypes.byref(ctypes.c_uint64()))
    assert 'name: "caf\\xe9"' in str(caught.value)


def test_bad_handles_and_null_pointers_give_a_status():
    library = xla_native.library()
    assert len(xla_native.PROTOTYPES) == 23
    for name, (_, types) in xla_native.PROTOTYPES.items():
        for number in (0, 2**64 - 1):
            arguments = [
                number
                if t is ctypes.c_uint64
                else 1
                if t in (ctypes.c_int, ctypes.c_int64, ctypes.c_size_t)
                else None
                for t in types
            ]
            if name == "XlaCustomCallRegister":
                arguments[2] = xla_native.CustomCall()
            if name.endswith("Free") and number == 0:
                getattr(library, name)(*arguments)
                continue
            with pytest.raises(XlaError):
                getattr(library, name)(*arguments)


def test_attributes_can_be_copied_and_asked_for_anything():
    attributes = runtime.example().attributes
    copied = copy.copy(attributes)
    assert copied.optimization_level == attributes.optimization_level
    assert not any(hasattr(attributes, name) for name in ("\udcff", "a\0b", "__no_such__"))


def test_a_wait_of_any_length_waits():
    program = """
ENTRY main {
  x = f32[1] parameter(0)
  ROOT y = f32[1] wait(x), ms=9223372036854775807
}
"""
    with pytest.raises(xla_exceptions.XlaDeadlineExceededError):
        runtime.Client().compile(program).execute("main", [[1]], timeout=0.05)
