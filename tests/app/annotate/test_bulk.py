"""The annotator's answers beyond one document, over a real store: what they give and what they refuse."""

import pytest

from core.store.annotation import annotations
from core.store.project import assignments, members
from core.text import Span
from tests.app.asking import Asking
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


@pytest.fixture
def ask(backend):
    return Asking(backend)


def labelling(backend):
    """The one occurrence in the other document."""
    return {"label": "LOC", "places": [place(backend, 1, 1, 3)], "client_edit": BATCH}


def place(backend, document, start, end):
    return {"document": backend.ids[document], "start": start, "end": end, "surface": "青岛"}


def test_undo_steps_have_the_form_of_the_page(backend, ask):
    save(backend, Span(0, 2, "LOC"))
    save(backend, action="undo")
    told = ask.told("read_steps", document=backend.ids[0], revision=2)
    came = {"spans": {"came": [{"start": 0, "end": 2, "label": "LOC"}], "gone": []}}
    nothing = {"rejected": {"came": [], "gone": []}, "batch": None}
    assert told == {"past": [], "future": [came | nothing]}
    assert ask.told("read_steps", document=backend.ids[0], revision=1) == {
        "past": [came | nothing],
        "future": [],
    }


def test_edits_of_others_are_not_undone(backend, ask):
    save(backend, Span(0, 2, "LOC"), user="mei")
    assert ask.told("read_steps", document=backend.ids[0], revision=1) == {"past": [], "future": []}


def test_every_change_returns_the_comments(backend, ask):
    comment = {"document": backend.ids[0], "start": 0, "end": 2, "label": "LOC", "text": "哪个？"}
    made = ask.told("add_comment", **comment, client_edit="comment-01")
    again = ask.told("add_comment", **comment, client_edit="comment-01")
    (comment,) = made["comments"]
    assert again == made == ask.told("list_comments", document=backend.ids[0])
    assert (comment["user"], comment["text"], comment["resolved"], comment["trashed"]) == (
        "lin", "哪个？", False, False,
    )  # fmt: skip
    gone = ask.told("set_comment", document=backend.ids[0], comment=comment["id"], state="trashed")
    assert [item["trashed"] for item in gone["comments"]] == [True]


def test_what_can_never_be_done_is_refused_and_not_tried_again(backend, ask):
    here = backend.ids[0]
    outside = {"document": here, "start": 0, "end": 99, "text": "x", "client_edit": "comment-02"}
    assert ask.refused("add_comment", **outside)[0] == "invalid"
    assert ask.refused("set_comment", document=here, comment=77, state="resolved")[0] == "invalid"
    assert ask.refused("list_comments", document=77)[0] == "invalid"
    order = {"label": "LOC", "places": [place(backend, 1, 0, 2)], "client_edit": BATCH}
    code, message = ask.refused("label_occurrences", **order)
    assert code == "invalid"
    assert "search again" in message
    unknown = {"label": "NOPE", "places": [place(backend, 1, 1, 3)], "client_edit": BATCH}
    assert ask.refused("label_occurrences", **unknown)[0] == "invalid"
    assert backend.spans() == [[], []]


def test_occurrences_are_found_labelled_and_undone(backend, ask):
    found = ask.told("find_occurrences", surface="青岛", but=backend.ids[0])
    assert [(row["document"], row["start"], row["end"]) for row in found["rows"]] == [(backend.ids[1], 1, 3)]
    assert (found["total"], found["documents"], found["then"]) == (1, 1, None)
    done = ask.told("label_occurrences", **labelling(backend))
    assert done == {"documents": 1, "added": 1, "removed": 0}
    (row,) = ask.told("list_labelled", label="LOC", but=backend.ids[0])["rows"]
    assert (row["surface"], row["times"], row["before"], row["after"]) == ("青岛", 1, "去", "。")
    other = {"label": "LOC", "new": "ORG", "surfaces": ["青岛"]}
    assert ask.told("replace_labels", **other, but=backend.ids[0], client_edit="batch-0002") == {
        "documents": 1,
        "added": 1,
        "removed": 1,
    }
    ask.told("turn_batch", batch="batch-0002", way="undo", but=backend.ids[0], client_edit="turn-0001")
    assert backend.spans()[1] == [(1, 3, "LOC")]
    ask.told("turn_batch", batch=BATCH, way="undo", but=backend.ids[0], client_edit="turn-0002")
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


def test_with_individual_versions_only_the_annotators_own_are_in_scope(backend, ask):
    apart(backend)
    save_own(backend.workspace, backend.ids[1], 0, [Span(1, 3, "ORG")], user="mei")
    (row,) = ask.told("find_occurrences", surface="青岛", but=backend.ids[0])["rows"]
    assert (row["document"], row["labels"]) == (backend.ids[1], []), "mei's label is not told"
    assert ask.told("list_labelled", label="ORG", but=backend.ids[0]) == {"rows": []}
    assert ask.told("label_occurrences", **labelling(backend)) == {"documents": 1, "added": 1, "removed": 0}
    assert ask.told("label_occurrences", **labelling(backend)) == {"documents": 1, "added": 1, "removed": 0}
    assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == ([(1, 3, "LOC")], [(1, 3, "ORG")])
    assert backend.spans() == [[], []], "the gold annotation is the review's"
    (row,) = ask.told("list_labelled", label="LOC", but=backend.ids[0])["rows"]
    assert (row["surface"], row["times"]) == ("青岛", 1)
    other = {"label": "LOC", "new": "ORG", "surfaces": ["青岛"]}
    assert ask.told("replace_labels", **other, but=backend.ids[0], client_edit="batch-0002") == {
        "documents": 1,
        "added": 1,
        "removed": 1,
    }
    assert [event.action for event in annotations.history(backend.workspace, backend.ids[1], "lin")] == [
        "label_others", "replace_labels",
    ]  # fmt: skip
    for batch, turn, left in (("batch-0002", "turn-0001", [(1, 3, "LOC")]), (BATCH, "turn-0002", [])):
        ask.told("turn_batch", batch=batch, way="undo", but=backend.ids[0], client_edit=turn)
        assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == (left, [(1, 3, "ORG")])
    backend.user = "mei"
    nothing = {"documents": 0, "added": 0, "removed": 0}
    assert (
        ask.told("turn_batch", batch=BATCH, way="redo", but=backend.ids[0], client_edit="turn-0003")
        == nothing
    ), "it is lin's batch"
    assert (copy_of(backend, "lin"), copy_of(backend, "mei")) == ([], [(1, 3, "ORG")])


def test_an_unassigned_document_is_not_in_scope(backend, ask):
    apart(backend, handed=("lin",))
    backend.user = "mei"
    here = backend.ids[0]
    for name, fields in (
        ("find_occurrences", {"surface": "青岛", "but": here}),
        ("label_occurrences", labelling(backend)),
        ("list_labelled", {"label": "LOC", "but": here}),
        ("replace_labels", {"label": "LOC", "but": here, "client_edit": BATCH}),
        ("turn_batch", {"batch": BATCH, "way": "undo", "but": here, "client_edit": "turn-0001"}),
    ):
        code, message = ask.refused(name, **fields)
        assert (code, "not assigned" in message) == ("invalid", True)
    backend.user = "lin"
    with backend.workspace.writing() as db:
        db.execute("DELETE FROM assignments WHERE document_id = ?", (backend.ids[1],))
    assert ask.told("find_occurrences", surface="青岛", but=backend.ids[0])["rows"] == []
    mixed = labelling(backend) | {"places": [place(backend, 0, 0, 2), place(backend, 1, 1, 3)]}
    assert ask.refused("label_occurrences", **mixed)[0] == "invalid"
    assert copy_of(backend, "lin", 0) == [], "all of it or nothing"
