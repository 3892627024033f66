"""One app has a workspace, on one machine or in containers; a lock that was left behind is taken over."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from app.services.storage.workspace_lock import WorkspaceInUse, WorkspaceLock

HOLD = (
    "import sys; from pathlib import Path; from app.services.storage.workspace_lock import WorkspaceLock;"
    "lock = WorkspaceLock(Path(sys.argv[1])); lock.take(); lock.answers_at('http://ner.example:7860');"
    "print('held', flush=True); input()"
)


def _of_another_container(folder, age=0.0, **values):
    """A lock as the app in another container, whose processes nobody here can see, writes it."""
    file = folder / "app.lock"
    holder = {
        "host": "web-1", "processes": "web-1 boot pid:[1]", "pid": os.getpid(), "identity": "",
        "address": "http://web-1:7860", "key": "theirs",
    }  # fmt: skip
    file.write_text(json.dumps({**holder, **values}))
    then = time.time() - age
    os.utime(file, (then, then))
    return file


def test_the_refusal_names_the_living_process_and_its_address(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], **pipes) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(WorkspaceInUse) as refused:
            WorkspaceLock(tmp_path).take()
        assert f"(process {other.pid}, at http://ner.example:7860); use that one" in str(refused.value)
        other.kill()
    lock = WorkspaceLock(tmp_path)
    lock.take()
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_another_container_holds_it_while_its_heart_beats(tmp_path):
    file = _of_another_container(tmp_path, age=30)
    before = file.read_text()
    with pytest.raises(WorkspaceInUse, match=r"process \d+ on web-1, at http://web-1:7860"):
        WorkspaceLock(tmp_path).take()
    assert file.read_text() == before
    _of_another_container(tmp_path, age=61)
    lock = WorkspaceLock(tmp_path)
    lock.take()
    assert json.loads(file.read_text())["pid"] == os.getpid()
    lock.release()


def test_the_holder_touches_its_lock_and_no_lock_of_another(tmp_path):
    lock = WorkspaceLock(tmp_path, beat=0.01)
    lock.take()
    file = tmp_path / "app.lock"
    os.utime(file, (0, 0))
    deadline = time.monotonic() + 60
    while file.stat().st_mtime == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert file.stat().st_mtime > 0
    _of_another_container(tmp_path, age=1000)
    then = file.stat().st_mtime
    time.sleep(0.1)
    lock.release()
    assert file.stat().st_mtime == then, "neither touched nor removed"


def test_of_many_that_take_over_a_stale_lock_one_has_it(tmp_path):
    for _ in range(20):
        _of_another_container(tmp_path, age=1000)
        begin, got = threading.Barrier(6), []
        locks = [WorkspaceLock(tmp_path) for _ in range(6)]
        # Threads share a pid, so each plays a container of its own.
        for number, lock in enumerate(locks):
            object.__setattr__(lock._mine, "processes", f"container {number}")

        def take(lock, begin=begin, got=got):
            begin.wait()
            try:
                lock.take()
                got.append(lock)
            except WorkspaceInUse:
                pass

        threads = [threading.Thread(target=take, args=(lock,)) for lock in locks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        got[0].release()
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", ["", "not a number", "999999999", "[]", '{"pid": 1}'])
def test_a_lock_left_behind_is_taken_over(tmp_path, left):
    (tmp_path / "app.lock").write_text(left)
    lock = WorkspaceLock(tmp_path)
    lock.take()
    lock.release()
    assert not (tmp_path / "app.lock").exists()


def test_the_lock_of_an_earlier_version_holds_while_its_process_lives(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (tmp_path / "app.lock").write_text(str(other.pid))
        with pytest.raises(WorkspaceInUse, match=f"process {other.pid}"):
            WorkspaceLock(tmp_path).take()
        (tmp_path / "app.lock").write_text(f"{other.pid} before-the-machine-was-restarted:17")
        WorkspaceLock(tmp_path).take()  # another process has its number now
    finally:
        other.communicate(b"\n")


def test_a_lock_of_somebody_else_is_not_released(tmp_path):
    (tmp_path / "app.lock").write_text("1")
    WorkspaceLock(tmp_path).release()
    assert (tmp_path / "app.lock").read_text() == "1"
