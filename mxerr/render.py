"""C frames as text: where they are, the C lines around, the check that failed, the named values.

One small method for each thing that is printed, and a `Look` for how it looks, so that a terminal, a notebook
and a plain file differ in nothing else. HTML is made in `mxerr.explain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxerr.excerpt import CFrame, Line, lines_around, printable
from mxerr.report import Check

_NUMBERS: Final = 7  # columns for line numbers, as in IPython
_INDENT: Final = " " * (_NUMBERS + 1)
_MAX_VALUE: Final = 1000


class Look:
    """How printed things look: here plain text; a subclass adds colours.

    Attributes
    ----------
    colours : bool
        Whether a colour marks the condition. Where none does, carets below it do.
    """

    colours = False

    def paint(self, text: str, role: str) -> str:
        """Give a text the look of its role: rule, file, function, value, number, failing, name, error."""
        return text

    def code(self, line: Line) -> str:
        """Give a line of C its colours."""
        return "".join(text for _, text in line.tokens)

    def arrow(self, width: int) -> str:
        """Draw the arrow before the number of the failing line."""
        return "-" * (width - 2) + "> " if width >= 2 else ">"[:width]

    def file(self, frame: CFrame) -> str:
        """Name the place of a frame."""
        return f"File {self.paint(place(frame), 'file')}"


def place(frame: CFrame, file: str | None = None) -> str:
    """Spell ``file:line``, or the file alone where the line is not known."""
    name = frame.file if file is None else file
    return printable(f"{name}:{frame.line}" if frame.line > 0 else name)


class TextRenderer:
    """Prints C frames the way IPython prints those of Python.

    Parameters
    ----------
    look : Look
        How it looks.
    before, after : int
        How many lines to show before and after that of a frame.
    width : int
        The columns of a rule.

    Examples
    --------
    >>> frame = CFrame("f", "no/such/file.c", 3, (), (("a", "2"),), Check("a == b", "2", "3"))
    >>> print(TextRenderer().frame(frame), end="")
    File no/such/file.c:3, in f
            [the C source is not here]
            check failed: a == b, 2 against 3
            a = 2
    """

    def __init__(self, look: Look | None = None, before: int = 2, after: int = 2, width: int = 75) -> None:
        self.look = look or Look()
        self.before = before
        self.after = after
        self.width = width

    def rule(self, text: str) -> str:
        """Print the line where the call crosses from one language into the other."""
        return self.look.paint(f"---- {text} ".ljust(self.width, "-"), "rule") + "\n"

    def frame(self, frame: CFrame) -> str:
        """Print a frame: where it is, the source, the check, the values. Ends its last line."""
        return "".join(
            [self.header(frame), *self.source(frame), *self.check(frame), *map(self.value, frame.values)]
        )

    def header(self, frame: CFrame) -> str:
        """Print where a frame is."""
        library = f" ({frame.library})" if frame.library else ""
        return (
            f"{self.look.file(frame)}, in {self.look.paint(printable(frame.function), 'function')}{library}\n"
        )

    def source(self, frame: CFrame) -> Iterator[str]:
        """Print the lines around that of a frame."""
        lines = lines_around(frame, self.before, self.after)
        if not lines:
            yield f"{_INDENT}{self.look.paint('[the C source is not here]', 'rule')}\n"
        for line in lines:
            yield self.line(line)
            if line.marked and not self.look.colours:
                begin, end = line.marked
                yield f"{_INDENT}{' ' * begin}{'^' * (end - begin)}\n"

    def line(self, line: Line) -> str:
        """Print a line of C."""
        number = str(line.number)
        if line.failing:
            arrow = self.look.arrow(_NUMBERS - len(number))
            return f"{self.look.paint(arrow + number, 'failing')} {self.look.code(line)}\n"
        return f"{self.look.paint(number.rjust(_NUMBERS), 'number')} {self.look.code(line)}\n"

    def check(self, frame: CFrame) -> Iterator[str]:
        """Print the check that failed on the line of a frame."""
        if frame.check is not None:
            yield f"{_INDENT}{self.look.paint('check failed', 'error')}: {spell(frame.check)}\n"

    def value(self, value: tuple[str, str]) -> str:
        """Print a named C value."""
        name, text = value
        return f"{_INDENT}{self.look.paint(name, 'name')} {self.look.paint('=', 'value')} {shorten(text)}\n"


def spell(check: Check) -> str:
    """Spell a check: the condition, and what stood against what.

    Examples
    --------
    >>> spell(Check("axes_set.size == axes.ndim", "2", "3")), spell(Check("axis < ndim"))
    ('axes_set.size == axes.ndim, 2 against 3', 'axis < ndim')
    """
    values = "" if check.left is None else f", {check.left} against {check.right}"
    return shorten(f"{check.condition}{values}")


def shorten(text: str) -> str:
    """Cut a text that is too long for a line, and escape what no line can show.

    Examples
    --------
    >>> shorten("0" * 5000).endswith("000 ... [5000 characters]")
    True
    """
    return printable(text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]} ... [{len(text)} characters]")
