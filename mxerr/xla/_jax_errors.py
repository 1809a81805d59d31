"""From an error of JAX to one of `mxerr.xla.exceptions`: which errors are XLA's, alone and in groups."""

from __future__ import annotations

import dis
import functools
import inspect
from collections import ChainMap
from itertools import pairwise
from types import FrameType
from typing import Any, Final

from mxerr.xla._jax_callbacks import Callbacks
from mxerr.xla.exceptions import XlaError, code_of, from_text, is_xla, with_code
from mxerr.xla.status import StatusCode, parse

# jaxlib's fast path maps statuses to these; exact types, as no subclass comes from there
_PLAIN: Final = (ValueError, RuntimeError, NotImplementedError, IndexError, TypeError, MemoryError)
_JAX: Final = ("jax", "jaxlib")
_CALLS_JAX: Final = "mxerr.xla.jax"

CALLBACKS: Final = Callbacks()


def translate(error: BaseException) -> XlaError | None:
    """Make our error of one of JAX's.

    Parameters
    ----------
    error : BaseException
        Any error, as it was caught.

    Returns
    -------
    XlaError or None
        The error, with `error` as its cause; None for what is no error of XLA.

    Examples
    --------
    >>> translate(ValueError("NOT_FOUND: x")) is None
    True
    """
    try:
        text = str(error)
    except Exception:  # a method of the user's class, whose failure must not hide the error
        return None
    if is_xla(error):
        typed_error = with_code(code_of(error), text)
    elif type(error) in _PLAIN and _states_a_code(text) and _came_from_jaxlib(error):
        typed_error = from_text(text)
    else:
        return None
    callbacks_own = CALLBACKS.find(text)
    if callbacks_own is not None:  # JAX may have put in its place where the function was transformed
        last = error.__cause__ if _is_unfiltered(error.__cause__) else error
        assert last is not None
        last.__context__ = last.__cause__ or last.__context__
        last.__cause__ = callbacks_own
    typed_error.__cause__ = error
    return typed_error


def translate_group(group: BaseExceptionGroup[Any]) -> BaseExceptionGroup[Any]:
    """Make a group with our errors in the place of JAX's; the same group where it has none."""
    try:
        return _translate_group(group, {})
    except RecursionError:  # too deep for this; it is still the user's error
        return group


def _translate_group(
    group: BaseExceptionGroup[Any], made: dict[int, BaseException]
) -> BaseExceptionGroup[Any]:
    """`made`: what a member became, by its id, as one object can be in several places."""
    for member in group.exceptions:
        if id(member) not in made:
            is_group = isinstance(member, BaseExceptionGroup)
            made[id(member)] = _translate_group(member, made) if is_group else translate(member) or member
    members = [made[id(member)] for member in group.exceptions]
    if all(new is old for new, old in zip(members, group.exceptions, strict=True)):
        return group
    try:
        typed_group: Any = group.derive(members)
    except Exception:  # a method of the user's class, whose failure must not hide the errors
        return group
    if not isinstance(typed_group, BaseExceptionGroup):
        return group
    typed_group.__dict__.update(group.__dict__)  # notes, and what a subclass has
    typed_group.__cause__, typed_group.__context__ = group.__cause__, group.__context__
    typed_group.__suppress_context__ = group.__suppress_context__
    return typed_group.with_traceback(group.__traceback__)


def _is_unfiltered(cause: BaseException | None) -> bool:
    """Tell whether it is what JAX sets to show the frames that it took out: with "remove_frames"."""
    return type(cause).__name__ == "UnfilteredStackTrace"


def _states_a_code(text: str) -> bool:
    code = parse(text).code
    return isinstance(code, StatusCode) and text.startswith(f"{code.name}:")


def _came_from_jaxlib(error: BaseException) -> bool:
    """Tell whether the innermost Python frame is JAX's, or calls a function of jaxlib, and did not raise."""
    entry = error.__traceback__
    if entry is None:
        return False
    while entry.tb_next is not None:
        entry = entry.tb_next
    frame = entry.tb_frame
    if not dis.opname[frame.f_code.co_code[entry.tb_lasti]].startswith("CALL"):
        return False
    module = frame.f_globals.get("__name__", "")
    return (
        module == _CALLS_JAX or _is_jaxs(module) or _is_jaxs(type(_callee(frame, entry.tb_lasti)).__module__)
    )


def _is_jaxs(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _JAX


def _callee(frame: FrameType, offset: int) -> object:
    """Look up what a frame is calling, where that is a name with or without attributes; None elsewhere.

    Nothing is run: a property is not asked. The instructions that load the callee are those which begin at
    the same place of the source as the call.
    """
    instructions = list(dis.get_instructions(frame.f_code))
    position = next(i.positions for i in instructions if i.offset == offset)
    if position is None or position.col_offset is None:
        return None  # Python runs without positions
    value: object = None
    names = ChainMap(frame.f_locals, frame.f_globals)
    is_first = True
    for before, instruction in pairwise(instructions):
        at = instruction.positions
        if at is None or (at.lineno, at.col_offset) != (position.lineno, position.col_offset):
            continue
        if instruction.offset >= offset:
            break
        if is_first and before.opname.endswith("_FAST_LOAD_FAST"):
            value = names.get(before.argval[-1])  # from 3.13 on, two instructions in one
        is_first = False
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = inspect.getattr_static(value, instruction.argval, None)
        elif instruction.opname.startswith("LOAD_"):
            value = names.get(instruction.argval)
        elif instruction.opname not in ("PUSH_NULL", "PRECALL"):
            return None  # such as a call, or an item of a list
    while isinstance(value, functools.partial):
        value = value.func
    return value
