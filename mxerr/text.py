"""Reads the text of a "last error" function into a `NativeReport`; knows no class and no library.

`read` is strict: a kind is believed in a few places only, a stack line only where it has the shape of one,
and what is not understood stays as it stood. `c2pyerror` and its helpers are the other reader, with MXNet's
looser rule. No pattern gives back much of what it took (hence ``++``): time grows as the length of a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mxerr.kind import PATTERN, bare, is_kind
from mxerr.report import Check, NativeFrame, NativeReport, no_message

_Find = Callable[[str, int, int], re.Match[str] | None]
# A kind written twice is one statement: an outer layer has put it before a text that had it.
_KIND = re.compile(rf"[ \t]*+(?P<whole>(?P<name>{PATTERN}):(?!:) ?(?:(?P=name):(?!:) ?)*+)")
_TRACEBACK = "Traceback (most recent call last):\n"
_TRACEBACK_END = re.compile(rf"(?:[ \t].*\n)*+(?P<name>{PATTERN})(?::(?!:) ?|$)", re.M)
# Surrogates that no byte stands behind; `surrogateescape` makes U+DC80 to U+DCFF of a byte.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
# [12:00:00] C:\src\op.c:5: ...
_HEADER = re.compile(
    r"\[[0-9]{2}(?::[0-9]{2}){2}\] (?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:\n]++):(?P<line>-?[0-9]*+):(?: |$)"
)
# In mid-line a header stands behind "some context: "; inside a quoted user value it does not.
_INNER_HEADER = re.compile("(?<=: )" + _HEADER.pattern)

# MXNet moves what it takes for a type to the front: "sgesv: Check failed: ...". Such a word is no kind.
_CHECK = re.compile(rf"[ \t]*+(?:{PATTERN}: )?(?P<check>Check failed:[ \t]*+)")
_VERSUS = " vs. "
_AFTER_CHECK = re.compile(r"(?:is false)? ?: ?|[ \n]?")  # as apache-tvm-ffi says it
_PLACE = re.compile(r"at (?P<file>[^\n]+), line (?P<line>-?[0-9]*+) ?\.?[ \t]*+$")
# Characters. A condition is a piece of one source line; a hostile megabyte is not worth reading as C.
_LONGEST_CONDITION = 4000
_TOKEN = re.compile(
    r"""(?P<literal>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.){1,32}+')|(?P<plain>(?:::|[\w\s<>*&,])++)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<ask>\?)|(?P<colon>:)|(?P<other>\\.|.)"""
)
# Words of C++ that may follow a complete operand, and words that do not complete one.
_INFIX = r"(?:and|or|xor|bitand|bitor|not_eq|const)\b"
_OPEN = r"(?:not|compl|new|sizeof|volatile|unsigned|signed|long|short|struct|enum)\b"
_OPERAND = rf"(?:\b(?!{_INFIX}|{_OPEN})\w++|[)\]}}])"
# What a condition ends at, in its outline. A cast is no operand; but LightGBM writes "(a) > (b) at FILE".
_JOINT = re.compile(
    r"(?P<cast>(?<![\w)\]>])\(_*+\)(?!\s++(?:at\b|\()))|(?P<colon>:)"
    rf"|{_OPERAND}\s++(?:(?P<values>\()|(?P<gap>(?!{_INFIX})\w))"
)
_PAREN = re.compile(r"[()]")
_LONGEST_NAME = 4096  # as PATH_MAX; names are kept for the next error at the same place
_MOST_LAYERS = 32  # headers that stand in one another
_MOST_FRAMES = 200  # of which the middle is dropped
_STACK_LINE = re.compile(
    r"""^[ \t]*+(?:File "(?P<file>.*)", line ?(?P<line>-?[0-9]*+)(?:, in (?P<function>.*))?"""
    r"""|\[bt\] \([0-9]+\) (?P<library>[^(\n]*+)"""
    r"""(?:\((?P<symbol>.*?)(?:\+0x(?P<offset>[0-9a-f]{1,16}))?\)(?= \[0x|$))?.*)"""
    r"""[ \t]*+(?:\n|\Z)""",
    re.M,
)
_STACK_HEADER = r"^Stack trace(?: returned [0-9]+ entries)?:[ \t]*+(?:\n|\Z)"
_STACK = re.compile(rf"{_STACK_HEADER}(?:{_STACK_LINE.pattern}|[ \t]*+\n)*+", re.M)


def read(
    raw: bytes | str | None, *, known: Callable[[str], bool], function: str = "", status: int = 0
) -> NativeReport:
    r"""Read what a library says about its last failure; never fails itself.

    Parameters
    ----------
    raw : bytes or str or None
        The text as the library gave it. Bytes that are not UTF-8 are shown escaped.
    known : callable
        Whether a kind is registered. Only then is it taken out of the text.
    function, status : str, int
        The C function, and what it returned.

    Returns
    -------
    NativeReport
        What cannot be understood stays in its `text`.

    Examples
    --------
    >>> raw = b"[12:00:00] op.c:5: Check failed: !ns::ok(x): ValueError: bad axis"
    >>> report = read(raw, known={"ValueError"}.__contains__)
    >>> report.kind, report.text, report.check.condition
    ('ValueError', 'Check failed: !ns::ok(x): bad axis', '!ns::ok(x)')
    >>> report.frames[-1].file, report.frames[-1].line
    ('op.c', 5)
    """
    if isinstance(raw, str):
        raw = _NO_BYTE.sub(lambda odd: f"\\u{ord(odd[0]):x}", raw).encode("utf-8", "surrogateescape")
    data = raw or b""
    body, stack = _split_stack(data.decode("utf-8", "backslashreplace").replace("\r\n", "\n"))
    scan = _Scan(body, known)
    scan.run()
    text, message = _without(body, scan.cuts), _without(body, scan.cuts + scan.hidden)
    if not text.strip():
        text = message = no_message(function, status)
    frames = (*reversed(stack), *([] if any(frame.file for frame in stack) else scan.frames))
    omitted = max(0, len(frames) - _MOST_FRAMES)
    if omitted:
        frames = (*frames[: _MOST_FRAMES // 2], *frames[-_MOST_FRAMES // 2 :])
    return NativeReport(text, message, scan.kind, scan.check, frames, omitted, False, function, status, data)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Take the spans, which may overlap, out of `text`."""
    kept, at = [], 0
    for start, end in sorted(spans):
        kept.append(text[at:start])
        at = max(at, end)
    return "".join([*kept, text[at:]])


def _split_stack(text: str) -> tuple[str, list[NativeFrame]]:
    """Part the message from the frames, which stay in C's order: innermost first."""
    frames: list[NativeFrame] = []
    sections = []
    end = len(text.rstrip())
    for section in _STACK.finditer(text):
        found = [_frame(**line.groupdict("")) for line in _STACK_LINE.finditer(section[0])]
        # A header without a stack line is user text, unless it is the last thing that was said.
        if found or section.end() >= end:
            frames += found
            sections.append(section.span())
    rest = _without(text, sections)
    body = rest.rstrip()
    return body + rest[len(body) :].partition("\n")[0], frames


def _frame(**words: str) -> NativeFrame:
    """Make a frame of the named groups of a pattern; a line number that no C compiler gives is 0."""
    digits = words.get("line", "")
    line = int(digits) if digits.isdigit() and len(digits) <= 10 else 0
    function = (words.get("function") or words.get("symbol", "")).strip()
    library = words.get("library", "").partition(" [0x")[0].rstrip()
    file = words.get("file", "")[:_LONGEST_NAME]
    offset = 0 if function else int(words.get("offset") or "0", 16)  # else it counts from the function
    return NativeFrame(function[:_LONGEST_NAME], file, line if line < 2**31 else 0, (), library, offset)


class _Scan:
    """One walk over a text; the exception does not say the spans `cuts`, the message not `hidden` either."""

    def __init__(self, text: str, known: Callable[[str], bool]) -> None:
        self.text, self.known = text, known
        self.pos = len(text) - len(text.lstrip())
        self.line_end = self.pos + len(text[self.pos :].partition("\n")[0])
        self.kind: str | None = None
        self.check: Check | None = None
        self.frames: list[NativeFrame] = []
        self.cuts: list[tuple[int, int]] = []
        self.hidden: list[tuple[int, int]] = []

    def run(self) -> None:
        self.take_place(_HEADER.match, self.cuts)
        self.take_kind()
        for _ in range(_MOST_LAYERS):
            if self.take_check() or not self.take_place(_INNER_HEADER.search, self.cuts):
                break
            self.take_kind()
        self.take_traceback()

    def take_place(self, find: _Find, spans: list[tuple[int, int]]) -> bool:
        found = find(self.text, self.pos, self.line_end)
        if found:
            self.frames.append(_frame(**found.groupdict("")))
            spans.append(found.span())
            self.pos = found.end()
        return found is not None

    def take_kind(self) -> None:
        found = _KIND.match(self.text, self.pos)
        if found and (kind := self.stated(found["name"])):
            (self.cuts if self.known(kind) else self.hidden).append(found.span("whole"))
            self.pos = found.end()

    def stated(self, name: str) -> str | None:
        """Note the kind that `name` states, if any; an inner one replaces an outer one if registered."""
        kind = bare(name)
        if not is_kind(kind, self.known):
            return None
        if self.kind is None or self.known(kind):
            self.kind = kind
        return kind

    def take_traceback(self) -> None:
        """Read the kind off a Python traceback, which is a quotation and stays whole in the text."""
        start = self.text.rfind(_TRACEBACK, self.pos)
        found = _TRACEBACK_END.match(self.text, start + len(_TRACEBACK)) if start >= 0 else None
        if found and self.stated(found["name"]):
            self.hidden.append((0, found.end()))

    def take_check(self) -> bool:
        found = _CHECK.match(self.text, self.pos)
        end, rest = self.end_of_condition(found.end()) if found else (0, 0)
        condition = self.text[found.end() : end].strip() if found else ""
        if not found or not condition:
            return False
        left, versus, right = self.text[end + 1 : rest - 1].partition(_VERSUS)
        self.check = Check(condition, left, right) if versus else Check(condition)
        after = _AFTER_CHECK.match(self.text, rest)
        self.pos = after.end() if after else rest
        self.hidden.append((found.start("check"), self.pos))
        self.take_place(_PLACE.match, self.hidden)
        self.take_kind()
        return True

    def end_of_condition(self, start: int) -> tuple[int, int]:
        """Find where the condition ends, 0 if nowhere, and where its values end, if it has any.

        It ends at its values, at a colon of its own or, as the old dialects have no separator, in a gap
        between two operands, which C never has. Otherwise the rest of the line is the condition.
        """
        source = self.text[start : start + _LONGEST_CONDITION].partition("\n")[0]
        end = start + len(source) if len(source) < _LONGEST_CONDITION else 0
        middle = self.text.find(_VERSUS, start)
        for joint in _JOINT.finditer(_outline(source)):
            at = start + joint.end() - 1
            if joint["colon"] or joint["gap"]:
                return at, at
            if joint["values"]:
                middle = self.text.find(_VERSUS, at) if 0 <= middle < at else middle
                if middle > at and self.closing(at + 1, min(middle, at + _LONGEST_CONDITION)) < 0:
                    return at, self.end_of_values(middle)
        return end, end

    def end_of_values(self, middle: int) -> int:
        close = self.closing(middle, len(self.text))
        if close < 0 or self.text.startswith("))", close):  # a value holds a bracket of its own
            close = max(close, self.text.find(") : ", middle))
        return (len(self.text) if close < 0 else close) + 1

    def closing(self, start: int, stop: int) -> int:
        """Find the parenthesis that closes the one before `start`; -1 if there is none before `stop`."""
        depth = 1
        for paren in _PAREN.finditer(self.text, start, stop):
            depth += 1 if paren[0] == "(" else -1
            if depth == 0:
                return paren.start()
        return -1


def _outline(source: str) -> str:
    """Fill literals, ``::``, the colon of ``? :`` and brackets (``_`` for parts of a type, else ``-``)."""
    outline = []
    depth = asks = 0
    for token in _TOKEN.finditer(source):
        what, piece = token.lastgroup, token[0]
        depth -= what == "close" and depth > 0
        asks += what == "ask" and depth == 0
        if depth:
            piece = ("_" if what == "plain" else "-") * len(piece)
        elif what == "literal":
            piece = "_" * len(piece)
        elif what == "colon" and asks:
            piece, asks = "?", asks - 1
        depth += what == "open"
        outline.append(piece.replace("::", "__"))
    return "".join(outline)
