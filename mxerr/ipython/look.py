"""The colours of the shell, for both lines of IPython: themes from 9 on, colour schemes before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from IPython.core.getipython import get_ipython
from IPython.utils import PyColorize
from IPython.utils.path import compress_user
from pygments import format as format_tokens
from pygments.token import Token

from mxerr.excerpt import CFrame, Line
from mxerr.render import Look, place

# None before IPython 9
theme_table: Any = getattr(PyColorize, "theme_table", None)

_TOKENS: Final[dict[str, Any]] = {
    "rule": Token.VName,
    "label": Token.NormalEm,
    "file": Token.FilenameEm,
    "function": Token.VName,
    "value": Token.ValEm,
    "number": Token.LinenoEm,
    "failing": Token.LinenoEm,
    "error": Token.ExcName,
}
_SCHEME: Final = {
    "rule": "vName",
    "label": "Normal",
    "file": "filenameEm",
    "function": "vName",
    "value": "valEm",
    "number": "lineno",
    "failing": "linenoEm",
    "error": "excName",
}


class ShellLook(Look):
    """The look that a traceback formatter of IPython gives to what it prints.

    Parameters
    ----------
    formatter : IPython.core.ultratb.VerboseTB
        The formatter; its theme and its colours are asked for each time.
    """

    def __init__(self, formatter: Any) -> None:
        self._formatter = formatter
        self.colours = bool(formatter.has_colors)

    def paint(self, text: str, role: str) -> str:
        """Give a text the colour that the theme has for its role."""
        if role not in _TOKENS:
            return text
        if theme_table is not None:
            painted: str = self._theme.format([(_TOKENS[role], text)])
            return painted
        colours = self._formatter.Colors
        return f"{getattr(colours, _SCHEME[role])}{text}{colours.Normal}"

    def code(self, line: Line) -> str:
        """Give a line of C the colours of the theme, and the condition that failed its background."""
        if not self.colours or any(kind is None for kind, _ in line.tokens):
            return super().code(line)
        text: str = format_tokens(_marked(line), _code_formatter(*self._style()))
        return text

    def arrow(self, width: int) -> str:
        """Draw the arrow of the theme."""
        if theme_table is not None:
            arrow: str = self._theme.make_arrow(width)
            return arrow
        return super().arrow(width)

    def file(self, frame: CFrame) -> str:
        """Name the place of a frame; code that a cell holds is named after the cell."""
        shell = get_ipython()
        cell = shell.compile.format_code_name(frame.file) if shell else None
        if cell:
            return (
                f"{self.paint(f'{cell[0]} ', 'label')}{self.paint(f'{cell[1]}, line {frame.line}', 'file')}"
            )
        name = place(frame, compress_user(frame.file))
        return f"{self.paint('File ', 'label')}{self.paint(name, 'file')}"

    @property
    def _theme(self) -> Any:
        return theme_table[self._formatter._theme_name]

    def _style(self) -> tuple[Any, str]:
        if theme_table is not None:
            highlight = self._theme.extra_style.get(Token.TbHighlight, self._formatter.tb_highlight)
            return self._theme.as_pygments_style(), highlight
        return self._formatter._tb_highlight_style, self._formatter._tb_highlight


def _marked(line: Line) -> Iterator[tuple[Any, str]]:
    """Give the marked columns the token type by which stack_data's styles know what was being executed."""
    begin, end = line.marked or (0, 0)
    column = 0
    for kind, text in line.tokens:
        first, last = (min(max(edge - column, 0), len(text)) for edge in (begin, end))
        yield kind, text[:first]
        yield kind.ExecutingNode, text[first:last]
        yield kind, text[last:]
        column += len(text)


@lru_cache(maxsize=16)
def _code_formatter(style: Any, highlight: str) -> Any:
    from pygments.formatters.terminal256 import Terminal256Formatter

    make_style: Any = import_module("stack_data").style_with_executing_node  # it is not annotated
    return Terminal256Formatter(style=make_style(style, highlight))
