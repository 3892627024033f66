"""The Probing tab: rows as they come from a real, tiny FLAT, stopped when asked; curves through the queue."""

import pytest

from app.inspect.corpus import learning_curve
from app.inspect.corpus import probes as probing
from app.inspect.corpus import probing as page
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.limits.table import ALONE, Limits
from app.services.training import job_folders, learning_curves
from app.ui.work import Following
from core.jobs import JobQueue
from core.jobs.curve_points import CurvePoint, point_folder, write_point
from core.store.document import documents
from core.store.run import runs
from core.text import Document, Span
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from tests.taggers.small_taggers import small_tagger

PLACES = [
    ("陈禾", "岭南", "train"),
    ("周平", "云州", "train"),
    ("陈禾", "云州", "dev"),
    ("周平", "岭南", "test"),
]
SPANS = (Span(0, 2, "PER"), Span(5, 7, "LOC"))
LABELLED = [
    Document(f"d{number}", f"{who}今天在{where}工作。", SPANS, {"split": split})
    for number, (who, where, split) in enumerate(PLACES)
]


@pytest.fixture
def corpus(session):
    """The session with four labelled documents, a queue that starts no process, and no limits."""
    documents.add(session.workspace, session.project_id, LABELLED)
    session.workbench.limits = ALONE
    return session


@pytest.fixture
def queue(corpus, monkeypatch):
    """The session's job queue; what is submitted waits."""
    jobs = JobQueue(corpus.workspace.runs_folder)
    monkeypatch.setattr(jobs, "_advance", lambda: None)
    corpus.workbench.jobs = jobs
    return jobs


def probed(session, *asked):
    """The task that probes as the page asks it to, ended."""
    task = Task(lambda task: page.probe(session, Following(task), *asked))
    task.run()
    return task


def test_probes_come_row_by_row_for_every_layer(corpus):
    task = probed(corpus, "flat-0001", "", 2000, "accuracy")
    last = task.result
    rows = last["table"]["data"]
    assert {row[1] for row in rows} == {"embeddings", "layer 1", "layer 2"}
    assert "entity label" in {row[2] for row in rows}
    assert len(rows) == len(task.rows)
    assert task.doing == "flat-0001: probing"
    assert task.fraction > 0.5
    assert [trace.name for trace in last["figure"].data][:2] == ["part of speech", "entity label"]
    sums = [row for row in rows if row[2] == "entity label"]
    assert all(abs(float(row[3]) - float(row[6]) - float(row[7])) < 0.11 for row in sums)


def test_held_out_documents_are_those_of_dev_and_test(corpus):
    sample = probing.sample_of_project(corpus, 2000)
    assert {document.id for document in sample.held_out} == {"d2", "d3"}
    assert {document.id for document in sample.train} >= {"d0", "d1"}


def test_two_runs_lie_in_one_figure(corpus, tmp_path):
    small_tagger("bilstm_crf", documents=LABELLED).save(tmp_path / "other")
    runs.register(
        corpus.workspace, corpus.project_id, "bilstm_crf-0001", "bilstm_crf", tmp_path / "other", {}
    )
    last = probed(corpus, "flat-0001", "bilstm_crf-0001", 2000, "accuracy").result
    assert {row[0] for row in last["table"]["data"]} == {"flat-0001", "bilstm_crf-0001"}
    assert any("· bilstm_crf-0001" in trace.name for trace in last["figure"].data)


def test_what_came_before_it_was_cancelled_or_failed_stays(corpus, monkeypatch):
    def broken(session, task, runs, characters):
        task.add(_row())
        raise AppError(
            "{run} is a dictionary and has no hidden states. Choose a trained run above.", run="flat-0001"
        )

    monkeypatch.setattr(page, "probe_runs", broken)
    assert "no hidden states" in str(probed(corpus, "flat-0001", "", 2000, "accuracy").error)
    assert len(page.view_of(corpus, "accuracy")["table"]["data"]) == 1
    assert page.redraw(corpus, "gain").data[0].y[0] == pytest.approx(5.0)
    shown = page.came(corpus, [_row(), _row()], "flat-0001", "", 2000, "accuracy")
    assert len(shown["table"]["data"]) == 2


def test_the_demo_and_too_few_documents_are_refused(session):
    session.workbench.limits = Limits()
    with pytest.raises(AppError, match="public demo"):
        page.probe(session, Following(Task(lambda task: None)), "flat-0001", "", 2000, "accuracy")
    with pytest.raises(AppError, match="public demo"):
        learning_curve.start(session, "flat-0001", "", [0.5])
    session.workbench.limits = ALONE
    assert "Label at least two" in str(probed(session, "flat-0001", "", 2000, "accuracy").error)


def test_nothing_is_asked_for_a_tab_nobody_opened(session):
    assert page.show_again(session, "flat-0001", "accuracy", False) == {}
    assert learning_curve.show_again(session, "flat-0001", None, False) == {}


def test_a_curve_is_queued_with_how_its_runs_were_trained(queue, corpus, tmp_path):
    trained = corpus.workspace.runs_folder / "flat-0002"
    RunFolder(trained).write_request(
        RunRequest(config={"hidden": 16, "heads": 2}, settings={"epochs": 3}, device="cpu")
    )
    (trained / "model").mkdir()
    runs.register(corpus.workspace, corpus.project_id, "flat-0002", "flat", trained, {})
    state = learning_curve.start(corpus, "flat-0002", "flat-0001", [1.0, 0.5, "x", 7])
    assert state["shown"]["value"] == "curve-0001"
    request = queue.folder("curve-0001").read_request()
    assert list(request.shares) == [0.5, 1.0], "what is no part is left out"
    assert [subject["name"] for subject in request.subjects] == ["flat-0002", "flat-0001"]
    assert request.subjects[0]["settings"] == {"epochs": 3}
    assert request.subjects[1]["config"]["hidden"] == 16, "of a model from elsewhere its config is known"
    assert request.device == "cpu"
    assert (state["cancel"]["visible"], state["resume"]["visible"], state["timer"].active) == (
        True,
        False,
        True,
    )
    assert "0 of 4 trainings" in state["progress"]
    assert learning_curves.curves_of(corpus) == ["curve-0001"]


def test_points_are_drawn_as_they_come_and_a_cancelled_curve_goes_on(queue, corpus):
    learning_curve.start(corpus, "flat-0001", "", [0.5, 1.0])
    folder = queue.folder("curve-0001")
    place = point_folder(folder, 0, 0.5)
    place.mkdir(parents=True)
    write_point(place, CurvePoint("flat-0001", 0.5, 1, 2, 0.25, "test", 1.0))
    view = learning_curve.view_of(corpus, "curve-0001")
    assert list(view["figure"].data[0].y) == [25.0]
    assert "test documents" in view["note"]
    view = learning_curve.cancel(corpus, "curve-0001")
    assert view["resume"]["visible"]
    assert "ended after 1 of 2" in view["progress"]
    view = learning_curve.resume(corpus, "curve-0001")
    assert view["cancel"]["visible"]


@pytest.mark.parametrize("name", ["flat-0001", "../x", "curve-9999", ""])
def test_only_curves_of_the_project_are_shown_or_cancelled(queue, corpus, name):
    learning_curve.start(corpus, "flat-0001", "", [1.0])
    with pytest.raises(AppError, match="not in the project"):
        learning_curve.cancel(corpus, name)
    corpus.turn_to(corpus.project_id + 1)
    with pytest.raises(AppError, match="not in the project"):
        learning_curve.view_of(corpus, "curve-0001")


def test_a_project_that_is_deleted_takes_its_curves_along(queue, corpus):
    learning_curve.start(corpus, "flat-0001", "", [1.0])
    with pytest.raises(AppError, match="curve-0001 of this project is not finished"):
        job_folders.check_none_runs(corpus, corpus.project_id)
    queue.cancel("curve-0001")
    job_folders.check_none_runs(corpus, corpus.project_id)
    job_folders.delete_all(corpus, corpus.project_id + 1)
    assert learning_curves.curves_of(corpus) == ["curve-0001"], "another project's stay"
    job_folders.delete_all(corpus, corpus.project_id)
    assert not queue.folder("curve-0001").path.exists()


def test_a_curve_without_parts_is_refused(queue, corpus):
    with pytest.raises(AppError, match="at least one share"):
        learning_curve.start(corpus, "flat-0001", "", [])


def _row():
    return {
        "run": "flat-0001",
        "layer": "layer 1",
        "place": 1,
        "task": "entity",
        "accuracy": 0.75,
        "macro_f1": 0.6,
        "baseline": 0.7,
        "control": 0.5,
        "selectivity": 0.25,
        "train": 9,
        "held_out": 4,
        "classes": 2,
    }
