"""The magics: ``%mxerr`` for settings and the last error; cells that must fail, or are timed."""

from __future__ import annotations

import ast
import asyncio
import builtins
import os
import shlex
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from IPython.core.display_functions import display
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from mxerr.compiler import BuildError
from mxerr.error import NativeError
from mxerr.excerpt import CFrame
from mxerr.explain import Explanation
from mxerr.ipython.cells import number_of, parse
from mxerr.ipython.errors import describe, report_of
from mxerr.ipython.formatter import State, below_shell, state_of
from mxerr.ipython.settings import CHOICES, SETTINGS
from mxerr.ipython.show import has_text
from mxerr.ipython.timeline import Timeline
from mxerr.isolated import CallTimeoutError, CrashError
from mxerr.registry import GLOBAL
from mxerr.render import place
from mxerr.report import NativeReport
from mxerr.trace import Trace, trace


class ExpectedError(AssertionError):
    """A cell of ``%%mxerr_raises`` did not raise what it had to."""


_OWN: Final = {
    cls.__name__: cls
    for cls in (BuildError, CallTimeoutError, CrashError, ExpectedError, NativeError, UsageError)
}
"""Classes that a cell can raise and that no C code names."""


@magics_class
class MxerrMagics(Magics):
    """The magics of the extension."""

    shell: Any

    @magic_arguments()
    @argument(
        "what",
        nargs="?",
        default="status",
        choices=["status", "last", "explain", "kinds", "frames"],
        help="status: versions, settings, the last error. last: show its traceback again. explain: explain "
        "it. kinds: the registered classes. frames: how many frames tracebacks show.",
    )
    @argument("value", nargs="?", choices=CHOICES, help="For frames: fold plumbing and repeats, or nothing.")
    @line_magic
    def mxerr(self, line: str) -> Any:
        """Show what mxerr knows, and set what it shows."""
        args = parse(self.mxerr, line)
        if args.value and args.what != "frames":
            raise UsageError(f"%mxerr {args.what}: expected nothing more, got {args.value!r}")
        actions: dict[str, Callable[[str | None], Any]] = {
            "status": self._status,
            "last": self._last,
            "explain": self._explain,
            "kinds": self._kinds,
            "frames": self._frames,
        }
        return actions[args.what](args.value)

    def _status(self, value: str | None) -> None:
        print(f"mxerr {metadata.version('mxerr')}, {len(GLOBAL.classes)} kinds")
        print(f"frames: {SETTINGS.frames}")
        error = self._state.last
        print(f"last error: {describe(error) if error else 'none'}")
        for failure in self._state.failures[-1:]:
            print(f"the traceback formatter failed: {describe(failure)}")

    def _last(self, value: str | None) -> None:
        error, _ = self._native()
        print(self._traceback(error))

    def _explain(self, value: str | None) -> Explanation:
        return Explanation(*self._native(), self._place)

    def _place(self, frame: CFrame) -> str:
        """Name a cell as IPython does."""
        cell = self.shell.compile.format_code_name(frame.file)
        return f"{cell[0]} {cell[1]}, line {frame.line}" if cell else place(frame)

    def _kinds(self, value: str | None) -> None:
        for kind, cls in sorted(GLOBAL.classes.items()):
            print(f"{kind:<22} {cls.__module__}.{cls.__qualname__}")

    def _frames(self, value: str | None) -> None:
        SETTINGS.frames = value or SETTINGS.frames
        print(f"frames: {SETTINGS.frames}")

    def _native(self) -> tuple[BaseException, NativeReport]:
        error = self._state.last
        report = report_of(error)
        if error is None or report is None:
            raise UsageError("%mxerr: no native error was raised yet")
        return error, report

    @property
    def _state(self) -> State:
        return state_of(self.shell.InteractiveTB)

    def _traceback(self, error: BaseException) -> str:
        formatter = self.shell.InteractiveTB
        lines = formatter.structured_traceback(type(error), error, below_shell(error.__traceback__), 0)
        text: str = formatter.stb2text(lines)
        return text

    @magic_arguments()
    @argument(
        "kind", help="The kind that C must state, or the class that must be raised: builtins.ValueError."
    )
    @argument(
        "--match", default="", help="A piece of the message, taken as it stands: no regular expression."
    )
    @argument("--in", dest="function", default="", help="The C function whose check must fail.")
    @cell_magic
    def mxerr_raises(self, line: str, cell: str) -> None:
        """Run a cell that must raise an error; its traceback becomes the output of the cell.

        The cell fails where nothing is raised, or another class, or the message or the C function differ.
        """
        __tracebackhide__ = True
        args = parse(self.mxerr_raises, line)
        self._refuse_await("mxerr_raises", cell, _runs_loop())
        # with the line of the magic, lines have the numbers that the user sees; another magic must come first
        above = "" if cell.startswith("%%") or cell[:1].isspace() else f"# %%mxerr_raises {line}\n"
        error = self._error_of(above + cell, cell)
        if error is None:
            raise ExpectedError(f"expected {args.kind}, but nothing was raised")
        complaint = self._complaint(error, args)
        if complaint:
            raise ExpectedError(complaint) from error
        self.shell._get_exc_info((type(error), error, error.__traceback__))  # for %debug and %mxerr explain
        print(self._traceback(error))

    @magic_arguments()
    @argument("--save", default="", metavar="FILE", help="Write the events as a Chrome trace: FILE.json.")
    @cell_magic
    def mxerr_trace(self, line: str, cell: str) -> Any:
        """Run a cell, and show the timeline of what it does: the steps of Python and the stages of C.

        The timeline is shown, and saved, also where the cell raises.
        """
        __tracebackhide__ = True
        args = parse(self.mxerr_trace, line)
        self._refuse_await("mxerr_trace", cell, True)
        file = Path(_unquoted(args.save)).expanduser() if args.save else None
        if file and (file.is_dir() or not os.access(file.parent, os.W_OK)):
            raise UsageError(f"--save: expected a file in a folder that can be written, got {file}")
        recorded = None
        try:
            with trace() as recorded:
                return self._run(f"# %%mxerr_trace {line}\n{self.shell.transform_cell(cell)}", cell)
        finally:
            if recorded is not None:
                display(Timeline(recorded))
                if file:
                    self._save(recorded, file, failing=sys.exc_info()[1] is not None)

    def _save(self, recorded: Trace, file: Path, failing: bool) -> None:
        """Save a trace; where the cell fails itself, its error is the one that the user is to see."""
        try:
            recorded.save(file)
        except OSError as error:
            if not failing:
                raise
            print(f"the trace is not saved: {error}", file=sys.stderr)

    def _refuse_await(self, magic: str, cell: str, refuse: bool) -> None:
        if refuse and self.shell.should_run_async(cell, transformed_cell=self.shell.transform_cell(cell)):
            raise UsageError(f"%%{magic}: a cell that awaits cannot be run within another one")

    def _run(self, code: str, cell: str) -> Any:
        """Run code among the user's names; gives the value of an expression at its end."""
        __tracebackhide__ = True
        compiler, names = self.shell.compile, self.shell.user_ns
        name = compiler.cache(code, number_of(self.shell, cell), raw_code=code)
        tree = compiler.ast_parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compiler(tree, name, "exec"), names)
        return eval(compiler(ast.Expression(last.value), name, "eval"), names) if last else None

    def _error_of(self, code: str, cell: str) -> BaseException | None:
        """Run the code of a cell, and take its error in place of showing it."""
        hidden = {"showtraceback": _nothing, "showsyntaxerror": _nothing, "showindentationerror": _nothing}
        before = {name: self.shell.__dict__.get(name) for name in hidden}
        displayhook_result, count = self.shell.displayhook.exec_result, self.shell.execution_count
        for name, function in hidden.items():
            setattr(self.shell, name, function)
        try:
            self.shell.execution_count = number_of(self.shell, cell)
            result = self.shell.run_cell(code, store_history=False)
        finally:
            self.shell.execution_count = count
            for name, own in before.items():
                delattr(self.shell, name) if own is None else setattr(self.shell, name, own)
            self.shell.displayhook.exec_result = displayhook_result
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error

    def _complaint(self, error: BaseException, args: Any) -> str:
        """Say how an error differs from what was expected; empty where it does not."""
        match, function = (_unquoted(text) for text in (args.match, args.function))
        expected = self._named(args.kind)
        report = report_of(error)
        if expected is None and not (report and report.kind == args.kind):
            return f"expected {args.kind}, which names no class, got {_name(type(error))}"
        if expected is not None and type(error) is not expected:
            return f"expected {_name(expected)}, got {_name(type(error))}"
        text = str(error) if has_text(error) else ""
        if match not in text:
            return f"expected a message with {match!r}, got {text!r}"
        failed = report.frames[-1].function if report and report.frames else ""
        if function not in ("", failed):
            return f"expected a failure in the C function {function}, got {failed or 'no C function'}"
        return ""

    def _named(self, name: str) -> Any:
        """Find a class: a kind, or a name as Python has it, such as ``json.JSONDecodeError``."""
        first, *rest = name.split(".")
        found = self.shell.user_ns.get(
            first, getattr(builtins, first, _OWN.get(first, sys.modules.get(first)))
        )
        for attribute in rest:
            found = getattr(found, attribute, None)
        return GLOBAL.lookup(name) or found


def _runs_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass


def _unquoted(text: str) -> str:
    """Take off the quotes that IPython leaves around an argument."""
    try:
        [word] = shlex.split(text)
    except ValueError:
        return text
    return word


def _name(cls: Any) -> str:
    return f"{cls.__module__}.{cls.__qualname__}" if isinstance(cls, type) else repr(cls)


class Registration:
    """Magics in a shell, with what they took the place of."""

    def __init__(self, shell: Any, *classes: type[Magics]) -> None:
        self._manager = shell.magics_manager
        self._classes = classes
        made = [cls(shell) for cls in classes]
        names = [(kind, name) for magics in made for kind, found in magics.magics.items() for name in found]
        self._before = {key: self._manager.magics[key[0]].get(key[1]) for key in names}
        self._manager.register(*made)

    def remove(self) -> None:
        """Take the magics out, and put back what had their names."""
        for (kind, name), own in self._before.items():
            if own is None:
                self._manager.magics[kind].pop(name, None)
            else:
                self._manager.magics[kind][name] = own
        for cls in self._classes:
            self._manager.registry.pop(cls.__name__, None)
