"""Real workers: they finish, fail in plain words, stop when asked, and survive being killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.i18n import text
from core.jobs import JobQueue
from core.jobs.execution import execute
from core.jobs.failures import error_message
from core.jobs.process import is_alive, process_identity
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]


def epochs(folder: RunFolder) -> int:
    return len(folder.history())


@pytest.mark.exhaustive
def test_a_worker_finishes_and_then_another_tags_with_its_model(queue, prepare, wait_until):
    trained = prepare("flat-0001", epochs=2)
    assert queue.submit("flat-0001").status == "running"
    tagging = prepare("tag-0001", kind="tag", model=str(trained.model))
    queue.submit("tag-0001")
    wait_until(lambda: not any(state.active for state in queue.states()) or queue.running() is None)
    assert [state.status for state in queue.states()] == ["finished", "finished"], [
        state.error for state in queue.states()
    ]
    lines = [json.loads(line) for line in tagging.predictions_file.read_text().splitlines()]
    assert len(lines) == 30
    assert lines == [json.loads(line) for line in trained.predictions_file.read_text().splitlines()]
    assert trained.scores()["test"]["documents"] == 3
    assert trained.events()[-1]["event"] == "finished"


@pytest.mark.exhaustive
def test_a_worker_killed_mid_training_resumes_to_the_losses_of_an_uninterrupted_one(
    queue, prepare, wait_until
):
    whole = prepare("whole", epochs=25)
    assert execute(whole, lambda: False).status == "finished"
    killed = prepare("killed", epochs=25)
    queue.submit("killed")
    wait_until(lambda: epochs(killed) >= 3)
    worker = killed.state()
    os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(worker.pid, worker.process))
    later = JobQueue(queue.runs_folder)  # the app was restarted meanwhile
    assert [state.run for state in later.recover()] == ["killed"]
    assert later.state("killed").status == "interrupted"
    assert 0 < later.state("killed").fraction < 1
    assert not killed.scores_file.exists()
    later.resume("killed")
    wait_until(lambda: later.state("killed").status == "finished")
    assert epochs(killed) == 25
    assert killed.scores()["losses"] == whole.scores()["losses"]
    assert killed.scores()["test"] == whole.scores()["test"]
    assert killed.predictions_file.read_bytes() == whole.predictions_file.read_bytes()
    started = [event["resumed_from"] for event in killed.events() if event["event"] == "started"]
    assert started[0] == 0
    assert started[1] >= 3


@pytest.mark.exhaustive
def test_cancel_ends_a_working_run_after_its_step(queue, prepare, wait_until):
    folder = prepare("a", epochs=1000)
    queue.submit("a")
    wait_until(lambda: epochs(folder) >= 1)
    queue.cancel("a")
    wait_until(lambda: queue.state("a").status == "cancelled")
    assert (folder.model / "model.safetensors").is_file(), "the best epoch so far is kept"
    assert folder.events()[-1]["event"] == "cancelled"
    assert queue.running() is None


@pytest.mark.exhaustive
def test_a_run_asked_to_end_by_the_system_is_interrupted_and_a_worker_outlives_its_app(
    queue, prepare, wait_until
):
    folder = prepare("a", epochs=1000)
    app = f"from core.jobs import JobQueue; JobQueue({str(queue.runs_folder)!r}).submit('a')"
    subprocess.run([sys.executable, "-c", app], check=True, cwd=ROOT, timeout=120)
    wait_until(lambda: epochs(folder) >= 1)
    assert queue.recover() == []
    os.kill(folder.state().pid, signal.SIGTERM)
    wait_until(lambda: queue.state("a").status == "interrupted")
    assert "resumed" in str(queue.state("a").message)


def test_a_failing_run_says_one_sentence_and_logs_the_rest(prepare):
    folder = prepare("a", lexicon="missing.txt")
    state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert "missing.txt" in str(state.error)
    assert "\n" not in str(state.error)
    assert "Traceback" in folder.log_file.read_text()
    assert folder.events()[-1]["event"] == "failed"
    assert folder.state() == state


def test_a_tagging_run_with_a_broken_model_names_the_file(prepare, tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{")
    state = execute(prepare("a", kind="tag", model=str(model)), lambda: False)
    assert state.status == "failed"
    assert "config.json" in str(state.error)


def test_two_processes_never_work_on_one_run(prepare):
    folder = prepare("a")
    holder = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    folder.set_state(status="running", pid=holder.pid, process=process_identity(holder.pid))
    try:
        with pytest.raises(TrainingError, match=f"process {holder.pid} is working on"):
            execute(folder, lambda: False)
    finally:
        holder.kill()
        holder.wait()
    assert not folder.events_file.exists()


def test_a_disk_that_fills_up_while_training_leaves_a_resumable_run(prepare, monkeypatch):
    from core.training.run import checkpoint

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = prepare("a", epochs=2)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save_file", full)
        state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert "disk is full" in str(state.error)
    assert folder.state().resumable
    assert execute(folder, lambda: False).status == "finished"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "smaller batch size"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "smaller batch size"),
        (KeyError("x"), "worker.log"),
    ],
)
def test_every_error_becomes_a_sentence_that_says_what_to_do(error, words, tmp_path):
    sentence = error_message(error, RunFolder(tmp_path))
    assert words in str(sentence)
    assert text(sentence, "zh") != str(sentence)


def test_a_wrong_call_of_the_worker_is_told_how(tmp_path):
    call = [sys.executable, "-m", "core.jobs.worker"]
    answer = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2
    assert "usage" in answer.stderr
    answer = subprocess.run([*call, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 1
    assert "request.json" in (tmp_path / "state.json").read_text()


def test_the_queue_starts_without_torch():
    check = "import core.jobs, core.cli, core.jobs.execution, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, timeout=60).returncode == 0
