"""Changes of many documents: one step, undone as one, and nothing that somebody did since is lost."""

import pytest

from core.store.annotation import annotations
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.document import documents, splits
from core.store.project import assignments, journal, members
from core.store.project.members import NotAllowed
from core.store.queue import bulk, queue, scores
from core.store.queue.bulk import Order
from core.store.queue.filter import Filter
from core.text import Document, Span
from tests.store.separate import separate

PER = Span(0, 2, "PER")


@pytest.fixture
def ids(workspace, project):
    given = [Document(str(at), f"第{at}份文件。") for at in range(250)]
    return documents.add(workspace, project.id, given).ids


def apply(workspace, project, ids, *order, **options):
    return bulk.apply(workspace, project.id, ids, Order(*order), user="lin", **options)


def undo(workspace, project, step):
    return journal.undo(workspace, project.id, step.id, user="lin", kinds=[bulk.KIND])


def found(workspace, project, **which):
    return [row.id for row in queue.page(workspace, project.id, Filter(**which), limit=1000).rows]


def test_the_status_of_many_is_one_step_in_several_transactions(workspace, project, ids):
    told = []
    step = apply(workspace, project, ids[:230], "status", "ignored", "not Chinese", progress=told.append)
    assert told == [100, 200, 230]
    assert (step.documents, step.order.to) == (230, "ignored")
    assert found(workspace, project, status="ignored") == list(ids[:230])
    assert annotations.current(workspace, ids[0]).reason == "not Chinese"
    assert undo(workspace, project, step) == 230
    assert found(workspace, project, status="new") == list(ids)
    assert bulk.latest(workspace, project.id, "lin") is None


def test_undo_leaves_what_was_edited_since(workspace, project, ids):
    annotations.save(workspace, ids[0], 0, [PER], user="lin")
    step = apply(workspace, project, ids[:3], "status", "done")
    annotations.save(workspace, ids[1], 1, [PER], user="wu")
    assert undo(workspace, project, step) == 2
    assert [annotations.current(workspace, id_).status for id_ in ids[:3]] == ["in_progress", "done", "new"]


def test_what_has_the_status_already_is_not_changed(workspace, project, ids):
    annotations.set_status(workspace, ids[0], "done", user="lin")
    assert apply(workspace, project, ids[:2], "status", "done").documents == 1


def test_what_was_set_aside_returns_to_what_it_was(workspace, project, ids):
    annotations.save(workspace, ids[0], 0, [PER], user="lin", status="done")
    apply(workspace, project, ids[:2], "status", "to_check")
    apply(workspace, project, ids[:2], "status", "ignored")
    apply(workspace, project, ids[:3], "status", bulk.RESTORED)
    assert [annotations.current(workspace, id_).status for id_ in ids[:3]] == ["done", "new", "new"]


def test_a_split_is_set_but_not_of_what_was_set_apart(workspace, project, ids):
    splits.set_split(workspace, project.id, ids[:1], "train")
    apart = scores.set_apart(workspace, project.id, share=0.1)
    step = apply(workspace, project, ids, "split", "dev")
    kept = set(found(workspace, project, split="test"))
    assert len(kept) == apart > 0
    assert set(found(workspace, project, split="dev")) == set(ids) - kept
    splits.set_split(workspace, project.id, [ids[1]], "train")
    undo(workspace, project, step)
    assert {ids[0]} <= set(found(workspace, project, split="train")) <= {ids[0], ids[1]}
    assert found(workspace, project, split="dev") == []


def test_the_trash_takes_and_gives_back(workspace, project, ids):
    step = apply(workspace, project, ids[:120], "trash")
    assert found(workspace, project, trashed=True) == list(ids[:120])
    assert undo(workspace, project, step) == 120
    assert found(workspace, project) == list(ids)


def test_a_cancelled_order_leaves_nothing_behind(workspace, project, ids):
    class Cancelled(Exception):
        pass

    def progress(done):
        if done == 200:
            raise Cancelled

    with pytest.raises(Cancelled):
        apply(workspace, project, ids, "status", "ignored", progress=progress)
    assert found(workspace, project, status="new") == list(ids)
    assert bulk.latest(workspace, project.id, "lin") is None


def test_documents_of_other_projects_and_in_the_trash_are_left_alone(workspace, project, ids):
    apply(workspace, project, ids[:1], "trash")
    assert apply(workspace, project, [ids[0], ids[1], 10**6], "status", "done").documents == 1


@pytest.mark.parametrize(
    ("order", "error"),
    [
        (("status", "new"), PayloadError),
        (("status", "finished"), PayloadError),
        (("split", "validation"), PayloadError),
        (("rename", "x"), PayloadError),
        (("assign", "ana"), PeopleError),
        (("accept", "flat-0001"), NotFound),
    ],
)
def test_what_cannot_be_ordered_is_refused_before_anything_is_changed(workspace, project, ids, order, error):
    with pytest.raises(error):
        apply(workspace, project, ids, *order)
    assert bulk.latest(workspace, project.id, "lin") is None


def test_a_person_gets_documents_and_keeps_what_they_have_begun(workspace, project):
    shared = separate(workspace, project)
    members.put(workspace, project.id, "cai", "annotator", by="mia")
    step = bulk.apply(workspace, project.id, shared.ids, Order("assign", "cai"), user="mia")
    assert step.documents == 3
    annotations.save(workspace, shared.ids[0], 0, [], user="cai", annotator="cai", status="done")
    assert journal.undo(workspace, project.id, step.id, user="mia") == 2
    loads = {load.user: load.handed for load in assignments.loads(workspace, project.id)}
    assert loads == {"ana": 3, "bo": 3, "cai": 1}
    with pytest.raises(NotFound):
        bulk.apply(workspace, project.id, shared.ids, Order("assign", "stranger"), user="mia")


def test_what_a_reviewer_is_to_merge_is_not_marked_done_from_a_list(workspace, project):
    shared = separate(workspace, project)
    (alone,) = documents.add(workspace, project.id, [Document("alone", "无人分到。")]).ids
    order = bulk.apply(workspace, project.id, [*shared.ids, alone], Order("status", "done"), user="rui")
    assert order.documents == 1
    assert found(workspace, project, status="done") == [alone]
    ignored = bulk.apply(workspace, project.id, shared.ids, Order("status", "ignored"), user="rui")
    assert ignored.documents == 3


def test_each_order_asks_for_its_right(workspace, project):
    shared = separate(workspace, project)
    for user, order in (
        ("ana", Order("status", "done")),
        ("rui", Order("split", "dev")),
        ("rui", Order("trash")),
        ("rui", Order("assign", "bo")),
    ):
        with pytest.raises(NotAllowed):
            bulk.apply(workspace, project.id, shared.ids, order, user=user)
    bulk.apply(workspace, project.id, shared.ids, Order("status", "to_check"), user="rui")
    step = bulk.apply(workspace, project.id, shared.ids, Order("trash"), user="mia")
    with pytest.raises(NotAllowed):
        journal.undo(workspace, project.id, step.id, user="rui")
