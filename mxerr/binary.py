"""Functions in binaries, as a ``[bt]`` stack gives them: readable names, and lines from debug information.

An error has such frames by the dozen, and most are never looked at. So a line is searched for, by another
program, when a traceback is printed: `mxerr.source.serve_lazily` has it as the text of the frame.
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from mxerr import source
from mxerr.report import NativeFrame

_NAMES: Final = ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib")
_TIMEOUT: Final = 30
# Where Python's own way to C begins; what lies outside of it is not the library's.
_CALLERS = re.compile(r"ffi_call\b|(?:Py|_Py|_ctypes)")
_CALLER_FILES = re.compile(r"(?:libffi|_ctypes)[^/\\]*$")
# How dmlc's libraries raise: the innermost frames of each error, and none of its story.
_RAISERS = re.compile(r"dmlc::(?:LogMessageFatal|StackTrace)\b")
_ADDRESS = re.compile(rb"^[ \t]*\[bt\] \([0-9]+\) [^\n]*\[0x([0-9a-f]{1,16})\][ \t]*$", re.M)
_STRING = re.compile(
    r"std::(?:__cxx11::|__1::)?basic_string<char, std::(?:__1::)?char_traits<char>, std::.*?> ?>"
)


class _Where(ctypes.Structure):
    """``Dl_info`` of ``dlfcn.h``."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


@cache
def _dladdr() -> Any:
    function = getattr(ctypes.CDLL(None), "dladdr", None)  # all systems but Windows have it
    if function is not None:
        function.argtypes = (ctypes.c_void_p, ctypes.POINTER(_Where))
    return function


def with_offsets(frames: Sequence[NativeFrame], raw: bytes) -> tuple[NativeFrame, ...]:
    """Find how far into their libraries frames lie, from the addresses in a text of this process.

    Parameters
    ----------
    frames : sequence of NativeFrame
        The frames that were read from the text; the innermost comes last.
    raw : bytes
        The text.

    Returns
    -------
    tuple of NativeFrame
        The frames, with an offset where their library is where the address says.
    """
    addresses = [int(address, 16) for address in _ADDRESS.findall(raw)]
    if len(addresses) != sum(bool(frame.library) for frame in frames):
        return tuple(frames)
    return tuple(
        frame._replace(offset=_offset_of(addresses.pop(), frame.library) or frame.offset)
        if frame.library
        else frame
        for frame in frames
    )


def _offset_of(address: int, library: str) -> int:
    where, dladdr = _Where(), _dladdr()
    if dladdr is None or not 0 < address < 2**63 or not dladdr(address, where) or not where.file:
        return 0
    same = Path(where.file.decode("utf-8", "surrogateescape")).name == Path(library).name
    return int(address - (where.base or 0)) if same else 0


@cache
def _demangler() -> Any:
    for name in _NAMES:
        try:
            function = ctypes.CDLL(name)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
        return function
    return None


@lru_cache(maxsize=1024)
def demangle(symbol: str) -> str:
    """Spell the name of a C++ function as its source does.

    Parameters
    ----------
    symbol : str
        The name as the linker knows it, or any other.

    Returns
    -------
    str
        The readable name, with ``std::string`` for its long form; other names stay as they are.

    Examples
    --------
    >>> demangle("_ZN4dmlc10LogMessageD1Ev"), demangle("MXGetVersion")
    ('dmlc::LogMessage::~LogMessage()', 'MXGetVersion')
    """
    if symbol.startswith("_Z") and (demangler := _demangler()):
        text = demangler(symbol.encode(), None, None, ctypes.c_int())
        if text:
            symbol = ctypes.string_at(text).decode("utf-8", "backslashreplace")
            _free()(text)
    return _STRING.sub("std::string", symbol)


@cache
def _free() -> Any:
    function = ctypes.CDLL(None)["free"]
    function.argtypes, function.restype = (ctypes.c_void_p,), None
    return function


def readable(frames: Sequence[NativeFrame]) -> tuple[NativeFrame, ...]:
    """Make the frames of a native stack those of the library that failed.

    Parameters
    ----------
    frames : sequence of NativeFrame
        The frames; the innermost comes last.

    Returns
    -------
    tuple of NativeFrame
        Without those of Python and libffi, and of what is outside of them: Python's own traceback has them;
        and without the innermost ones that only raised the error. Names are demangled.
    """
    kept: list[NativeFrame] = []
    for frame in reversed(frames):
        name = demangle(frame.function)
        if _CALLERS.match(name) or _CALLER_FILES.search(frame.library):
            break
        innermost = not any(inner.function or inner.library for inner in kept)
        if not (innermost and _RAISERS.match(name)):
            kept.append(frame._replace(function=name))
    return tuple(reversed(kept))


def place(frame: NativeFrame) -> tuple[str, int]:
    """Give a frame of a binary a file name and a line for tracebacks.

    Parameters
    ----------
    frame : NativeFrame
        A frame with a library and no file.

    Returns
    -------
    name : str
        The library's path in angle brackets, with the offset.
    line : int
        1 where the text of that line will say where the function's source is; else 0.
    """
    if not frame.offset:
        return f"<{frame.library}>", 0
    name = f"<{frame.library}+{frame.offset:#x}>"
    if not has_lines(frame.library):
        return name, 0
    source.serve_lazily(name, lambda: [_described(frame.library, frame.offset)])
    return name, 1


def _described(library: str, offset: int) -> str:
    file, line = find_line(library, offset)
    lines = source.find(file, "", line)[1]
    text = lines[line - 1].strip() if lines else ""
    return f"{file}:{line}  {text}".rstrip() + "\n" if file else "\n"


@lru_cache(maxsize=4096)
def find_line(library: str, offset: int) -> tuple[str, int]:
    """Find the source line of a place in a library, with ``addr2line`` or ``llvm-symbolizer``.

    Parameters
    ----------
    library : str
        The path of the library.
    offset : int
        Bytes from its beginning.

    Returns
    -------
    file : str
        The source file as the compiler saw it; empty where it is not known.
    line : int
        The line, counted from 1; 0 where it is not known.
    """
    import shutil  # with subprocess it takes as long to import as all of mxerr, and few programs need them
    import subprocess

    tool = shutil.which("addr2line") or shutil.which("llvm-symbolizer")
    if tool is None:
        return "", 0
    options = ["-e", library] if "addr2line" in tool else ["-f=none", f"--obj={library}"]
    # a return address is the instruction behind the call
    command = [tool, *options, hex(offset - 1)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_TIMEOUT, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return "", 0
    found = re.match(r"([^?\n].*?):([0-9]+)", done.stdout.decode("utf-8", "replace"))
    return (found[1], int(found[2])) if found and found[2] != "0" else ("", 0)


@lru_cache(maxsize=256)
def has_lines(library: str) -> bool:
    """Tell whether an ELF file has debug information: a section of line numbers."""
    try:
        with Path(library).open("rb") as file:
            header = file.read(64)
            if header[:6] != b"\x7fELF\x02\x01":  # 64 bits, little end first
                return False
            (table,) = struct.unpack_from("<Q", header, 40)
            size, count, names = struct.unpack_from("<3H", header, 58)
            file.seek(table + names * size)
            start, length = struct.unpack_from("<2Q", file.read(size), 24)
            file.seek(start)
            return count > 0 and b".debug_line\0" in file.read(min(length, 2**20))
    except (OSError, ValueError, struct.error):
        return False
