"""C or C++ text, compiled against the kit and kept by content: what stands behind `mxerr.build`."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from mxerr import compiler
from mxerr.compiler import LANGUAGES, BuildError, BuildWarning
from mxerr.library import Library, Prototypes
from mxerr.registry import ErrorClass, Registry

CACHE_VARIABLE: Final = "MXERR_CACHE"
"""The environment variable that names the folder for what was compiled."""

_MOST_ENTRIES: Final = 200
_KIT: Final = {"c": "mxerr/mxerr.h", "c++": "mxerr/mxerr.hpp"}
_SUFFIX: Final = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
_MESSAGES: Final = "messages.txt"

EXPORT: Final = "MXERR_EXPORT"
"""What marks the exported functions of a text."""


class Built(NamedTuple):
    """A compiled source.

    Attributes
    ----------
    folder : pathlib.Path
        Holds the library, and the source under the name that C frames have.
    library : pathlib.Path
        The library.
    messages : str
        The warnings of the compiler.
    preprocessed : str
        The text with its headers and without macros, but for the mark of exported functions.
    """

    folder: Path
    library: Path
    messages: str
    preprocessed: str = ""


def load(built: Built, prototypes: Prototypes, default: ErrorClass, registry: Registry) -> Library:
    """Load a compiled source, each time anew."""
    with tempfile.TemporaryDirectory(prefix="mxerr", ignore_cleanup_errors=True) as folder:
        # the system's loader would give the library that it has loaded already, were it the same file
        copy = shutil.copy(built.library, folder)
        cdll = ctypes.CDLL(copy)
    return Library(cdll, prototypes=prototypes, default=default, registry=registry, source_root=built.folder)


def compile_source(
    source: str,
    language: str,
    *,
    name: str = "",
    options: Sequence[str] = (),
    first_line: int = 1,
    shown: str | None = None,
) -> Built:
    """Compile a text, or find what it was compiled to before; for the parameters see `build`.

    Parameters
    ----------
    source, language, name, options
        As for `build`.
    first_line : int
        The number of the text's first line.
    shown : str, optional
        The text that tracebacks show, where `source` is only a part of it, from `first_line` on.

    Returns
    -------
    Built
        Where it lies.
    """
    __tracebackhide__ = True
    source = _checked_text(source)
    if isinstance(options, str):
        raise TypeError(f"options: expected a list of them, got {options!r}")
    if language not in LANGUAGES:
        raise ValueError(f"language: expected {' or '.join(LANGUAGES)}, got {language!r}")
    name = _checked_name(name or ("source.c" if language == "c" else "source.cpp"))
    shown = source if shown is None else shown
    head = f"#define MXERR_IMPLEMENTATION\n#include <{_KIT[language]}>\n"
    marked = f"{head}#undef {EXPORT}\n#define {EXPORT} {EXPORT}\n"  # the mark stays in what is preprocessed
    command = [*compiler.find(language), *compiler.flags(language)]
    options = [*options, f"-iquote{Path.cwd()}"]
    with tempfile.TemporaryDirectory(prefix="mxerr", ignore_cleanup_errors=True) as scratch:
        work = Path(scratch)
        # the compiler shows the line of an error if the file is there
        (work / name).write_text(shown, "utf-8", "surrogateescape", newline="\n")
        # The end has a line of its own, else gcc gives an early line for what is missing there. It stands
        # behind an empty one: a text may end in a backslash.
        last_line = first_line + source.rstrip().count("\n")
        body = f'#line {first_line} "{name}"\n{source}\n\n#line {last_line} "{name}"\n'
        text = head + body
        preprocessed = compiler.run([*command, "-E", "-P", "-", *options], marked + body, work)
        if not preprocessed.ok:
            raise compiler.error(preprocessed.messages, name)
        who = compiler.version(tuple(compiler.find(language)))
        folder = cache_folder() / _key(
            preprocessed.stdout, text, shown, who, *command, *options, *_linked(options)
        )
        declared = preprocessed.stdout.decode("utf-8", "surrogateescape")
        built = _find(folder)
        if built is not None:
            return built._replace(preprocessed=declared)
        result = compiler.run([*command, "-", "-o", f"library{_SUFFIX}", *options], text, work)
        if not result.ok:
            raise compiler.error(result.messages, name)
        if not (work / f"library{_SUFFIX}").is_file():
            raise BuildError(f"the compiler {shlex.join(command[:1])} made no library, and no complaint")
        (work / _MESSAGES).write_text(result.messages, "utf-8")
        names = [name, _MESSAGES, f"library{_SUFFIX}"]
        try:
            built = _keep(work, folder, names)
        except OSError as error:
            text = f"what was compiled cannot be kept: {error}; {CACHE_VARIABLE} names the folder"
            warnings.warn(text, BuildWarning, stacklevel=3)
            built = _keep(work, Path(_of_this_process().name) / folder.name, names)
        return built._replace(preprocessed=declared)


def _checked_text(source: str) -> str:
    if not isinstance(source, str):
        raise TypeError(f"source: expected C or C++ text, got {source!r}")
    if lone := re.search("[\ud800-\udc7f\udd00-\udfff]", source):
        line = source.count("\n", 0, lone.start()) + 1
        raise ValueError(f"source: expected text, got half a character in line {line}: {lone[0]!r}")
    return source.removeprefix("\ufeff")  # the mark that some editors put before a text


def _checked_name(name: str) -> str:
    if name in (f"library{_SUFFIX}", _MESSAGES):
        raise ValueError(f"name: expected another than those of the files that are made, got {name!r}")
    if not re.fullmatch(r"[\w.+-]*\w", name):
        raise ValueError(f"name: expected a file name of letters, digits and . + - _, got {name!r}")
    return name


@cache
def _of_this_process() -> tempfile.TemporaryDirectory[str]:
    """Make a folder in place of the cache, for one that cannot be written to; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="mxerr", ignore_cleanup_errors=True)


def _key(preprocessed: bytes, *parts: str) -> str:
    """Name what is compiled by all that it depends on, the text of every header included."""
    import hashlib  # it takes long to import, and few programs compile

    digest = hashlib.sha256(preprocessed)
    for part in parts:
        digest.update(b"\0" + part.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


def _linked(options: Sequence[str]) -> Iterator[str]:
    """Name the files that options name to the linker, and say in which state they are."""
    parts = [re.sub("^(?:-L|@)", "", part) for option in options for part in re.split("[,=]", option)]
    names = [part[2:] for part in parts if part.startswith("-l")]
    found = [Path(part) for part in parts if Path(part).is_absolute()]
    for folder in [path for path in found if path.is_dir()]:
        found += [folder / f"lib{name}{ending}" for name in names for ending in (".so", ".dylib", ".a")]
    for path in found:
        if path.is_file():
            state = path.stat()
            yield f"{path} {state.st_size} {state.st_mtime_ns}"


def cache_folder() -> Path:
    """Give the user's folder for what was compiled; ``MXERR_CACHE`` names another.

    Returns
    -------
    pathlib.Path
        The folder; it need not exist.
    """
    if os.environ.get(CACHE_VARIABLE):
        return Path(os.environ[CACHE_VARIABLE]).absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "mxerr"


def _find(folder: Path) -> Built | None:
    library = folder / f"library{_SUFFIX}"
    try:
        messages = (folder / _MESSAGES).read_text("utf-8")
        os.utime(folder)  # it is in use
    except OSError:
        return None
    return Built(folder, library, messages) if library.is_file() else None


def _keep(work: Path, folder: Path, names: Sequence[str]) -> Built:
    """Put what was compiled into its place in one step, as others may compile the same now."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _drop_oldest(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as made:
        entry = Path(made) / folder.name
        entry.mkdir()
        for name in names:
            shutil.copy(work / name, entry / name)
        try:
            entry.rename(folder)
        except OSError:  # it is there: another was first, or someone has taken files out of it
            if _find(folder) is None:
                shutil.rmtree(folder)
                entry.rename(folder)
    found = _find(folder)
    assert found is not None, f"{folder}: removed as soon as it was made"
    return found


def _drop_oldest(cache: Path) -> None:
    entries = [entry for entry in cache.iterdir() if re.fullmatch("[0-9a-f]{32}", entry.name)]
    if len(entries) >= _MOST_ENTRIES:
        by_age = sorted(entries, key=lambda entry: entry.stat().st_mtime)
        for entry in by_age[: len(entries) - _MOST_ENTRIES + 1]:
            shutil.rmtree(entry, ignore_errors=True)
