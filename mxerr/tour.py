"""The walk along one error as text: runs the stages of ``tour.md`` and shows each line with what it printed.

`notebooks/01_transpose_valueerror.ipynb` has the same stages in the same words. Nothing here, nor there,
states a result.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import textwrap
import traceback
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any, NamedTuple

from mxerr.registry import GLOBAL

_CODE = re.compile(r"\n*```python\n(.*?)```\n*", re.DOTALL)

Style = Callable[[str, str], str]
"""Gives a text the look of its role: title, code or error."""


class Stage(NamedTuple):
    """One section of the walk.

    Attributes
    ----------
    title : str
        Its heading.
    text : str
        What happens, in Markdown.
    code : str
        Python for the namespace of the stages before; empty in the introduction and at the end.
    after : str
        What to read and what to try.
    """

    title: str
    text: str
    code: str = ""
    after: str = ""


def stages() -> list[Stage]:
    """Read the walk.

    Returns
    -------
    list of Stage
        The introduction, the stages, and the ending.

    Examples
    --------
    >>> [stage.title for stage in stages()][:3]
    ['The way of an error', 'The call', 'The status']
    """
    walk = (resources.files("mxerr") / "tour.md").read_text("utf-8")
    sections = [section.partition("\n") for section in re.split(r"^#+ ", walk, flags=re.MULTILINE)[1:]]
    return [Stage(title, *map(str.strip, _CODE.split(rest))) for title, _, rest in sections]


class Step(NamedTuple):
    """One statement of a stage that was run.

    Attributes
    ----------
    source : str
        The statement.
    output : str
        What it printed; for an expression also its value.
    error : Exception or None
        What it raised. Its traceback begins with the statement.
    """

    source: str
    output: str
    error: Exception | None


def run(code: str, namespace: dict[str, Any], name: str = "<tour>") -> Iterator[Step]:
    r"""Run Python as the interactive interpreter does, a statement at a time.

    Parameters
    ----------
    code : str
        The statements. The first that raises is the last that runs.
    namespace : dict
        Their variables.
    name : str
        The file name that tracebacks show.

    Yields
    ------
    Step
        Each statement once it was run.

    Examples
    --------
    >>> [step.output for step in run("x = 6\nx * 7\nprint(x)", {})]
    ['', '42\n', '6\n']
    """
    lines = code.splitlines(keepends=True)
    linecache.cache[name] = (len(code), None, lines, name)
    begin = 0
    for statement in ast.parse(code).body:
        end = statement.end_lineno or begin
        output, error = _run_statement(statement, namespace, name)
        yield Step("".join(lines[begin:end]).strip("\n"), output, error)
        if error is not None:
            return
        begin = end


def _run_statement(statement: ast.stmt, namespace: dict[str, Any], name: str) -> tuple[str, Exception | None]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Interactive([statement]), name, "single"), namespace)
    except Exception as error:
        # as in the interactive interpreter, the traceback begins with the statement
        return printed.getvalue(), error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
    return printed.getvalue(), None


def show(style: Style, width: int) -> Iterator[str]:
    """Take the walk.

    Parameters
    ----------
    style : callable
        From a text and its role to the text with its look.
    width : int
        The columns for prose. Code and output keep their lines.

    Yields
    ------
    str
        The walk, piece by piece; each ends its line.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    intro, *middle, ending = stages()
    yield _heading(intro.title, intro.text, style, width)
    error: Exception | None = None
    with GLOBAL.temporary():  # what the walk registers goes when it ends
        for number, stage in enumerate(middle, 1):
            yield _heading(f"{number}. {stage.title}", stage.text, style, width)
            for step in run(stage.code, namespace, f"<stage {number}>"):
                yield _transcript(step, style)
                error = error or step.error
            yield f"\n{_fill(stage.after, width)}\n\n\n"
    yield _heading(ending.title, ending.text, style, width)
    yield "".join(traceback.format_exception(error))


def _heading(title: str, text: str, style: Style, width: int) -> str:
    return f"{style(title, 'title')}\n\n{_fill(text, width)}\n\n"


def _fill(text: str, width: int) -> str:
    return "\n\n".join(textwrap.fill(paragraph, width) for paragraph in text.split("\n\n"))


def _transcript(step: Step, style: Style) -> str:
    """A step as in the interactive interpreter, but of a traceback only the last line."""
    source = style(">>> " + step.source.replace("\n", "\n... "), "code") + "\n"
    if step.error is None:
        return source + step.output
    error = "".join(traceback.format_exception_only(step.error)).rstrip("\n")
    return f"{source}{step.output}Traceback (most recent call last):\n  ...\n{style(error, 'error')}\n"
