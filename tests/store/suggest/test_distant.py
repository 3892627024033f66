"""Distant labels go into documents nobody works on, know where they come from, and are taken back whole."""

import pytest

from core.store import Project, Workspace
from core.store.annotation import annotations, events, judged_documents, regions
from core.store.db.errors import PayloadError, StoreError
from core.store.document import documents, raw_documents, trash
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates
from core.store.project import journal
from core.store.project.journal import AlreadyUndone
from core.store.queue import queue
from core.store.suggest import distant
from core.store.suggest.distant import DistantLabels
from core.text import Document, Span
from tests.store.by_hand import add_words, mark

OPTIONS = {"version": 3, "direction": "forward", "ambiguous": "skip", "user": "ann"}
SPAN = Span(0, 2, "LOC")


@pytest.fixture
def numbers(workspace: Workspace, project: Project) -> tuple[int, ...]:
    return documents.add(workspace, project.id, [Document(f"d{at}", f"长江{at}") for at in range(4)]).ids


def _put(
    workspace: Workspace, project: Project, numbers: tuple[int, ...], mode: str, *spans: Span
) -> distant.DistantBatch:
    given = spans or (SPAN,)
    labelled = [DistantLabels(number, given, {span.key: 7 for span in given}) for number in numbers]
    return distant.put(workspace, project.id, labelled, mode, **OPTIONS)  # type: ignore[arg-type]


def _state(workspace: Workspace, number: int) -> tuple[list[Span], str]:
    stands = annotations.current(workspace, number)
    return list(stands.document.spans), stands.status


@pytest.mark.parametrize("mode", ["in_progress", "done"])
def test_a_batch_is_saved_with_the_status_that_was_chosen_and_goes_back_whole(
    workspace: Workspace, project: Project, numbers: tuple[int, ...], mode: str
) -> None:
    batch = _put(workspace, project, numbers, mode)
    assert (batch.documents, batch.spans, batch.version, batch.undone) == (4, 4, 3, None)
    assert all(_state(workspace, number) == ([SPAN], mode) for number in numbers)
    assert distant.sources(workspace, numbers[0]) == {SPAN.key: (batch.id, 3, 7)}
    assert distant.documents_of(workspace, project.id, batch.id, 1, 2) == list(numbers[1:3])
    assert journal.undo(workspace, project.id, batch.id, user="ann") == 4
    assert all(_state(workspace, number) == ([], "new") for number in numbers)
    assert raw_documents.count(workspace, project.id) == 4
    assert distant.sources(workspace, numbers[0]) == {}
    with pytest.raises(StoreError, match="undone already"):
        journal.undo(workspace, project.id, batch.id, user="ann")


def test_suggestions_change_no_document(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    batch = _put(workspace, project, numbers, "suggest")
    assert _state(workspace, numbers[0]) == ([], "new")
    assert distant.suggested(workspace, numbers[0]) == (SPAN,)
    assert distant.sources(workspace, numbers[0]) == {SPAN.key: (batch.id, 3, 7)}
    newer = _put(workspace, project, numbers[:1], "suggest", Span(0, 1, "PER"))
    assert distant.suggested(workspace, numbers[0]) == (Span(0, 1, "PER"),)
    journal.undo(workspace, project.id, newer.id, user="ann")
    assert distant.suggested(workspace, numbers[0]) == (SPAN,)
    journal.undo(workspace, project.id, batch.id, user="ann")
    assert distant.suggested(workspace, numbers[0]) is None


def test_a_suggested_label_is_called_what_it_is_called_now(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    _put(workspace, project, numbers, "suggest")
    label_changes.rename(workspace, project.id, "LOC", "PLACE", user="ann")
    assert distant.suggested(workspace, numbers[0]) == (Span(0, 2, "PLACE"),)
    assert list(distant.sources(workspace, numbers[0])) == [(0, 2, "PLACE")]


def test_nothing_that_a_person_touched_is_labelled(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    labelled, done, viewed, free = numbers
    annotations.save(workspace, labelled, 0, [Span(2, 3, "PER")], user="bob")
    annotations.set_status(workspace, done, "done", user="bob")
    mark(workspace, viewed, 0, 1, user="bob")
    assert [number for number, _ in raw_documents.each(workspace, project.id)] == [free]
    batch = _put(workspace, project, numbers, "done")
    assert (batch.documents, batch.spans) == (1, 1)
    assert _state(workspace, labelled)[0] == [Span(2, 3, "PER")]
    assert _state(workspace, done) == ([], "done")


def test_what_people_did_since_stays_when_a_batch_is_taken_back(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    batch = _put(workspace, project, numbers[:2], "in_progress")
    own = Span(2, 3, "PER")
    annotations.save(workspace, numbers[0], 1, [SPAN, own], user="bob", action="label")
    trash.trash_documents(workspace, project.id, numbers[1:2])
    assert journal.undo(workspace, project.id, batch.id, user="ann") == 1
    assert _state(workspace, numbers[0]) == ([own], "in_progress")


def test_a_batch_that_is_stopped_leaves_nothing(
    workspace: Workspace, project: Project, numbers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distant, "DOCUMENTS_AT_ONCE", 1)

    def stop(done: int) -> None:
        if done == 2:
            raise InterruptedError

    labelled = [DistantLabels(number, (SPAN,), {}) for number in numbers]
    with pytest.raises(InterruptedError):
        distant.put(workspace, project.id, labelled, "done", progress=stop, **OPTIONS)  # type: ignore[arg-type]
    assert all(_state(workspace, number) == ([], "new") for number in numbers)
    assert distant.batches(workspace, project.id)[0].undone is not None


def test_labels_the_project_lacks_come_with_the_batch(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    _put(workspace, project, numbers, "in_progress", Span(0, 2, "RIVER"))
    assert "RIVER" in labels.get(workspace, project.id)


def test_a_mode_a_batch_or_a_project_that_is_not_there_is_refused(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    with pytest.raises(PayloadError, match="mode"):
        _put(workspace, project, numbers, "silently")
    with pytest.raises(StoreError, match="99"):
        journal.undo(workspace, project.id, 99, user="ann")
    with pytest.raises(StoreError):
        _put(workspace, Project(999, "x", 0, None, None), numbers, "suggest")


def test_distant_labels_are_nobodys_work_and_teach_only_what_they_say(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    _put(workspace, project, numbers[:1], "in_progress")
    assert events.count_since(workspace, project.id, 0) == 0
    assert regions.get(workspace, numbers[0]).regions == ()


def test_a_dictionary_is_not_measured_against_itself(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    first, second, third, untouched = numbers
    _put(workspace, project, (first, second), "done")
    annotations.save(workspace, third, 0, [Span(2, 3, "PER")], user="bob", action="label")
    found = list(judged_documents.iterate(workspace, project.id))
    assert [document.id for document in found] == ["d2"]
    annotations.set_status(workspace, first, "in_progress", user="bob")
    partly = {document.id: document for document in judged_documents.iterate(workspace, project.id)}
    assert partly["d0"].spans == ()  # nobody has annotated it, the label is the dictionary's alone
    annotations.set_status(workspace, first, "done", user="bob")
    judged = {document.id: document for document in judged_documents.iterate(workspace, project.id)}
    assert judged["d0"].spans == (SPAN,)
    assert "d1" not in judged
    assert judged_documents.count(workspace, project.id) == (2, 4)
    assert untouched


def test_imported_labels_and_marked_regions_can_be_measured_against(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    documents.add(workspace, project.id, [Document("i", "黄河", (Span(0, 2, "LOC"),))])
    mark(workspace, numbers[0], 0, 1, user="bob")
    found = {document.id: document for document in judged_documents.iterate(workspace, project.id)}
    assert set(found) == {"i", "d0"}
    assert "annotated_regions" not in found["i"].meta
    assert found["d0"].meta["annotated_regions"] == [[0, 1]]


def test_words_come_with_every_type_and_the_change_that_brought_them(
    workspace: Workspace, project: Project
) -> None:
    assert distant.typed_entries(workspace, project.id) == ([], 0)
    first = add_words(workspace, project.id, {"长江": "LOC", "和": ""}, user="ann")
    add_words(workspace, project.id, {"黄河": "LOC"}, user="ann")
    lexicon_changes.remove(workspace, project.id, ["黄河"], user="ann")
    entries, version = distant.typed_entries(workspace, project.id)
    assert entries == [("长江", "LOC", 1, first)]
    assert version == 3


def test_a_rejected_candidate_stays_away_until_that_is_undone(workspace: Workspace, project: Project) -> None:
    first = rejected_candidates.reject(workspace, project.id, ["的人", "了一"], user="ann")
    rejected_candidates.reject(workspace, project.id, ["在一"], user="bob")
    assert rejected_candidates.rejected(workspace, project.id) == {"的人", "了一", "在一"}
    assert journal.undo(workspace, project.id, first, user="bob") == ["的人", "了一"]
    assert rejected_candidates.rejected(workspace, project.id) == {"在一"}
    with pytest.raises(AlreadyUndone):
        journal.undo(workspace, project.id, first, user="ann")
    with pytest.raises(PayloadError):
        rejected_candidates.reject(workspace, project.id, [], user="ann")
    with pytest.raises(PayloadError):
        rejected_candidates.reject(workspace, project.id, ["a\tb"], user="ann")


def test_the_queue_is_narrowed_to_the_documents_of_a_batch_that_stands(
    workspace: Workspace, project: Project, numbers: tuple[int, ...]
) -> None:
    first = _put(workspace, project, numbers[:2], "in_progress")
    second = _put(workspace, project, numbers[2:], "suggest")

    def of(batch: int, **more: object) -> list[int]:
        return queue.matching(workspace, project.id, queue.Filter(batch=batch, **more))  # type: ignore[arg-type]

    assert of(first.id) == list(numbers[:2])
    assert of(second.id) == list(numbers[2:])
    assert of(first.id, label="LOC") == list(numbers[:2])
    assert of(second.id, label="LOC") == []
    assert of(first.id, worker="nobody") == []
    assert of(99) == []
    journal.undo(workspace, project.id, first.id, user="ann")
    assert of(first.id) == []
