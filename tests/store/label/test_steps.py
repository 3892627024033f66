"""A change of labels in steps: people save in between, a killed process leaves nothing by halves."""

from __future__ import annotations

import json
import threading

import pytest

from core.corpus.document_json import read_documents
from core.store import Filter, Workspace
from core.store.annotation import annotations
from core.store.db.errors import StoreFull
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.label import names as label_names
from core.store.label import steps as label_steps
from core.store.project import projects
from core.store.queue import queue
from core.store.run import predictions, runs, snapshot
from core.text import Document, Span, UnknownLabelError
from tests.store.killing import CHANGE_LABELS, kill_when
from tests.store.label.test_changes import check_folds, dump

TEXT = "林知远先生出任青禾大学附属医院院长。"


@pytest.fixture
def many(workspace, project):
    """30 documents with a PER each, half of them edited by a person, all answered by a run."""
    made = [Document(str(at), f"{TEXT}{at}", (Span(0, 3, "PER"), Span(7, 11, "ORG"))) for at in range(30)]
    ids = documents.add(workspace, project.id, made).ids
    run = runs.create(workspace, project.id, "flat").name
    predictions.put(workspace, run, made)
    for id_ in ids[::2]:
        spans = [Span(0, 3, "PER"), Span(3, 5, "PER")]
        annotations.save(workspace, id_, 1, spans, [Span(7, 11, "ORG")], user="lin", run=run)
    return workspace, project.id, ids, run


def keys(workspace, id_):
    return sorted(span.key for span in annotations.current(workspace, id_).document.spans)


def between(monkeypatch, acts):
    """Run one of ``acts`` in each pause between two steps."""
    left = list(acts)
    monkeypatch.setattr(label_steps, "SLICE", 10)
    monkeypatch.setattr(label_steps.time, "sleep", lambda _: left and left.pop(0)())
    return left


def test_what_people_do_between_two_steps_is_kept_and_the_undo_leaves_only_that(many, monkeypatch):
    workspace, project, ids, _ = many
    early, late = ids[0], ids[29]

    def edit_a_document_that_is_not_carried_yet():
        assert (7, 11, "ORG") in keys(workspace, late)
        annotations.save(workspace, late, 1, [Span(0, 3, "LOC"), Span(5, 7, "TITLE")], user="bo")
        annotations.set_status(workspace, ids[28], "done", user="bo")

    def edit_one_that_is(change=None):
        stands = annotations.current(workspace, early)
        assert {span.label for span in stands.document.spans} == {"LOC"}
        annotations.save(
            workspace, early, stands.revision, [*stands.document.spans, Span(5, 7, "TITLE")], user="bo"
        )
        with pytest.raises(UnknownLabelError):
            annotations.save(workspace, early, stands.revision + 1, [Span(0, 3, "PER")], user="bo")

    before = dump(workspace)
    left = between(monkeypatch, [edit_a_document_that_is_not_carried_yet, edit_one_that_is])
    change = label_changes.merge(workspace, project, "PER", "LOC", user="lin")
    assert not left
    assert queue.matching(workspace, project, Filter(label="PER")) == []
    assert queue.matching(workspace, project, Filter(label="LOC")) == list(ids)
    check_folds(workspace, ids)
    # What bo did to the last document is what bo did, and nothing of the merge.
    (event,) = annotations.history(workspace, late)[1:]
    assert [span.key for span in event.added] == [(5, 7, "TITLE")]
    assert [span.key for span in event.removed] == [(7, 11, "ORG")]
    assert annotations.current(workspace, ids[28]).status == "done"
    undone = label_changes.undo(workspace, project, change.id, user="lin")
    assert undone.left == ()
    assert keys(workspace, late) == [(0, 3, "PER"), (5, 7, "TITLE")]
    assert keys(workspace, early) == [(0, 3, "PER"), (3, 5, "PER"), (5, 7, "TITLE")]
    check_folds(workspace, ids)
    after = dump(workspace)
    untouched = set(ids) - {early, late, ids[28]}
    for table, place in (("spans", 0), ("events", 0), ("predictions", 1)):
        for rows in (before, after):
            rows[table] = [row for row in rows[table] if row[place] in untouched]
        assert before[table] == after[table], table


def test_a_rename_and_its_undo_keep_what_people_do_between_two_steps(many, monkeypatch):
    workspace, project, ids, run = many
    early, late = ids[0], ids[29]

    def save(id_, *spans):
        stands = annotations.current(workspace, id_)
        annotations.save(workspace, id_, stands.revision, spans, stands.rejected, user="bo")

    def check(id_, name, gone):
        """The document is under the name of now as soon as somebody saves it, and not under the other."""
        rest = [x for x in annotations.current(workspace, id_).document.spans if x.label not in (name, gone)]
        with pytest.raises(UnknownLabelError):
            save(id_, Span(0, 3, gone), *rest)
        save(id_, Span(0, 3, name), Span(5, 7, "TITLE"))
        event = annotations.history(workspace, id_)[-1]
        assert not {name, gone} & {span.label for span in event.added}
        return event

    before = dump(workspace)
    acts = [lambda: check(late, "PERSON", "PER"), lambda: check(early, "PERSON", "PER")]
    left = between(monkeypatch, acts)
    change = label_changes.rename(workspace, project, "PER", "PERSON", user="lin")
    assert not left
    assert queue.matching(workspace, project, Filter(label="PER")) == []
    assert queue.matching(workspace, project, Filter(label="PERSON")) == list(ids)
    check_folds(workspace, ids)
    said = [Span(0, 3, "PERSON", 0.5)]
    fresh = Document("fresh", "新来的", (Span(0, 1, "PERSON"),))
    acts = [
        lambda: check(ids[28], "PER", "PERSON"),
        lambda: check(ids[1], "PER", "PERSON"),
        lambda: predictions.put_one(workspace, run, ids[2], said),
    ]
    documents.add(workspace, project, [fresh])
    left = between(monkeypatch, acts)
    undone = label_changes.undo(workspace, project, change.id, user="lin")
    assert (left, undone.left) == ([], ())
    number = documents.find(workspace, project, "fresh")
    assert queue.matching(workspace, project, Filter(label="PER")) == [*ids, number]
    assert keys(workspace, late) == keys(workspace, ids[28]) == [(0, 3, "PER"), (5, 7, "TITLE")]
    assert [span.key for span in predictions.get(workspace, run, ids[2])] == [(0, 3, "PER")]
    check_folds(workspace, ids)
    after = dump(workspace)
    touched = {early, late, ids[28], ids[1], ids[2], number}
    for table, place in (("spans", 0), ("events", 0), ("predictions", 1)):
        for rows in (before, after):
            rows[table] = [row for row in rows[table] if row[place] not in touched]
        assert before[table] == after[table], table
    with workspace.reading() as db:  # nothing is kept that nobody needs
        assert not db.execute("SELECT 1 FROM label_change_documents").fetchone()


def test_a_document_imported_meanwhile_brings_its_label_back_as_a_new_one(many, monkeypatch):
    workspace, project, ids, _ = many
    fresh = Document("fresh", "新来的", (Span(0, 1, "PER"),))
    between(monkeypatch, [lambda: documents.add(workspace, project, [fresh])])
    label_changes.delete(workspace, project, "PER", user="lin")
    assert "PER" in labels.get(workspace, project).names
    number = documents.find(workspace, project, "fresh")
    assert queue.matching(workspace, project, Filter(label="PER")) == [number]
    assert keys(workspace, ids[3]) == [(7, 11, "ORG")]


def test_answers_of_a_run_that_come_in_meanwhile_are_read_as_labels_are_called_now(many, monkeypatch):
    workspace, project, ids, run = many
    said = [Span(0, 3, "PER", 0.5)]
    between(monkeypatch, [lambda: predictions.put_one(workspace, run, ids[1], said)])
    change = label_changes.merge(workspace, project, "PER", "LOC", user="lin")
    assert [span.key for span in predictions.get(workspace, run, ids[1])] == [(0, 3, "LOC")]
    between(monkeypatch, [lambda: predictions.put_one(workspace, run, ids[1], said)])
    label_changes.undo(workspace, project, change.id, user="lin")
    assert [span.key for span in predictions.get(workspace, run, ids[1])] == [(0, 3, "PER")]


def test_a_full_disk_in_the_middle_leaves_a_change_that_the_next_one_finishes(many, monkeypatch):
    workspace, project, ids, _ = many

    def full():
        raise StoreFull(workspace.file)

    between(monkeypatch, [full])
    with pytest.raises(StoreFull):
        label_changes.merge(workspace, project, "PER", "LOC", user="lin")
    with workspace.reading() as db:
        (unfinished,) = label_steps.under_way(db, project)
    assert len(queue.matching(workspace, project, Filter(label="PER"))) == 20
    label_changes.rename(workspace, project, "TITLE", "JOB", user="lin")
    assert queue.matching(workspace, project, Filter(label="PER")) == []
    with workspace.reading() as db:
        assert label_steps.under_way(db, project) == []
    undone = label_changes.undo(workspace, project, unfinished, user="lin")
    assert undone.left == ()
    assert queue.matching(workspace, project, Filter(label="PER")) == list(ids)


def test_a_snapshot_holds_no_half_of_a_change(many, monkeypatch, tmp_path):
    workspace, project, _, _ = many

    def full():
        raise StoreFull(workspace.file)

    between(monkeypatch, [full])
    with pytest.raises(StoreFull):
        label_changes.merge(workspace, project, "PER", "LOC", user="lin")
    snapshot.write(workspace, project, tmp_path / "run")
    taught = read_documents(tmp_path / "run" / "snapshot" / "train.jsonl")
    found = {span.label for one in taught for span in one.spans}
    assert found == {"LOC", "ORG"}


def test_a_change_made_by_an_earlier_version_can_still_be_undone(many):
    workspace, project, _, _ = many
    before = dump(workspace)
    change = label_changes.merge(workspace, project, "PER", "LOC", user="lin")
    with workspace.writing() as db:  # as it was stored: every document in one piece
        whole = json.loads(db.execute("SELECT change FROM label_changes").fetchone()[0])
        rows = db.execute("SELECT document_id, saved FROM label_change_documents").fetchall()
        whole["saved"]["documents"] = {str(row[0]): json.loads(row[1]) for row in rows}
        db.execute("DELETE FROM label_change_documents")
        db.execute("UPDATE label_changes SET change = ?", (json.dumps(whole),))
    assert label_changes.undo(workspace, project, change.id, user="lin").left == ()
    assert dump(workspace) == before


def killed(workspace, project, *what, wanted):
    """Start a change in another process and kill it after about so many documents."""

    def due():
        return wanted(len(queue.matching(workspace, project, Filter(label="PER"))))

    kill_when(due, CHANGE_LABELS, workspace.folder, project, *what)


@pytest.mark.parametrize(("kind", "new"), [("merge", "LOC"), ("rename", "PERSON")])
def test_killed_in_the_middle_it_is_finished_at_the_next_start_and_comes_back_whole(many, kind, new):
    workspace, project, ids, _ = many
    before = dump(workspace)
    killed(workspace, project, kind, new, wanted=lambda labelled: labelled <= 20)
    assert 0 < len(queue.matching(workspace, project, Filter(label="PER"))) < 30
    check_folds(workspace, ids)
    workspace.close()
    with Workspace.open(workspace.folder) as opened:
        assert label_steps.finish(opened) == 1
        assert queue.matching(opened, project, Filter(label="PER")) == []
        assert queue.matching(opened, project, Filter(label=new)) == list(ids)
        check_folds(opened, ids)
        (change,) = label_changes.history(opened, project)
        killed(opened, project, "undo", change.id, wanted=lambda labelled: labelled >= 10)
        assert 0 < len(queue.matching(opened, project, Filter(label="PER"))) < 30
        assert label_steps.finish(opened) == 1
        assert label_changes.history(opened, project)[0].undone is not None
        assert dump(opened) == before


@pytest.mark.parametrize(("kind", "new"), [("merge", "LOC"), ("rename", "PERSON")])
def test_eight_people_save_while_labels_are_changed_and_nothing_of_theirs_is_lost(tmp_path, kind, new):
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news").id
        made = [
            Document(str(at), f"{TEXT}{at}", (Span(0, 3, "PER"), Span(7, 11, "ORG"))) for at in range(400)
        ]
        ids = documents.add(workspace, project, made).ids
        labels.put(workspace, project, labels.get(workspace, project).extended(["LOC", "TITLE"]))
        done: dict[int, int] = {}

        def work(person: int) -> None:
            for id_ in ids[person * 50 : person * 50 + 50]:
                stands = annotations.current(workspace, id_)
                spans = [*stands.document.spans, Span(5, 7, "TITLE")]
                try:
                    annotations.save(workspace, id_, stands.revision, spans, user=f"p{person}")
                except UnknownLabelError:  # the page learns what the label is called now, and sends again
                    gone = label_names.successors(workspace, project, [span.label for span in spans])
                    spans = [Span(x.start, x.end, gone.get(x.label) or x.label) for x in spans]
                    annotations.save(workspace, id_, stands.revision, spans, user=f"p{person}")
                done[id_] = stands.revision + 1

        people = [threading.Thread(target=work, args=(person,)) for person in range(8)]
        for person in people:
            person.start()
        change = getattr(label_changes, kind)(workspace, project, "PER", new, user="lin")
        for person in people:
            person.join()
        assert sorted(done) == list(ids)
        for id_ in ids:
            assert keys(workspace, id_) == sorted([(0, 3, new), (5, 7, "TITLE"), (7, 11, "ORG")])
        check_folds(workspace, ids[:40])
        assert label_changes.undo(workspace, project, change.id, user="lin").left == ()
        for id_ in ids:
            assert keys(workspace, id_) == [(0, 3, "PER"), (5, 7, "TITLE"), (7, 11, "ORG")]
