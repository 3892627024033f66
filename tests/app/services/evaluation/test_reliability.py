"""How often spans this sure are right, on what the run was not trained on."""

import pytest

from app.services.evaluation.reliability import MEMORY, reliability
from core.store.annotation import annotations
from core.store.document import documents
from core.store.run import predictions, runs
from core.text import Document, Span

PER = (0, 2, "PER")


@pytest.fixture
def run(session, tmp_path):
    """A run that is sure of 张伟 in ten dev documents, wrongly in two, and right in ten of training."""
    made = [
        Document(f"{split}-{n}", f"张伟{n}来了", (), {"split": split})
        for split in ("dev", "train")
        for n in range(10)
    ]
    ids = documents.add(session.workspace, session.project_id, made).ids
    runs.register(session.workspace, session.project_id, "flat-0001", "flat", tmp_path, {})
    for place, id_ in enumerate(ids):
        gold = [] if place < 2 else [Span(*PER)]
        annotations.save(session.workspace, id_, 0, gold, user="lin", status="done")
        predictions.put_one(session.workspace, "flat-0001", id_, [Span(*PER, 0.95)])
    session.ids = ids
    return "flat-0001"


def test_only_held_out_documents_are_counted(session, run):
    found = reliability(session, run, 0.97)
    assert (found.count, found.accuracy) == (10, 0.8)
    assert reliability(session, run, 0.3).count == 0


def test_a_later_correction_counts_at_once(session, run):
    assert reliability(session, run, 0.97).accuracy == 0.8
    kept = session.memory[MEMORY]
    assert reliability(session, run, 0.97).accuracy == 0.8
    assert session.memory[MEMORY] is kept, "it is not computed twice"
    annotations.save(session.workspace, session.ids[0], 1, [Span(*PER)], user="lin", status="done")
    assert reliability(session, run, 0.97).accuracy == 0.9


def test_without_a_held_out_prediction_nothing_is_claimed(session, tmp_path):
    runs.register(session.workspace, session.project_id, "flat-0002", "flat", tmp_path / "2", {})
    assert reliability(session, "flat-0002", 0.9) is None


def test_accepting_one_span_and_undoing_it_changes_nothing(session, run):
    text = "张伟11和张伟12来了"
    (id_,) = documents.add(
        session.workspace, session.project_id, [Document("raw", text, (), {"split": "dev"})]
    ).ids
    said = [Span(0, 2, "PER", 0.95), Span(5, 7, "PER", 0.95)]
    predictions.put_one(session.workspace, run, id_, said)
    annotations.save(session.workspace, id_, 0, [Span(*PER)], user="lin", action="accept")
    assert reliability(session, run, 0.97).count == 11, "the other one is not decided"
    annotations.save(session.workspace, id_, 1, [], user="lin", action="undo")
    found = reliability(session, run, 0.97)
    assert (found.count, found.accuracy) == (10, 0.8)
