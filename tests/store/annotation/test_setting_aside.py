"""Documents that are ignored or flagged: kept, shown, out of training, and brought back by undo."""

import pytest

from core.store.annotation import annotations, finished, judged_documents, undo_steps
from core.store.db.errors import PayloadError
from core.store.document import documents, raw_documents, splits
from core.store.project import assignments
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.store.review import adjudications
from core.store.run import snapshot
from core.text import Document, Span
from tests.store.separate import separate

PER = Span(0, 2, "PER")


def ignore(workspace, number, reason="", **options):
    annotations.set_status(workspace, number, "ignored", user="lin", reason=reason, **options)


def names(source):
    return [document.id for document in source]


@pytest.fixture
def three(workspace, project):
    """Ids of a raw document, one imported with a span, and one that is annotated and done."""
    given = [Document("raw", "雨停了。"), Document("gold", "林知远", (PER,)), Document("done", "周敏来了。")]
    ids = documents.add(workspace, project.id, given).ids
    annotations.save(workspace, ids[2], 0, [PER], user="lin", status="done")
    return ids


def test_the_reason_stands_with_the_document_its_history_and_its_row(workspace, project, three):
    ignore(workspace, three[0], "  not\n Chinese ")
    now = annotations.current(workspace, three[0])
    assert (now.status, now.reason) == ("ignored", "not Chinese")
    assert [event.reason for event in annotations.history(workspace, three[0])] == ["not Chinese"]
    (row,) = queue.page(workspace, project.id, Filter(status="ignored")).rows
    assert (row.id, row.reason) == (three[0], "not Chinese")
    # An edit keeps it, another reason replaces it, another status clears it.
    annotations.save(workspace, three[0], 1, [PER], user="lin")
    assert annotations.current(workspace, three[0]).reason == "not Chinese"
    annotations.set_status(workspace, three[0], "ignored", user="lin", reason="too short")
    assert annotations.current(workspace, three[0]).reason == "too short"
    annotations.set_status(workspace, three[0], "in_progress", user="lin", reason="left over")
    assert annotations.current(workspace, three[0]).reason == ""


def test_a_reason_that_is_too_long_is_refused(workspace, three):
    with pytest.raises(PayloadError, match="500"):
        ignore(workspace, three[0], "x" * 501)


def test_ignored_documents_are_out_of_training_and_of_examples(workspace, project, three, tmp_path):
    assert names(documents.iterate(workspace, project.id, labelled=True)) == ["gold", "done"]
    for number in three[1:]:
        ignore(workspace, number)
    assert names(documents.iterate(workspace, project.id, labelled=True)) == []
    assert names(documents.several(workspace, three, labelled=True)) == []
    assert names(judged_documents.iterate(workspace, project.id)) == []
    assert finished.splits(workspace, project.id) == {}
    assert {part: counts.documents for part, counts in snapshot.counts(workspace, project.id).items()} == {
        "train": 0, "dev": 0, "test": 0, "corrections": 0,
    }  # fmt: skip
    assert sum(splits.assign_splits(workspace, project.id).values()) == 0
    ignore(workspace, three[0])
    assert raw_documents.count(workspace, project.id) == 0
    assert snapshot.count_texts(workspace, project.id).documents == 0
    counts = documents.count(workspace, project.id)
    assert (counts["all"], counts["ignored"], counts["labelled"]) == (3, 3, 0)
    assert names(documents.iterate(workspace, project.id, ignored=False)) == []


def test_a_raw_document_that_was_ignored_and_restored_is_raw_again(workspace, project, three):
    ignore(workspace, three[0])
    annotations.set_status(workspace, three[0], "new", user="lin")
    assert raw_documents.count(workspace, project.id) == 1
    assert three[0] not in finished.splits(workspace, project.id)


def test_the_next_document_is_never_an_ignored_one_unless_those_are_asked_for(workspace, project, three):
    ignore(workspace, three[1])
    assert queue.neighbour(workspace, project.id, three[0]) == three[2]
    assert queue.neighbour(workspace, project.id, three[2], backwards=True) == three[0]
    ignore(workspace, three[2])
    assert queue.neighbour(workspace, project.id, three[0]) is None
    assert queue.neighbour(workspace, project.id, three[1], Filter(status="ignored")) == three[2]
    assert [row.status for row in queue.page(workspace, project.id).rows] == ["new", "ignored", "ignored"]


@pytest.mark.parametrize("status", ["ignored", "to_check"])
def test_undo_after_a_reload_brings_the_document_back_and_redo_sets_it_aside_again(workspace, three, status):
    number = three[0]
    annotations.save(workspace, number, 0, [PER], user="lin")
    annotations.save(
        workspace, number, 1, [PER], user="lin", action="ignore", status=status, reason="a list of names"
    )

    def steps():
        return undo_steps.steps(annotations.history(workspace, number), "lin")

    first, second = steps().past
    assert [one.status for one in first.standing] == [status, "in_progress"]
    assert (second.standing, second.removed) == (None, (PER,))
    annotations.save(workspace, number, 2, [PER], user="lin", action="undo", status="in_progress")
    (again,) = steps().future
    reason = "a list of names" if status == "ignored" else ""
    assert (again.standing[1].status, again.standing[1].reason) == (status, reason)
    assert len(steps().past) == 1


def test_who_ignores_a_document_has_no_say_on_it_and_no_load_by_it(workspace, project):
    shared = separate(workspace, project)
    first = shared.ids[0]
    annotations.save(workspace, first, 0, [], user="ana", annotator="ana", action="ignore", status="ignored")
    annotations.save(workspace, first, 0, [PER], user="bo", annotator="bo", status="done")
    (row,) = adjudications.waiting(workspace, project.id, by="rui").rows
    assert (row.document_id, row.handed, row.done) == (first, 1, 1)
    loads = {load.user: (load.handed, load.done) for load in assignments.loads(workspace, project.id)}
    assert loads == {"ana": (2, 0), "bo": (3, 1)}
    mine = queue.page(workspace, project.id, Filter(worker="ana", status="ignored")).rows
    assert [row.id for row in mine] == [first]
    assert queue.page(workspace, project.id, Filter(worker="bo", status="ignored")).total == 0


def test_a_document_ignored_for_all_is_ignored_for_everybody(workspace, project):
    shared = separate(workspace, project)
    ignore(workspace, shared.ids[0], "empty")
    (row,) = queue.page(workspace, project.id, Filter(worker="bo", status="ignored")).rows
    assert (row.id, row.reason) == (shared.ids[0], "empty")
    assert {load.handed for load in assignments.loads(workspace, project.id)} == {2}
    assert adjudications.waiting(workspace, project.id, by="rui").counts["unfinished"] == 2
