"""Every save is an event; the spans are a view of the events; nothing is overwritten silently."""

import random
import threading

import pytest

from core.store import NotFound, PayloadError, StaleRevision
from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.annotation.finished import finish_empty
from core.store.db.payload import MOST_SPANS
from core.store.document import documents, trash
from core.text import Document, Span, UnknownLabelError

NAME, HOSPITAL, SCHOOL = Span(0, 3, "PER"), Span(7, 15, "ORG"), Span(7, 11, "ORG")


def save(workspace, document_id, base, spans, rejected=(), **more):
    return annotations.save(workspace, document_id, base, spans, rejected, **{"user": "lin", **more})


def test_a_fresh_document_is_at_revision_zero_and_new(workspace, document_id):
    stands = annotations.current(workspace, document_id)
    assert (stands.revision, stands.document.spans, stands.status) == (0, (), "new")


def test_a_save_is_read_back_and_makes_the_document_in_progress(workspace, document_id):
    saved = save(workspace, document_id, 0, [NAME, HOSPITAL], [SCHOOL])
    stands = annotations.current(workspace, document_id)
    assert stands.revision == saved.revision == 1
    assert stands.document.spans == (NAME, HOSPITAL)
    assert stands.rejected == (SCHOOL,)
    assert stands.status == "in_progress"


def test_the_history_tells_who_did_what_and_against_which_run(workspace, document_id, answered):
    run = answered("flat", document_id, NAME.key).name
    save(workspace, document_id, 0, [NAME], action="accept", run=run)
    save(workspace, document_id, 1, [HOSPITAL], user="mei")
    first, second = annotations.history(workspace, document_id)
    assert (first.user, first.action, first.added, first.removed, first.run) == (
        "lin",
        "accept",
        (NAME,),
        (),
        run,
    )
    assert (second.user, second.added, second.removed, second.run) == ("mei", (HOSPITAL,), (NAME,), None)
    assert first.at <= second.at == annotations.last_saved(workspace, 1)


def test_nested_and_crossing_spans_are_kept_in_reading_order(workspace, document_id):
    crossing = Span(9, 17, "TITLE")
    save(workspace, document_id, 0, [crossing, SCHOOL, HOSPITAL])
    assert annotations.current(workspace, document_id).document.spans == (HOSPITAL, SCHOOL, crossing)


def test_a_stale_save_is_refused_with_what_stands_and_changes_nothing(workspace, document_id):
    save(workspace, document_id, 0, [NAME])
    with pytest.raises(StaleRevision, match="nothing was overwritten") as caught:
        save(workspace, document_id, 0, [HOSPITAL], user="mei")
    assert caught.value.current.document.spans == (NAME,)
    assert caught.value.current.revision == 1
    assert len(annotations.history(workspace, document_id)) == 1


def test_a_save_from_the_future_is_stale_too(workspace, document_id):
    with pytest.raises(StaleRevision):
        save(workspace, document_id, 7, [NAME])


def test_of_two_tabs_saving_at_once_exactly_one_wins(workspace, document_id):
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def tab(span):
        start.wait()
        try:
            save(workspace, document_id, 0, [span])
            outcomes.append("saved")
        except StaleRevision:
            outcomes.append("stale")

    threads = [threading.Thread(target=tab, args=(span,)) for span in (NAME, HOSPITAL)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(outcomes) == ["saved", "stale"]


def test_an_edit_sent_twice_is_applied_once_and_answered_alike(workspace, document_id):
    first = save(workspace, document_id, 0, [NAME], client_edit="e-1")
    save(workspace, document_id, 1, [NAME, HOSPITAL], client_edit="e-2")
    assert save(workspace, document_id, 0, [NAME], client_edit="e-1") == first
    assert annotations.current(workspace, document_id).document.spans == (NAME, HOSPITAL)


def test_a_save_that_changes_nothing_makes_no_event(workspace, document_id):
    save(workspace, document_id, 0, [NAME])
    assert save(workspace, document_id, 1, [NAME]).revision == 1
    assert len(annotations.history(workspace, document_id)) == 1


def test_done_is_an_event_and_so_is_taking_it_back(workspace, document_id):
    annotations.set_status(workspace, document_id, "done", user="lin")
    assert annotations.current(workspace, document_id).status == "done"
    annotations.set_status(workspace, document_id, "in_progress", user="lin")
    assert [event.status for event in annotations.history(workspace, document_id)] == ["done", "in_progress"]


def test_a_done_document_stays_done_when_edited(workspace, document_id):
    annotations.set_status(workspace, document_id, "done", user="lin")
    save(workspace, document_id, 1, [NAME])
    assert annotations.current(workspace, document_id).status == "done"


def test_undo_and_redo_work_across_a_reload(workspace, document_id):
    save(workspace, document_id, 0, [NAME], [SCHOOL])
    save(workspace, document_id, 1, [HOSPITAL])
    annotations.revert(workspace, document_id, 1, base_revision=2, user="lin", action="undo")
    undone = annotations.current(workspace, document_id)
    assert (undone.document.spans, undone.rejected, undone.revision) == ((NAME,), (SCHOOL,), 3)
    annotations.revert(workspace, document_id, 2, base_revision=3, user="lin", action="redo")
    assert annotations.current(workspace, document_id).document.spans == (HOSPITAL,)


def test_reverting_to_before_any_edit_empties_the_document(workspace, document_id):
    save(workspace, document_id, 0, [NAME])
    annotations.revert(workspace, document_id, 0, base_revision=1, user="lin")
    assert annotations.current(workspace, document_id).document.spans == ()


@pytest.mark.parametrize("revision", [-1, 2, "1", True, None])
def test_a_revision_the_document_never_had_is_refused(workspace, document_id, revision):
    save(workspace, document_id, 0, [NAME])
    with pytest.raises(PayloadError, match="revisions 0 to 1"):
        annotations.revert(workspace, document_id, revision, base_revision=1, user="lin")


def test_an_imported_score_survives_edits_of_other_spans(workspace, project):
    scored = Document("s", "林知远在青禾大学", (Span(0, 3, "PER", 0.75),))
    (number,) = documents.add(workspace, project.id, [scored]).ids
    save(workspace, number, 1, [Span(0, 3, "PER"), Span(4, 8, "ORG")])
    assert annotations.current(workspace, number).document.spans[0].score == 0.75


def test_the_spans_are_what_folding_all_events_gives(workspace, project):
    """200 random edits on a few documents; every revision folds to what stood then."""
    dice = random.Random(7)
    text = "青禾市气象局发布大风预报"
    numbers = documents.add(
        workspace, project.id, [Document(str(i), text, (Span(0, 3, "LOC"),)) for i in range(4)]
    ).ids
    stood = {(number, 1): annotations.current(workspace, number).document.spans for number in numbers}
    for _ in range(200):
        number = dice.choice(numbers)
        keys = {
            (dice.randrange(6), dice.randrange(6, 12), dice.choice(["LOC", "ORG"]))
            for _ in range(dice.randrange(5))
        }
        base = annotations.current(workspace, number).revision
        saved = save(workspace, number, base, [Span(*key) for key in keys])
        stood[number, saved.revision] = annotations.current(workspace, number).document.spans
    for (number, revision), spans in stood.items():
        folded, _ = at_revision(annotations.history(workspace, number), revision)
        assert folded == spans


HOSTILE = [
    ("no list", "spans", "PER"),
    ("a mapping", "spans", {"start": 0}),
    ("an item of another type", "spans", [3]),
    ("text for a number", "spans", [{"start": "0", "end": 3, "label": "PER"}]),
    ("a bool for a number", "spans", [{"start": False, "end": 3, "label": "PER"}]),
    ("a float", "spans", [{"start": 0.0, "end": 3, "label": "PER"}]),
    ("negative", "spans", [{"start": -1, "end": 3, "label": "PER"}]),
    ("reversed", "spans", [{"start": 3, "end": 1, "label": "PER"}]),
    ("empty", "spans", [{"start": 3, "end": 3, "label": "PER"}]),
    ("after the text", "spans", [{"start": 0, "end": 10_000, "label": "PER"}]),
    ("huge", "spans", [{"start": 0, "end": 10**30, "label": "PER"}]),
    ("no label", "spans", [{"start": 0, "end": 3}]),
    ("twice", "spans", [NAME, NAME]),
    ("rejected twice", "rejected", [NAME, NAME]),
    ("too many", "spans", [NAME] * 5_001),
    ("no revision", "base_revision", None),
    ("a bool for a revision", "base_revision", False),
    ("no user", "user", " "),
    ("a long user", "user", "x" * 101),
    ("an action with markup", "action", "<b>"),
    ("a status that is none", "status", "finished"),
    ("an edit id with quotes", "client_edit", "'; DROP TABLE spans"),
]


@pytest.mark.parametrize(
    ("field", "value"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE]
)
def test_a_malformed_edit_is_refused_by_field_and_nothing_is_saved(workspace, document_id, field, value):
    edit = {"base_revision": 0, "spans": [], "rejected": [], "user": "lin", field: value}
    with pytest.raises(PayloadError):
        annotations.save(workspace, document_id, edit.pop("base_revision"), edit.pop("spans"), **edit)
    assert annotations.history(workspace, document_id) == []


def test_a_label_of_another_project_is_refused_and_the_known_ones_listed(workspace, document_id):
    with pytest.raises(UnknownLabelError, match="PER, ORG, LOC, TITLE"):
        save(workspace, document_id, 0, [Span(0, 3, "DRUG")])


@pytest.mark.parametrize("number", [0, -1, 99, True, "1", None, 2**70, "1; DROP TABLE events"])
def test_a_document_that_does_not_exist_is_refused_by_name(workspace, document_id, number):
    with pytest.raises((NotFound, PayloadError)):
        save(workspace, number, 0, [NAME])
    with pytest.raises((NotFound, PayloadError)):
        annotations.current(workspace, number)


def test_a_document_in_the_trash_takes_no_edits(workspace, project, document_id):
    trash.trash_documents(workspace, project.id, [document_id])
    with pytest.raises(NotFound, match="reload the page"):
        save(workspace, document_id, 0, [NAME])


def test_an_unknown_run_is_refused(workspace, document_id):
    with pytest.raises(NotFound, match="run 'flat-9999'"):
        save(workspace, document_id, 0, [NAME], run="flat-9999")


def test_eight_threads_lose_no_save_and_meet_no_lock(workspace, project):
    text = "青禾市气象局发布大风预报"
    numbers = documents.add(workspace, project.id, [Document(str(i), text) for i in range(8)]).ids
    failures: list[BaseException] = []

    def person(number):
        try:
            for revision in range(25):
                end = 1 + revision % 12
                save(workspace, number, revision, [Span(0, end, "LOC" if revision % 2 else "ORG")])
                annotations.current(workspace, numbers[(number + revision) % 8])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=person, args=(number,)) for number in numbers]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []
    assert [len(annotations.history(workspace, number)) for number in numbers] == [25] * 8


def test_going_back_sent_twice_is_done_once(workspace, document_id):
    save(workspace, document_id, 0, [NAME])
    save(workspace, document_id, 1, [NAME, HOSPITAL])
    answers = [
        annotations.revert(workspace, document_id, 1, base_revision=2, user="lin", client_edit="e-1")
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert [event.action for event in annotations.history(workspace, document_id)] == [
        "edit",
        "edit",
        "revert",
    ]
    assert annotations.current(workspace, document_id).document.spans == (NAME,)


def test_more_spans_than_a_document_keeps_are_refused_and_nothing_is_saved(workspace, project):
    (number,) = documents.add(workspace, project.id, [Document("long", "字" * (MOST_SPANS + 1))]).ids
    spans = [Span(place, place + 1, "PER") for place in range(MOST_SPANS + 1)]
    with pytest.raises(PayloadError, match="split the document"):
        save(workspace, number, 0, spans)
    assert annotations.current(workspace, number).revision == 0
    assert save(workspace, number, 0, spans[:-1]).revision == 1


def test_an_empty_document_of_a_labelled_corpus_is_done_and_one_somebody_has_touched_is_left(
    workspace, project
):
    corpus = [Document("a", "张三来了", (Span(0, 2, "PER"),)), Document("b", "无事"), Document("c", "有事")]
    numbers = documents.add(workspace, project.id, corpus).ids
    save(workspace, numbers[2], 0, [Span(0, 1, "PER")])
    for _ in range(2):
        finish_empty(workspace, corpus, numbers, user="import")
    stand = [annotations.current(workspace, number) for number in numbers]
    assert [(x.status, x.revision) for x in stand] == [("new", 1), ("done", 1), ("in_progress", 1)]
    assert documents.count(workspace, project.id)["labelled"] == 3
