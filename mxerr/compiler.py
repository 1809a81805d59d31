"""The machine's C and C++ compiler: which it is, what it needs to find the kit, what it complains of."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from mxerr import _native

LANGUAGES: Final = {"c": ("CC", ("cc", "gcc", "clang")), "c++": ("CXX", ("c++", "g++", "clang++"))}
"""By language: the environment variable that names the compiler, and the programs that are tried."""

_ZIG: Final = {"c": "cc", "c++": "c++"}
_DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<text>.*)$", re.M)
_MOST_OUTPUT: Final = 20_000  # characters of the compiler's text; one mistake in C++ may cause a million


class BuildError(RuntimeError):
    """C or C++ text did not compile, or there is no compiler.

    The message has what the compiler says. The attributes say where the first error is.

    Attributes
    ----------
    file : str
        The name of the file; empty where the compiler names none.
    line, column : int
        Where in the file, counted from 1; 0 where that is not known.
    output : str
        All that the compiler printed.

    Examples
    --------
    >>> import mxerr
    >>> try:
    ...     mxerr.build("MXERR_EXPORT int f(void) { return 0 }")
    ... except BuildError as error:
    ...     error.file, error.line
    ('source.c', 1)
    """

    file = ""
    line = 0
    column = 0
    output = ""


class BuildWarning(UserWarning):
    """What a compiler has to say about text that compiles."""


class Result(NamedTuple):
    """What a run of the compiler gave: whether it went well, and its texts."""

    ok: bool
    stdout: bytes
    messages: str


def get_include() -> str:
    """Give the folder to be passed to a compiler as ``-I``, for ``#include <mxerr/mxerr.h>``.

    Returns
    -------
    str
        The folder.

    Raises
    ------
    ImportError
        If only the source tree of mxerr is there, and nothing was installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> (Path(get_include()) / "mxerr" / "mxerr.h").is_file()
    True
    """
    _native.path()
    header = _native.source_root() / "lib" / "include" / "mxerr" / "mxerr.h"
    return str(header.parents[1])


def find(language: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """Find the compiler of a language.

    Parameters
    ----------
    language : str
        ``"c"`` or ``"c++"``.
    environ : mapping, optional
        The environment: ``CC`` or ``CXX`` names the compiler, with options if need be.

    Returns
    -------
    list of str
        The command: of the environment, else of the search path, else of the package ``ziglang``.

    Raises
    ------
    BuildError
        If there is none.
    """
    import shlex  # these take long to import, and few programs compile
    import shutil
    from importlib.util import find_spec

    variable, programs = LANGUAGES[language]
    environ = os.environ if environ is None else environ
    try:
        if named := shlex.split(environ.get(variable, "")):
            return named
    except ValueError as error:
        raise BuildError(f"{variable}: expected a command, got {environ[variable]!r}: {error}") from None
    for program in programs:
        path = shutil.which(program, path=environ.get("PATH"))
        if path:
            return [path]
    if find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", _ZIG[language]]
    raise BuildError(
        f"no {language} compiler: looked for {', '.join(programs)} on the search path. Install one, name one "
        f"in the environment variable {variable}, or: pip install ziglang"
    )


def flags(language: str) -> list[str]:
    """Give the options with which a loadable library is made of one file."""
    standard = {"c": "gnu11", "c++": "gnu++17"}[language]
    result = [
        "-x",
        language,
        f"-std={standard}",
        f"-I{get_include()}",
        "-fvisibility=hidden",
    ]
    # -g: the linker's complaints name lines by it
    result += ["-g", "-O1", "-Wall", "-Wextra", "-shared"]
    if language == "c":
        result += ["-D_GNU_SOURCE="]  # as g++ has it; else the kit asks for nothing but POSIX
    if os.name == "posix":
        result += ["-fPIC", "-pthread"]
    if sys.platform == "linux":
        # A function that is missing is an error now, and not when the library is loaded. And its functions
        # call each other, not those of the process that have the same name.
        result += ["-Wl,-z,defs", "-Wl,-Bsymbolic"]
    return result


def run(command: Sequence[str], source: str, folder: Path) -> Result:
    """Run a compiler in a folder with a source as its input; its messages do not name the folder.

    Raises
    ------
    BuildError
        If it cannot be run.
    """
    import subprocess  # it takes long to import, and few programs compile

    try:
        done = subprocess.run(
            command,
            input=source.encode("utf-8", "surrogateescape"),
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},  # its words are read here
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise BuildError(f"the compiler cannot be run: {error}") from error
    messages = done.stderr.decode("utf-8", "backslashreplace").replace(f"{folder}{os.sep}", "")
    if len(messages) > _MOST_OUTPUT:
        messages = f"{messages[:_MOST_OUTPUT]}\n[{len(messages)} characters]"
    return Result(done.returncode == 0, done.stdout, messages)


@cache
def version(command: tuple[str, ...]) -> str:
    """Ask a compiler who it is."""
    return run([*command, "--version"], "", Path.cwd()).stdout.decode("utf-8", "backslashreplace")


def error(messages: str, name: str) -> BuildError:
    r"""Make the error of what a compiler printed.

    Parameters
    ----------
    messages : str
        What it printed.
    name : str
        The file that was compiled; a complaint about it counts before one about another.

    Returns
    -------
    BuildError
        The error.

    Examples
    --------
    >>> made = error("a.c:3:9: warning: unused\na.c:7:2: error: expected ';'\n", "a.c")
    >>> str(made).splitlines()[0], made.line, made.column
    ("a.c, line 7: expected ';'", 7, 2)
    """
    found = [match for match in _DIAGNOSTIC.finditer(messages) if _is_error(match["text"])]
    first = next((match for match in found if match["file"] == name), found[0] if found else None)
    if first is None:
        made = BuildError(f"{name} does not compile\n{messages}".rstrip())
    else:
        text = re.sub(r"^(fatal )?error: ", "", first["text"])
        made = BuildError(f"{first['file']}, line {first['line']}: {text}\n\n{messages}".rstrip())
        made.file, made.line, made.column = first["file"], int(first["line"]), int(first["column"] or 0)
    made.output = messages
    return made


def _is_error(text: str) -> bool:
    return text.startswith(("error: ", "fatal error: ")) or "undefined reference" in text
