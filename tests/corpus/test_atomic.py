"""Files and folders are the old version or the new one, never half of either."""

import errno
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from core.corpus import atomic
from core.corpus.atomic import (
    recover_folder,
    replace_folder,
    replacing,
    write_bytes,
    write_json,
    write_text,
    writing,
)
from core.corpus.errors import DiskFullError


def test_a_full_disk_while_a_folder_is_replaced_leaves_the_folder_before(tmp_path):
    model = tmp_path / "model"
    replace_folder(model, lambda folder: (folder / "weights").write_text("old") and None)

    def half(folder: Path) -> None:
        (folder / "weights").write_text("ne")
        # What safetensors raises carries no errno, only the text.
        raise RuntimeError("I/O error: No space left on device (os error 28)")

    with pytest.raises(DiskFullError):
        replace_folder(model, half)
    assert (model / "weights").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_folder_that_cannot_be_renamed_leaves_the_folder_before(tmp_path, monkeypatch, failing):
    model = tmp_path / "model"
    replace_folder(model, lambda folder: (folder / "weights").write_text("old") and None)
    rename, calls = Path.rename, 0

    def refused(path, target):
        nonlocal calls
        calls += 1
        if calls == failing:
            raise PermissionError(13, "another program has it open")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(PermissionError):
        replace_folder(model, lambda folder: (folder / "weights").write_text("new") and None)
    assert (model / "weights").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_whose_replacement_was_killed_between_two_renames_is_put_back(tmp_path):
    model, before, beside = tmp_path / "model", tmp_path / ".model.old", tmp_path / ".model.new"
    for folder, text in ((before, "old"), (beside, "new")):
        folder.mkdir()
        (folder / "weights").write_text(text)

    def fails(folder: Path) -> None:
        raise TypeError

    with pytest.raises(TypeError):
        replace_folder(model, fails)
    assert (model / "weights").read_text() == "old"
    recover_folder(model)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_replaces_a_folder_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    model = tmp_path / "model"
    synced: set[int] = set()
    fsync, rename = os.fsync, Path.rename

    def syncing(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    def renaming(path, target):
        assert {file.stat().st_ino for file in path.rglob("*") if file.is_file()} <= synced
        return rename(path, target)

    def fill(folder: Path) -> None:
        (folder / "words").mkdir()
        for name in ("weights", "words/list"):
            (folder / name).write_text(name)

    monkeypatch.setattr(atomic.os, "fsync", syncing)
    monkeypatch.setattr(Path, "rename", renaming)
    replace_folder(model, fill)
    assert model.stat().st_ino not in synced
    assert tmp_path.stat().st_ino in synced, "and then its name is"


def test_other_errors_keep_their_kind(tmp_path):
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", object())
    with pytest.raises(FileNotFoundError):
        write_json(tmp_path / "no" / "a.json", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_never_sees_half_a_file(tmp_path):
    path = tmp_path / "value.json"
    write_json(path, [0] * 1000)
    torn: list[str] = []

    def read() -> None:
        for _ in range(300):
            value = json.loads(path.read_text())
            if len(set(value)) != 1 or len(value) != 1000:
                torn.append(str(value)[:50])

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(300):
        write_json(path, [number] * 1000, durable=False)
    reader.join()
    assert torn == []
    assert os.listdir(tmp_path) == ["value.json"]


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes_are_written_as_given(tmp_path):
    for content in ("一\r\n二\n\u2028", ""):
        write_text(tmp_path / "a", [content[:2], content[2:]])
        assert (tmp_path / "a").read_bytes() == content.encode()
    write_bytes(tmp_path / "b", [b"\r\n\0", b"\xff"])
    assert (tmp_path / "b").read_bytes() == b"\r\n\0\xff"
    with writing(tmp_path / "c", errors="replace") as file:
        file.write("a\ud800b\n")
    assert (tmp_path / "c").read_bytes() == b"a?b\n"


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_names_the_new(tmp_path, monkeypatch, failing):
    path = tmp_path / "a.json"
    write_json(path, "old")

    def pieces():
        yield "half"
        if failing == "write":
            full_disk()

    if failing != "write":
        monkeypatch.setattr(atomic.os, failing, full_disk)
    with pytest.raises(DiskFullError, match=r"a\.json could not be written"):
        write_text(path, pieces())
    assert json.loads(path.read_text()) == "old"
    assert names(tmp_path) == ["a.json"]


def test_a_full_disk_is_an_os_error_that_says_where_and_what_to_do(tmp_path):
    with pytest.raises(DiskFullError) as caught, writing(tmp_path / "a"):
        raise RuntimeError("I/O error: No space left on device (os error 28)")
    assert isinstance(caught.value, OSError)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "a"))
    assert f"a could not be written to {tmp_path}" in str(caught.value)
    assert "Free some space" in str(caught.value)


def test_of_several_files_none_is_replaced_before_all_are_written(tmp_path):
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        write_text(path, ["old"])
    with suppress(ZeroDivisionError), replacing(*paths) as (first, _):
        first.write_text(str(1 / 0))
    assert [path.read_text() for path in paths] == ["old", "old"]
    with replacing(*paths) as beside:
        for path in beside:
            path.write_text("new")
    assert [path.read_text() for path in paths] == ["new", "new"]
    assert names(tmp_path) == ["a", "b"]


def test_a_file_is_on_the_disk_before_it_has_its_name_and_then_its_name_is(tmp_path, monkeypatch):
    path, done = tmp_path / "a", []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: done.append(os.fstat(handle).st_ino) or fsync(handle))
    monkeypatch.setattr(os, "replace", lambda old, new: done.append("replace") or replace(old, new))
    write_text(path, ["x"])
    assert done == [path.stat().st_ino, "replace", tmp_path.stat().st_ino]
    done.clear()
    write_text(path, ["x"], durable=False)
    assert done == ["replace"]


def test_a_long_name_has_room_for_the_name_beside(tmp_path):
    path = tmp_path / ("名" * 84 + ".x")
    write_text(path, ["x"])
    assert path.read_text() == "x"


def test_a_new_file_may_be_read_by_whom_the_umask_says(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("x")
    write_text(tmp_path / "a", ["x"])
    assert (tmp_path / "a").stat().st_mode == plain.stat().st_mode


def test_two_writers_of_one_file_do_not_mix(tmp_path):
    path = tmp_path / "a"
    contents = ["a" * 100_000, "b" * 100_000]
    with writing(path) as first, writing(path) as second:
        first.write(contents[0])
        second.write(contents[1])
    assert path.read_text() in contents
    assert names(tmp_path) == ["a"]


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path):
    """A process that only replaces one file is killed at 12 moments."""
    path = tmp_path / "value.json"
    write_json(path, [0] * 20_000)
    code = """
import sys
from pathlib import Path
from core.corpus.atomic import write_json
print("ready", flush=True)
number = 0
while True:
    number += 1
    write_json(Path(sys.argv[1]), [number] * 20_000, durable=False)
"""
    for moment in range(12):
        with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.01 + moment / 400)
            child.kill()
        value = json.loads(path.read_text())
        assert len(value) == 20_000
        assert len(set(value)) == 1
        assert all(name.endswith(".new") for name in names(tmp_path) if name != path.name)
