"""Rename, merge and delete of labels: everything goes along, history folds, and undo is exact."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.store import NameTaken, NotFound, PayloadError, Workspace
from core.store.annotation import annotations, comments, copies
from core.store.annotation.events import at_revision
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.label import names as label_names
from core.store.label import scope as label_reach
from core.store.label.changes import ChangeBlocked
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.run import predictions, runs
from core.store.suggest import patterns
from core.text import Document, LabelSet, Span, UnknownLabelError
from tests.workspaces import new_workspace

TABLES = (
    "labels", "documents", "spans", "events", "predictions", "corrections", "copies", "copy_events",
    "decisions", "comments", "patterns", "lexicon_changes", "looked", "members", "assignments",
)  # fmt: skip
NAMES = ("PER", "ORG", "LOC")


def dump(workspace: Workspace) -> dict[str, list[tuple]]:
    """Every row of every table that a label could be in."""
    with workspace.reading() as db:
        return {
            table: sorted(
                (
                    tuple(sorted(row[name]) if name == "labels" else row[name] for name in row.keys())  # noqa: SIM118
                    for row in db.execute(f"SELECT * FROM {table}")
                ),
                key=repr,
            )
            for table in TABLES
        }


def check_folds(workspace: Workspace, ids) -> None:
    """Folding the events gives the spans as they stand; so does folding those of every copy."""
    for id_ in ids:
        stands = annotations.current(workspace, id_)
        events = annotations.history(workspace, id_)
        spans, rejected = at_revision(events, stands.revision)
        assert {span.key for span in spans} == {span.key for span in stands.document.spans}
        assert {span.key for span in rejected} == {span.key for span in stands.rejected}
        with workspace.reading() as db:
            rows = db.execute("SELECT user, spans FROM copies WHERE document_id = ?", (id_,)).fetchall()
            for user, column in rows:
                own = [*copies.beginning(db, id_), *copies._events(db, id_, user)]
                folded, _ = at_revision(own, 10**6)
                assert {span.key for span in folded} == {(a, b, c) for a, b, c, *_ in json.loads(column)}


def image(keys, old, new):
    mapped = {(a, b, new if label == old else label) for a, b, label in keys}
    return {key for key in mapped if key[2] is not None}


@pytest.fixture
def news(workspace, project):
    """Four documents with a bit of everything under PER and ORG."""
    text = "林知远先生出任青禾大学附属医院院长。"
    meta = {
        "discontinuous": [{"parts": [[0, 1], [2, 3]], "label": "PER"}, "odd"],
        "relations": [{"type": "at", "from": [0, 3, "PER"], "to": [7, 15, "ORG"]}],
    }
    ids = documents.add(
        workspace,
        project.id,
        [
            Document("imported", text, (Span(0, 3, "PER"), Span(0, 3, "ORG"), Span(7, 11, "PER")), meta),
            Document("edited", text),
            Document("bare", text),
            Document("trashed", text, (Span(0, 2, "PER"),)),
        ],
    ).ids
    run = runs.create(workspace, project.id, "flat").name
    said = [Span(0, 3, "PER", 0.4), Span(0, 3, "ORG", 0.6), Span(7, 15, "PER", 0.3)]
    for id_ in ids[:2]:
        predictions.put_one(workspace, run, id_, said)
    annotations.save(workspace, ids[1], 0, [Span(0, 3, "ORG")], [Span(7, 15, "PER")], user="lin", run=run)
    annotations.save(
        workspace, ids[1], 1, [Span(0, 3, "ORG"), Span(0, 3, "PER")], [Span(7, 15, "PER")], user="bo", run=run
    )
    annotations.save(workspace, ids[1], 2, [Span(0, 3, "ORG"), Span(7, 11, "PER")], user="bo", run=run)
    comments.add(workspace, ids[0], "谁？", user="bo", start=0, end=3, label="PER")
    patterns.add(workspace, project.id, "林.{1,2}", "PER", user="lin")
    lexicon_changes.add(workspace, project.id, {"林知远": "PER"}, user="lin")
    trash.trash_documents(workspace, project.id, [ids[3]])
    with workspace.writing() as db:
        db.execute(
            'INSERT INTO decisions (document_id, start, "end", label, verdict, user, at) '
            "VALUES (?, 0, 3, 'PER', 'accepted', 'rui', 1)",
            (ids[0],),
        )
        db.execute(
            "INSERT INTO copies VALUES (?, 'ann', 1, '[[7,11,\"PER\"]]', '[[0,3,\"PER\"]]', 'done', 5)",
            (ids[0],),
        )
        db.execute(
            "INSERT INTO copy_events VALUES (?, 'ann', 1, 5, 'edit', '[]', "
            "'[[0,3,\"ORG\"],[0,3,\"PER\"]]', '[[0,3,\"PER\"]]', 'done', NULL, NULL)",
            (ids[0],),
        )
    return workspace, project.id, ids, run


def keys(workspace, id_):
    return {span.key for span in annotations.current(workspace, id_).document.spans}


def test_a_merge_carries_everything_and_its_undo_restores_every_row(news):
    workspace, project, ids, run = news
    before = dump(workspace)
    check_folds(workspace, ids[:3])
    change = label_changes.merge(workspace, project, "PER", "ORG", user="lin")
    assert (change.kind, change.old, change.new, change.spans, change.documents) == (
        "merge",
        "PER",
        "ORG",
        5,
        3,
    )
    assert labels.get(workspace, project).names == ("ORG", "LOC", "TITLE")
    assert keys(workspace, ids[0]) == {(0, 3, "ORG"), (7, 11, "ORG")}
    check_folds(workspace, ids[:3])
    assert [span.key for span in predictions.get(workspace, run, ids[0])] == [(0, 3, "ORG"), (7, 15, "ORG")]
    assert "PER" not in json.dumps([dump(workspace)[table] for table in TABLES], ensure_ascii=False)
    assert patterns.all_patterns(workspace, project)[0].label == "ORG"
    assert documents.get(workspace, ids[0]).meta["relations"][0]["from"] == [0, 3, "ORG"]
    undone = label_changes.undo(workspace, project, change.id, user="bo")
    assert undone.left == ()
    assert undone.change.undone is not None
    assert dump(workspace) == before


def test_a_deleted_label_takes_its_spans_along_and_its_undo_restores_every_row(news):
    workspace, project, ids, run = news
    before = dump(workspace)
    change = label_changes.delete(workspace, project, "PER", user="lin")
    assert keys(workspace, ids[0]) == {(0, 3, "ORG")}
    assert [span.key for span in predictions.get(workspace, run, ids[0])] == [(0, 3, "ORG")]
    assert patterns.all_patterns(workspace, project) == []
    assert comments.of_document(workspace, ids[0])[0].label is None
    assert documents.get(workspace, ids[0]).meta["discontinuous"] == ["odd"]
    check_folds(workspace, ids[:3])
    label_changes.undo(workspace, project, change.id, user="lin")
    assert dump(workspace) == before


def test_a_rename_is_remembered_and_undone(news):
    workspace, project, ids, _ = news
    before = dump(workspace)
    change = label_changes.rename(workspace, project, "PER", '人"物', user="lin")
    assert (7, 11, '人"物') in keys(workspace, ids[0])
    assert documents.get(workspace, ids[0]).meta["discontinuous"][0]["label"] == '人"物'
    assert lexicon_changes.current(workspace, project).added == {"林知远": '人"物'}
    check_folds(workspace, ids[:3])
    label_changes.undo(workspace, project, change.id, user="lin")
    assert dump(workspace) == before
    assert label_changes.rename(workspace, project, "PER", "PER", user="lin") is None


def test_what_was_done_since_stays_and_a_document_that_conflicts_is_left_and_named(news):
    workspace, project, ids, _ = news
    change = label_changes.merge(workspace, project, "PER", "ORG", user="lin")
    # On the first document somebody takes away a span that was renamed; on the second they add one.
    annotations.save(workspace, ids[0], 1, [Span(0, 3, "ORG")], user="bo")
    stands = annotations.current(workspace, ids[1])
    annotations.save(workspace, ids[1], 3, [*stands.document.spans, Span(4, 6, "LOC")], user="bo")
    undone = label_changes.undo(workspace, project, change.id, user="lin")
    assert undone.left == ("imported",)
    assert keys(workspace, ids[0]) == {(0, 3, "ORG")}
    assert keys(workspace, ids[1]) == {(0, 3, "ORG"), (7, 11, "PER"), (4, 6, "LOC")}
    check_folds(workspace, ids[:2])


def test_rejections_made_since_survive_an_undo(news):
    workspace, project, ids, _ = news
    change = label_changes.merge(workspace, project, "PER", "ORG", user="lin")
    annotations.save(workspace, ids[2], 0, [], [Span(0, 3, "ORG")], user="bo")
    label_changes.undo(workspace, project, change.id, user="lin")
    assert annotations.current(workspace, ids[2]).rejected == (Span(0, 3, "ORG"),)
    check_folds(workspace, ids[:3])


def test_labels_that_changed_names_with_each_other_are_read_at_once(news):
    workspace, project, ids, run = news
    for old, new in (("PER", "TMP"), ("ORG", "PER"), ("TMP", "ORG")):
        label_changes.rename(workspace, project, old, new, user="lin")
    predictions.put_one(workspace, run, ids[2], [Span(0, 3, "PER", 0.2), Span(0, 3, "ORG", 0.9)])
    assert predictions.get(workspace, run, ids[2]) == (Span(0, 3, "ORG", 0.2), Span(0, 3, "PER", 0.9))


def test_changes_of_one_label_are_undone_in_reverse_order(news):
    workspace, project, _, _ = news
    before = dump(workspace)
    first = label_changes.rename(workspace, project, "PER", "PERSON", user="lin")
    other = label_changes.rename(workspace, project, "TITLE", "JOB", user="lin")
    second = label_changes.merge(workspace, project, "PERSON", "ORG", user="lin")
    assert [(one.id, one.blocked_by) for one in label_changes.history(workspace, project)] == [
        (second.id, None), (other.id, None), (first.id, second.id),
    ]  # fmt: skip
    with pytest.raises(ChangeBlocked, match="undo that change first"):
        label_changes.undo(workspace, project, first.id, user="lin")
    label_changes.undo(workspace, project, second.id, user="lin")
    with pytest.raises(ChangeBlocked, match="undone already"):
        label_changes.undo(workspace, project, second.id, user="lin")
    label_changes.undo(workspace, project, first.id, user="lin")
    label_changes.undo(workspace, project, other.id, user="lin")
    assert dump(workspace) == before


def test_a_new_label_of_the_old_name_stands_in_the_way_and_is_named(news):
    workspace, project, _, _ = news
    change = label_changes.delete(workspace, project, "PER", user="lin")
    labels.put(workspace, project, labels.get(workspace, project).extended(["PER"]))
    with pytest.raises(NameTaken, match="new label 'PER'"):
        label_changes.undo(workspace, project, change.id, user="lin")


def test_what_does_not_exist_is_refused_by_name(news):
    workspace, project, _, _ = news
    before = dump(workspace)
    with pytest.raises(UnknownLabelError):
        label_changes.merge(workspace, project, "PER", "KING", user="lin")
    with pytest.raises(UnknownLabelError):
        label_changes.delete(workspace, project, "KING", user="lin")
    with pytest.raises(NameTaken, match="ORG"):
        label_changes.rename(workspace, project, "PER", "ORG", user="lin")
    with pytest.raises(ValueError, match="label name"):
        label_changes.rename(workspace, project, "PER", " PER\n", user="lin")
    with pytest.raises(PayloadError, match="into itself"):
        label_changes.merge(workspace, project, "PER", "PER", user="lin")
    with pytest.raises(NotFound):
        label_changes.undo(workspace, project, 99, user="lin")
    with pytest.raises(PayloadError):
        label_changes.delete(workspace, project, "PER", user="")
    assert dump(workspace) == before


def test_the_preview_counts_what_would_go_along(news):
    workspace, project, _, _ = news
    found = label_reach.reach(workspace, project, "PER", into="ORG")
    assert (found.spans, found.documents, found.copies, found.predictions) == (4, 3, 1, 2)
    assert (found.patterns, found.comments, found.coinciding) == (1, 1, 1)


def test_a_runs_labels_are_read_as_they_are_called_now(news):
    workspace, project, ids, run = news
    label_changes.rename(workspace, project, "PER", "PERSON", user="lin")
    label_changes.merge(workspace, project, "PERSON", "ORG", user="lin")
    label_changes.delete(workspace, project, "LOC", user="lin")
    with workspace.reading() as db:
        assert label_names.present_names(db, project, 0) == {"PER": "ORG", "PERSON": "ORG", "LOC": None}
    predictions.put_one(
        workspace, run, ids[2], [Span(0, 3, "PER", 0.2), Span(0, 3, "ORG", 0.9), Span(4, 6, "LOC", 0.1)]
    )
    assert predictions.get(workspace, run, ids[2]) == (Span(0, 3, "ORG", 0.9),)


def test_a_name_that_was_used_before_keeps_what_it_said_when_a_rename_to_it_is_undone(news):
    workspace, project, ids, run = news
    texts = [Document(name, "林知远先生") for name in ("was", "mixed")]
    was, mixed = documents.add(workspace, project, texts).ids
    for id_ in (was, mixed):
        annotations.save(workspace, id_, 0, [Span(0, 3, "LOC")], user="lin")
        annotations.save(workspace, id_, 1, [], user="lin")
        predictions.put_one(workspace, run, id_, [Span(0, 3, "LOC", 0.5)])
    # The same place under both names, one after the other: as one label it came once and never went.
    annotations.save(workspace, mixed, 2, [Span(0, 3, "PER")], user="lin")
    labels.put(workspace, project, LabelSet(x for x in labels.get(workspace, project) if x.name != "LOC"))
    before = dump(workspace)
    change = label_changes.rename(workspace, project, "PER", "LOC", user="lin")
    check_folds(workspace, [*ids[:3], was, mixed])
    assert keys(workspace, mixed) == {(0, 3, "LOC")}
    label_changes.undo(workspace, project, change.id, user="lin")
    assert dump(workspace) == before
    change = label_changes.rename(workspace, project, "PER", "LOC", user="lin")
    annotations.save(workspace, was, 2, [Span(3, 5, "LOC")], user="bo")  # the label of now, not of then
    annotations.save(workspace, mixed, 3, [], user="bo")
    assert label_changes.undo(workspace, project, change.id, user="lin").left == ()
    check_folds(workspace, [was, mixed])
    assert keys(workspace, was) == {(3, 5, "PER")}
    assert keys(workspace, mixed) == set()


def test_what_a_run_says_by_a_name_that_was_taken_back_is_read_by_the_old_one(news):
    workspace, project, ids, _ = news
    change = label_changes.rename(workspace, project, "PER", "PERSON", user="lin")
    run = runs.create(workspace, project, "flat").name
    with workspace.writing() as db:  # the run began between the two, whatever the clock says
        db.execute("UPDATE runs SET created = created + 1 WHERE name = ?", (run,))
        db.execute("UPDATE label_changes SET at = at - 5")
    label_changes.undo(workspace, project, change.id, user="lin")
    with workspace.writing() as db:
        db.execute("UPDATE label_changes SET undone = undone + 5")
    predictions.put_one(workspace, run, ids[2], [Span(0, 3, "PERSON", 0.2)])
    assert predictions.get(workspace, run, ids[2]) == (Span(0, 3, "PER", 0.2),)
    assert label_names.successors(workspace, project, ["PERSON", "X"]) == {"PERSON": "PER", "X": None}


spans = st.builds(
    lambda a, n, label: Span(a, a + n, label), st.integers(0, 3), st.integers(1, 2), st.sampled_from(NAMES)
)
edits = st.lists(st.tuples(st.sets(spans, max_size=4), st.sets(spans, max_size=2)), max_size=4)


@settings(max_examples=60)
@given(st.sets(spans, max_size=4), edits, edits, st.sampled_from(["merge", "delete", "rename"]))
def test_history_folds_before_and_after_a_change_and_its_undo(imported, early, late, kind):
    with tempfile.TemporaryDirectory() as folder, Workspace.open(new_workspace(Path(folder))) as workspace:
        project = projects.create(workspace, "p").id
        labels.put(workspace, project, LabelSet.from_names(NAMES))
        id_ = documents.add(workspace, project, [Document("a", "天地玄黄宇宙", tuple(imported))]).ids[0]
        apply(workspace, id_, early)
        history = annotations.history(workspace, id_)
        states = [at_revision(history, at)[0] for at in range(len(history) + 1)]
        before = dump(workspace)
        new = {"merge": "ORG", "delete": None, "rename": "NEW"}[kind]
        arguments = () if new is None else (new,)
        change = getattr(label_changes, kind)(workspace, project, "PER", *arguments, user="u")
        check_folds(workspace, [id_])
        history = annotations.history(workspace, id_)
        for at, state in enumerate(states):
            folded, _ = at_revision(history, at)
            assert {span.key for span in folded} == image({span.key for span in state}, "PER", new)
        known = set(labels.get(workspace, project).names)
        allowed = [
            ({span for span in kept if span.label in known}, {span for span in no if span.label in known})
            for kept, no in late
        ]
        made = apply(workspace, id_, allowed)
        undone = label_changes.undo(workspace, project, change.id, user="u")
        check_folds(workspace, [id_])
        if not made:
            assert dump(workspace) == before
        if kind != "merge":
            assert undone.left == ()


def apply(workspace, id_, changes) -> int:
    made = 0
    for kept, refused in changes:
        at = annotations.current(workspace, id_).revision
        made += annotations.save(workspace, id_, at, kept, refused - kept, user="u").revision - at
    return made
