"""Files: NumPy reads what is written and writes what is read; what is broken is told with its reason."""

from __future__ import annotations

import errno
import io
import os
import pickle
import re
import tokenize

import numpy
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from mxerr import error, np
from mxerr.np._ndarray import _FLAGS

dtypes = st.sampled_from(sorted(_FLAGS))
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))


@given(arrays)
def test_numpy_reads_what_is_written(tmp_path_factory, a):
    path = tmp_path_factory.getbasetemp() / "written.npy"
    np.save(path, a)
    result = numpy.load(path)
    assert (result.dtype, result.shape) == (a.dtype, a.shape)
    numpy.testing.assert_array_equal(result, a)


@given(arrays, st.sampled_from("<>"), st.booleans())
def test_what_numpy_writes_is_read_in_either_order(tmp_path_factory, a, order, fortran):
    path = tmp_path_factory.getbasetemp() / "read.npy"
    numpy.save(path, numpy.asarray(a.astype(a.dtype.newbyteorder(order)), order="F" if fortran else "C"))
    result = np.load(path)
    assert (result.dtype, result.shape) == (a.dtype, a.shape)
    numpy.testing.assert_array_equal(result.asnumpy(), a)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(tmp_path, version):
    with (tmp_path / "a.npy").open("wb") as file:
        numpy.lib.format.write_array(file, numpy.arange(6).reshape(2, 3), version=version)
    assert np.load(tmp_path / "a.npy").asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]


def whole() -> bytes:
    buffer = io.BytesIO()
    numpy.save(buffer, numpy.arange(6.0))
    return buffer.getvalue()


@pytest.mark.parametrize("size", range(0, len(whole()), 7))
def test_a_file_that_ends_early_is_truncated(tmp_path, size):
    (tmp_path / "a.npy").write_bytes(whole()[:size])
    with pytest.raises(OSError, match=r"is truncated|lacks one of") as caught:
        np.load(tmp_path / "a.npy")
    assert type(caught.value) is error.IOError
    assert (caught.value.errno, caught.value.strerror) == (None, None)
    assert caught.value.filename == str(tmp_path / "a.npy")


def header(text: str) -> bytes:
    data = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data


BROKEN = [
    (b"PK\x03\x04" + bytes(100), error.IOError, "is no .npy file"),
    (b"\x93NUMPY\x04\x00" + bytes(100), error.NotImplementedError, ".npy version 4.0"),
    (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100), error.IOError, "header of impossible size"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}"), error.IOError, "it cannot have: 'x'"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x"), error.IOError, "behind the dict: x"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}}"), error.IOError, "behind the dict: }"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}\0"), error.IOError, "a NUL in it"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': 6}"), error.IOError, "shape 6"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (6)}"), error.IOError, "shape (6)"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': [6]}"), error.IOError, "shape [6]"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), 'shape': (7,)}"), error.IOError, "has shape twice"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,"), error.IOError, "no value of shape"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': }"), error.IOError, "no value of shape"),
    (header("{'descr': '<f8, 'fortran_order': False, 'shape': (6,)}"), error.IOError, "of descr"),
    (header("{'descr' '<f8', 'fortran_order': False, 'shape': (6,)}"), error.IOError, "expected a colon"),
    (header("{descr: '<f8', 'fortran_order': False, 'shape': (6,)}"), error.IOError, "expected a key in quotes"),
    (header("['descr', '<f8']"), error.IOError, "is no dict"),
    (header("{}"), error.IOError, "lacks one of descr, fortran_order and shape"),
    (header("{'descr': '<f8', 'fortran_order': 7, 'shape': (1,), }"), error.IOError, "fortran_order 7"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), error.IOError, "shape (-1,)"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': 'x', }"), error.IOError, "shape 'x'"),
    (header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"), error.NotImplementedError, "type '|O'"),
    (header("{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }"), error.NotImplementedError, "type '<U3'"),
    (header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"), error.NotImplementedError, "type [("),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"), error.IOError, "truncated"),
    (header("{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1, " * 70 + "), }"), error.IOError, "shape (1, 1"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "cls", "text"), BROKEN)
def test_a_file_that_is_not_as_it_should_be_is_told_with_its_reason(tmp_path, content, cls, text):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(cls, match=re.escape(text)) as caught:
        np.load(tmp_path / "a.npy")
    assert type(caught.value) is cls


NUMPYS = (ValueError, EOFError, SyntaxError, tokenize.TokenError)
"""What NumPy raises for such files, among it what Python's own readers raise."""


@pytest.mark.parametrize("content", [content for content, cls, _ in BROKEN[1:] if cls is error.IOError])
def test_numpy_refuses_what_is_refused(tmp_path, content):
    if b"(6,), 'shape': (7,)" in content:  # NumPy takes the last one
        return
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(NUMPYS):
        numpy.load(tmp_path / "a.npy")


@pytest.mark.parametrize(
    "text",
    [
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}",
        '{"descr": "<f8", "fortran_order": False, "shape": (2, 3), }',
        "  { 'descr'  :'<f8' ,'fortran_order':False,'shape':( 2,3 ) , }  ",
    ],
)
def test_a_header_may_be_written_in_other_ways(tmp_path, text):
    (tmp_path / "a.npy").write_bytes(header(text) + numpy.arange(6.0).tobytes())
    assert np.load(tmp_path / "a.npy").asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    if text.strip() == text:  # Python has no leading spaces
        assert numpy.load(tmp_path / "a.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


@given(st.binary(max_size=200), st.integers(0, 127))
def test_no_bytes_end_the_process(tmp_path_factory, noise, at):
    path = tmp_path_factory.getbasetemp() / "noise.npy"
    content = whole()
    path.write_bytes(content[:at] + noise + content[at + len(noise) :])
    try:
        np.load(path)
    except (OSError, NotImplementedError, ValueError) as caught:
        assert caught.native.frames


@pytest.mark.parametrize(
    ("call", "number"),
    [
        (lambda folder: np.load(folder / "missing.npy"), errno.ENOENT),
        (lambda folder: np.load(folder), errno.EISDIR),
        (lambda folder: np.save(folder / "missing" / "a.npy", [1]), errno.ENOENT),
        (lambda folder: np.load(folder / ("x" * 300)), errno.ENAMETOOLONG),
    ],
)
def test_the_systems_reason_is_kept(tmp_path, call, number):
    with pytest.raises(OSError, match=re.escape(os.strerror(number))) as caught:
        call(tmp_path)
    assert caught.value.errno == number
    assert caught.value.strerror == os.strerror(number)
    assert str(tmp_path) in caught.value.filename
    assert isinstance(caught.value, FileNotFoundError) == (number == errno.ENOENT)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.errno, copied.filename) == (number, caught.value.filename)


def test_errno_is_not_trusted_where_the_system_gave_no_reason(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        np.load(tmp_path / "missing.npy")
    (tmp_path / "a.npy").write_bytes(whole()[:-1])
    with pytest.raises(OSError, match="truncated") as caught:
        np.load(tmp_path / "a.npy")
    assert caught.value.errno is None


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, [1, 2])
    before = path.read_bytes()
    path.chmod(0o444)
    np.save(path, [3, 4])  # the folder allows it
    assert numpy.load(path).tolist() == [3, 4]
    assert before != path.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["a.npy"]
