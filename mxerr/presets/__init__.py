"""Libraries that mxerr knows: `attach` finds one in its installed package and checks its functions.

What is known of a library is one file of this folder, with a remark on each thing that it does oddly.
"""

from __future__ import annotations

import builtins
import ctypes
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mxerr.error import NativeError
from mxerr.library import Library, Prototypes
from mxerr.registry import GLOBAL, ErrorClass, Registry

__all__ = ["attach", "names"]


def _folder() -> Any:
    from importlib import resources  # slow to import, and few programs need it

    return resources.files("mxerr.presets")


def names() -> list[str]:
    """List the libraries that `attach` knows.

    Examples
    --------
    >>> "xgboost" in names()
    True
    """
    files = (file.name for file in _folder().iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def attach(
    name: str,
    library: str | os.PathLike[str] | ctypes.CDLL | None = None,
    *,
    prototypes: Prototypes | None = None,
) -> Library:
    """Check the functions of a library that its own package does not check, or checks with less to say.

    The package goes on as before: its function objects are not touched. The errors are of a class of
    `mxerr.presets` that is also the package's own, as ``XGBoostError`` is, so that handlers for that one
    catch them.

    Parameters
    ----------
    name : str
        One of `names`.
    library : str, path-like or ctypes.CDLL, optional
        The library, where it is not that of the installed package.
    prototypes : mapping of str to (restype, argtypes), optional
        As for `mxerr.Library`. Without its own, a function takes what ctypes accepts: numbers as C ints, so
        that handles are to be passed as `ctypes.c_void_p`.

    Returns
    -------
    Library
        The library, with a registry of its own.

    Raises
    ------
    ValueError
        If the name is not known.
    ImportError
        If the package is not installed, or holds no library.
    OSError
        If the library cannot be loaded.

    Examples
    --------
    >>> attach("libnothing")
    Traceback (most recent call last):
        ...
    ValueError: attach: expected one of lightgbm, tl2cgen, treelite, tvm_ffi, xgboost, got 'libnothing'
    """
    if name not in names():
        raise ValueError(f"attach: expected one of {', '.join(names())}, got {name!r}")
    from pkgutil import resolve_name

    preset = _preset(name)
    found = _find(preset["package"], preset["library"]) if library is None else library
    default, by_kind = _classes(name)
    registry = Registry(GLOBAL)
    for kind, cls in by_kind.items():
        registry.register(kind, cls)
    results = {function: (_result(result), None) for function, result in preset["results"].items()}
    reader = preset.get("reader")
    return Library(
        found,
        last_error=resolve_name(reader) if reader else preset["last_error"],
        prototypes={**results, **(prototypes or {})},
        statuses={int(status): by_kind[kind] for status, kind in preset.get("statuses", {}).items()},
        default=default,
        registry=registry,
    )


@cache
def _preset(name: str) -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads((_folder() / f"{name}.toml").read_text("utf-8"))


def _find(package: str, places: Sequence[str]) -> Path:
    """Find the library in an installed package, which is not imported for that."""
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is None:
        raise ImportError(f"attach: expected the package {package}, which is not installed")
    files = [Path(folder, place) for folder in spec.submodule_search_locations or () for place in places]
    for file in files:
        if file.is_file():
            return file
    raise ImportError(f"attach: expected the library of {package} in one of: {', '.join(map(str, files))}")


def _result(name: str) -> Any:
    return {"void": None, "int": int}[name] if name in {"void", "int"} else getattr(ctypes, name)


@cache
def _classes(name: str) -> tuple[ErrorClass, Mapping[str, ErrorClass]]:
    """Make the default class of a library, and one for each kind that its errors have."""
    error = _preset(name)["error"]
    default = _class(error["name"], NativeError, *filter(None, map(_imported, error["bases"])))
    stem = error["name"].removesuffix("Error")
    return default, {
        kind: _class(f"{stem}{kind}", default, *_builtin(kind, default)) for kind in error["kinds"]
    }


def _class(name: str, *bases: type) -> ErrorClass:
    made: ErrorClass = type(name, bases, {"__module__": __name__, "__doc__": f"An error of {name[:-5]}."})
    return made


def _builtin(kind: str, default: type) -> list[type]:
    cls = getattr(builtins, kind, None)
    return [cls] if isinstance(cls, type) and not issubclass(default, cls) else []


def _imported(place: str) -> Any:
    """Import the package's own class; None where only its library is there."""
    from pkgutil import resolve_name

    try:
        return resolve_name(place)
    except ImportError:
        return None


def __getattr__(name: str) -> Any:
    """Find an exception class by its name, as unpickling an error does in a program that attached nothing."""
    if name.endswith("Error"):
        for preset in names():
            default, by_kind = _classes(preset) if name.startswith(_stem(preset)) else (None, {})
            for cls in (default, *by_kind.values()):
                if cls is not None and cls.__name__ == name:
                    return cls
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _stem(preset: str) -> str:
    stem: str = _preset(preset)["error"]["name"].removesuffix("Error")
    return stem
