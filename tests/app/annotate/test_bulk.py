"""The annotator's answers beyond one document, over a real store: what they give and what they refuse."""

from __future__ import annotations

import pytest

from app.annotate.widget.annotator import AnnotatorError
from app.annotate.widget.bulk_payload import LabelPlaces, NewComment, PlaceQuery, ReplaceLabels
from core.store.annotation import annotations
from core.store.project import assignments, members
from core.text import Span
from tests.browser.annotator_store import StoreBackend
from tests.store.by_hand import save_own

TEXTS = ["青岛在山东，青岛。", "去青岛。"]
BATCH = "batch-0001"


@pytest.fixture
def backend(tmp_path):
    made = StoreBackend(tmp_path / "workspace", TEXTS)
    yield made
    made.workspace.close()


def save(backend, *spans, user="lin", action="label", **more):
    stands = annotations.current(backend.workspace, backend.ids[0])
    return annotations.save(
        backend.workspace, backend.ids[0], stands.revision, spans, user=user, action=action, **more
    )


def refusal(call, *arguments):
    with pytest.raises(AnnotatorError) as caught:
        call("a-token", *arguments)
    return caught.value.code, caught.value.message


def test_the_steps_are_edits_as_the_page_keeps_them(backend):
    save(backend, Span(0, 2, "LOC"))
    save(backend, action="undo")
    told = backend.steps("a-token", backend.ids[0], 2)
    came = {"spans": {"came": [{"start": 0, "end": 2, "label": "LOC"}], "gone": []}}
    nothing = {"rejected": {"came": [], "gone": []}, "batch": None}
    assert told == {"past": [], "future": [came | nothing]}
    assert backend.steps("a-token", backend.ids[0], 1) == {"past": [came | nothing], "future": []}


def test_somebody_elses_edit_is_no_step_of_mine(backend):
    save(backend, Span(0, 2, "LOC"), user="mei")
    assert backend.steps("a-token", backend.ids[0], 1) == {"past": [], "future": []}


def test_comments_come_back_with_every_answer(backend):
    made = backend.add_comment("a-token", NewComment(backend.ids[0], 0, 2, "LOC", "哪个？", "comment-01"))
    again = backend.add_comment("a-token", NewComment(backend.ids[0], 0, 2, "LOC", "哪个？", "comment-01"))
    (comment,) = made["comments"]
    assert again == made == backend.comments("a-token", backend.ids[0])
    assert (comment["user"], comment["text"], comment["resolved"], comment["trashed"]) == (
        "lin", "哪个？", False, False,
    )  # fmt: skip
    gone = backend.set_comment("a-token", backend.ids[0], comment["id"], "trashed")
    assert [item["trashed"] for item in gone["comments"]] == [True]


def test_what_can_never_be_done_is_refused_and_not_tried_again(backend):
    outside = NewComment(backend.ids[0], 0, 99, "", "x", "comment-02")
    assert refusal(backend.add_comment, outside)[0] == "invalid"
    assert refusal(backend.set_comment, backend.ids[0], 77, "resolved")[0] == "invalid"
    assert refusal(backend.comments, 77)[0] == "invalid"
    wrong = LabelPlaces("LOC", ((backend.ids[1], 0, 2, "青岛"),), BATCH)
    code, message = refusal(backend.label_places, wrong)
    assert code == "invalid"
    assert "search again" in message
    unknown = LabelPlaces("NOPE", ((backend.ids[1], 1, 3, "青岛"),), BATCH)
    assert refusal(backend.label_places, unknown)[0] == "invalid"
    assert backend.spans() == [[], []]


def test_places_are_found_labelled_and_taken_back(backend):
    found = backend.occurrences("a-token", PlaceQuery("青岛", backend.ids[0], 0, 0))
    assert [(row["document"], row["start"], row["end"]) for row in found["rows"]] == [(backend.ids[1], 1, 3)]
    assert (found["total"], found["documents"], found["then"]) == (1, 1, None)
    done = backend.label_places("a-token", LabelPlaces("LOC", ((backend.ids[1], 1, 3, "青岛"),), BATCH))
    assert done == {"documents": 1, "added": 1, "removed": 0}
    (row,) = backend.labelled("a-token", "LOC", backend.ids[0])["rows"]
    assert (row["surface"], row["times"], row["before"], row["after"]) == ("青岛", 1, "去", "。")
    other = ReplaceLabels("LOC", "ORG", ("青岛",), backend.ids[0], "batch-0002")
    assert backend.replace_labels("a-token", other) == {"documents": 1, "added": 1, "removed": 1}
    backend.turn("a-token", "batch-0002", "undo", backend.ids[0], "turn-0001")
    assert backend.spans()[1] == [(1, 3, "LOC")]
    backend.turn("a-token", BATCH, "undo", backend.ids[0], "turn-0002")
    assert backend.spans()[1] == []


def apart(backend, *, handed=("lin", "mei")):
    place = backend.workspace, backend.project
    for user in ("boss", "lin", "mei"):
        members.put(*place, user, "manager" if user == "boss" else "annotator", by="boss")
    assignments.set_plan(*place, "separate", len(handed), by="boss")
    assignments.hand_out(*place, handed, by="boss")


def copy_of(backend, user, document=1):
    stands = annotations.current(backend.workspace, backend.ids[document], user)
    return [span.key for span in stands.document.spans]


def test_with_individual_versions_only_ones_own_are_in_scope(backend):
    apart(backend)
    save_own(backend.workspace, backend.ids[1], 0, [Span(1, 3, "ORG")], user="mei")
    (row,) = backend.occurrences("a-token", PlaceQuery("青岛", backend.ids[0], 0, 0))["rows"]
    assert (row["document"], row["labels"]) == (backend.ids[1], []), "mei's label is not told"
    assert backend.labelled("a-token", "ORG", backend.ids[0]) == {"rows": []}
    order = LabelPlaces("LOC", ((backend.ids[1], 1, 3, "青岛"),), BATCH)
    assert backend.label_places("a-token", order) == {"documents": 1, "added": 1, "removed": 0}
    assert backend.label_places("a-token", order) == {"documents": 1, "added": 1, "removed": 0}
    assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == ([(1, 3, "LOC")], [(1, 3, "ORG")])
    assert backend.spans() == [[], []], "the gold annotation is the review's"
    (row,) = backend.labelled("a-token", "LOC", backend.ids[0])["rows"]
    assert (row["surface"], row["times"]) == ("青岛", 1)
    other = ReplaceLabels("LOC", "ORG", ("青岛",), backend.ids[0], "batch-0002")
    assert backend.replace_labels("a-token", other) == {"documents": 1, "added": 1, "removed": 1}
    assert [event.action for event in annotations.history(backend.workspace, backend.ids[1], "lin")] == [
        "label_others", "replace_labels",
    ]  # fmt: skip
    for batch, turn, left in (("batch-0002", "turn-0001", [(1, 3, "LOC")]), (BATCH, "turn-0002", [])):
        backend.turn("a-token", batch, "undo", backend.ids[0], turn)
        assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == (left, [(1, 3, "ORG")])
    backend.user = "mei"
    nothing = {"documents": 0, "added": 0, "removed": 0}
    assert backend.turn("a-token", BATCH, "redo", backend.ids[0], "turn-0003") == nothing, "it is lin's batch"
    assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == ([], [(1, 3, "ORG")])


def test_an_unassigned_document_is_not_in_scope(backend):
    apart(backend, handed=("lin",))
    backend.user = "mei"
    for call, arguments in (
        (backend.occurrences, (PlaceQuery("青岛", backend.ids[0], 0, 0),)),
        (backend.label_places, (LabelPlaces("LOC", ((backend.ids[1], 1, 3, "青岛"),), BATCH),)),
        (backend.labelled, ("LOC", backend.ids[0])),
        (backend.replace_labels, (ReplaceLabels("LOC", None, None, backend.ids[0], BATCH),)),
        (backend.turn, (BATCH, "undo", backend.ids[0], "turn-0001")),
    ):
        code, message = refusal(call, *arguments)
        assert (code, "not handed" in message) == ("invalid", True)
    backend.user = "lin"
    with backend.workspace.writing() as db:
        db.execute("DELETE FROM assignments WHERE document_id = ?", (backend.ids[1],))
    assert backend.occurrences("a-token", PlaceQuery("青岛", backend.ids[0], 0, 0))["rows"] == []
    mixed = LabelPlaces("LOC", ((backend.ids[0], 0, 2, "青岛"), (backend.ids[1], 1, 3, "青岛")), BATCH)
    assert refusal(backend.label_places, mixed)[0] == "invalid"
    assert copy_of(backend, "lin", 0) == [], "all of it or nothing"
