"""Arrays and generated functions: NumPy is the reference."""

from __future__ import annotations

import gc
import inspect
import re
import subprocess
import sys
import weakref

import numpy
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from support.threads import together

from mxerr import MXNetError, _native, error, np
from mxerr.np._ndarray import _FLAGS

DTYPES = sorted(_FLAGS)
dtypes = st.sampled_from([numpy.dtype(name) for name in DTYPES])
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=6, min_side=0, max_side=5))


def same(result: np.ndarray, expected: numpy.ndarray) -> None:
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result.asnumpy(), expected)


@given(arrays)
def test_an_array_comes_back_as_it_went_in(source):
    result = np.array(source)
    same(result, source)
    assert (result.ndim, result.size) == (source.ndim, source.size)
    assert repr(result) == repr(source)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_goes_in_and_out(dtype):
    source = numpy.arange(6).reshape(2, 3).astype(dtype)
    same(np.array(source), source)
    same(np.array(source.tolist(), dtype=dtype), source)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(numpy.arange(12).reshape(3, 4)[::2, ::-1], id="strided"),
        pytest.param(numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)), id="fortran"),
        pytest.param(numpy.arange(3, dtype=">i4"), id="other byte order"),
        pytest.param(numpy.broadcast_to(numpy.float32(2), (2, 3)), id="broadcast"),
        pytest.param([[True, False]], id="nested lists"),
        pytest.param(3, id="number"),
        pytest.param(numpy.zeros((0, 3)), id="empty"),
    ],
)
def test_what_numpy_makes_an_array_from_is_taken(source):
    numpy.testing.assert_array_equal(np.array(source).asnumpy(), numpy.array(source))


@pytest.mark.parametrize("source", [["a"], [object()], [None], numpy.array(["2020"], "M8[D]"), b"x"])
def test_what_is_no_number_is_refused(source):
    with pytest.raises(TypeError, match="array: expected numbers of one of the types float32, "):
        np.array(source)


@st.composite
def permuted(draw):
    """An array, and axes that permute it: all of them, some counted from the end."""
    source = draw(arrays)
    axes = draw(st.permutations(range(source.ndim)))
    return source, tuple(axis - source.ndim * draw(st.booleans()) for axis in axes)


@given(permuted())
def test_transpose_is_numpys(case):
    source, axes = case
    array = np.array(source)
    same(array.transpose(axes), source.transpose(axes))
    same(np.transpose(array, axes), numpy.transpose(source, axes))
    same(array.transpose(*axes), source.transpose(*axes))
    same(array.transpose(list(axes)), source.transpose(axes))


@given(arrays)
def test_axes_may_be_omitted(source):
    array = np.array(source)
    for result in (
        array.T,
        array.transpose(),
        array.transpose(None),
        np.transpose(array),
        np.transpose(source),
    ):
        same(result, source.T)


@given(arrays, st.lists(st.integers(-8, 8), max_size=7))
def test_wrong_axes_give_the_kind_that_mxnet_gives(source, axes):
    ndim = source.ndim
    if sorted(axis % ndim if -ndim <= axis < ndim else -1 for axis in axes) == list(range(ndim)):
        same(np.transpose(source, axes), source.transpose(axes))
        return
    with pytest.raises(MXNetError) as caught:
        np.transpose(source, axes)
    in_range = len(axes) == ndim and all(-ndim <= axis < ndim for axis in axes)
    assert type(caught.value) is (error.ValueError if in_range else MXNetError)
    assert isinstance(caught.value, ValueError) == in_range


ROWS = [
    pytest.param(
        (0, 0, 1), "ValueError", ("axes_set.size == axes.ndim", "2", "3"),
        {"axes_set.size": "2", "axes.ndim": "3", "param.axes": "[0,0,1]"},
        "Repeated axis in transpose. param.axes = [0,0,1]", id="repeated",
    ),
    pytest.param(
        (0, -3, 1), "ValueError", ("axes_set.size == axes.ndim", "2", "3"),
        {"axes_set.size": "2", "axes.ndim": "3", "param.axes": "[0,-3,1]"},
        "Repeated axis in transpose. param.axes = [0,-3,1]", id="repeated from the end",
    ),
    pytest.param(
        (0, 1, 3), None, ("axis >= -ndim && axis < ndim", None, None), {"axis": "3", "ndim": "3"},
        "axes[2]=3 exceeds the range [-3, 3)", id="out of range",
    ),
    pytest.param(
        (-4, 1, 2), None, ("axis >= -ndim && axis < ndim", None, None), {"axis": "-4", "ndim": "3"},
        "axes[0]=-4 exceeds the range [-3, 3)", id="out of range from the end",
    ),
    pytest.param(
        (0, 1), None, ("ndim == param->axes.ndim", "3", "2"),
        {"ndim": "3", "param->axes.ndim": "2", "param.axes": "[0,1]", "shape": "[3,4,5]"},
        "The number of axes does not match the dimension of the tensor. param.axes = [0,1], shape = [3,4,5]",
        id="too few",
    ),
    pytest.param(
        (0, 1, 2, 2), None, ("ndim == param->axes.ndim", "3", "4"), {"param.axes": "[0,1,2,2]"},
        "The number of axes does not match the dimension of the tensor. "
        "param.axes = [0,1,2,2], shape = [3,4,5]", id="too many",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("axes", "kind", "check", "values", "message"), ROWS)
def test_a_wrong_transpose_says_what_was_checked_where_and_with_which_values(
    axes, kind, check, values, message
):
    with pytest.raises(MXNetError) as caught:
        np.random.normal(0, 1, (3, 4, 5)).transpose(axes)
    report = caught.value.native
    assert report.kind == kind
    assert tuple(report.check) == check
    assert report.message == message
    assert str(caught.value) == f"{report.check.text}{' : ' if check[1] else ': '}{message}"
    assert values.items() <= dict(report.frames[-1].values).items()
    assert [frame.function for frame in report.frames][:4] == [
        "MXImperativeInvoke", "invoke", "mx_invoke", "transpose_infer_shape",
    ]  # fmt: skip
    assert (report.function, report.status) == ("MXImperativeInvoke", -1)


@pytest.mark.parametrize(
    ("call", "cls", "text"),
    [
        (
            lambda: np.transpose([[1]], "abc"),
            TypeError,
            "parameter 'axes': expected tuple of int or None, got 'abc'",
        ),
        (lambda: np.transpose([[1]], (0, 1.5)), TypeError, "got '(0, 1.5)'"),
        (lambda: np.transpose([[1]], "0\0,1"), TypeError, "got '0\\x00,1'"),
        (
            lambda: np.transpose([[1]], (2**70, 0)),
            OverflowError,
            "of 64 bits, got '(1180591620717411303424, 0)'",
        ),
        (
            lambda: np.transpose([[1]], range(65)),
            ValueError,
            "'axes': expected 64 numbers at most, got '(0, 1,",
        ),
        (
            lambda: np.zeros((1,) * 65),
            ValueError,
            "parameter 'shape': expected 64 numbers at most, got '(1, 1,",
        ),
        (
            lambda: np.split([1], range(70)),
            NotImplementedError,
            "'indices_or_sections': more than 64 numbers, got '(0, 1,",
        ),
        (lambda: np.cast([1], "flot32"), TypeError, "got 'flot32'; did you mean 'float32'?"),
        (lambda: np.zeros(1, "uin8"), TypeError, "got 'uin8'; did you mean 'uint8'?"),
        (lambda: np.random.normal(size=(2, -1)), ValueError, "negative dimensions are not allowed"),
        (
            lambda: np.random.normal(size=(2**40, 2**40)),
            ValueError,
            "array is too big. shape = [1099511627776,",
        ),
        (lambda: np.random.normal(size=2**47), MemoryError, "cannot allocate"),
        (lambda: np.random.normal(scale=-1), ValueError, "standard deviation must not be negative"),
        (lambda: np.random.normal(loc="x"), TypeError, "parameter 'loc': expected float, got 'x'"),
        (lambda: np.random.normal(dtype="int32"), TypeError, "expected float32 or float64, got int32"),
        (
            lambda: np.random.uniform(dtype="nothing"),
            TypeError,
            "parameter 'dtype': expected dtype, got 'nothing'",
        ),
    ],
)
def test_bad_arguments_are_told_by_c_with_what_was_expected_and_what_came(call, cls, text):
    with pytest.raises(cls, match=re.escape(text)) as caught:
        call()
    assert isinstance(caught.value, MXNetError)
    assert caught.value.native.frames


def test_functions_have_the_signatures_of_the_operator_table():
    assert str(inspect.signature(np.transpose)) == "(a, axes=None)"
    assert str(inspect.signature(np.random.normal)) == "(loc=0.0, scale=1.0, size=None, dtype='float64')"
    assert str(inspect.signature(np.random.uniform)) == "(low=0.0, high=1.0, size=None, dtype='float64')"
    assert str(inspect.signature(np.sum)) == "(a, axis=None, keepdims=False, dtype=None, *, out=None)"
    assert (
        str(inspect.signature(np.ndarray.sum)) == "(self, axis=None, keepdims=False, dtype=None, *, out=None)"
    )
    assert str(inspect.signature(np.zeros(1).take)) == str(inspect.signature(np.take)).replace("a, ", "")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: np.transpose([[1]], axis=0), r"transpose() got an unexpected keyword argument 'axis'; did you mean 'axes'?"),
        (lambda: np.sum(1, keepdim=True), "sum() got an unexpected keyword argument 'keepdim'; did you mean 'keepdims'?"),
        (lambda: np.zeros(1).sum(keepdim=True), "'keepdim'; did you mean 'keepdims'?"),
        (lambda: np.concatenate([[1]], zzz=1), "concatenate() got an unexpected keyword argument 'zzz'"),
        (lambda: np.random.normal(local=1), "normal() got an unexpected keyword argument 'local'; did you mean 'loc'?"),
    ],
)  # fmt: skip
def test_an_argument_that_there_is_not_is_told_with_the_nearest(call, text):
    with pytest.raises(TypeError, match=re.escape(text) + "$"):
        call()


@pytest.mark.parametrize(
    "function", [np.transpose, np.random.normal, np.random.uniform], ids=lambda f: f.__name__
)
def test_docstrings_have_a_summary_and_every_parameter(function):
    doc = inspect.getdoc(function)
    assert doc.splitlines()[0].endswith(".")
    places = [doc.find(f"{title}\n{'-' * len(title)}\n") for title in ("Parameters", "Returns", "Raises")]
    assert places == sorted(places)
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in doc
    assert "Returns\n-------\nndarray" in doc
    assert "Raises\n------\n" in doc


def test_every_operator_of_the_library_is_a_function():
    library = _native.library()
    count, names = _native.c_int(), _native.Strings()
    library.MXListAllOpNames(count, names)
    for name in [name.decode() for name in names[: count.value]]:
        module, short = (
            (np.random, name.removeprefix("random_")) if name.startswith("random_") else (np, name)
        )
        assert callable(getattr(module, short))
        assert short in module.__all__


@pytest.mark.parametrize("module", [np, np.random])
def test_an_unknown_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="no operator of that name; did you mean 'transpose'"):
        np.transpos  # noqa: B018


@pytest.mark.parametrize("seed", [None, "x", 1.5, [1]])
def test_a_seed_is_an_integer(seed):
    with pytest.raises(TypeError, match=r"seed: expected an integer, got"):
        np.random.seed(seed)


def test_random_numbers_repeat_by_seed_and_have_the_right_moments():
    np.random.seed(3)
    first = [np.random.normal(2, 3, (1000, 100)).asnumpy(), np.random.uniform(-1, 3, (1000, 100)).asnumpy()]
    np.random.seed(3)
    second = [np.random.normal(2, 3, (1000, 100)).asnumpy(), np.random.uniform(-1, 3, (1000, 100)).asnumpy()]
    numpy.testing.assert_array_equal(first, second)
    normal, uniform = first
    assert abs(normal.mean() - 2) < 0.05
    assert abs(normal.std() - 3) < 0.05
    assert abs(((normal - 2) / 3 > 1.96).mean() - 0.025) < 0.002
    assert (uniform.min() >= -1, uniform.max() < 3) == (True, True)
    assert abs(uniform.mean() - 1) < 0.02
    assert abs(uniform.var() - 16 / 12) < 0.02


@pytest.mark.parametrize(
    ("size", "shape"), [(None, ()), (3, (3,)), ((2, 0), (2, 0)), ([2, 3], (2, 3)), ((), ())]
)
def test_random_sizes_are_numpys(size, shape):
    assert np.random.uniform(size=size).shape == shape
    assert np.random.normal(size=size, dtype="float32").dtype == numpy.float32


def test_arrays_are_freed_and_their_handles_are_not_reused():
    array = np.array([1, 2, 3])
    handle, reference = array.handle, weakref.ref(array)
    del array
    gc.collect()
    assert reference() is None
    other = np.array([4])
    assert other.handle != handle
    with pytest.raises(ValueError, match="the array handle was freed, or never made"):
        _native.library().MXNDArrayGetDType(handle, _native.c_int())


def test_a_failure_in_a_destructor_does_not_take_the_place_of_the_error_on_its_way():
    library = _native.library()
    transpose_fails = library.unchecked("MXNDArrayGetDType")
    assert transpose_fails(None, None) == -1
    assert library.unchecked("MXNDArrayFree")(_native.c_void_p(12345)) == -1
    with pytest.raises(ValueError, match="the result pointer is NULL"):
        library.check(-1)


def test_numpy_takes_arrays_by_the_array_protocol():
    array = np.array([[1, 2]])
    numpy.testing.assert_array_equal(numpy.asarray(array), [[1, 2]])
    assert numpy.asarray(array, dtype="float32").dtype == numpy.float32
    assert numpy.add(array, 1).tolist() == [[2, 3]]
    assert len(array) == 1
    assert np.array(7).item() == 7


def test_every_thread_gets_its_own_error():
    wrong: list[str] = []

    def fail(number: int) -> None:
        array = np.array(numpy.zeros((1, number + 1)))
        for turn in range(1000):
            try:
                array.transpose((0, number * 1000 + turn + 2))
            except MXNetError as caught:
                if f"axes[1]={number * 1000 + turn + 2} " not in str(caught):
                    wrong.append(str(caught))
            else:
                wrong.append("no error")

    together(fail, 8)
    assert wrong == []


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "import os; os.environ; exit(0)"])
def test_arrays_that_are_alive_at_the_interpreters_exit_make_no_noise(end, tmp_path):
    program = f"from mxerr import np\nkept = np.array([1, 2])\nclass K: pass\nK.x = kept\n{end}"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
