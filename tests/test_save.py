"""Where an array is saved: files are replaced whole, and what is no file is never replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import numpy
import pytest
from support.threads import together

from mxerr import np


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_what_a_symbolic_link_leads_to_is_written(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    numpy.save(folder / "target.npy", [1])
    (tmp_path / "link.npy").symlink_to("folder/target.npy")
    (tmp_path / "second.npy").symlink_to("link.npy")
    for number, name in enumerate(["link.npy", "second.npy"]):
        np.save(tmp_path / name, [number])
        assert (tmp_path / name).is_symlink()
        assert numpy.load(folder / "target.npy").tolist() == [number]
    assert names(folder) == ["target.npy"]


def test_a_link_that_leads_to_no_file_yet_makes_one(tmp_path):
    (tmp_path / "link.npy").symlink_to("target.npy")
    np.save(tmp_path / "link.npy", [5])
    assert (tmp_path / "link.npy").is_symlink()
    assert numpy.load(tmp_path / "target.npy").tolist() == [5]


def test_links_in_a_circle_are_told(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        np.save(tmp_path / "a", [1])


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    np.save(path, numpy.arange(3))
    reader.join()
    assert stat.S_ISFIFO(path.stat().st_mode)
    np.save(tmp_path / "file.npy", numpy.arange(3))
    assert read == [(tmp_path / "file.npy").read_bytes()]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OSError, match="Is a directory"):
        np.save(tmp_path, [1])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_keeps_its_rights_and_a_new_one_gets_the_usual_ones(tmp_path, mode):
    path = tmp_path / "a.npy"
    (tmp_path / "usual").touch()
    np.save(path, [1])
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode
    path.chmod(mode)
    np.save(path, [2])
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert numpy.load(path).tolist() == [2]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("x" * 255)
    np.save(path, [1])
    assert numpy.load(path).tolist() == [1]


def test_a_bare_name_is_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", [1])
    assert names(tmp_path) == ["a.npy"]


def test_threads_may_save_to_one_path(tmp_path):
    path = tmp_path / "a.npy"

    def save(number: int) -> None:
        for _ in range(40):
            np.save(path, numpy.full(5000, number))
            assert len(set(numpy.load(path).tolist())) == 1

    together(save, 4)
    assert names(tmp_path) == ["a.npy"]
