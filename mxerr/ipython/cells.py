"""``%%mxerr_c`` and ``%%mxerr_cpp``: a cell of C or C++ whose functions Python can call."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring as _parse

from mxerr import prototype
from mxerr.compiled import Built, compile_source, load
from mxerr.compiler import BuildError
from mxerr.error import NativeError
from mxerr.interrupt import interruptible
from mxerr.ipython import output
from mxerr.isolated import IsolatedLibrary
from mxerr.prototype import Function
from mxerr.registry import GLOBAL

Call = Callable[..., Any]

_TIMEOUT: Final = 10.0
_NAMES: Final = {"c": "cell.c", "c++": "cell.cpp"}
_OPTIONS: Final = {
    "c": (),
    "c++": ("-DMXERR_SHORT_NAMES",),
}  # LOG(FATAL), CHECK_EQ: the words that C++ cells use

_isolated = argument(
    "--isolated", action="store_true", help="Call the functions in another process, which may crash."
)
_timeout = argument(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="With --isolated: how long a call may take; 10 by default.",
)
_flags = argument("--flags", default="", help="More options for the compiler, in quotes: --flags '-O3 -lm'.")


class CellFunction:
    """A C function of a cell.

    Parameters
    ----------
    name : str
        Its name.
    declaration : str
        What it is called with, as C says it.
    call : callable
        Calls it.
    """

    def __init__(self, name: str, declaration: str, call: Call) -> None:
        self._call = call
        self._declaration = declaration
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"{declaration}\n\nA C function of a cell."

    def __call__(self, *args: Any) -> Any:
        """Call the function; what it prints is shown, and what it fails with is raised."""
        __tracebackhide__ = True
        return self._call(*args)

    def __repr__(self) -> str:
        return f"<C function {self._declaration}>"


@magics_class
class CellMagics(Magics):
    """The magics for cells that are not Python."""

    shell: Any

    @magic_arguments()
    @_isolated
    @_timeout
    @_flags
    @cell_magic
    def mxerr_c(self, line: str, cell: str) -> None:
        """Compile a cell of C against the kit, and give its functions to Python.

        The kit, ``mxerr.h``, is included already. Functions marked MXERR_EXPORT get their names here; those
        that return int raise what they fail with. A cell that is run again gives new functions, whose static
        variables begin anew.
        """
        __tracebackhide__ = True
        self._define("c", parse(self.mxerr_c, line), line, cell)

    @magic_arguments()
    @_isolated
    @_timeout
    @_flags
    @cell_magic
    def mxerr_cpp(self, line: str, cell: str) -> None:
        """Compile a cell of C++17 against the kit, and give its functions to Python.

        As %%mxerr_c, with ``mxerr.hpp``, and its short names: CHECK_EQ(a, b) << "ValueError: ...",
        LOG(FATAL) << "MyError: ...". They throw, and an exception that leaves C++ ends the process. So a
        function that Python calls is wrapped in MXERR_API(MXERR_GUARD(...)), which makes an error of it:

            void check(int n) { if (n < 0) LOG(FATAL) << "MyError: this is a custom error message"; }
            MXERR_EXPORT int f(int n) { MXERR_API(MXERR_GUARD(check(n))); }
        """
        __tracebackhide__ = True
        self._define("c++", parse(self.mxerr_cpp, line), line, cell)

    def _define(self, language: str, args: Any, line: str, cell: str) -> None:
        __tracebackhide__ = True
        timeout = _timeout_of(args)
        built = self._compile(language, args, line, cell)
        if built.messages:
            print(built.messages, end="", file=sys.stderr)
        functions = prototype.read(cell)
        if not functions:
            raise BuildError("the cell exports no function: mark one with MXERR_EXPORT")
        for name, found in functions.items():
            if found.restype is prototype.UNKNOWN:
                raise BuildError(
                    f"{name}: expected a number, a text or a pointer as result, got: {found.declaration}"
                )
        call = self._isolated(built, language, timeout) if args.isolated else self._here(built, functions)
        for name, found in functions.items():
            function = CellFunction(name, found.declaration, partial(call, name))
            self.shell.user_ns[name] = function

    def _here(self, built: Built, functions: dict[str, Function]) -> Call:
        """Call functions in this process: what C prints is shown, and the user can stop what polls."""
        types = {name: found.prototype for name, found in functions.items()}
        library = load(built, types, NativeError, GLOBAL)
        for name in types:
            if not hasattr(library, name):  # it stands within #if 0
                del functions[name]

        def call(name: str, *args: Any) -> Any:
            __tracebackhide__ = True
            with output.shown(self.shell), interruptible(library):
                return getattr(library, name)(*args)

        return call

    def _isolated(self, built: Built, language: str, timeout: float) -> Call:
        source = built.folder / _NAMES[language]
        show = partial(print, end="")
        return IsolatedLibrary(built.library, source, NativeError, GLOBAL, timeout, show).call

    def _compile(self, language: str, args: Any, line: str, cell: str) -> Built:
        __tracebackhide__ = True
        shown, first_line = self._whole(language, line, cell)
        built = compile_source(
            cell,
            language,
            name=_NAMES[language],
            options=(*_OPTIONS[language], *_words(args.flags)),
            first_line=first_line,
            shown=shown,
        )
        # by this IPython names code after its cell; it has no public way in
        names = self.shell.compile._filename_map
        names[str(built.folder / _NAMES[language])] = number_of(self.shell, cell)
        return built

    def _whole(self, language: str, line: str, cell: str) -> tuple[str, int]:
        """Give the text of the whole cell, and which of its lines is the first of the C text.

        So its lines have the numbers that the user sees.
        """
        if _is_last(self.shell, cell):
            own = inputs(self.shell)[-1].rstrip()  # a front end may have taken off blanks at its end, too
            return f"{own}\n", own[: len(own) - len(cell.rstrip())].count("\n") + 1
        return f"%%mxerr_{'c' if language == 'c' else 'cpp'} {line}\n{cell}", 2


def inputs(shell: Any) -> list[str]:
    """Get the cells so far; their places are their numbers, and where cells are counted, this is the last."""
    history = shell.history_manager
    found: list[str] = history.input_hist_raw if history else []
    return found or [""]


def number_of(shell: Any, cell: str) -> int:
    """Get the number of the cell that runs: some versions of IPython count on before it runs, some after."""
    count: int = shell.execution_count
    return len(inputs(shell)) - 1 if _is_last(shell, cell) else count


def _is_last(shell: Any, cell: str) -> bool:
    return inputs(shell)[-1].rstrip().endswith(cell.rstrip()) and bool(inputs(shell)[-1])


def parse(magic: Any, line: str) -> Any:
    """Parse the arguments of a magic.

    Raises
    ------
    UsageError
        If they are wrong; also for a quote that is not closed.
    """
    try:
        return _parse(magic, line)
    except ValueError as error:
        raise UsageError(f"{error}: {line}") from None


def _words(text: str) -> list[str]:
    """Split an argument into words; IPython leaves quotes around it."""
    try:
        words = shlex.split(text)
        return shlex.split(words[0]) if len(words) == 1 else words
    except ValueError as error:
        raise UsageError(f"--flags: {error}: {text}") from None


def _timeout_of(args: Any) -> float:
    if args.timeout is None:
        return _TIMEOUT
    if not args.isolated:
        raise UsageError("--timeout: only a call in another process can be timed: add --isolated")
    if not 0 < args.timeout <= threading.TIMEOUT_MAX:
        raise UsageError(f"--timeout: expected seconds above 0, got {args.timeout}")
    timeout: float = args.timeout
    return timeout
