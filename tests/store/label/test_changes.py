"""Rename, merge and delete of labels: everything is read by the name of now, history folds, undo is exact."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import Filter, NameTaken, NotFound, PayloadError, Workspace
from core.store.annotation import annotations, comments
from core.store.annotation.events import at_revision
from core.store.document import documents, trash
from core.store.document.documents import document_row
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.label.changes import ChangeBlocked
from core.store.label.ids import label_ids, successors
from core.store.lexicon import changes as lexicon_changes
from core.store.project import assignments, journal, members, projects
from core.store.project.journal import AlreadyUndone
from core.store.queue import queue
from core.store.review import decisions
from core.store.run import ledger, predictions, runs
from core.store.suggest import patterns
from core.text import Document, LabelSet, Span, UnknownLabelError
from tests.store.by_hand import add_words, comments_of, save_own
from tests.store.killing import kill_when
from tests.workspaces import new_workspace

TABLES = (
    "documents", "spans", "events", "predictions", "corrections", "versions", "decisions", "comments",
    "patterns", "lexicon_words", "annotated_regions", "members", "assignments", "labels",
)  # fmt: skip
NAMES = ("PER", "ORG", "LOC")


def dump(workspace: Workspace) -> dict[str, list[tuple]]:
    """Every row of every table that a label could be in."""
    with workspace.reading() as db:
        return {
            table: sorted((tuple(row) for row in db.execute(f"SELECT * FROM {table}")), key=repr)
            for table in TABLES
        }


def check_folds(workspace: Workspace, ids) -> None:
    """Folding the events gives the spans as they stand; so does folding those of every version."""
    for id_ in ids:
        with workspace.reading() as db:
            row = document_row(db, id_)
            people = [
                one[0] for one in db.execute("SELECT annotator FROM versions WHERE document_id = ?", (id_,))
            ]
            names = label_ids(db, row["project_id"]).names
            found = {"": annotations.current(workspace, id_).document.spans}
            found |= {one: annotations.version_spans(db, id_, one, names) for one in people}
            for annotator, spans in found.items():
                folded, _ = at_revision(annotations.since_import(db, row, annotator), 10**6)
                assert {span.key for span in folded} == {span.key for span in spans}, annotator


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
    add_words(workspace, project.id, {"林知远": "PER"}, user="lin")
    trash.trash_documents(workspace, project.id, [ids[3]])
    decisions.decide(workspace, ids[0], [Span(0, 3, "PER")], by="rui")
    for user in ("mia", "ann"):
        members.put(workspace, project.id, user, "manager", by="mia")
    assignments.set_plan(workspace, project.id, "separate", 2, by="mia")
    assignments.hand_out(workspace, project.id, ["mia", "ann"], by="mia")
    save_own(workspace, ids[0], 0, [Span(7, 11, "PER")], [Span(0, 3, "PER")], user="ann", status="done")
    return workspace, project.id, ids, run


def keys(workspace, id_):
    return {span.key for span in annotations.current(workspace, id_).document.spans}


def test_a_merge_is_read_everywhere_and_its_undo_leaves_no_trace(news):
    workspace, project, ids, run = news
    before = dump(workspace)
    check_folds(workspace, ids[:3])
    change = label_changes.merge(workspace, project, "PER", "ORG", user="mia")
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
    assert labels.span_counts(workspace, project) == {"ORG": 4, "LOC": 0, "TITLE": 0}
    assert queue.page(workspace, project).rows[0].spans == 2, "two spans on one place are one"
    assert queue.matching(workspace, project, Filter(label="ORG")) == list(ids[:2])
    assert queue.matching(workspace, project, Filter(label="PER")) == []
    assert [span.key for span in predictions.get(workspace, run, ids[0])] == [(0, 3, "ORG"), (7, 15, "ORG")]
    assert predictions.get(workspace, run, ids[0])[0].score == 0.6, "of two alike the surer stays"
    assert patterns.all_patterns(workspace, project)[0].label == "ORG"
    assert documents.get(workspace, ids[0]).meta["relations"][0]["from"] == [0, 3, "ORG"]
    assert [one.span for one in decisions.current(workspace, ids[0], by="mia")] == [Span(0, 3, "ORG")]
    assert comments_of(workspace, ids[0], "mia")[0].label == "ORG"
    own = annotations.current(workspace, ids[0], "ann")
    assert (own.document.spans, own.rejected) == ((Span(7, 11, "ORG"),), (Span(0, 3, "ORG"),))
    claims = [row.correction.claim for row in ledger.page(workspace, project).rows]
    assert claims
    assert "PER" not in {span.label for one in claims for span in (one.before, one.after) if span}
    undone = journal.undo(workspace, project, change.id, user="mia")
    assert undone.undone is not None
    assert dump(workspace) == before


def test_a_deleted_label_is_not_read_and_its_undo_leaves_no_trace(news):
    workspace, project, ids, run = news
    before = dump(workspace)
    change = label_changes.delete(workspace, project, "PER", user="mia")
    assert labels.get(workspace, project).names == ("ORG", "LOC", "TITLE")
    assert keys(workspace, ids[0]) == {(0, 3, "ORG")}
    assert queue.page(workspace, project).rows[0].spans == 1
    assert [span.key for span in predictions.get(workspace, run, ids[0])] == [(0, 3, "ORG")]
    assert patterns.all_patterns(workspace, project) == []
    assert decisions.current(workspace, ids[0], by="mia") == ()
    assert comments_of(workspace, ids[0], "mia")[0].label is None
    meta = documents.get(workspace, ids[0]).meta
    assert (meta["discontinuous"], meta["relations"]) == (["odd"], [])
    assert annotations.current(workspace, ids[0], "ann").document.spans == ()
    check_folds(workspace, ids[:3])
    journal.undo(workspace, project, change.id, user="mia")
    assert dump(workspace) == before


def test_a_rename_is_remembered_and_undone_and_history_knows_the_name_of_the_time(news):
    workspace, project, ids, _ = news
    before = dump(workspace)
    change = label_changes.rename(workspace, project, "PER", '人"物', user="mia")
    assert (7, 11, '人"物') in keys(workspace, ids[0])
    assert documents.get(workspace, ids[0]).meta["discontinuous"][0]["label"] == '人"物'
    assert lexicon_changes.current(workspace, project).added == {"林知远": '人"物'}
    event = annotations.history(workspace, ids[1])[1]
    assert [span.label for span in event.added] == ['人"物']
    assert event.called == {'人"物': "PER"}
    check_folds(workspace, ids[:3])
    journal.undo(workspace, project, change.id, user="mia")
    assert dump(workspace) == before
    assert annotations.history(workspace, ids[1])[1].called == {}
    assert label_changes.rename(workspace, project, "PER", "PER", user="mia") is None


def test_a_change_rewrites_no_document_however_many_there_are(news):
    workspace, project, _, _ = news
    before = dump(workspace)
    for act in (
        lambda: label_changes.rename(workspace, project, "PER", "X", user="mia"),
        lambda: label_changes.merge(workspace, project, "X", "ORG", user="mia"),
        lambda: label_changes.delete(workspace, project, "ORG", user="mia"),
    ):
        act()
        after = dump(workspace)
        for table in TABLES:
            assert table == "labels" or after[table] == before[table], table


def test_what_was_done_since_a_merge_stays_when_it_is_undone(news):
    workspace, project, ids, _ = news
    change = label_changes.merge(workspace, project, "PER", "ORG", user="mia")
    # On the first document somebody takes away a span that was renamed; on the second they add one.
    annotations.save(workspace, ids[0], 1, [Span(0, 3, "ORG")], user="bo")
    stands = annotations.current(workspace, ids[1])
    annotations.save(workspace, ids[1], 3, [*stands.document.spans, Span(4, 6, "LOC")], user="bo")
    annotations.save(workspace, ids[2], 0, [], [Span(0, 3, "ORG")], user="bo")
    check_folds(workspace, ids[:3])
    journal.undo(workspace, project, change.id, user="mia")
    assert keys(workspace, ids[0]) == {(0, 3, "ORG"), (0, 3, "PER")}
    assert keys(workspace, ids[1]) == {(0, 3, "ORG"), (7, 11, "PER"), (4, 6, "LOC")}
    assert annotations.current(workspace, ids[2]).rejected == (Span(0, 3, "ORG"),)
    check_folds(workspace, ids[:3])


def test_a_page_that_is_open_learns_what_became_of_its_labels(news):
    workspace, project, ids, _ = news
    label_changes.rename(workspace, project, "PER", "PERSON", user="mia")
    label_changes.delete(workspace, project, "LOC", user="mia")
    with pytest.raises(UnknownLabelError):
        annotations.save(workspace, ids[2], 0, [Span(0, 3, "PER")], user="bo")
    assert successors(workspace, project, ["PER", "LOC", "ORG", "X"]) == {
        "PER": "PERSON",
        "LOC": None,
        "X": None,
    }


def test_saves_while_a_label_is_deleted_bring_back_what_they_did_not_see(news):
    workspace, project, ids, _ = news
    change = label_changes.delete(workspace, project, "PER", user="mia")
    annotations.save(workspace, ids[1], 3, [Span(0, 3, "ORG"), Span(4, 6, "LOC")], [], user="bo")
    check_folds(workspace, ids[:3])
    journal.undo(workspace, project, change.id, user="mia")
    assert keys(workspace, ids[1]) == {(0, 3, "ORG"), (7, 11, "PER"), (4, 6, "LOC")}
    check_folds(workspace, ids[:3])


def test_labels_that_changed_names_with_each_other_are_read_at_once(news):
    workspace, project, ids, run = news
    for old, new in (("PER", "TMP"), ("ORG", "PER"), ("TMP", "ORG")):
        label_changes.rename(workspace, project, old, new, user="mia")
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
        journal.undo(workspace, project, first.id, user="lin")
    journal.undo(workspace, project, second.id, user="lin")
    with pytest.raises(AlreadyUndone):
        journal.undo(workspace, project, second.id, user="lin")
    journal.undo(workspace, project, first.id, user="lin")
    journal.undo(workspace, project, other.id, user="lin")
    assert dump(workspace) == before


def test_a_new_label_of_the_old_name_stands_in_the_way_and_is_named(news):
    workspace, project, _, _ = news
    change = label_changes.delete(workspace, project, "PER", user="lin")
    labels.put(workspace, project, labels.get(workspace, project).extended(["PER"]))
    with pytest.raises(NameTaken, match="new label 'PER'"):
        journal.undo(workspace, project, change.id, user="lin")


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
        journal.undo(workspace, project, 99, user="lin")
    with pytest.raises(PayloadError):
        label_changes.delete(workspace, project, "PER", user="")
    assert dump(workspace) == before


def test_the_preview_counts_what_would_go_along(news):
    workspace, project, _, _ = news
    found = label_changes.scope(workspace, project, "PER", into="ORG")
    assert (found.spans, found.documents, found.versions, found.predictions) == (4, 3, 1, 2)
    assert (found.patterns, found.comments, found.coinciding) == (1, 1, 1)


def test_a_runs_labels_are_read_as_they_are_called_now(news):
    workspace, project, ids, run = news
    label_changes.rename(workspace, project, "PER", "PERSON", user="lin")
    label_changes.merge(workspace, project, "PERSON", "ORG", user="lin")
    label_changes.delete(workspace, project, "LOC", user="lin")
    gone = {"PER": "ORG", "PERSON": "ORG", "LOC": None}
    assert successors(workspace, project, ["PER", "PERSON", "ORG", "LOC"]) == gone
    predictions.put_one(
        workspace, run, ids[2], [Span(0, 3, "PER", 0.2), Span(0, 3, "ORG", 0.9), Span(4, 6, "LOC", 0.1)]
    )
    assert predictions.get(workspace, run, ids[2]) == (Span(0, 3, "ORG", 0.9),)


def test_a_name_that_was_used_before_is_told_apart_when_a_rename_to_it_is_undone(news):
    workspace, project, _, _ = news
    texts = [Document(name, "林知远先生") for name in ("was", "mixed")]
    was, mixed = documents.add(workspace, project, texts).ids
    for id_ in (was, mixed):
        annotations.save(workspace, id_, 0, [Span(0, 3, "LOC")], user="mia")
        annotations.save(workspace, id_, 1, [], user="mia")
    # The same place under both names, one after the other.
    annotations.save(workspace, mixed, 2, [Span(0, 3, "PER")], user="mia")
    labels.put(workspace, project, LabelSet(x for x in labels.get(workspace, project) if x.name != "LOC"))
    before = dump(workspace)
    change = label_changes.rename(workspace, project, "PER", "LOC", user="mia")
    check_folds(workspace, [was, mixed])
    assert keys(workspace, mixed) == {(0, 3, "LOC")}
    journal.undo(workspace, project, change.id, user="mia")
    assert dump(workspace) == before
    change = label_changes.rename(workspace, project, "PER", "LOC", user="mia")
    annotations.save(workspace, was, 2, [Span(3, 5, "LOC")], user="bo")  # the label of now, not of then
    annotations.save(workspace, mixed, 3, [], user="bo")
    journal.undo(workspace, project, change.id, user="mia")
    check_folds(workspace, [was, mixed])
    assert keys(workspace, was) == {(3, 5, "PER")}
    assert keys(workspace, mixed) == set()


def test_a_label_that_comes_onto_the_list_again_is_the_one_it_was(news):
    workspace, project, ids, _ = news
    annotations.save(workspace, ids[2], 0, [Span(0, 3, "LOC")], user="mia")
    annotations.save(workspace, ids[2], 1, [], user="mia")
    known = labels.get(workspace, project)
    labels.put(workspace, project, LabelSet(x for x in known if x.name != "LOC"))
    assert [span.label for span in annotations.history(workspace, ids[2])[0].added] == ["LOC"]
    labels.put(workspace, project, known)
    label_changes.rename(workspace, project, "LOC", "PLACE", user="mia")
    assert [span.label for span in annotations.history(workspace, ids[2])[0].added] == ["PLACE"]


def test_what_a_run_says_by_a_name_that_was_taken_back_is_read_by_the_old_one(news):
    workspace, project, ids, _ = news
    change = label_changes.rename(workspace, project, "PER", "PERSON", user="mia")
    run = runs.create(workspace, project, "flat").name
    journal.undo(workspace, project, change.id, user="mia")
    predictions.put_one(workspace, run, ids[2], [Span(0, 3, "PERSON", 0.2), Span(4, 6, "NEVER", 0.1)])
    assert predictions.get(workspace, run, ids[2]) == (Span(0, 3, "PER", 0.2), Span(4, 6, "NEVER", 0.1))
    assert "NEVER" not in labels.get(workspace, project)


def test_killed_before_the_end_a_change_has_not_happened(news):
    workspace, project, ids, _ = news
    before = dump(workspace)
    kill_when(lambda: True, _HALF_A_MERGE, workspace.folder, project)
    assert dump(workspace) == before
    annotations.save(workspace, ids[2], 0, [Span(0, 3, "PER")], user="bo")
    label_changes.merge(workspace, project, "PER", "ORG", user="mia")
    assert keys(workspace, ids[2]) == {(0, 3, "ORG")}


# Stops inside the transaction of a merge, when all but the end of it is written.
_HALF_A_MERGE = """
import sys, time
from core.store import Workspace
from core.store.label import changes
from core.store.project import journal
def stop(*arguments):
    print("ready", flush=True)
    time.sleep(60)
journal.record = stop
with Workspace.open(sys.argv[1]) as workspace:
    changes.merge(workspace, int(sys.argv[2]), "PER", "ORG", user="mia")
"""


spans = st.builds(
    lambda a, n, label: Span(a, a + n, label), st.integers(0, 3), st.integers(1, 2), st.sampled_from(NAMES)
)
edits = st.lists(st.tuples(st.sets(spans, max_size=4), st.sets(spans, max_size=2)), max_size=4)


@given(st.sets(spans, max_size=4), edits, edits, st.sampled_from(["merge", "delete", "rename"]))
def test_history_folds_before_and_after_a_change_and_its_undo(imported, early, late, kind):
    with tempfile.TemporaryDirectory() as folder, Workspace.open(new_workspace(Path(folder))) as workspace:
        project = projects.create(workspace, "p").id
        labels.put(workspace, project, LabelSet().extended(NAMES))
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
        journal.undo(workspace, project, change.id, user="u")
        check_folds(workspace, [id_])
        if not made:
            assert dump(workspace) == before


def apply(workspace, id_, changes) -> int:
    made = 0
    for kept, refused in changes:
        at = annotations.current(workspace, id_).revision
        made += annotations.save(workspace, id_, at, kept, refused - kept, user="u").revision - at
    return made
