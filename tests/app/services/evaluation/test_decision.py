"""What is computed before a run is made active: scores, changes, examples, cost."""

import numpy as np
import pytest

from app.services.background.tasks import Stopped
from app.services.errors import AppError
from app.services.evaluation import decision
from core.inspection.corpus.comparison import count_tables
from core.inspection.corpus.significance import measure
from core.store.annotation import annotations
from core.store.document import documents
from core.store.project import projects
from core.store.run import predicted, predictions, runs
from core.text import Document, Span
from tests.store.by_hand import number_of

PER, LOC = Span(0, 2, "PER"), Span(3, 5, "LOC")
TEXT = "张伟在北京工作"


class Speedy:
    """Taggers that can be tagged with, but for one run whose folder is gone."""

    def __init__(self, lost: str = "") -> None:
        self.lost = lost

    def clear(self):
        """As the workbench does when it closes."""

    def tag(self, project_id, texts, run):
        if run == self.lost:
            raise AppError("The folder is gone.")
        return list(texts)


@pytest.fixture
def two(session):
    """The names of two finished runs, the first active, on six held-out documents."""
    session.workbench.supervisor.stop()
    made = [runs.create(session.workspace, session.project_id, "flat") for _ in range(2)]
    said = {
        "both right": ([PER, LOC], [PER, LOC]),
        "fixed": ([PER], [PER, LOC]),
        "broken": ([PER, LOC], [LOC]),
        "both wrong": ([], [Span(0, 3, "PER")]),
        "unlabelled": ([PER], [LOC]),
        "training": ([PER], []),
    }
    for name, pair in said.items():
        split = "train" if name == "training" else "dev"
        documents.add(
            session.workspace, session.project_id, [Document(name, f"{TEXT} {name}", meta={"split": split})]
        )
        number = number_of(session.workspace, session.project_id, name)
        if name != "unlabelled":
            annotations.save(session.workspace, number, 0, [PER, LOC], user="lin")
        for run, spans in zip(made, pair, strict=True):
            predictions.put_one(session.workspace, run.name, number, spans)
    for run in made:
        (run.folder / "model").mkdir()
        (run.folder / "model" / "model.safetensors").write_bytes(b"x" * 1500)
    runs.set_status(session.workspace, made[0].name, "finished", {})
    runs.set_status(session.workspace, made[1].name, "finished", {"seconds": 72.5})
    projects.set_active(session.workspace, session.project_id, made[0].name)
    session.workbench.taggers = Speedy()
    return made[0].name, made[1].name


def decided(session, run, **options):
    task = decision.of(session, runs.get(session.workspace, run), **options)
    assert task.wait(60)
    assert task.error is None
    return task


def test_the_scores_are_those_of_the_documents_both_held_out(session, two):
    result = decided(session, two[1]).result
    assert (result.runs, result.documents) == (two, 4)
    numbers = [
        number_of(session.workspace, session.project_id, name)
        for name in ("both right", "fixed", "broken", "both wrong")
    ]
    expected = measure(
        count_tables(
            predicted.compared_documents(session.workspace, session.project_id, two, ids=numbers), 2
        )[0]
    )
    np.testing.assert_allclose(result.whole.difference_intervals, expected.difference_intervals)
    assert result.whole.counts.tolist() == [[5, 5, 8], [5, 6, 8]]
    assert sorted(result.by_label) == ["LOC", "PER"]


def test_changes_are_counted_over_all_documents_and_examples_tell_by_turns(session, two):
    result = decided(session, two[1]).result
    assert (result.shared, result.changed, result.spans) == (6, 5, 6)
    assert result.kinds == {"new": 3, "lost": 3, "boundary": 0, "label": 0}
    named = [example.document.id for example in result.examples]
    assert named == ["broken", "fixed", "both wrong", "training", "unlabelled"]


def test_the_cost_is_what_is_known_of_it(session, two):
    session.workbench.taggers = Speedy(lost=two[0])
    before, after = decided(session, two[1]).result.costs
    assert (before.seconds, before.size, before.speed) == (None, 1500, None)
    assert (after.seconds, after.size) == (72.5, 1500)
    assert after.speed > 0


def test_it_is_computed_once_until_something_changes(session, two):
    first = decided(session, two[1])
    assert decided(session, two[1]) is first
    number = number_of(session.workspace, session.project_id, "unlabelled")
    annotations.save(session.workspace, number, 0, [LOC], user="lin")
    again = decided(session, two[1])
    assert again is not first
    assert again.result.documents == 5


def test_the_active_run_is_compared_with_the_one_it_replaced(session, two):
    assert decision.rival(session, two[0]) is None
    projects.set_active(session.workspace, session.project_id, two[1])
    assert (decision.rival(session, two[1]), decision.rival(session, two[0])) == (two[0], two[1])


def test_without_another_run_there_are_its_own_scores(session, two):
    result = decided(session, two[0]).result
    assert (result.runs, result.documents, result.examples) == ((two[0],), 4, ())
    assert result.whole.scores.shape == (1, 3)
    assert len(result.costs) == 1


def test_one_that_was_cancelled_begins_again_only_when_asked(session, two, monkeypatch):
    def stopped(*_):
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(decision, "documents_held", stopped)
        task = decided(session, two[1])
    assert (task.stopped, task.result) == (True, None)
    assert decided(session, two[1]) is task
    assert decided(session, two[1], again=True).result is not None
