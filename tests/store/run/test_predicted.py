"""What a run said beside what people said."""

from dataclasses import replace

import pytest

from core.store.annotation import annotations, comments
from core.store.db.backup import backup, restore
from core.store.db.errors import PayloadError
from core.store.document import documents, splits, trash
from core.store.label import changes, labels
from core.store.project import projects
from core.store.run import predicted, predictions, runs
from core.text import Document, LabelSet, Span
from tests.store.by_hand import mark, number_of

GOLD, SAID = Span(0, 2, "LOC"), Span(2, 4, "ORG", 0.75)


@pytest.fixture
def project(workspace):
    """Three documents, two of them labelled (dev and train), one of those answered by ``flat-0001``."""
    made = projects.create(workspace, "news").id
    labels.put(workspace, made, LabelSet().extended(["LOC", "ORG"]))
    found = [
        Document(name, f"岭南钢厂{name}", meta={"split": part})
        for name, part in zip("abc", ("dev", "train", "dev"), strict=True)
    ]
    documents.add(workspace, made, found)
    for name in "ab":
        annotations.save(workspace, number_of(workspace, made, name), 0, [GOLD], user="me")
    run = runs.create(workspace, made, "flat").name
    predictions.put_one(workspace, run, number_of(workspace, made, "a"), [SAID])
    return made


def test_every_labelled_document_stands_beside_what_the_run_said(workspace, project):
    annotations.set_status(workspace, number_of(workspace, project, "a"), "done", user="me")
    first, second = predicted.predicted_documents(workspace, project, "flat-0001")
    assert (first.document.id, first.split, first.document.spans) == ("a", "dev", (GOLD,))
    assert first.predicted == (SAID,)
    assert (second.document.id, second.split, second.predicted) == ("b", "train", None)


def test_splits_can_be_chosen_and_unknown_ones_are_refused(workspace, project):
    assert [
        one.document.id for one in predicted.predicted_documents(workspace, project, "flat-0001", ["dev"])
    ] == ["a"]
    assert list(predicted.predicted_documents(workspace, project, "flat-0001", [])) == []
    with pytest.raises(PayloadError, match="split must be one of"):
        predicted.predicted_documents(workspace, project, "flat-0001", ["nowhere"])


def test_the_stamp_changes_with_every_side(workspace, project):
    seen = {predicted.stamp(workspace, project, "flat-0001")}
    assert predicted.stamp(workspace, project, "flat-0001") in seen
    number = number_of(workspace, project, "a")
    predictions.put_one(workspace, "flat-0001", number, [Span(2, 4, "ORG", 0.76)])
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    annotations.save(workspace, number, 1, [], user="me")
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    documents_left = number_of(workspace, project, "b")
    annotations.set_status(workspace, documents_left, "done", user="me")
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    splits.set_split(workspace, project, [documents_left], "train")
    splits.set_split(workspace, project, [documents_left], "dev")
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    mark(workspace, number, 0, 4, user="me")
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    predictions.drop(workspace, "flat-0001", [number])
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    changes.rename(workspace, project, "ORG", "COMPANY", user="me")
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    documents.add(workspace, project, [Document("new", "岭南钢厂", [GOLD])])
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    copy = backup(workspace, workspace.folder / "copy.sqlite")
    restore(workspace, copy)
    seen.add(predicted.stamp(workspace, project, "flat-0001"))
    assert len(seen) == 10
    comments.add(workspace, number, "seen", user="me")
    assert predicted.stamp(workspace, project, "flat-0001") in seen, "a comment is no change of these"


def test_of_an_unfinished_document_only_what_was_decided_is_judged(workspace, project):
    text = "岭南钢厂停产。周敏说。林先生也说。"
    number = documents.add(workspace, project, [Document("long", text)]).ids[0]
    said = [Span(0, 4, "ORG", 0.9), Span(4, 6, "ORG", 0.6), Span(7, 9, "LOC", 0.8), Span(11, 12, "LOC", 0.7)]
    predictions.put_one(workspace, "flat-0001", number, said)
    annotations.save(workspace, number, 0, [Span(0, 4, "ORG")], user="me", action="label")

    def found():
        return {
            one.document_id: one for one in predicted.predicted_documents(workspace, project, "flat-0001")
        }[number]

    assert found().predicted == (said[0],), "the other span of the sentence is not decided"
    assert found().document.meta["annotated_regions"] == []
    annotations.save(
        workspace, number, 1, [Span(0, 4, "ORG")], [Span(4, 6, "ORG")], user="me", action="reject"
    )
    assert found().predicted == tuple(said[:2]), "a rejected one is"
    seen = predicted.stamp(workspace, project, "flat-0001")
    mark(workspace, number, 7, 11, user="me")
    assert predicted.stamp(workspace, project, "flat-0001") != seen
    assert found().predicted == tuple(said[:3])
    annotations.set_status(workspace, number, "done", user="me")
    assert found().predicted == tuple(said)
    assert "annotated_regions" not in found().document.meta


def test_a_decision_that_was_undone_judges_nothing(workspace, project):
    number = number_of(workspace, project, "c")
    predictions.put_one(workspace, "flat-0001", number, [GOLD, SAID])
    annotations.save(workspace, number, 0, [GOLD], user="me", action="accept")
    annotations.save(workspace, number, 1, [], user="me", action="undo")
    assert number not in [
        one.document_id for one in predicted.predicted_documents(workspace, project, "flat-0001")
    ]
    (one,) = predicted.compared_documents(workspace, project, ["flat-0001"], ids=[number])
    assert one.gold is None


def test_a_mark_alone_says_that_nothing_is_there(workspace, project):
    number = number_of(workspace, project, "c")
    predictions.put_one(workspace, "flat-0001", number, [SAID])
    assert "c" not in [
        one.document.id for one in predicted.predicted_documents(workspace, project, "flat-0001")
    ]
    mark(workspace, number, 0, 4, user="me")
    (one,) = [
        one
        for one in predicted.predicted_documents(workspace, project, "flat-0001")
        if one.document.id == "c"
    ]
    assert (one.document.spans, one.predicted) == ((), (SAID,))
    (both,) = predicted.compared_documents(workspace, project, ["flat-0001"], ids=[number])
    assert (both.labelled, both.gold) == (True, ())


@pytest.fixture
def second(workspace, project):
    """A run that has answered all three documents: the first as ``flat-0001`` did, but surer."""
    run = runs.create(workspace, project, "flat").name
    for name, said in zip("abc", ([Span(2, 4, "ORG", 0.99)], [GOLD], [SAID]), strict=True):
        predictions.put_one(workspace, run, number_of(workspace, project, name), said)
    return run


def names(found):
    return [one.document.id for one in found]


def test_only_documents_that_all_runs_answered_are_given_with_what_each_said(workspace, project, second):
    (only,) = predicted.compared_documents(workspace, project, [second, "flat-0001"])
    assert (only.document.id, only.split, only.labelled, only.gold) == ("a", "dev", True, (GOLD,))
    assert only.predicted == ((Span(2, 4, "ORG", 0.99),), (SAID,))
    assert names(predicted.compared_documents(workspace, project, [second])) == ["a", "b", "c"]


def test_a_document_nobody_labelled_has_no_gold_and_one_marked_done_as_empty_has(workspace, project, second):
    number = number_of(workspace, project, "c")
    (before,) = predicted.compared_documents(workspace, project, [second], ids=[number])
    annotations.set_status(workspace, number, "done", user="me")
    (after,) = predicted.compared_documents(workspace, project, [second], ids=[number])
    assert (before.gold, after.gold) == (None, ())


def test_documents_can_be_chosen_and_the_trash_is_left_out(workspace, project, second):
    splits = [(name, split) for _, name, split in predicted.document_splits(workspace, project)]
    assert splits == [("a", "dev"), ("b", "train"), ("c", "dev")]
    assert names(predicted.compared_documents(workspace, project, [second], ids=[])) == []
    trash.trash_documents(workspace, project, [number_of(workspace, project, "a")])
    assert names(predicted.compared_documents(workspace, project, [second])) == ["b", "c"]
    assert len(predicted.document_splits(workspace, project)) == 2
    with pytest.raises(PayloadError, match="an id is"):
        predicted.compared_documents(workspace, project, [second], ids=["1"])


def test_runs_differ_about_a_document_by_their_spans_and_not_by_their_scores(workspace, project, second):
    total, found = predicted.differing(workspace, project, "flat-0001", second)
    assert (total, names(found)) == (1, [])
    predictions.put_one(workspace, "flat-0001", number_of(workspace, project, "b"), [SAID])
    total, found = predicted.differing(workspace, project, "flat-0001", second)
    assert (total, names(found)) == (2, ["b"])
    assert next(iter(found)).predicted == ((SAID,), (GOLD,))


def test_what_a_run_has_not_been_asked_about_is_listed(workspace, project, second):
    numbers = [number_of(workspace, project, name) for name in "bc"]
    assert predictions.missing(workspace, "flat-0001") == numbers
    assert predictions.missing(workspace, second) == []


def test_they_are_read_in_portions_and_tell_how_far_they_are(workspace, project, monkeypatch):
    monkeypatch.setattr(predicted, "PORTION", 2)
    made = [Document(f"m{at}", "岭南钢厂", [GOLD], {"split": "dev"}) for at in range(5)]
    documents.add(workspace, project, made)
    told = []
    every = replace(
        predicted.predicted_documents(workspace, project, "flat-0001", ["dev"]),
        progress=lambda done, total: told.append((done, total)),
    )
    names = [one.document.id for one in every]
    assert names == ["a", *(f"m{at}" for at in range(5))]
    assert told == [(2, 6), (4, 6), (6, 6)]
    assert [one.document.id for one in every] == names, "as often as one likes"
    number = number_of(workspace, project, "m3")
    assert [one.document.id for one in every.of([number, 10**6]).values()] == ["m3"]


def test_documents_to_compare_are_read_in_portions_and_again(workspace, project, second, monkeypatch):
    monkeypatch.setattr(predicted, "PORTION", 2)
    told = []
    every = predicted.compared_documents(
        workspace, project, [second], progress=lambda done, total: told.append((done, total))
    )
    assert told == [], "nothing is read before it is gone through"
    assert names(every) == ["a", "b", "c"]
    assert told == [(0, 3), (2, 3)]
    predictions.drop(workspace, second, [number_of(workspace, project, "b")])
    assert names(every) == ["a", "c"]


def test_whoever_reads_may_be_stopped(workspace, project):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(replace(predicted.predicted_documents(workspace, project, "flat-0001"), progress=stop))
