"""The command line: its arguments and its output; what the commands do is in modules of their own."""

from __future__ import annotations

import argparse
import ctypes
import io
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from mxerr import _native, compiler, project, tour
from mxerr.registry import GLOBAL

_COLOURS = {"title": "\033[1m", "code": "\033[36m", "error": "\033[31m"}
_PLAIN = "\033[0m"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit status: 0, or 1 where the C library is missing.

    Raises
    ------
    SystemExit
        If the arguments are wrong, or ask for help.

    Examples
    --------
    >>> main(["info"])  # doctest: +ELLIPSIS
    mxerr ...
    0
    """
    parser = _parser()
    with _lenient_output():
        args = parser.parse_args(argv)
        try:
            for piece in args.text(args) if args.text else [parser.format_help()]:
                sys.stdout.write(piece)
                sys.stdout.flush()
        except ImportError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("mxerr", description="Typed errors that cross from C into Python.")
    parser.set_defaults(text=None)
    parser.add_argument("--version", action="version", version=f"mxerr {_version('mxerr')}")
    parser.add_argument(
        "--cflags",
        dest="text",
        action="store_const",
        const=_cflags,
        help="print the compiler's options for #include <mxerr/mxerr.h>",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, text, summary in (
        ("tour", _tour, "follow one error from a C check to its Python traceback, step by step"),
        ("info", _info, "show versions, where the C library lies, and the registered kinds"),
    ):
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        command.set_defaults(text=text)
    summary = "write a small C library with its Python package: it builds, and passes its tests"
    command = commands.add_parser("new", help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
    command.add_argument("folder", type=Path, help="the folder to be made; its name is the package's")
    command.set_defaults(text=_new, refuse=command.error)
    return parser


@contextmanager
def _lenient_output() -> Iterator[None]:
    """Escape what the encoding of the output lacks; be silent when the reader leaves, as ``head`` does."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # the interpreter flushes once more when it ends: let that go nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tour(args: argparse.Namespace) -> Iterator[str]:
    _native.library()  # without it there is nothing to show
    columns = shutil.get_terminal_size((80, 24)).columns
    coloured = wants_colour(sys.stdout.isatty(), os.environ)
    return tour.show(_colour if coloured else lambda text, role: text, min(100, max(72, columns)))


def wants_colour(tty: bool, environ: Mapping[str, str]) -> bool:
    """Decide whether output has colours.

    Parameters
    ----------
    tty : bool
        Whether it goes to a terminal.
    environ : mapping
        The environment: ``NO_COLOR`` and ``TERM=dumb`` forbid colours, ``FORCE_COLOR`` asks for them.

    Returns
    -------
    bool
        Whether to use them.

    Examples
    --------
    >>> wants_colour(False, {"FORCE_COLOR": "1"}), wants_colour(True, {"NO_COLOR": "1", "FORCE_COLOR": "1"})
    (True, False)
    """
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return tty or bool(environ.get("FORCE_COLOR"))


def _colour(text: str, role: str) -> str:
    return f"{_COLOURS[role]}{text}{_PLAIN}"


def _info(args: argparse.Namespace) -> Iterator[str]:
    for name in ("mxerr", "numpy", "ipython", "pytest"):
        yield f"{name:<10}{_version(name)}\n"
    yield f"{'Python':<10}{platform.python_version()} on {platform.platform()}\n"
    yield f"{'libmxerr':<10}{_library_version()}, {_native.path()}\n"
    yield f"{'modules':<10}{Path(__file__).parent}\n"
    yield f"{'C sources':<10}{_native.source_root() / 'lib'}\n"
    yield "kinds:\n"
    for kind, cls in sorted(GLOBAL.classes.items()):
        yield f"  {kind:<22}{cls.__module__}.{cls.__qualname__}\n"


def _new(args: argparse.Namespace) -> Iterator[str]:
    try:
        files = project.create(args.folder)
    except (OSError, ValueError) as error:
        args.refuse(str(error))
    yield "".join(f"{args.folder / file}\n" for file in files)
    yield f"next:\n  cd {shlex.quote(str(args.folder))}\n  pip install '.[test]'\n  pytest\n"


def _cflags(args: argparse.Namespace) -> Iterator[str]:
    yield f"-I{shlex.quote(compiler.get_include())}\n"


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def _library_version() -> str:
    number = ctypes.c_int()
    _native.library().MXGetVersion(number)
    major, rest = divmod(number.value, 10000)
    return f"{major}.{rest // 100}.{rest % 100}"
