"""The queue's own claims, with workers that are stand-ins: order, names, dead processes, second hand pids."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from core.jobs import JobQueue, QueueError
from core.jobs import queue as queue_module
from core.jobs.process import is_alive, process_identity
from core.training.run.run_folder import RunFolder


@pytest.fixture
def sleepers(monkeypatch):
    """Workers that do nothing until they are ended; returns them in the order they were started."""
    started: list[tuple[str, subprocess.Popen]] = []

    def spawn(folder, log):
        process = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
        started.append((folder.name, process))
        folder.set_state(pid=process.pid, process=process_identity(process.pid))
        return process

    monkeypatch.setattr(queue_module, "_spawn", spawn)
    yield started
    for _, process in started:
        process.kill()
        process.wait()


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()


def test_one_run_works_and_the_others_wait_in_order(queue, prepare, sleepers):
    for name in ("b", "a", "c"):
        prepare(name)
        queue.submit(name)
    assert [(state.run, state.status) for state in queue.states()] == [
        ("b", "running"),
        ("a", "queued"),
        ("c", "queued"),
    ]
    queue.folder("b").set_state(status="finished")
    end(sleepers[0][1])
    assert queue.running().run == "a"
    assert queue.state("b").status == "finished"
    assert [name for name, _ in sleepers] == ["b", "a"]


def test_a_cancelled_waiting_run_never_starts_and_can_be_resumed(queue, prepare, sleepers):
    for name in ("a", "b"):
        prepare(name)
        queue.submit(name)
    assert queue.cancel("b").status == "cancelled"
    end(sleepers[0][1])
    assert queue.running() is None
    assert queue.state("a").status == "interrupted"
    assert queue.resume("b").status == "running"
    assert not queue.folder("b").cancel_file.exists()


def test_a_run_is_submitted_once_and_resumed_only_when_it_stopped(queue, prepare, sleepers):
    with pytest.raises(QueueError, match=r"no request\.json"):
        queue.submit("a")
    with pytest.raises(QueueError, match="no run a"):
        queue.resume("a")
    prepare("a")
    queue.submit("a")
    with pytest.raises(QueueError, match="is running; resume it or start"):
        queue.submit("a")
    with pytest.raises(QueueError, match="nothing to resume"):
        queue.resume("a")
    queue.folder("a").set_state(status="finished")
    end(sleepers[0][1])
    assert queue.cancel("a").status == "finished"


@pytest.mark.parametrize("name", ["", ".", "..", "../runs2/x", "/etc", "a/b", "a\\b", "a\0"])
def test_a_name_that_leaves_the_runs_folder_is_refused(queue, name):
    with pytest.raises(QueueError, match="not a run's name"):
        queue.state(name)


def test_a_dead_process_is_found_out_by_the_next_app(queue, prepare, sleepers):
    prepare("a")
    prepare("b")
    queue.submit("a")
    queue.submit("b")
    end(sleepers[0][1])
    later = JobQueue(queue.runs_folder)
    assert [state.run for state in later.recover()] == ["a"]
    state = later.state("a")
    assert (state.status, state.pid) == ("interrupted", None)
    assert "resume" in str(state.message)
    assert later.running().run == "b", "what waited goes on"
    assert later.recover() == []


def test_a_living_worker_of_an_app_that_died_is_left_to_go_on(queue, prepare, sleepers):
    prepare("a")
    queue.submit("a")
    later = JobQueue(queue.runs_folder)
    assert later.recover() == []
    assert later.running().run == "a"
    assert len(sleepers) == 1


def test_a_pid_that_now_belongs_to_another_process_is_not_the_worker(queue, prepare, sleepers):
    folder = prepare("a")
    queue.submit("a")
    end(sleepers[0][1])
    folder.set_state(status="running", pid=os.getpid(), process="another start time")
    assert JobQueue(queue.runs_folder).state("a").status == "interrupted"


def test_a_run_that_was_never_heard_of_again_does_not_start_forever(queue, prepare):
    folder = prepare("a")
    folder.set_state(status="running", started_at=time.time() - 10, queued_at=1.0)
    assert queue.state("a").status == "running", "another app's worker may be loading torch"
    folder.set_state(started_at=time.time() - 1000)
    assert queue.state("a").status == "interrupted"


def test_a_worker_that_does_not_listen_is_killed_after_a_minute(queue, prepare, sleepers, monkeypatch):
    prepare("a")
    queue.submit("a")
    assert str(queue.cancel("a").message).startswith("Stopping")
    assert queue.running().run == "a"
    monkeypatch.setattr(queue_module, "STOPPING_SECONDS", -1)
    queue.running()
    sleepers[0][1].wait(timeout=60)
    assert queue.state("a").status == "cancelled"


def test_asking_again_to_stop_puts_nothing_off(queue, prepare, sleepers):
    """Whoever clicks once more, or a demo's limit that asks every second, must not begin the minute anew."""
    folder = prepare("a")
    queue.submit("a")
    queue.cancel("a")
    long_ago = time.time() - 1000
    os.utime(folder.cancel_file, (long_ago, long_ago))
    queue.cancel("a")
    queue.running()
    sleepers[0][1].wait(timeout=60)
    assert queue.state("a").status == "cancelled"


def defunct_children() -> list[int]:
    """Pids of the children of this process that have ended and wait to be collected."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = file.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.append(int(file.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the states of processes from /proc")
@pytest.mark.parametrize("last", ["running", "finished"])
def test_a_worker_that_has_ended_is_collected_by_the_next_look(queue, prepare, sleepers, last):
    prepare("a")
    queue.submit("a")
    queue.folder("a").set_state(status=last)
    for _ in range(2):
        assert [state.status for state in queue.states()] == [last], "its process lives on for a moment"
    worker = sleepers[0][1]
    worker.kill()
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody collected it
    assert worker.pid in defunct_children()
    queue.states()
    assert worker.pid not in defunct_children()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the states of processes from /proc")
def test_an_abandoned_queue_leaves_neither_a_worker_nor_a_zombie(queue, prepare, sleepers):
    prepare("a")
    queue.submit("a")
    pid = sleepers[0][1].pid
    queue.abandon()
    assert process_identity(pid) is None
    assert pid not in defunct_children()


def test_a_worker_that_cannot_be_started_is_a_failed_run_with_a_reason(queue, prepare, monkeypatch):
    def spawn(folder, log):
        raise OSError("no more processes")

    monkeypatch.setattr(queue_module, "_spawn", spawn)
    prepare("a")
    state = queue.submit("a")
    assert state.status == "failed"
    assert "no more processes" in str(state.error)
    assert state.resumable


def test_a_damaged_state_of_one_run_does_not_stop_the_others(queue, prepare, sleepers):
    prepare("bad").state_file.write_text("{")
    prepare("good")
    assert queue.submit("good").status == "running"
    assert queue.state("bad").status == "failed"
    assert "damaged" in str(queue.state("bad").error)
    assert queue.resume("bad").status == "queued"


def test_a_run_that_ended_is_read_once_and_again_when_somebody_resumes_it_elsewhere(
    queue, prepare, sleepers, monkeypatch
):
    folder = prepare("a")
    folder.set_state(status="failed")
    assert [state.status for state in queue.states()] == ["failed"]
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "state", None)
        assert [state.status for state in queue.states()] == ["failed"]
        assert queue.running() is None
    RunFolder(folder.path).set_state(status="queued")  # the command line, on the same folder
    assert queue.running().run == "a"
    assert [state.status for state in queue.states()] == ["running"]
    shutil.rmtree(folder.path)
    assert queue.states() == []
    assert queue._ended == {}, "nothing is kept of a run that is gone"


def test_two_who_begin_at_once_get_a_folder_each(queue):
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(queue.new_folder, ["curve"] * 24))
    assert sorted(folder.name for folder in folders) == [f"curve-{number:04d}" for number in range(1, 25)]
    assert all(folder.path.is_dir() for folder in folders)


def test_a_process_is_known_by_its_start_and_a_zombie_is_dead():
    own = process_identity(os.getpid())
    assert own is not None
    assert own == process_identity(os.getpid())
    assert is_alive(os.getpid(), own)
    assert not is_alive(os.getpid(), "other")
    assert not is_alive(None, own)
    assert process_identity(-1) is None
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    identity = process_identity(child.pid)
    assert is_alive(child.pid, identity)
    assert identity != own
    child.kill()
    deadline = time.monotonic() + 60
    while is_alive(child.pid, identity):  # not collected yet: a zombie
        assert time.monotonic() < deadline
    child.wait()


def ended_unread(process: subprocess.Popen) -> None:
    """End a process and leave it for its parent to be waited for."""
    assert process.stdin is not None
    process.stdin.close()
    until = time.monotonic() + 60
    while process_identity(process.pid) is not None:
        assert time.monotonic() < until
        time.sleep(0.01)


def is_zombie(pid: int) -> bool:
    """Whether a process has ended and nobody has waited for it."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts zombies in /proc")


@needs_proc
@pytest.mark.parametrize("status", ["finished", "failed", "cancelled", "running"])
def test_an_ended_worker_is_waited_for_even_if_its_folder_is_deleted(queue, prepare, sleepers, status):
    prepare("a")
    queue.submit("a")
    process = sleepers[0][1]
    queue.folder("a").set_state(status=status)
    shutil.rmtree(queue.folder("a").path)
    ended_unread(process)
    assert is_zombie(process.pid)
    queue.states()
    assert not is_zombie(process.pid)
    assert queue.running() is None


@needs_proc
def test_a_worker_whose_run_is_resumed_before_it_has_ended_is_waited_for(queue, prepare, sleepers):
    prepare("a")
    queue.submit("a")
    queue.folder("a").set_state(status="cancelled")  # the last it writes before it ends
    queue.resume("a")
    first, second = (process for _name, process in sleepers)
    ended_unread(first)
    queue.states()
    assert not is_zombie(first.pid)
    assert queue.state("a").status == "running", "the second worker is at work"
    second.kill()  # by somebody outside
    until = time.monotonic() + 60
    while not is_zombie(second.pid) and second.returncode is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert queue.state("a").status == "interrupted"
    assert not is_zombie(second.pid)


@needs_proc
def test_a_kept_reference_to_a_worker_does_not_keep_it_a_zombie_when_its_queue_is_abandoned(
    queue, prepare, sleepers
):
    for name in ("a", "b"):
        prepare(name)
        queue.submit(name)
        queue.folder(name).set_state(status="cancelled")
        queue.resume(name)
    queue.abandon()
    assert [name for name, process in sleepers if is_zombie(process.pid) or process.poll() is None] == []
