"""Python code that real libraries call while they train or load data, and that raises."""

from __future__ import annotations

import ctypes
import traceback
from ctypes import CFUNCTYPE, byref, c_char_p, c_double, c_float, c_int, c_uint64, c_void_p

import numpy
import pytest

from mxerr import attach, callback

Reset = CFUNCTYPE(None, c_void_p)
Next = CFUNCTYPE(c_int, c_void_p)
Log = CFUNCTYPE(None, c_char_p)


@pytest.fixture(scope="module")
def xgb():
    pytest.importorskip("xgboost", reason="xgboost is not installed: pip install 'mxerr[peers]'")
    return attach("xgboost")


def way(error):
    return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]


class LossError(Exception):
    """An error of the user's own, which no registry knows."""

    def __init__(self, iteration, loss):
        super().__init__(iteration, loss)


def test_training_with_an_objective_that_raises_gives_the_very_exception(xgb):
    import xgboost

    raised = []
    data = xgboost.DMatrix(numpy.arange(8.0).reshape(4, 2), label=[0, 1, 0, 1])

    def objective(predictions, matrix):
        if len(raised) == 0 and predictions.any():
            raised.append(LossError(1, float("inf")))
            raise raised[0]
        return numpy.ones(4) - predictions, numpy.ones(4)

    with pytest.raises(LossError) as caught:
        xgboost.train({"verbosity": 0}, data, num_boost_round=3, obj=objective)
    assert [caught.value] == raised
    assert way(caught.value)[-1] == "objective"


def test_training_through_the_c_api_with_an_objective_that_raises(xgb):
    matrix, booster = c_void_p(), c_void_p()
    xgb.XGDMatrixCreateFromMat((c_float * 8)(*range(8)), c_uint64(4), c_uint64(2), c_float(-1), byref(matrix))
    xgb.XGBoosterCreate(byref(matrix), c_uint64(1), byref(booster))
    error = LossError(2, 5.0)

    def objective(iteration):
        if iteration == 2:
            raise error
        return (c_float * 4)(1, -1, 1, -1), (c_float * 4)(1, 1, 1, 1)

    with pytest.raises(LossError) as caught:
        for iteration in range(4):
            gradient, hessian = objective(iteration)
            xgb.XGBoosterBoostOneIter(booster, matrix, gradient, hessian, c_uint64(4))
    assert caught.value is error
    rounds = c_int()
    xgb.XGBoosterBoostedRounds(booster, byref(rounds))
    assert rounds.value == 2
    xgb.XGBoosterFree(booster)
    xgb.XGDMatrixFree(matrix)


@pytest.mark.parametrize("error", [LossError(0, 1.0), KeyboardInterrupt(), SystemExit(2)], ids=repr)
def test_data_that_cannot_be_read_while_xgboost_loads_it_raises_what_was_raised(xgb, error, capfd):
    proxy, matrix = c_void_p(), c_void_p()
    xgb.XGProxyDMatrixCreate(byref(proxy))
    reset = callback(Reset)(lambda handle: None)

    @callback(Next, failure=0)  # 0 is the end of the data: XGBoost knows no failure here
    def read_batch(handle):
        raise error

    config = b'{"missing": NaN, "nthread": 1, "cache_prefix": "", "max_bin": 4}'
    with pytest.raises(type(error)) as caught:  # it is the very object
        xgb.XGExtMemQuantileDMatrixCreateFromCallback(
            None, proxy, None, reset, read_batch, config, byref(matrix)
        )
    assert caught.value is error
    names = way(error)
    assert names[-1] == "read_batch"
    assert names[-2].startswith(("XG", "xgboost", "?", "std", "void"))
    assert "Exception ignored" not in capfd.readouterr().err
    xgb.XGDMatrixFree(proxy)
    reset.unregister()
    read_batch.unregister()


def test_a_listener_of_lightgbm_that_raises(capfd):
    pytest.importorskip("lightgbm", reason="lightgbm is not installed: pip install 'mxerr[peers]'")
    library = attach("lightgbm")
    dataset, booster = c_void_p(), c_void_p()
    options = b"min_data_in_bin=1 min_data_in_leaf=1 verbosity=2"

    @callback(Log)
    def listen(text):
        raise LossError(0, text)

    library.LGBM_RegisterLogCallback(listen)
    try:
        with pytest.raises(LossError) as caught:
            library.LGBM_DatasetCreateFromMat(
                (c_double * 20)(*range(20)), 1, 10, 2, 1, options, None, byref(dataset)
            )
            library.LGBM_DatasetSetField(dataset, b"label", (c_float * 10)(*range(10)), 10, 0)
            library.LGBM_BoosterCreate(dataset, b"objective=regression verbosity=2", byref(booster))
        assert isinstance(caught.value.args[1], bytes)
        assert way(caught.value)[-2:] == [way(caught.value)[-2], "listen"]
    finally:
        library.LGBM_RegisterLogCallback(ctypes.cast(None, Log))
        listen.unregister()
    assert "Exception ignored" not in capfd.readouterr().err
