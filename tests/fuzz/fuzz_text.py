r"""Last-error texts made at random, for atheris: any bytes become an error that can be shown.

    python tests/fuzz/fuzz_text.py -dict=tests/fuzz/text.dict -max_total_time=600 <folder for what is found> \
        tests/fuzz/corpus/text

`pip install 'mxerr[fuzz]'` has atheris. `tests/test_text.py` reads the inputs that are kept in the corpus.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import nullcontext

if __name__ == "__main__":
    import atheris

    instrumented = atheris.instrument_imports(include=["mxerr"])
else:  # tests without atheris
    instrumented = nullcontext()
with instrumented:
    from mxerr import kind, mxnet, text
from mxerr.error import MXNetError
from mxerr.exception import make_exception
from mxerr.registry import GLOBAL
from mxerr.report import NativeReport


def read(data: bytes) -> NativeReport:
    """Read a text; it is whole, can be printed, and has no kind that may not be."""
    report = text.read(data, known=GLOBAL.__contains__, function="LibRun", status=-1)
    assert report.raw == data
    assert report.text.strip()
    assert report.kind is None or kind.is_kind(report.kind, GLOBAL.__contains__)
    shown = [report.text, report.message, *(report.check or ())]
    for frame in report.frames:
        shown += [frame.function, frame.file, frame.library]
        assert 0 <= frame.line < 2**31
    for part in shown:
        (part or "").encode("utf-8")  # a lone surrogate would raise
    return report


def take(data: bytes) -> None:
    """Take the ways from a text to an exception, each to its end."""
    report = read(data)
    error = make_exception(report, GLOBAL, MXNetError)
    assert isinstance(error, MXNetError)
    assert report.text in str(error)
    assert not getattr(error, "__notes__", ()), error.__notes__
    "".join(traceback.format_exception(error)).encode("utf-8")
    decoded = data.decode("utf-8", "surrogateescape")
    assert read(decoded.encode("utf-8", "surrogateescape")) == report
    message, name = mxnet.c2pyerror(decoded)
    assert name is None or decoded.startswith(f"{name}:")
    assert decoded.removesuffix("\n").count("\n") <= message.count("\n") + decoded.count("Stack trace")
    cls = GLOBAL.lookup(name)
    assert cls is None or issubclass(cls, Exception)


if __name__ == "__main__":
    atheris.Setup(sys.argv, take)
    atheris.Fuzz()
