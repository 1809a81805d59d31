"""IPython's traceback formatter, with C frames as C: what is not native stays IPython's.

`swap_in` gives the shell's own formatter another class, a subclass of the one it has. So its mode, its theme
and whatever else it holds stay where they are, and `swap_out` puts back exactly what was there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace, TracebackType
from typing import Any, Final

from IPython.core.ultratb import AutoFormattedTB

from mxerr import raised
from mxerr.excerpt import CFrame, is_native, of_entry, printable
from mxerr.ipython import runs
from mxerr.ipython.errors import by_python, describe, members_of, native_error, report_of
from mxerr.ipython.look import ShellLook
from mxerr.ipython.runs import Run, Side, part
from mxerr.ipython.settings import SETTINGS
from mxerr.render import TextRenderer, spell

STATE: Final = "_mxerr_state"
_MOST_MEMBERS: Final = 15  # of a group, as in Python's own tracebacks


class State:
    """What the formatter knows while it works, and afterwards.

    Attributes
    ----------
    error : BaseException or None
        The exception that is being formatted.
    groups : set of int
        The groups that are being formatted, by identity: a member may have its group as context.
    plain : bool
        Leave everything to IPython.
    last : BaseException or None
        The last native error that was formatted; kept, as IPython keeps the last error of any kind.
    failures : list of BaseException
        What went wrong in our own rendering since the extension was loaded.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.groups: set[int] = set()
        self.plain = False
        self.last: BaseException | None = None
        self.failures: list[BaseException] = []


class Record:
    """Something of ours among the records of IPython; it has what IPython asks of one."""

    _sd = None
    code = None
    lineno = 0
    filename = ""

    def __init__(self, text: str) -> None:
        self.text = text
        self.frame = SimpleNamespace(f_locals={})  # so it is not hidden


class NativeTB(AutoFormattedTB):
    """A formatter that shows C frames as C; to be mixed in before the class of the shell's formatter."""

    _mxerr_class: type  # that of the shell's formatter

    @property
    def _mxerr(self) -> State:
        state: State = self.__dict__[STATE]
        return state

    def structured_traceback(
        self, etype: Any = None, evalue: Any = None, etb: Any = None, tb_offset: Any = None, *context: Any
    ) -> list[str]:
        """Format an exception; never raises, whatever the exception is and whatever fails in here."""
        try:
            self._mxerr.last = native_error(evalue) or self._mxerr.last
            with self._at_work_on(evalue, None):
                lines = super().structured_traceback(etype, evalue, etb, tb_offset, *context)
            members = self._members(evalue) if self.mode == "Docs" else []
            return self._joinable([*lines, *members]) if members else list(lines)
        except KeyboardInterrupt:
            raise  # the user does not want to see it
        except BaseException as failure:
            # Any failure of ours, in any form, would cost the user the error that they are looking for.
            return self._without_us(failure, etype, evalue, etb, tb_offset, *context)

    def _without_us(self, failure: BaseException, etype: Any, evalue: Any, etb: Any, *rest: Any) -> list[str]:
        """Let IPython format an exception, or Python where that fails too, and say so."""
        was_plain, self._mxerr.plain = self._mxerr.plain, True
        try:
            lines = list(super().structured_traceback(etype, evalue, etb, *rest))
        except KeyboardInterrupt:
            raise
        except BaseException as its_own:  # as above; this failure is IPython's
            lines = by_python(etype, evalue, below_shell(etb))
            return self._joinable([*lines, f"IPython's traceback formatter failed: {describe(its_own)}"])
        finally:
            self._mxerr.plain = was_plain
        self._mxerr.failures.append(failure)
        note = f"mxerr's traceback formatter failed, this is IPython's own: {describe(failure)}"
        return [*lines, *self._joinable([note])]

    def _joinable(self, lines: list[str]) -> list[str]:
        """Make what is joined as the mode joins it, by a newline or by nothing, stand on lines of its own."""
        return [line.rstrip("\n") + ("" if self.tb_join_char else "\n") for line in lines]

    # ---- Context and Verbose ----

    def format_exception_as_a_whole(
        self, etype: Any, evalue: Any, etb: TracebackType | None, *rest: Any
    ) -> list[list[str]]:
        """Format one exception of a chain, and behind it the members if it is a group."""
        with self._at_work_on(evalue, etb):
            parts: list[list[str]] = super().format_exception_as_a_whole(etype, evalue, etb, *rest)
        return [[*parts[0], *self._members(evalue)]]

    @contextmanager
    def _at_work_on(self, error: BaseException | None, etb: TracebackType | None) -> Iterator[None]:
        before = self._mxerr.error, self.skip_hidden
        self._mxerr.error = error
        if SETTINGS.frames == "full" and self._is_ours(etb):
            self.skip_hidden = False
        try:
            yield
        finally:
            self._mxerr.error, self.skip_hidden = before

    def _is_ours(self, etb: TracebackType | None) -> bool:
        """Tell whether a traceback holds what IPython does not know how to show, or would not fold."""
        return not self._mxerr.plain and (
            report_of(self._mxerr.error) is not None
            or runs.has_native(etb)
            or runs.ends_hidden(etb, SETTINGS.is_plumbing)
        )

    def get_records(self, etb: TracebackType, context: int, tb_offset: int) -> list[Any]:
        """Get what is to be formatted: IPython's records for Python frames, ours for the rest."""
        if not self._is_ours(etb):
            return list(super().get_records(etb, context, tb_offset))
        records: list[Any] = []
        renderer = self._renderer(context)
        for run in self._runs(etb):
            above = self._rule(run) if run.crosses else ""
            if run.fold:
                records.append(Record(above + self._fold(run)))
            elif run.side is Side.C:
                frames = [renderer.frame(frame) for frame in self._frames(run, etb)]
                records += map(Record, [above + frames[0], *frames[1:]])
            else:
                records += [Record(above)] if above else []
                records += super().get_records(part(run.entries), context, tb_offset)
            tb_offset = 0  # the frames that it takes off are the shell's, and come first
        ending = "".join(self._ending(etb))
        return [*records, Record(ending)] if ending else records

    def format_record(self, frame_info: Any) -> str:
        """Format a record."""
        if isinstance(frame_info, Record):
            return frame_info.text
        text: str = super().format_record(frame_info)
        return text

    # ---- Plain, and Minimal ----

    def _extract_tb(self, tb: TracebackType | None) -> Any:
        """Get what Plain lists: IPython's entries, and texts of ours among them."""
        if tb is None or not self._is_ours(tb):
            return super()._extract_tb(tb)
        items: list[Any] = []
        for run in self._runs(tb):
            items += [self._rule(run)] if run.crosses else []
            items += [self._fold(run)] if run.fold else list(super()._extract_tb(part(run.entries)) or ())
        return [*items, *self._plain_check(tb), *self._ending(tb)]

    def _format_list(self, extracted_list: list[Any]) -> list[str]:
        """Format what `_extract_tb` gave. IPython stresses the last entry: that of the whole."""
        items = list(extracted_list)
        last = max((i for i, item in enumerate(items) if not isinstance(item, str)), default=-1)
        lines: list[str] = []
        for i, item in enumerate(items):
            if isinstance(item, str):
                lines.append(item)
            else:
                lines.append(super()._format_list([item] if i == last else [item, item])[0])
        return lines

    def _plain_check(self, etb: TracebackType) -> list[str]:
        report = report_of(self._mxerr.error)
        if report is None or report.check is None or not runs.has_native(etb):
            return []
        return [f"    {ShellLook(self).paint('check failed', 'error')}: {spell(report.check)}\n"]

    def _format_exception_only(self, etype: Any, value: Any) -> list[str]:
        lines = super()._format_exception_only(etype, value)
        return [*lines, *[f"{line}\n" for line in self._members(value)]]

    # ---- what we print ----

    def _runs(self, etb: TracebackType) -> list[Run]:
        return runs.split(etb, SETTINGS.is_plumbing, full=SETTINGS.frames == "full")

    def _renderer(self, context: int = 1) -> TextRenderer:
        after = (context - 1) // 2
        return TextRenderer(ShellLook(self), context - 1 - after, after)

    def _rule(self, run: Run) -> str:
        if run.side is Side.PYTHON:
            return self._renderer().rule("C calls Python")
        return self._renderer().rule(f"Python calls C: {printable(run.entries[0].tb_frame.f_code.co_name)}")

    def _fold(self, run: Run) -> str:
        return f"    {ShellLook(self).paint(f'[... {printable(run.fold)}]', 'error')}\n"

    def _frames(self, run: Run, etb: TracebackType) -> Iterator[CFrame]:
        """Get the C frames of a run; the innermost C frame of the traceback has the check."""
        report = report_of(self._mxerr.error)
        *_, last = (entry for entry in runs.entries_of(etb) if is_native(entry.tb_frame))
        for entry in run.entries:
            yield of_entry(entry, report.check if report and entry is last else None)

    def _ending(self, etb: TracebackType) -> Iterator[str]:
        """What is known of a native error without C frames: the function that was called, and the check."""
        report = report_of(self._mxerr.error)
        if report is None or runs.has_native(etb):
            return
        renderer = self._renderer()
        function = printable(report.function) or "a function"
        known = CFrame(function, "", 0, (), (), report.check)
        yield renderer.rule(f"Python calls C: {function}")
        yield f"{function} returned {report.status}; it left no C frames\n{''.join(renderer.check(known))}"

    # ---- groups ----

    def _members(self, group: object) -> list[str]:
        """Format the members of a group; IPython shows none of them."""
        busy = self._mxerr.groups
        members = members_of(group)
        if self._mxerr.plain or not members or id(group) in busy:
            return []
        tb = getattr(self, "tb", None)  # it is the debugger's, and of the exception as a whole
        busy.add(id(group))
        try:
            return [text for n, member in enumerate(members) for text in self._member(n, member)]
        finally:
            busy.discard(id(group))
            self.tb = tb

    def _member(self, number: int, member: BaseException) -> Iterator[str]:
        if number < _MOST_MEMBERS:
            yield f"  +---------------- {number + 1} ----------------"
            if raised.traceback(member) is None and not self.get_parts_of_chained_exception(member):
                lines = self._format_exception_only(type(member), member)  # never raised
            else:
                lines = self.structured_traceback(type(member), member, raised.traceback(member), 0)
            yield textwrap.indent(self.stb2text(lines).rstrip("\n"), "  | ", lambda line: True)
        elif number == _MOST_MEMBERS:
            yield "  +---------------- ... and more ----------------"


def below_shell(etb: Any) -> TracebackType | None:
    """Leave out the frames of IPython itself, with which a traceback begins."""
    entry: TracebackType | None = etb[0] if isinstance(etb, tuple) else etb  # a tuple for a chained exception
    while entry is not None and str(entry.tb_frame.f_globals.get("__name__")).startswith("IPython."):
        entry = entry.tb_next
    return entry


def state_of(formatter: Any) -> State:
    """Get what a formatter knows; of one that is not ours, nothing."""
    return vars(formatter).get(STATE) or State()


def swap_in(formatter: Any) -> None:
    """Make a shell's formatter show C frames as C."""
    if not isinstance(formatter, NativeTB):
        cls = type(formatter)
        setattr(formatter, STATE, State())
        formatter.__class__ = type(f"Native{cls.__name__}", (NativeTB, cls), {"_mxerr_class": cls})


def swap_out(formatter: Any) -> None:
    """Give a formatter back the class that it had."""
    if isinstance(formatter, NativeTB):
        formatter.__class__ = formatter._mxerr_class
        delattr(formatter, STATE)
