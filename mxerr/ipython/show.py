"""Sees to it that an error reaches the front end as one, also where IPython only prints it.

IPython prints a group of exceptions, an exception that cannot be shown, and wrong arguments of a magic, as
text. A notebook front end then gets no ``error`` message, and a notebook test takes the cell for one that
passed. `ShowTraceback` stands before the shell's ``showtraceback`` and takes those cases over; every other
error goes on to it.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from IPython.core.error import UsageError

from mxerr import raised
from mxerr.ipython.errors import by_python, is_native_error, related
from mxerr.raised import field

_NAME: Final = "showtraceback"


class ShowTraceback:
    """Stands before a shell's ``showtraceback``; see `install`.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._own = shell.__dict__.get(_NAME)  # None where the class has it
        self._before = shell.showtraceback
        self._active = True

    def install(self) -> None:
        """Take the place of the shell's ``showtraceback``."""
        setattr(self._shell, _NAME, self)

    def remove(self) -> None:
        """Put back what was there; where another has come before us since, only step aside."""
        self._active = False
        if self._shell.__dict__.get(_NAME) is not self:
            return
        if self._own is None:
            delattr(self._shell, _NAME)
        else:
            setattr(self._shell, _NAME, self._own)

    def __call__(
        self,
        exc_tuple: Any = None,
        filename: str | None = None,
        tb_offset: int | None = None,
        exception_only: bool = False,
        running_compiled_code: bool = False,
    ) -> None:
        """Show an exception; the parameters are IPython's."""
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1] or getattr(sys, "last_value", None)
        if self._active and not exception_only and would_be_hidden(error):
            self._show(exc_tuple, tb_offset)
        else:
            self._before(exc_tuple, filename, tb_offset, exception_only, running_compiled_code)

    def _show(self, exc_tuple: Any, tb_offset: int | None) -> None:
        """Do what IPython does with an error that it can show."""
        etype, error, tb = self._shell._get_exc_info(exc_tuple)
        shown = error if has_text(error) else _stand_in(error)
        if shown is not error:
            self._replace_result(error, shown)
        lines = self._lines(shown, tb, tb_offset)
        try:
            self._shell._showtraceback(etype, shown, lines)
        except KeyboardInterrupt:
            print(f"\n{etype.__name__}", file=sys.stderr)
        if self._shell.call_pdb:
            self._shell.debugger(force=True)

    def _lines(self, error: BaseException, tb: Any, tb_offset: int | None) -> list[str]:
        if issubclass(type(error), UsageError):
            return [f"UsageError: {error}"]  # as IPython does: where a magic found it is no help
        try:
            lines = error._render_traceback_()  # type: ignore[attr-defined]  # IPython's protocol
            if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
                return lines
        except BaseException:  # there is none, or it fails in any way: the error is still to be shown
            pass
        if holds_group(error) and not any(map(is_native_error, related(error))):
            return "".join(by_python(type(error), error, tb)).rstrip("\n").split("\n")
        formatter = self._shell.InteractiveTB
        result: list[str] = formatter.structured_traceback(type(error), error, tb, tb_offset=tb_offset)
        return result

    def _replace_result(self, error: BaseException, shown: BaseException) -> None:
        """A kernel makes the text of its reply from the result of the cell: put one there that has a text."""
        result = getattr(self._shell.displayhook, "exec_result", None)
        if result is not None and result.error_in_exec is error:
            result.error_in_exec = shown


def would_be_hidden(error: BaseException | None) -> bool:
    """Tell whether IPython would show an error as mere text, or fail to show it."""
    # not isinstance, which would ask the error for its __class__
    if error is None or issubclass(type(error), SyntaxError):
        return False
    return (
        issubclass(type(error), UsageError)
        or _has_renderer(error)
        or not has_text(error)
        or holds_group(error)
    )


def _has_renderer(error: BaseException) -> bool:
    try:
        return hasattr(error, "_render_traceback_")
    except BaseException:  # the class is the user's, and may do anything with its attributes
        return True


def has_text(error: BaseException) -> bool:
    """Tell whether ``str`` works for an error."""
    try:
        return isinstance(str(error), str)
    except BaseException:  # it may raise anything, and even end the process: it is the user's
        return False


def holds_group(error: BaseException) -> bool:
    """Tell whether an error is a group, or follows from one.

    Examples
    --------
    >>> holds_group(ExceptionGroup("two", [ValueError()])), holds_group(ValueError())
    (True, False)
    """
    return any(issubclass(type(each), BaseExceptionGroup) for each in related(error))


class _NoTextError(Exception):
    """Shown in place of an error whose ``__str__`` fails; it goes by the name of that error's class."""

    def __str__(self) -> str:
        return f"<{type(self).__name__} whose __str__ failed>"


def _stand_in(error: BaseException) -> BaseException:
    cls = type(type(error).__name__, (_NoTextError,), {"__module__": type(error).__module__})
    shown: BaseException = cls()
    shown.__dict__.update({k: v for k, v in field(error, "__dict__").items() if k in ("native", "__notes__")})
    for name in ("__cause__", "__context__", "__suppress_context__"):
        setattr(shown, name, field(error, name))
    return shown.with_traceback(raised.traceback(error))
