"""Suggestions accepted in many documents: what contradicts nothing a person said, taken back as one step."""

import pytest

from core.store.annotation import annotations, regions
from core.store.document import documents
from core.store.project import journal, nesting
from core.store.queue import bulk
from core.store.queue.bulk import Order
from core.store.run import accepting, predictions, runs
from core.text import Document, Span

TEXT = "林知远先生出任青禾大学附属医院院长。"
PER, SIR = Span(0, 3, "PER", 0.9), Span(0, 5, "PER", 0.95)
ORG, HOSPITAL = Span(7, 15, "ORG", 0.8), Span(11, 15, "ORG", 0.99)


def suggestions(said=(), refused=(), threshold=0.5, nested=False, spans=(PER, ORG, HOSPITAL)):
    document = Document("a", TEXT, said)
    labels = ("PER", "ORG", "TITLE")
    return accepting.acceptable(spans, document, refused, threshold, nested=nested, labels=labels)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, (PER, ORG)),
        ({"nested": True}, (PER, ORG, HOSPITAL)),
        ({"threshold": 0.8}, (PER, ORG)),
        ({"threshold": 0.9}, (PER, HOSPITAL)),
        ({"threshold": 1.0}, ()),
        ({"refused": (Span(7, 15, "ORG"),)}, (PER, HOSPITAL)),
        ({"said": (Span(0, 3, "TITLE"),)}, (ORG,)),
        ({"said": (Span(0, 3, "TITLE"),), "nested": True}, (ORG, HOSPITAL)),
        ({"said": (Span(0, 5, "TITLE"),)}, (ORG,)),
        ({"said": (Span(0, 5, "TITLE"),), "nested": True}, (PER, ORG, HOSPITAL)),
        ({"said": (Span(2, 5, "PER"),), "nested": True}, (ORG, HOSPITAL)),
        ({"spans": (Span(0, 3, "PER"), Span(0, 3, "LOC", 0.9))}, ()),
    ],
)
def test_what_can_be_accepted(options, wanted):
    assert suggestions(**options) == wanted


@pytest.fixture
def tagged(workspace, project):
    """Ids of 30 documents with two suggestions each, and the run that made them."""
    given = [Document(str(at), f"{at}" + TEXT) for at in range(30)]
    ids = documents.add(workspace, project.id, given).ids
    run = runs.create(workspace, project.id, "flat").name
    for number, document in zip(ids, given, strict=True):
        shift = len(document.text) - len(TEXT)
        spans = [Span(s.start + shift, s.end + shift, s.label, s.score) for s in (PER, ORG)]
        predictions.put_one(workspace, run, number, spans)
    return ids, run


def spans(workspace, number):
    return len(annotations.current(workspace, number).document.spans)


def test_the_preview_counts_what_accepting_adds_and_shows_ten(workspace, project, tagged):
    ids, run = tagged
    annotations.set_status(workspace, ids[0], "done", user="lin")
    annotations.set_status(workspace, ids[1], "ignored", user="lin")
    found = accepting.preview(workspace, project.id, run, ids, 0.85)
    assert (found.spans, found.documents, len(found.examples)) == (28, 28, 10)
    for example in found.examples:
        assert (example.text[example.start : example.end], example.label) == ("林知远", "PER")
    assert accepting.preview(workspace, project.id, run, ids[:3], 0.5).spans == 2
    step = bulk.apply(workspace, project.id, ids, Order("accept", run, threshold=0.85), user="lin")
    assert step.documents == 28
    assert sum(spans(workspace, number) for number in ids) == 28


def test_undo_takes_back_what_was_accepted_and_keeps_what_was_done_since(workspace, project, tagged):
    ids, run = tagged
    step = bulk.apply(workspace, project.id, ids, Order("accept", run), user="lin")
    assert {annotations.current(workspace, number).status for number in ids} == {"in_progress"}
    now = annotations.current(workspace, ids[0])
    annotations.save(
        workspace, ids[0], 1, [*now.document.spans, Span(9, 10, "LOC")], user="wu", status="done"
    )
    assert journal.undo(workspace, project.id, step.id, user="lin") == 30
    assert [span.label for span in annotations.current(workspace, ids[0]).document.spans] == ["LOC"]
    assert annotations.current(workspace, ids[0]).status == "done"
    assert {annotations.current(workspace, number).status for number in ids[1:]} == {"new"}
    assert sum(spans(workspace, number) for number in ids) == 1


def test_accepting_unseen_marks_no_region_as_annotated(workspace, project, tagged):
    ids, run = tagged
    bulk.apply(workspace, project.id, ids, Order("accept", run), user="lin")
    assert regions.get(workspace, ids[0]).regions == ()


def test_a_nested_project_gets_nested_spans(workspace, project):
    nesting.choose(workspace, project.id, True)
    (number,) = documents.add(workspace, project.id, [Document("a", TEXT)]).ids
    run = runs.create(workspace, project.id, "flat").name
    predictions.put_one(workspace, run, number, [ORG, HOSPITAL])
    bulk.apply(workspace, project.id, [number], Order("accept", run), user="lin")
    assert spans(workspace, number) == 2
