"""A batch: many documents, one step forwards and one step back, applied once however often it is sent."""

import pytest

from core.store import NotFound, PayloadError
from core.store.annotation import annotations, batches
from core.store.annotation.batches import Done, Place
from core.store.annotation.scope import Scope
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet, Span, UnknownLabelError

TEXTS = ["青岛在山东。青岛的海。", "没有。", "去青岛青岛看海"]


@pytest.fixture
def ids(workspace, project):
    found = [Document(str(at), text) for at, text in enumerate(TEXTS)]
    return documents.add(workspace, project.id, found).ids


def everything(project, user="lin"):
    return Scope(project.id, user, "together")


def place(document_id, start, end, surface="青岛"):
    return Place(document_id, start, end, surface)


def spans(workspace, ids):
    return [[span.key for span in documents.get(workspace, id_).spans] for id_ in ids]


def label_all(workspace, project, ids, batch="batch-01", label="LOC"):
    places = [place(ids[0], 0, 2), place(ids[0], 6, 8), place(ids[2], 3, 5)]
    return batches.label_places(workspace, everything(project), places, label, batch=batch)


LABELLED = [[(0, 2, "LOC"), (6, 8, "LOC")], [], [(3, 5, "LOC")]]


def test_every_place_gets_the_label_and_every_document_one_event(workspace, project, ids):
    assert label_all(workspace, project, ids) == Done(2, 3, 0)
    assert spans(workspace, ids) == LABELLED
    assert [len(annotations.history(workspace, id_)) for id_ in ids] == [1, 0, 1]


def test_sent_twice_it_is_applied_once_and_answers_the_same(workspace, project, ids):
    first = label_all(workspace, project, ids)
    annotations.save(workspace, ids[2], 1, [], user="mei")
    assert label_all(workspace, project, ids) == first
    assert spans(workspace, ids) == [LABELLED[0], [], []], "mei's later edit stands"


def test_a_label_that_is_there_already_is_not_counted(workspace, project, ids):
    annotations.save(workspace, ids[2], 0, [Span(3, 5, "LOC")], user="mei")
    assert label_all(workspace, project, ids) == Done(1, 2, 0)


def test_it_is_taken_back_and_done_again_as_one(workspace, project, ids):
    label_all(workspace, project, ids)
    assert batches.turn(workspace, everything(project), "batch-01", "undo") == Done(2, 0, 3)
    assert spans(workspace, ids) == [[], [], []]
    assert batches.turn(workspace, everything(project), "batch-01", "undo") == Done(0, 0, 0)
    assert batches.turn(workspace, everything(project), "batch-01", "redo") == Done(2, 3, 0)
    assert spans(workspace, ids) == LABELLED


def test_taking_back_leaves_what_was_edited_since(workspace, project, ids):
    label_all(workspace, project, ids)
    annotations.save(workspace, ids[0], 1, [Span(0, 2, "LOC"), Span(3, 5, "LOC")], user="mei")
    batches.turn(workspace, everything(project), "batch-01", "undo")
    assert spans(workspace, ids) == [[(3, 5, "LOC")], [], []]


def test_the_document_on_the_screen_can_be_left_alone(workspace, project, ids):
    label_all(workspace, project, ids)
    batches.turn(workspace, everything(project), "batch-01", "undo", but=ids[0])
    assert spans(workspace, ids) == [LABELLED[0], [], []]


def test_a_turn_that_arrives_late_a_second_time_changes_nothing(workspace, project, ids):
    label_all(workspace, project, ids)
    batches.turn(workspace, everything(project), "batch-01", "undo", client_edit="turn-01")
    batches.turn(workspace, everything(project), "batch-01", "redo", client_edit="turn-02")
    batches.turn(workspace, everything(project), "batch-01", "undo", client_edit="turn-01")
    assert spans(workspace, ids) == LABELLED


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda ids: [place(ids[0], 1, 3)], PayloadError),
        (lambda ids: [place(ids[0], 0, 2), place(ids[1], 0, 2)], PayloadError),
        (lambda ids: [place(ids[2], 6, 99)], PayloadError),
        (lambda ids: [place(99, 0, 2)], NotFound),
        (lambda ids: [place(ids[0], 0, 2)] * (batches.MOST_PLACES + 1), PayloadError),
    ],
)
def test_one_wrong_place_refuses_the_batch(workspace, project, ids, wrong, error):
    with pytest.raises(error):
        batches.label_places(workspace, everything(project), wrong(ids), "LOC", batch="b-1")
    assert spans(workspace, ids) == [[], [], []]


def test_an_unknown_label_a_strange_batch_name_and_another_project_are_refused(workspace, project, ids):
    with pytest.raises(UnknownLabelError):
        label_all(workspace, project, ids, label="NOPE")
    with pytest.raises(PayloadError):
        label_all(workspace, project, ids, batch="a b")
    assert batches.turn(workspace, everything(project), "never-was", "undo") == Done()
    with pytest.raises(PayloadError):
        batches.turn(workspace, everything(project), "batch-01", "sideways")
    other = projects.create(workspace, "other")
    labels.put(workspace, other.id, LabelSet().extended(["LOC"]))
    with pytest.raises(NotFound):
        label_all(workspace, other, ids)
    label_all(workspace, project, ids)
    assert batches.turn(workspace, everything(other), "batch-01", "undo") == Done()
    assert spans(workspace, ids) == LABELLED


def test_a_document_in_the_trash_is_left_alone(workspace, project, ids):
    label_all(workspace, project, ids)
    trash.trash_documents(workspace, project.id, [ids[2]])
    assert batches.turn(workspace, everything(project), "batch-01", "undo") == Done(1, 0, 2)
    trash.restore_documents(workspace, project.id, [ids[2]])
    assert spans(workspace, ids)[2] == LABELLED[2]


def replace(workspace, project, label, new, surfaces=None, **more):
    return batches.replace(
        workspace, everything(project), label, new, surfaces, **{"batch": "replace-1", **more}
    )


def test_a_label_is_replaced_everywhere_or_on_chosen_surfaces(workspace, project, ids):
    label_all(workspace, project, ids)
    annotations.save(workspace, ids[1], 0, [Span(0, 2, "LOC")], user="lin")
    assert replace(workspace, project, "LOC", "ORG", ["青岛"], but=ids[2]) == Done(1, 2, 2)
    assert spans(workspace, ids) == [[(0, 2, "ORG"), (6, 8, "ORG")], [(0, 2, "LOC")], LABELLED[2]]
    assert replace(workspace, project, "LOC", "PER", batch="replace-2") == Done(2, 2, 2)
    batches.turn(workspace, everything(project), "replace-2", "undo")
    batches.turn(workspace, everything(project), "replace-1", "undo")
    assert spans(workspace, ids) == [LABELLED[0], [(0, 2, "LOC")], LABELLED[2]]


def test_a_label_is_removed_and_comes_back(workspace, project, ids):
    label_all(workspace, project, ids)
    assert replace(workspace, project, "LOC", None) == Done(2, 0, 3)
    assert spans(workspace, ids) == [[], [], []]
    batches.turn(workspace, everything(project), "replace-1", "undo")
    assert spans(workspace, ids) == LABELLED


def test_where_the_new_label_stands_already_the_old_one_only_goes(workspace, project, ids):
    annotations.save(workspace, ids[1], 0, [Span(0, 2, "LOC"), Span(0, 2, "ORG")], user="lin")
    assert replace(workspace, project, "LOC", "ORG") == Done(1, 0, 1)
    batches.turn(workspace, everything(project), "replace-1", "undo")
    assert spans(workspace, ids)[1] == [(0, 2, "LOC"), (0, 2, "ORG")]


def test_a_label_is_not_replaced_by_itself_or_by_one_nobody_knows(workspace, project, ids):
    for new, error in (("LOC", PayloadError), ("NOPE", UnknownLabelError)):
        with pytest.raises(error):
            replace(workspace, project, "LOC", new)


def test_more_documents_than_one_transaction_takes(workspace, project, monkeypatch):
    monkeypatch.setattr(batches, "DOCUMENTS_AT_ONCE", 4)
    ids = documents.add(workspace, project.id, [Document(f"m{at}", "青岛") for at in range(11)]).ids
    places = [place(id_, 0, 2) for id_ in ids]
    done = batches.label_places(workspace, everything(project), places, "LOC", batch="b-1")
    assert done == Done(11, 11, 0)
    assert batches.turn(workspace, everything(project), "b-1", "undo") == Done(11, 0, 11)


def test_a_renamed_label_is_taken_back_under_its_new_name(workspace, project, ids):
    label_all(workspace, project, ids)
    label_changes.rename(workspace, project.id, "LOC", "PLACE", user="lin")
    batches.turn(workspace, everything(project), "batch-01", "undo")
    assert spans(workspace, ids) == [[], [], []]


def test_the_part_that_the_page_saved_itself_is_not_counted_and_is_taken_back_with_the_rest(
    workspace, project, ids
):
    annotations.save(
        workspace, ids[0], 0, [Span(0, 2, "LOC")], user="lin", action="label_others", client_edit="batch-01"
    )
    places = [place(ids[2], 3, 5)]
    made = batches.label_places(workspace, everything(project), places, "LOC", batch="batch-01")
    assert made == Done(1, 1, 0)
    assert batches.turn(workspace, everything(project), "batch-01", "undo") == Done(2, 0, 2)
    assert spans(workspace, ids) == [[], [], []]
