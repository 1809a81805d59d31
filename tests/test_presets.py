"""Known libraries, in the wheels that people install: what they say when a call fails, through plain ctypes."""

from __future__ import annotations

import ctypes
import pickle
import subprocess
import sys
from ctypes import byref, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p

import pytest

from mxerr import NativeError, NativeReport, attach, presets
from mxerr.presets import _preset


def test_every_preset_has_what_attach_needs():
    assert presets.names() == ["lightgbm", "tl2cgen", "treelite", "tvm_ffi", "xgboost"]
    for name in presets.names():
        preset = _preset(name)
        assert ("reader" in preset) != ("last_error" in preset)
        assert preset["library"]
        assert set(preset.get("statuses", {}).values()) <= set(preset["error"]["kinds"])


@pytest.mark.parametrize("name", presets.names())
def test_an_error_is_of_a_class_that_a_program_which_attached_nothing_can_unpickle(name):
    preset = _preset(name)
    stem = preset["error"]["name"].removesuffix("Error")
    for cls_name in (preset["error"]["name"], *(f"{stem}{kind}" for kind in preset["error"]["kinds"])):
        cls = getattr(presets, cls_name)
        assert issubclass(cls, NativeError)
        error = cls("text")
        error.native = NativeReport("text", "text")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.native) == (cls, "text", error.native)


def test_what_is_not_known_or_not_there_is_said(monkeypatch):
    with pytest.raises(ValueError, match=r"expected one of lightgbm, .*, got 'nothing'"):
        attach("nothing")
    with pytest.raises(AttributeError, match="NothingError"):
        _ = presets.NothingError
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="expected the package lightgbm, which is not installed"):
        attach("lightgbm")


def test_a_package_without_its_library_names_the_places(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: pytest.__spec__)
    with pytest.raises(ImportError, match=r"expected the library of xgboost in one of: .*libxgboost\.so"):
        attach("xgboost")


def attached(name):
    """Attach to a library, or say why not."""
    pytest.importorskip(name, reason=f"{name} is not installed: pip install 'mxerr[peers]'")
    return attach(name)


def failure(call):
    """Give the error of a call."""
    with pytest.raises(NativeError) as caught:
        call()
    return caught.value


# ---- XGBoost ----


@pytest.fixture(scope="module")
def xgb():
    return attached("xgboost")


@pytest.fixture
def matrix(xgb):
    handle = c_void_p()
    data = (c_float * 8)(*range(8))
    xgb.XGDMatrixCreateFromMat(data, c_uint64(4), c_uint64(2), c_float(-1), byref(handle))
    yield handle
    xgb.XGDMatrixFree(handle)


@pytest.fixture
def booster(xgb, matrix):
    handle = c_void_p()
    # its package turns what it logs into warnings, and those are errors here, in a callback of its own
    xgb.XGBSetGlobalConfig(b'{"verbosity": 0}')
    xgb.XGBoosterCreate(byref(matrix), c_uint64(1), byref(handle))
    yield handle
    xgb.XGBSetGlobalConfig(b'{"verbosity": 0}')  # a test leaves another one
    xgb.XGBoosterFree(handle)


XGBOOST = {
    "no pointer": (lambda x, b, m: x.XGBoosterCreate(None, c_uint64(0), None), "Invalid pointer argument: out"),
    "no handle": (lambda x, b, m: x.XGBoosterUpdateOneIter(None, 0, m), "has not been initialized or has already been disposed"),
    "no data": (lambda x, b, m: x.XGBoosterUpdateOneIter(b, 0, None), "Invalid pointer argument: dtrain"),
    "no file": (lambda x, b, m: x.XGBoosterLoadModel(b, b"/no/such.json"), "Opening /no/such.json failed: No such file or directory"),
    "bytes that are no UTF-8": (lambda x, b, m: x.XGBoosterLoadModel(b, b"/caf\xe9.json"), r"Opening /caf\xe9.json failed"),
    "no folder": (lambda x, b, m: x.XGBoosterSaveModel(b, b"/no/such/model.json"), "/no/such/model.json"),
    "no JSON": (lambda x, b, m: x.XGBoosterLoadJsonConfig(b, b"{not json"), "around character position: 1\n    {not json\n"),
    "out of range": (lambda x, b, m: x.XGBSetGlobalConfig(b'{"verbosity": 99}'), "value 99 for Parameter verbosity exceed bound [0,3]"),
    "no such setting": (lambda x, b, m: x.XGBSetGlobalConfig(b'{"nosuch": 1}'), "Unknown global parameters: { nosuch }"),
    "no model": (lambda x, b, m: x.XGBoosterLoadModelFromBuffer(b, b"{}", c_uint64(2)), "Invalid model format"),
    "no such objective": (lambda x, b, m: (x.XGBoosterSetParam(b, b"objective", b"reg:nosuch"), x.XGBoosterUpdateOneIter(b, 0, m)), "Unknown objective function: `reg:nosuch`"),
    "labels": (lambda x, b, m: x.XGDMatrixSetFloatInfo(m, b"label", (c_float * 4)(1, 2, 3, float("nan")), c_uint64(4)), "Label contains NaN"),
    "no such field": (lambda x, b, m: x.XGDMatrixSetFloatInfo(m, b"nosuch", (c_float * 4)(), c_uint64(4)), "nosuch"),
}  # fmt: skip


@pytest.mark.parametrize("case", XGBOOST)
def test_xgboost_fails(xgb, booster, matrix, case):
    call, said = XGBOOST[case]
    error = failure(lambda: call(xgb, booster, matrix))
    assert type(error) is presets.XGBoostError
    assert isinstance(error, __import__("xgboost").core.XGBoostError)
    assert said in str(error)
    assert "Stack trace" not in str(error)
    assert not str(error).startswith("[")
    assert error.native.function.startswith("XG")


def test_xgboost_errors_have_the_functions_that_were_left(xgb, booster):
    report = failure(lambda: xgb.XGBoosterLoadModel(booster, b"/no/such.json")).native
    frames = report.frames
    assert frames[0].function == "XGBoosterLoadModel"
    # some releases are stripped of the names of inner functions
    named = b"LoadSequentialFile" in report.raw
    assert any("LoadSequentialFile(std::string)" in frame.function for frame in frames) == named
    assert not [frame for frame in frames if "ffi" in frame.library or "dmlc" in frame.function]
    assert (frames[-1].file.rpartition("/")[2], frames[-1].line > 0) == ("io.cc", True)
    assert all(frame.offset > 0 for frame in frames[:-1])


def test_xgboost_says_by_the_status_that_a_slice_is_out_of_bounds(xgb, booster, matrix):
    xgb.XGDMatrixSetFloatInfo(matrix, b"label", (c_float * 4)(1, 2, 3, 4), c_uint64(4))
    for turn in range(2):
        xgb.XGBoosterUpdateOneIter(booster, turn, matrix)
    error = failure(lambda: xgb.XGBoosterSlice(booster, 0, 5, 1, byref(c_void_p())))
    assert type(error) is presets.XGBoostIndexError
    assert isinstance(error, IndexError)
    assert isinstance(error, presets.XGBoostError)
    assert error.native.status == -2


def test_xgboost_keeps_a_setting_that_it_refused(xgb):
    failure(lambda: xgb.XGBSetGlobalConfig(b'{"verbosity": 99}'))
    config = c_char_p()
    xgb.XGBGetGlobalConfig(byref(config))
    assert b'"verbosity":99' in config.value
    xgb.XGBSetGlobalConfig(b'{"verbosity": 0}')


# ---- LightGBM ----


@pytest.fixture(scope="module")
def lgb():
    return attached("lightgbm")


@pytest.fixture
def dataset(lgb):
    handle = c_void_p()
    data = (c_double * 20)(*range(20))
    options = b"min_data_in_bin=1 min_data_in_leaf=1"
    lgb.LGBM_DatasetCreateFromMat(data, 1, 10, 2, 1, options, None, byref(handle))
    lgb.LGBM_DatasetSetField(handle, b"label", (c_float * 10)(*range(10)), 10, 0)
    yield handle
    lgb.LGBM_DatasetFree(handle)


def lightgbm_predict(library, dataset, columns):
    model = c_void_p()
    library.LGBM_BoosterCreate(dataset, b"objective=regression", byref(model))
    try:
        data = (c_double * 20)()
        library.LGBM_BoosterPredictForMat(
            model, data, 1, 5, columns, 1, 0, 0, -1, b"", byref(c_int64()), data
        )
    finally:
        library.LGBM_BoosterFree(model)


LIGHTGBM = {
    "no model file": (lambda x, d: x.LGBM_BoosterCreateFromModelfile(b"/no/such", byref(c_int()), byref(c_void_p())), "Could not open /no/such"),
    "no data file": (lambda x, d: x.LGBM_DatasetCreateFromFile(b"/no/such", b"", None, byref(c_void_p())), "Cannot open data file /no/such"),
    "no model": (lambda x, d: x.LGBM_BoosterLoadModelFromString(b"text", byref(c_int()), byref(c_void_p())), "Model file doesn't specify the number of classes"),
    "no such type": (lambda x, d: x.LGBM_DatasetCreateFromMat((c_double * 4)(), 99, 2, 2, 1, b"", None, byref(c_void_p())), "Unknown data type in RowFunctionFromDenseMatrix"),
    "no number": (lambda x, d: x.LGBM_DatasetCreateFromMat((c_double * 4)(), 1, 2, 2, 1, b"max_bin=abc", None, byref(c_void_p())), 'Parameter max_bin should be of type int, got "abc"'),
    "a check": (lambda x, d: x.LGBM_DatasetCreateFromMat((c_double * 4)(), 1, 2, 2, 1, b"max_bin=1", None, byref(c_void_p())), "Check failed: (max_bin) > (1) at "),
    "no such field": (lambda x, d: x.LGBM_DatasetSetField(d, b"nosuch", (c_float * 10)(), 10, 0), "Input data type error or field not found"),
    "too few labels": (lambda x, d: x.LGBM_DatasetSetField(d, b"label", (c_float * 3)(), 3, 0), "Length of labels differs from the length of #data"),
    "no such field to read": (lambda x, d: x.LGBM_DatasetGetField(d, b"nosuch", byref(c_int()), byref(c_void_p()), byref(c_int())), "Field not found"),
    "no such objective": (lambda x, d: x.LGBM_BoosterCreate(d, b"objective=nosuch", byref(c_void_p())), "Unknown objective type name: nosuch"),
    "no such metric": (lambda x, d: x.LGBM_BoosterCreate(d, b"num_class=3 objective=regression", byref(c_void_p())), "Number of classes must be 1"),
    "other columns": (lambda x, d: lightgbm_predict(x, d, 4), "The number of features in data (4) is not the same as it was in training data (2)"),
}  # fmt: skip


@pytest.mark.parametrize("case", LIGHTGBM)
def test_lightgbm_fails(lgb, dataset, case):
    call, said = LIGHTGBM[case]
    error = failure(lambda: call(lgb, dataset))
    assert type(error) is presets.LightGBMError
    assert isinstance(error, __import__("lightgbm").basic.LightGBMError)
    assert said in str(error)
    assert error.native.function.startswith("LGBM_")


def test_lightgbm_checks_are_read(lgb):
    report = failure(lambda: LIGHTGBM["a check"][0](lgb, None)).native
    assert report.check.condition == "(max_bin) > (1)"
    assert report.frames[-1].file.endswith("config_auto.cpp")


# ---- Treelite and TL2cgen ----


@pytest.fixture(scope="module")
def tree():
    return attached("treelite")


def built_model(library, *steps):
    """Make a model builder with these steps."""
    builder = c_void_p()
    metadata = b"""{"threshold_type": "float32", "leaf_output_type": "float32", "metadata": {"num_feature": 2,
        "task_type": "kRegressor", "average_tree_output": false, "num_target": 1, "num_class": [1],
        "leaf_vector_shape": [1, 1]}, "tree_annotation": {"num_tree": 1, "target_id": [0], "class_id": [0]},
        "postprocessor": {"name": "identity", "config_json": "{}"}, "base_scores": [0.0], "attributes": {}}"""
    library.TreeliteGetModelBuilder(metadata, byref(builder))
    try:
        for name, *arguments in steps:
            library[f"TreeliteModelBuilder{name}"](builder, *arguments)
    finally:
        library.TreeliteDeleteModelBuilder(builder)


TREELITE = {
    "no XGBoost file": (lambda x: x.TreeliteLoadXGBoostModelJSON(b"/no/such", b"{}", byref(c_void_p())), 'Path "/no/such" does not exist'),
    "no binary file": (lambda x: x.TreeliteLoadXGBoostModelLegacyBinary(b"/no/such", b"{}", byref(c_void_p())), 'Path "/no/such" does not exist'),
    "no LightGBM file": (lambda x: x.TreeliteLoadLightGBMModel(b"/no/such", b"{}", byref(c_void_p())), 'Path "/no/such" does not exist'),
    "no own file": (lambda x: x.TreeliteDeserializeModelFromFile(b"/no/such", byref(c_void_p())), 'Path "/no/such" does not exist'),
    "no JSON": (lambda x: x.TreeliteLoadXGBoostModelFromJSONString(b"{bad", c_size_t(4), b"{}", byref(c_void_p())), "Parsing error at offset 1: Missing a name for object member.\n{bad\n"),
    "no model": (lambda x: x.TreeliteLoadLightGBMModelFromString(b"text", b"{}", byref(c_void_p())), "Ill-formed LightGBM model file"),
    "no JSON for a builder": (lambda x: x.TreeliteGetModelBuilder(b"{bad", byref(c_void_p())), "Error when parsing JSON string: offset 1"),
    "no field for a builder": (lambda x: x.TreeliteGetModelBuilder(b"{}", byref(c_void_p())), "Field 'threshold_type' was required but is missing"),
    "a tree in a tree": (lambda x: built_model(x, ("StartTree",), ("StartTree",)), "Unexpected call to StartTree()"),
    "an end before the start": (lambda x: built_model(x, ("EndTree",)), "Unexpected call to EndTree()"),
    "a node outside": (lambda x: built_model(x, ("StartNode", 0)), "Unexpected call to StartNode()"),
    "no node in a tree": (lambda x: built_model(x, ("StartTree",), ("EndTree",)), "Cannot have an empty tree"),
}  # fmt: skip


@pytest.mark.parametrize("case", TREELITE)
def test_treelite_fails(tree, case):
    call, said = TREELITE[case]
    error = failure(lambda: call(tree))
    assert type(error) is presets.TreeliteError
    assert isinstance(error, __import__("treelite").TreeliteError)
    assert said in str(error)
    assert error.native.frames[-1].line > 0


def test_tl2cgen_has_two_last_errors(tree):
    library = attached("tl2cgen")
    own = failure(lambda: library.TL2cgenPredictorLoad(b"/no/such.so", 1, byref(c_void_p())))
    inner = failure(lambda: library.TreeliteDeserializeModelFromFile(b"/no/such", byref(c_void_p())))
    assert type(own) is type(inner) is presets.TL2cgenError
    assert "Failed to load dynamic shared library `/no/such.so'" in str(own)
    assert "/no/such" in str(inner)
    assert str(failure(lambda: library.TL2cgenPredictorLoad(b"/2.so", 1, byref(c_void_p())))) != str(own)


# ---- apache-tvm-ffi ----


@pytest.fixture(scope="module")
def tvm():
    library = attached("tvm_ffi")
    pytest.importorskip("tvm_ffi.testing")  # it registers the functions that fail
    return library


class Bytes(ctypes.Structure):
    _fields_ = (("data", c_char_p), ("size", c_size_t))


class AnyValue(ctypes.Structure):
    """``TVMFFIAny``: a type, and eight bytes that are a number or an address."""

    _fields_ = (("type", ctypes.c_int32), ("padding", ctypes.c_uint32), ("value", c_uint64))


def tvm_call(library, name, *arguments):
    """Call a global function: texts go by their address, numbers as they are."""
    function, texts = c_void_p(), [ctypes.create_string_buffer(a) for a in arguments if isinstance(a, bytes)]
    library.TVMFFIFunctionGetGlobal(byref(Bytes(name, len(name))), byref(function))
    assert function, name
    addresses = iter([ctypes.addressof(text) for text in texts])
    values = [
        AnyValue(8, 0, next(addresses)) if isinstance(a, bytes) else AnyValue(1, 0, a) for a in arguments
    ]
    try:
        packed = (AnyValue * len(values))(*values)
        library.TVMFFIFunctionCall(function, packed, len(values), byref(AnyValue()))
    finally:
        library.TVMFFIObjectDecRef(function)


RAISE = b"testing.test_raise_error"
TVM = {
    **{
        kind: (lambda x, kind=kind: tvm_call(x, RAISE, kind.encode(), b"said so"), f"TVMFFI{kind}", "said so")
        for kind in _preset("tvm_ffi")["error"]["kinds"]
    },
    "an unknown kind": (lambda x: tvm_call(x, RAISE, b"OddError", b"said so"), "TVMFFIError", "OddError: said so"),
    "a kind that ends programs": (lambda x: tvm_call(x, RAISE, b"SystemExit", b"3"), "TVMFFIError", "SystemExit: 3"),
    "no bytes of UTF-8": (lambda x: tvm_call(x, RAISE, b"ValueError", b"caf\xe9"), "TVMFFIValueError", r"caf\xe9"),
    "a text that looks like a stack": (lambda x: tvm_call(x, RAISE, b"ValueError", b"a\n  File \"x\", line 3"), "TVMFFIValueError", 'a\n  File "x", line 3'),
    "too few arguments": (lambda x: tvm_call(x, RAISE, b"ValueError"), "TVMFFITypeError", "Expected 2 but got 1 arguments"),
    "another type": (lambda x: tvm_call(x, RAISE, 5, b"x"), "TVMFFITypeError", "Expected `str` but got `int`"),
    "no such type": (lambda x: x.TVMFFITypeKeyToIndex(byref(Bytes(b"no.such", 7)), byref(c_int())), "TVMFFIInternalError", "Cannot find type `no.such`"),
    "no data type": (lambda x: x.TVMFFIDataTypeFromString(byref(Bytes(b"x!", 2)), byref(c_uint64())), "TVMFFIValueError", "x!"),
}  # fmt: skip


@pytest.mark.parametrize("case", TVM)
def test_tvm_ffi_fails(tvm, case):
    call, cls, said = TVM[case]
    error = failure(lambda: call(tvm))
    assert type(error) is getattr(presets, cls)
    assert isinstance(error, presets.TVMFFIError)
    assert said in str(error)
    assert error.native.status == -1


def test_tvm_ffi_errors_have_their_frames_and_check_and_none_of_python(tvm):
    report = failure(lambda: tvm_call(tvm, RAISE, b"ValueError", b"x")).native
    assert [frame.file.rpartition("/")[2] for frame in report.frames] == ["testing.cc"]
    assert "TestRaiseError" in report.frames[-1].function
    report = failure(lambda: TVM["no such type"][0](tvm)).native
    assert report.check.condition == "(it != type_key2index_.end())"
    assert report.message == "Cannot find type `no.such`"


def test_a_tvm_ffi_error_is_read_once(tvm):
    failure(lambda: TVM["another type"][0](tvm))
    error = tvm.error(-1, "TVMFFIFunctionCall")
    assert str(error) == "TVMFFIFunctionCall failed with status -1 and set no error message"


# ---- side by side ----

SIDE_BY_SIDE = """
import sys
import mxerr, xgboost
before = {name: (f.argtypes, f.restype, f.errcheck) for name, f in vars(xgboost.core._LIB).items() if name[:2] == "XG"}
library = mxerr.attach("xgboost")
try:
    library.XGBoosterUpdateOneIter(None, 0, None)
except xgboost.core.XGBoostError as error:
    assert isinstance(error, mxerr.NativeError), error
try:
    xgboost.Booster(model_file="/no/such.json")
except xgboost.core.XGBoostError as error:
    assert type(error) is xgboost.core.XGBoostError, type(error)
after = {name: (f.argtypes, f.restype, f.errcheck) for name, f in vars(xgboost.core._LIB).items() if name[:2] == "XG"}
assert before == {name: after[name] for name in before}
assert len(mxerr.presets.XGBoostError.__mro__) > 5
"""


def test_the_package_goes_on_as_before():
    pytest.importorskip("xgboost", reason="xgboost is not installed: pip install 'mxerr[peers]'")
    done = subprocess.run(
        [sys.executable, "-c", SIDE_BY_SIDE], cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
