"""What runs have done reaches the store once, whatever happens in between."""

import json
import time

import pytest

from app.services.limits.table import Limits
from app.services.training.supervisor import Supervisor
from core.store.lexicon import lists as lexicon_lists
from core.store.run import predictions, runs
from core.training.run.run_folder import RunFolder


class Queue:
    """A queue whose runs end when the test says so; nothing is started."""

    def __init__(self, runs_folder):
        self.runs_folder = runs_folder
        self.cancelled = []

    def folder(self, run):
        return RunFolder(self.runs_folder / run)

    def running(self):
        return None

    def states(self):
        return [RunFolder(path).state() for path in sorted(self.runs_folder.iterdir())]

    def cancel(self, run):
        self.cancelled.append(run)


@pytest.fixture
def run(filled):
    return runs.create(filled.workspace, filled.project_id, "flat")


@pytest.fixture
def queue(filled, run):
    filled.workbench.supervisor.stop()
    return Queue(filled.workspace.runs_folder)


@pytest.fixture
def supervisor(filled, queue):
    return Supervisor(filled.workspace, queue)


def finish(queue, run, line=None):
    folder = queue.folder(run.name)
    answer = {
        "id": "d-0",
        "text": "张伟在北京工作0",
        "spans": [{"start": 0, "end": 2, "label": "PER", "score": 0.9}],
    }
    folder.predictions_file.write_text(
        line or json.dumps(answer, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    folder.write_scores({"dev": {"micro": {"f1": 0.5}}})
    folder.set_state(status="finished")


def test_predictions_and_scores_of_a_finished_run_are_stored(filled, queue, run, supervisor):
    finish(queue, run)
    supervisor.look()
    stored = runs.get(filled.workspace, run.name)
    assert (stored.status, stored.scores["dev"]["micro"]["f1"]) == ("finished", 0.5)
    assert len(predictions.missing(filled.workspace, run.name)) == 4


def test_polling_again_changes_nothing(filled, queue, run, supervisor):
    finish(queue, run)
    supervisor.look()
    before = runs.get(filled.workspace, run.name)
    supervisor.look()
    assert runs.get(filled.workspace, run.name) == before


def test_an_app_that_died_before_the_status_was_written_takes_the_run_in_at_the_next_start(
    filled, queue, run, supervisor, monkeypatch
):
    finish(queue, run)
    with monkeypatch.context() as killed:
        killed.setattr(runs, "set_status", lambda *a: (_ for _ in ()).throw(OSError(28, "No space left")))
        supervisor.look()
    assert runs.get(filled.workspace, run.name).status == "queued"
    assert "No space left" in supervisor.problem(run.name)
    Supervisor(filled.workspace, queue).look()
    assert runs.get(filled.workspace, run.name).status == "finished"


def test_damaged_predictions_are_reported_and_the_run_is_not_finished(filled, queue, run, supervisor):
    finish(queue, run, line='{"id": "d-0"')
    supervisor.look()
    supervisor.look()
    assert "line 1" in supervisor.problem(run.name)
    assert runs.get(filled.workspace, run.name).status == "queued"
    finish(queue, run)
    supervisor.look()
    assert supervisor.problem(run.name) is None
    assert runs.get(filled.workspace, run.name).status == "finished"


@pytest.mark.parametrize("status", ["running", "failed", "cancelled", "interrupted"])
def test_the_store_follows_the_state_of_the_folder(filled, queue, run, supervisor, status):
    queue.folder(run.name).set_state(status=status)
    supervisor.look()
    assert runs.get(filled.workspace, run.name).status == status


def test_a_folder_that_the_store_does_not_know_is_left_alone(filled, queue, run, supervisor):
    (filled.workspace.runs_folder / "stray").mkdir()
    RunFolder(filled.workspace.runs_folder / "stray").set_state(status="finished")
    supervisor.look()
    assert [item.name for item in runs.all_runs(filled.workspace, filled.project_id)] == [run.name]


def test_a_demo_training_that_takes_too_long_is_cancelled(filled, queue, run):
    queue.folder(run.name).set_state(status="running", started_at=time.time() - 100)
    Supervisor(filled.workspace, queue, Limits(training_seconds=200)).look()
    assert queue.cancelled == []
    Supervisor(filled.workspace, queue, Limits(training_seconds=50)).look()
    assert queue.cancelled == [run.name]


def test_the_thread_survives_a_failing_look(filled, queue, monkeypatch):
    looks = []
    supervisor = Supervisor(filled.workspace, queue)
    monkeypatch.setattr("app.services.training.supervisor.LOOK_SECONDS", 0.01)

    def look():
        looks.append(1)
        raise RuntimeError("torn file")

    monkeypatch.setattr(supervisor, "look", look)
    supervisor.start()
    deadline = time.monotonic() + 60
    while len(looks) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    supervisor.stop()
    assert len(looks) >= 3


def test_what_a_killed_process_left_of_a_word_list_is_cleared_away(filled, queue, monkeypatch):
    with filled.workspace.writing() as db:
        left = lexicon_lists.begin(db, filled.project_id, None)
        db.execute("UPDATE lexicon_lists SET at = 1 WHERE id = ?", (left,))
    monkeypatch.setattr("app.services.training.supervisor.LOOK_SECONDS", 0.01)
    supervisor = Supervisor(filled.workspace, queue)
    supervisor.start()
    deadline = time.monotonic() + 60
    found = True
    while found and time.monotonic() < deadline:
        time.sleep(0.01)
        with filled.workspace.reading() as db:
            found = db.execute("SELECT 1 FROM lexicon_lists WHERE id = ?", (left,)).fetchone() is not None
    supervisor.stop()
    assert not found
