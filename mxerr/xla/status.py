"""Status codes, and the text that a status is written as; no exception class lives here."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final, NamedTuple


class StatusCode(IntEnum):
    """The canonical codes, shared by Abseil, gRPC, TensorFlow and XLA.

    Examples
    --------
    >>> StatusCode(5), StatusCode.NOT_FOUND == 5
    (<StatusCode.NOT_FOUND: 5>, True)
    """

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


def to_code(number: int) -> StatusCode | int:
    """Give a number its name where it has one; an unknown number stays a number.

    Examples
    --------
    >>> to_code(5), to_code(99)
    (<StatusCode.NOT_FOUND: 5>, 99)
    """
    try:
        return StatusCode(number)
    except ValueError:
        return number


class StatusText(NamedTuple):
    """A status read from a text.

    Attributes
    ----------
    code : StatusCode, int or None
        The code; an int where it is none of the canonical ones, None where the text states none.
    message : str
        The text without code and payloads.
    payloads : dict of str to bytes
        The payloads by URL.
    """

    code: StatusCode | int | None
    message: str
    payloads: dict[str, bytes]


# "NOT_FOUND" is how Abseil prints a code, "Not found" how TensorFlow did until 2022.
_PREFIXES: Final = {
    spelling: code
    for code in StatusCode
    if code
    for spelling in (code.name, code.name.replace("_", " ").capitalize())
}
_PREFIX = re.compile(
    r"(?:([A-Z][A-Za-z_]*(?: [a-z]+)*)|Unknown code\((-?\d{1,19})\)|)(?::(?: |\Z|(?=\n))|\Z)"
)
# No part gives back what it took, so that time grows with the length of a text.
_PAYLOAD = re.compile(r" \[([^\s\[\]=']++)='((?:[^'\\]|\\.)*+)'\]", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def parse(text: str) -> StatusText:
    r"""Read the text of a status, as Abseil writes it: ``CODE: message [url='payload']...``.

    The code counts at position 0 only, so that a message about another error keeps its own code.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    StatusText
        Code, message and payloads. An empty prefix, ``: message``, states no code.

    Examples
    --------
    >>> parse("NOT_FOUND: no x [type.example/key='a\\x00']")
    StatusText(code=<StatusCode.NOT_FOUND: 5>, message='no x', payloads={'type.example/key': b'a\x00'})
    >>> parse("Not found: x").code, parse("while compiling: NOT_FOUND: x").code, parse(": x").message
    (<StatusCode.NOT_FOUND: 5>, None, 'x')
    """
    code: StatusCode | int | None = None
    found = _PREFIX.match(text)
    if found is not None and found[0]:
        name, number = found.groups()
        code = to_code(int(number)) if number else _PREFIXES.get(name)
        is_possible = not number or -(2**63) <= int(number) < 2**63
        if code == StatusCode.OK or not is_possible:
            code = None  # which is no error; the text tells of something else
        elif code is not None or name is None:
            text = text[found.end() :]
    text, payloads = _split_payloads(text)
    return StatusText(code, text, payloads)


def _split_payloads(text: str) -> tuple[str, dict[str, bytes]]:
    end = len(text)
    payloads: list[tuple[str, bytes]] = []
    if text.endswith("']"):
        for found in reversed(list(_PAYLOAD.finditer(text))):
            url, data = found.groups()
            if found.end() != end or not ("/" in url or "." in url):
                break
            end = found.start()
            payloads.append((url, _unescape(data)))
    return text[:end], dict(reversed(payloads))


def _unescape(text: str) -> bytes:
    """Undo Abseil's CHexEscape."""

    def byte(found: re.Match[bytes]) -> bytes:
        return bytes([int(found[1], 16)]) if found[1] else _ESCAPES.get(found[2], found[2])

    return _ESCAPE.sub(byte, text.encode("utf-8", "surrogateescape"))
