"""What use there is of a client of the small XLA that was shut down, and of buffers of another client."""

from __future__ import annotations

import ctypes
import threading

import numpy
import pytest

import mxerr.xla.exceptions as xla_exceptions
from mxerr.xla import _native as xla_native, runtime
from mxerr.xla._buffer import Buffer
from mxerr.xla.exceptions import XlaError

WAIT = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=5000 }"
CALL = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), target=f }"


def compiled(text):
    return runtime.Client().compile(text)


@pytest.mark.parametrize(("ended", "more"), [(False, ""), (True, ", which was shut down")])
def test_a_buffer_of_another_client_is_refused(ended, more):
    other = runtime.Client()
    buffers = [other.buffer([1, 2]), other.buffer([3, 4])]
    if ended:
        other.shutdown()
    executable = compiled("f { x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT z = f32[2] add(x, y) }")
    for position, arguments in ((0, [buffers[0], [1, 2]]), (1, [[1, 2], buffers[1]])):
        with pytest.raises(xla_exceptions.XlaInvalidArgumentError) as caught:
            executable.execute("f", arguments)
        assert str(caught.value) == (
            f"argument {position} of 'f': expected a buffer of the client that compiled it, "
            f"got one of another client{more}"
        )


USES = {
    "the devices": lambda client, _buffer, _executable: client.devices,
    "a device": lambda client, _buffer, _executable: client.device(0),
    "compiling": lambda client, _buffer, _executable: client.compile(runtime.EXAMPLE),
    "loading": lambda client, _buffer, _executable: client.deserialize(runtime.example().serialize()),
    "a new buffer": lambda client, _buffer, _executable: client.buffer([1, 2]),
    "a custom call": lambda client, _buffer, _executable: client.register_custom_call("g", abs),
    "reading a buffer": lambda _client, buffer, _executable: buffer.to_host(),
    "the shape of a buffer": lambda _client, buffer, _executable: buffer.shape,
    "executing": lambda _client, _buffer, executable: executable.execute("main", [[1, 2]]),
    "executing with a buffer": lambda _client, buffer, executable: executable.execute("main", [buffer]),
    "executing what is not there": lambda _client, _buffer, executable: executable.execute("mian"),
    "the exports": lambda _client, _buffer, executable: executable.exports,
    "storing": lambda _client, _buffer, executable: executable.serialize(),
    "the cost": lambda _client, _buffer, executable: executable.cost("flops"),
    "resetting": lambda _client, _buffer, executable: executable.reset(),
    "an attribute": lambda _client, _buffer, executable: executable.attributes.name,
    "the attributes": lambda _client, _buffer, executable: dir(executable.attributes),
    "setting an attribute": lambda _client, _buffer, executable: setattr(executable.attributes, "name", "x"),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_after_a_shutdown_every_use_says_so(use):
    client = runtime.Client()
    buffer, executable = client.buffer([1, 2]), client.compile(runtime.EXAMPLE)
    client.shutdown()
    for _ in range(2):
        with pytest.raises(xla_exceptions.XlaFailedPreconditionError) as caught:
            use(client, buffer, executable)
        assert (str(caught.value), caught.value.code_name) == (
            "the client was shut down",
            "FAILED_PRECONDITION",
        )


def test_what_ends_something_does_nothing_after_a_shutdown():
    client = runtime.Client(exclusive=True)
    buffer, executable = client.buffer([1, 2]), client.compile(runtime.EXAMPLE)
    for _ in range(2):
        client.shutdown()
        buffer.delete()
        executable.cancel()
    runtime.Client(exclusive=True).shutdown()  # device 0 is free again


def test_other_clients_go_on_after_a_shutdown():
    client, other = runtime.Client(), runtime.Client()
    buffer = other.buffer([1, 2])
    client.shutdown()
    assert buffer.to_host().tolist() == [1, 2]
    assert other.devices == ("host:0", "host:1")


def test_a_client_may_be_shut_down_within_its_own_callback():
    client = runtime.Client()

    def end(x):
        client.shutdown()
        return x

    client.register_custom_call("f", end)
    executable = client.compile(CALL)
    with pytest.raises(xla_exceptions.XlaAbortedError, match="aborted: the client was shut down"):
        executable.execute("main", [[1, 2]])


def test_a_run_that_has_begun_is_aborted_or_gives_its_result():
    seen = set()

    def run(executable, buffer):
        try:
            seen.add(tuple(executable.execute("main", [buffer]).tolist()))
        except XlaError as error:
            seen.add(error.code_name)

    for _ in range(300):
        client, begun = runtime.Client(), threading.Event()

        def begin(x, begun=begun):
            begun.set()
            return x

        client.register_custom_call("f", begin)
        thread = threading.Thread(target=run, args=(client.compile(CALL), client.buffer([1, 2])))
        thread.start()
        assert begun.wait(20)
        client.shutdown()
        thread.join(20)
    assert seen <= {"ABORTED", (1, 2)}


def test_a_result_can_be_read_after_a_shutdown():
    client = runtime.Client()
    executable = client.compile(runtime.EXAMPLE)
    buffer = client.buffer([1, 2])
    library, result, argument = xla_native.library(), ctypes.c_uint64(), ctypes.c_uint64(buffer._handle)
    library.XlaExecutableExecute(
        executable._handle, b"main", 1, ctypes.byref(argument), -1, 0, ctypes.byref(result)
    )
    client.shutdown()
    read = Buffer(client._session, result)
    assert (read.shape, read.to_host().tolist()) == ((2,), [1.5, 3])
    with pytest.raises(xla_exceptions.XlaFailedPreconditionError):
        executable.execute("main", [read])


def test_many_threads_use_a_client_that_is_shut_down_meanwhile():
    client = runtime.Client()
    executables = [client.compile(WAIT), client.compile(runtime.EXAMPLE)]
    seen = set()

    def use(executable):
        try:
            while True:
                buffer = client.buffer(numpy.zeros(2))
                executable.execute("main", [buffer])
        except XlaError as error:
            seen.add(error.code_name)

    threads = [threading.Thread(target=use, args=(executables[i % 2],)) for i in range(6)]
    for thread in threads:
        thread.start()
    threading.Timer(0.1, client.shutdown).start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert seen <= {"ABORTED", "FAILED_PRECONDITION"}
    assert "ABORTED" in seen  # those that waited
