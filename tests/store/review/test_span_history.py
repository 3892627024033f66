"""The life of a span, told from the events."""

import pytest

from core.store import PayloadError
from core.store.annotation import annotations, comments
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.project import journal
from core.store.review import decisions, span_history
from core.store.suggest import distant
from core.text import Document, Span, UnknownLabelError
from tests.store.by_hand import add_words

TEXT = "林知远先生出任青禾大学附属医院院长。"
ORG = Span(7, 15, "ORG")


def save(workspace, document_id, spans, action, user="lin", run=None, rejected=()):
    at = annotations.current(workspace, document_id).revision
    annotations.save(workspace, document_id, at, spans, rejected, user=user, action=action, run=run)


def told(workspace, document_id, span, user="lin"):
    return [
        (step.kind, step.user, step.span.key)
        for step in span_history.history(workspace, document_id, span, user=user)
    ]


def test_a_span_is_followed_through_its_labels_and_boundaries(workspace, document_id):
    save(workspace, document_id, [Span(7, 11, "LOC")], "label", "ann")
    save(workspace, document_id, [Span(7, 11, "ORG")], "relabel", "bo")
    save(workspace, document_id, [Span(7, 11, "ORG"), Span(0, 3, "PER")], "label", "bo")
    save(workspace, document_id, [ORG, Span(0, 3, "PER")], "move", "ann")
    assert told(workspace, document_id, ORG) == [
        ("created", "ann", (7, 11, "LOC")),
        ("relabelled", "bo", (7, 11, "ORG")),
        ("moved", "ann", (7, 15, "ORG")),
    ]
    steps = span_history.history(workspace, document_id, ORG, user="lin")
    assert [step.before and step.before.key for step in steps] == [None, (7, 11, "LOC"), (7, 11, "ORG")]
    assert [step.revision for step in steps] == [1, 2, 4]
    assert told(workspace, document_id, Span(0, 3, "PER")) == [("created", "bo", (0, 3, "PER"))]


def test_what_a_run_said_stands_beside_what_was_done_against_it(workspace, document_id, answered):
    run = answered("flat", document_id, (7, 11, "ORG"), (0, 3, "PER")).name
    save(workspace, document_id, [Span(0, 3, "PER")], "accept", "ann", run)
    save(workspace, document_id, [Span(0, 3, "PER"), ORG], "label", "ann", run)
    (accepted,) = span_history.history(workspace, document_id, Span(0, 3, "PER"), user="lin")
    assert (accepted.kind, accepted.run, accepted.said.key, accepted.said.score) == (
        "accepted", run, (0, 3, "PER"), 0.5,
    )  # fmt: skip
    (made,) = span_history.history(workspace, document_id, ORG, user="lin")
    assert (made.kind, made.said.key) == ("created", (7, 11, "ORG"))


def test_what_was_undone_and_done_again_is_brought_back(workspace, document_id):
    save(workspace, document_id, [ORG], "label")
    save(workspace, document_id, [], "undo")
    save(workspace, document_id, [ORG], "redo")
    save(workspace, document_id, [], "delete", "bo")
    assert [kind for kind, *_ in told(workspace, document_id, ORG)] == [
        "created", "removed", "brought_back", "removed",
    ]  # fmt: skip


def test_an_import_comments_and_reviews_are_part_of_it(workspace, project):
    (id_,) = documents.add(workspace, project.id, [Document("x", TEXT, (ORG,))], user="lin").ids
    comments.add(workspace, id_, "附属医院也算吗？", user="bo", start=7, end=15, label="ORG")
    comments.add(workspace, id_, "别处", user="bo", start=0, end=3)
    decisions.decide(workspace, id_, [], [Span(7, 15, "ORG")], by="rui", category="boundary")
    with workspace.writing() as db:
        db.execute("UPDATE decisions SET at = ?", (10**14,))
    steps = span_history.history(workspace, id_, {"start": 7, "end": 15, "label": "ORG"}, user="lin")
    assert [(step.kind, step.text) for step in steps] == [
        ("imported", ""), ("commented", "附属医院也算吗？"), ("reviewed", "refused boundary"),
    ]  # fmt: skip


def test_a_span_that_never_was_has_no_life(workspace, document_id):
    assert span_history.history(workspace, document_id, ORG, user="lin") == []


@pytest.mark.parametrize(
    "span", [{"start": 0, "end": 99, "label": "PER"}, {"start": -1, "end": 2, "label": "PER"}, "x"]
)
def test_what_is_no_span_of_the_text_is_refused(workspace, document_id, span):
    with pytest.raises(PayloadError):
        span_history.history(workspace, document_id, span, user="lin")
    with pytest.raises(UnknownLabelError):
        span_history.history(workspace, document_id, {"start": 0, "end": 2, "label": "KING"}, user="lin")


def batch(workspace, project, document_id, mode, span, origin):
    labelled = [distant.DistantLabels(document_id, (span,), {span.key: origin})]
    return distant.put(
        workspace, project.id, labelled, mode, version=3, direction="forward", ambiguous="skip", user="ann"
    ).id


def test_a_label_of_the_dictionary_names_its_batch_and_the_list_its_word_came_from(
    workspace, project, document_id
):
    origin = add_words(workspace, project.id, {"青禾大学附属医院": "ORG"}, user="mei")
    number = batch(workspace, project, document_id, "in_progress", ORG, origin)
    label_changes.rename(workspace, project.id, "ORG", "UNIT", user="lin")
    (step,) = span_history.history(workspace, document_id, Span(7, 15, "UNIT"), user="lin")
    assert (step.kind, step.user, step.span.label) == ("distant", "ann", "UNIT")
    assert (step.source.batch, step.source.version, step.source.change) == (number, 3, origin)
    journal.undo(workspace, project.id, number, user="bo")
    told_now = span_history.history(workspace, document_id, Span(7, 15, "UNIT"), user="lin")
    assert [(step.kind, step.source) for step in told_now] == [("distant", None), ("removed", None)]


def test_a_suggestion_of_a_batch_is_told_before_and_after_it_is_accepted(workspace, project, document_id):
    number = batch(workspace, project, document_id, "suggest", ORG, 0)
    (step,) = span_history.history(workspace, document_id, ORG, user="lin")
    assert (step.kind, step.source.batch, step.source.list) == ("suggested", number, "")
    save(workspace, document_id, [ORG], "accept", "bo")
    assert [kind for kind, *_ in told(workspace, document_id, ORG)] == ["suggested", "accepted"]
    assert told(workspace, document_id, Span(7, 15, "PER")) == []


def test_a_word_of_the_list_without_a_batch_names_its_file(workspace, project, document_id):
    words = {"青禾大学附属医院": "ORG"}
    add_words(workspace, project.id, words, user="mei")
    (step,) = span_history.history(workspace, document_id, ORG, user="lin")
    assert (step.kind, step.user, step.source.batch) == ("listed", "mei", 0)
    save(workspace, document_id, [ORG], "accept", "bo")
    assert [kind for kind, *_ in told(workspace, document_id, ORG)] == ["accepted"]
