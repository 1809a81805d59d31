"""Runs the C operators: what is called becomes arrays and texts for C, and its handles arrays again."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy

from mxerr import _native, timeline
from mxerr.np import _engine, _errstate
from mxerr.np._ndarray import array, ndarray, unchecked_free
from mxerr.np._spelling import packer

_library = _native.library()


_SCALARS = (bool, int, float, complex)
_ARRAY = frozenset((ndarray,))


_ANY_NUMBER = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "percentile")
)
"""Operators that take a Python integer beside an array of a type that does not hold it."""


_OWN_TYPES = frozenset(("concatenate", "stack", "custom"))
"""Operators for which a Python number is an array like the others."""


def _number(value: Any, dtypes: list[Any], name: str) -> ndarray:
    """Make an array of a Python number, of the type that NumPy gives it beside arrays of some types."""
    if name == "percentile" and type(value) is float and not 0 <= value <= 100:
        return array(value)  # float32 might round it into the range
    dtype = numpy.result_type(*dtypes, value) if dtypes else None
    try:
        return array(value, dtype)
    except OverflowError:
        if name not in _ANY_NUMBER:
            raise
        return array(value)


def _arrays(name: str, inputs: tuple[Any, ...]) -> Sequence[ndarray]:
    """Make arrays of inputs; a Python number takes the type that NumPy gives it beside the others."""
    if _ARRAY.issuperset(map(type, inputs)):
        return inputs
    if name == "where":  # the condition has no say in the type of the result
        return [*_arrays("", inputs[:1]), *_arrays("", inputs[1:])]
    if name in _OWN_TYPES:
        return [a if isinstance(a, ndarray) else array(a) for a in inputs]
    arrays = [a if isinstance(a, ndarray) or type(a) in _SCALARS else array(a) for a in inputs]
    dtypes = [a.dtype for a in arrays if isinstance(a, ndarray)]
    return [a if isinstance(a, ndarray) else _number(a, dtypes, name) for a in arrays]


_invoke = _library.unchecked("MXImperativeInvoke")
# checked, but without argtypes: `_Arguments` are of the right types, and converting costs more than the call
_invoke.argtypes = None
_invoke.restype = _library.MXImperativeInvoke.restype


_invoke_out = _library.MXImperativeInvokeOut


_free = unchecked_free()
_MOST_OUTPUTS = 1024  # MX_MAX_OUTPUTS of op.h


class _Arguments:
    """What `_invoke` takes, for one call at a time.

    Parameters
    ----------
    operator : Operator
        The operator.
    num_inputs : int
        How many arrays it gets.
    """

    __slots__ = ("all", "count", "inputs", "outputs", "values")
    # `outputs` is memory of ours: in the thread's own array, a destructor or a signal handler that calls an
    # operator before the handles are read would put its own

    def __init__(self, operator: Operator, num_inputs: int) -> None:
        num_params = len(operator.params)
        self.inputs = (ctypes.c_void_p * num_inputs)()
        self.values = (ctypes.c_char_p * num_params)()
        self.count = ctypes.c_int()
        self.outputs: Any = (ctypes.c_void_p * (_MOST_OUTPUTS if operator.many_outputs else 1))()
        self.all = (
            ctypes.c_char_p(operator.name),
            ctypes.c_int(num_inputs),
            self.inputs,
            ctypes.c_int(num_params),
            operator._keys,
            self.values,
            ctypes.byref(self.count),
            ctypes.byref(ctypes.cast(self.outputs, _native.Handles)),
        )

    def clear(self) -> None:
        """Empty the memory for outputs."""
        if len(self.outputs) == 1:
            self.outputs[0] = None
        else:
            ctypes.memset(self.outputs, 0, ctypes.sizeof(self.outputs))
        self.count.value = len(self.outputs)

    def free(self) -> None:
        """Free the outputs of which nobody will make arrays."""
        for handle in filter(None, self.outputs):
            _free(handle)  # a handle is never used twice: also where an array was made of it, and is gone


def _into(out: Any, arguments: _Arguments) -> Any:
    """Make the call, with the result in an array that is there."""
    __tracebackhide__ = True
    if not isinstance(out, ndarray):
        raise TypeError(
            f"out: expected an array of mxerr.np, got {type(out).__module__}.{type(out).__name__}"
        )
    _invoke_out(*arguments.all[:6], out._handle)
    return out


class Operator:
    """One entry of the operator table, ready to be called.

    Parameters
    ----------
    info : OpInfo
        The entry.
    """

    def __init__(self, info: _native.OpInfo) -> None:
        columns = range(info.num_params)
        self.name: bytes = info.name
        self.python_name = info.name.decode()
        self.doc = info.doc.decode()
        self.variadic = info.num_inputs < 0
        self.many_outputs = bool(info.many_outputs)
        self.takes_out = bool(info.takes_out)
        self.inputs = [info.input_names[i].decode() for i in range(abs(info.num_inputs))]
        self.params = [info.param_names[i].decode() for i in columns]
        self.types = [info.param_types[i].decode() for i in columns]
        self.defaults = [info.param_defaults[i] for i in columns]
        self.docs = [info.param_docs[i].decode() for i in columns]
        places = [f"{self.python_name}: parameter {name!r}" for name in self.params]
        self._packers = list(map(packer, self.types, places))
        self._keys = (ctypes.c_char_p * info.num_params)(*[info.param_names[i] for i in columns])
        self._unused: dict[int, list[_Arguments]] = {}  # by the number of inputs

    def __call__(self, inputs: tuple[Any, ...], values: tuple[Any, ...], out: Any = None) -> Any:
        """Run the operator.

        Parameters
        ----------
        inputs : tuple of array_like
            Its inputs.
        values : tuple
            A value for each of its parameters.
        out : ndarray, optional
            The array that takes the output.

        Returns
        -------
        ndarray or list of ndarray
            Its output; a list where the operator has many.
        """
        __tracebackhide__ = True
        if _errstate.used:
            _errstate.apply()
        if timeline.recorder is not None:
            return self._recorded(timeline.recorder, inputs, values, out)
        return self._run(_arrays(self.python_name, inputs), values, out)

    def _recorded(
        self, recorder: timeline.Recorder, inputs: tuple[Any, ...], values: tuple[Any, ...], out: Any
    ) -> Any:
        __tracebackhide__ = True
        name = self.python_name
        with recorder.step(f"call {name}"):
            arrays = _arrays(self.python_name, inputs)
            with recorder.step(f"invoke {name}"):
                return self._run(arrays, values, out)

    def _run(self, arrays: Sequence[ndarray], values: tuple[Any, ...], out: Any) -> Any:
        __tracebackhide__ = True
        if _engine.queues:
            _engine.name_origin()
        unused = self._unused.setdefault(len(arrays), [])
        try:
            arguments = unused.pop()  # by one thread, and not again before the call has ended
        except IndexError:
            arguments = _Arguments(self, len(arrays))
        for i, a in enumerate(arrays):
            arguments.inputs[i] = a._handle
        for i, pack in enumerate(self._packers):
            arguments.values[i] = pack(values[i])
        try:
            arguments.clear()
            if out is not None:
                return _into(out, arguments)
            _invoke(*arguments.all)
            if self.many_outputs:
                return list(map(ndarray, arguments.outputs[: arguments.count.value]))
            return ndarray(arguments.outputs[0]) if arguments.count.value else None
        except BaseException:  # also that of a signal handler, when C has returned
            arguments.free()
            raise
        finally:
            unused.append(arguments)


def find(name: str) -> Operator:
    """Get an operator of the table.

    Parameters
    ----------
    name : str
        Its name in C.

    Returns
    -------
    Operator
        The operator.

    Raises
    ------
    AttributeError
        If there is none; the text names the nearest.

    Examples
    --------
    >>> find("reshape").params
    ['newshape']
    """
    info = ctypes.POINTER(_native.OpInfo)()
    _library.MXOpGetInfo(name.encode(), info)
    return Operator(info.contents)
