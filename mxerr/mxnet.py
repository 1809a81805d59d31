"""MXNet's reader of last-error texts, with its looser rule; the strict one is `mxerr.text`."""

from __future__ import annotations


def c2pyerror(err_msg: str) -> tuple[str, str | None]:
    r"""Turn a C error text into Python's layout, with MXNet's rule for the type.

    Parameters
    ----------
    err_msg : str
        The text of the last error. Empty text, where MXNet fails, is an empty message.

    Returns
    -------
    message : str
        The text with its stack section moved to the front, the innermost line last.
    name : str or None
        What stands before the first colon, where it looks like a name. It stays in `message`.

    Examples
    --------
    >>> c2pyerror('ValueError: bad\nStack trace:\n  File "op.c", line 5\n')
    ('Traceback (most recent call last):\n  File "op.c", line 5\nValueError: bad', 'ValueError')
    """
    lines = str.removesuffix(err_msg, "\n").split("\n")  # so that bytes are refused for what they are
    stack: list[str] = []
    message: list[str] = []
    in_stack = False
    for line in lines:
        if line.startswith("Stack trace"):
            in_stack = True
        elif in_stack := in_stack and line.startswith("  "):
            stack.append(line)
        else:
            message.append(line)
    head = ["Traceback (most recent call last):", *reversed(stack)] if stack else []
    return "".join(line + "\n" for line in head) + "\n".join(message), _find_error_type(lines[0])


def _find_error_type(line: str) -> str | None:
    """MXNet's rule: the text before the first colon, where every character may be part of a name."""
    name, colon, _ = line.partition(":")
    return name if colon and _valid_error_name(name) else None


def _valid_error_name(name: str) -> bool:
    """Whether MXNet takes `name` for the name of an error; it takes the empty one too."""
    return all(char.isalnum() or char in "_." for char in name)
