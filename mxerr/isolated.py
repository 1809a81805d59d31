"""C functions in a process of their own: whatever ends that process, this one goes on.

The process is started with the first call, and anew after it has died. It gets each call through a pipe and
answers through another; what C prints goes to a file that is read after the call.
"""

from __future__ import annotations

import builtins
import ctypes
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from mxerr import prototype, record
from mxerr.error import NativeError
from mxerr.exception import make_exception
from mxerr.library import STATUS
from mxerr.registry import Registry
from mxerr.report import NativeFrame, NativeReport
from mxerr.server import UNPICKLABLE, Answer, pack

_MOST_OUTPUT: Final = (
    1_000_000  # bytes of a call: a loop that prints has written more than a notebook can hold
)
_SERVE: Final = "from mxerr.server import serve; serve()"


class CrashError(NativeError):
    """C code ended the process that it ran in.

    Attributes
    ----------
    signal : str
        The signal that ended it, such as ``"SIGSEGV"``; empty where C called ``exit``.
    """

    signal = ""


class CallTimeoutError(CrashError, builtins.TimeoutError):
    """C code did not come back in time, and its process was ended."""


class IsolatedLibrary:
    """The functions of a compiled source, called in another process.

    Arguments and results are numbers, texts and ctypes data without pointers, such as arrays; what C writes
    to those is written back.

    Parameters
    ----------
    library, source : path-like
        The library, and the source that states its functions.
    default : type
        The class for errors whose kind is not registered.
    registry : Registry
        Where kinds are looked up.
    timeout : float or None
        How many seconds a call may take.
    show : callable
        Called with the text that C printed, after each call that printed one.
    """

    def __init__(
        self,
        library: Path,
        source: Path,
        default: type[Exception],
        registry: Registry,
        timeout: float | None = None,
        show: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._library, self._source = library, source
        self._functions = prototype.read(source.read_text("utf-8", "surrogateescape"))
        self._default, self._registry = default, registry
        self._timeout, self._show = timeout, show
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def call(self, name: str, *args: Any) -> Any:
        """Call a function.

        Raises
        ------
        CrashError
            If its process ended.
        CallTimeoutError
            If it took too long.
        Exception
            If the function failed: of the class registered for its kind.
        TypeError
            If an argument cannot go to another process.
        """
        __tracebackhide__ = True
        with self._lock:
            answer = self._ask(name, args)
        if answer.error is not None:
            raise answer.error
        for argument, data in zip(args, answer.written, strict=True):
            if data is not None:
                ctypes.memmove(ctypes.addressof(argument), data, len(data))
        if self._functions[name].restype is STATUS and answer.result != 0:
            raise make_exception(self._report(name, answer), self._registry, self._default)
        return answer.result

    def stop(self) -> None:
        """End the other process, if there is one."""
        if self._process is not None:
            self._end()
            self._process = None

    def _ask(self, name: str, args: tuple[Any, ...]) -> Answer:
        __tracebackhide__ = True
        try:
            question = pickle.dumps(pack(name, args))
        except UNPICKLABLE as error:
            raise TypeError(f"{name}: an argument cannot go to another process: {error}") from None
        process = self._process = self._process or self._start()
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._timeout or 0, end)
        if self._timeout is not None:
            timer.start()
        try:
            answer = _exchange(process, question)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise self._crash(name, process, late.is_set()) from None
        except BaseException:  # KeyboardInterrupt: the answer would be taken for that of the next call
            self._process = None
            process.kill()
            raise
        finally:
            timer.cancel()
            self._show_output()
            if self._process is None:
                self._end()
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        # -P: a module of the working folder is nothing to this program
        command = [sys.executable, "-P", "-c", _SERVE, str(self._library), str(self._source)]
        printed, path = tempfile.mkstemp(prefix="mxerr")
        self._output = output = Path(path).open("rb")  # noqa: SIM115  # closed with its process
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # the stop button is for this process alone
        )
        os.close(printed)
        with suppress(PermissionError):  # Windows keeps a file that is open
            Path(path).unlink()
        self._end = weakref.finalize(self, _end, process, output)
        return process

    def _show_output(self) -> None:
        file = self._output
        left_out = os.fstat(file.fileno()).st_size - file.tell() - _MOST_OUTPUT
        text = ""
        if left_out > 0:
            text = f"{_decode(file.read(_MOST_OUTPUT // 2))}\n[... {left_out} bytes left out]\n"
            file.seek(left_out, os.SEEK_CUR)
        text += _decode(file.read())
        if text:
            self._show(text)

    def _crash(self, name: str, process: subprocess.Popen[bytes], late: bool) -> Exception:
        status = process.wait()
        self._process = None
        if late:
            text, number = f"{name}: took more than {self._timeout:g} s, and was ended", ""
        elif status < 0:
            number = _signal(-status)
            text = f"{name}: ended its process by {number} ({signal.strsignal(-status)})"
        else:
            text, number = f"{name}: ended its process by exit({status})", ""
        cls = CallTimeoutError if late else CrashError
        frame = NativeFrame(name, self._source.name, self._functions[name].line)
        root = str(self._source.parent)
        report = NativeReport(
            text, text, cls.__name__, None, (frame,), function=name, status=status, source_root=root
        )
        error = make_exception(report, Registry(), cls)
        if isinstance(error, CrashError):
            error.signal = number
        return error

    def _report(self, name: str, answer: Answer) -> NativeReport:
        known, root = self._registry.__contains__, str(self._source.parent)
        if answer.record:
            return record.read(
                answer.record, known=known, function=name, status=answer.result, source_root=root
            )
        text = f"{name} failed with status {answer.result} and set no error message"
        return NativeReport(text, text, function=name, status=answer.result, source_root=root)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"signal {number}"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _exchange(process: subprocess.Popen[bytes], question: bytes) -> Answer:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(question)
    process.stdin.flush()
    answer: Answer = pickle.load(process.stdout)
    return answer


def _end(process: subprocess.Popen[bytes], output: io.BufferedReader) -> None:
    process.kill()
    output.close()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it was not told yet
                pipe.close()
    process.wait()
