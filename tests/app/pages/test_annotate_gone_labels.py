"""An edit with a label that is no more: refused with what it takes to decide, and nothing is stored."""

from __future__ import annotations

import pytest

from app.annotate.widget.annotation_payload import Edit
from app.annotate.widget.annotator import AnnotatorError
from core.store.annotation import annotations
from core.store.label import changes as label_changes
from core.text import Span
from tests.browser.annotator_store import StoreBackend


@pytest.fixture
def backend(tmp_path):
    made = StoreBackend(tmp_path / "workspace", ["青岛在山东，青岛。", "去青岛。"])
    yield made
    made.workspace.close()


def edit(backend, *spans, rejected=()):
    return Edit(backend.ids[0], 0, "edit-0001", "label", spans, rejected, "in_progress", None)


def refusal(backend, *spans, rejected=()):
    with pytest.raises(AnnotatorError) as caught:
        backend.save("a-token", edit(backend, *spans, rejected=rejected))
    return caught.value


def test_a_deleted_label_is_named_with_the_labels_there_are(backend):
    label_changes.delete(backend.workspace, backend.project, "LOC", user="mei")
    error = refusal(backend, Span(0, 2, "LOC"), Span(3, 5, "ORG"))
    assert error.code == "labels_gone"
    assert "LOC" in error.message
    assert error.details["gone"] == {"LOC": None}
    assert [label["name"] for label in error.details["labels"]] == ["NAME", "ORG", "TITLE"]
    assert annotations.current(backend.workspace, backend.ids[0]).revision == 0


def test_a_label_that_was_renamed_and_merged_since_is_told_with_what_it_is_now(backend):
    label_changes.rename(backend.workspace, backend.project, "LOC", "PLACE", user="mei")
    label_changes.merge(backend.workspace, backend.project, "PLACE", "ORG", user="mei")
    label_changes.delete(backend.workspace, backend.project, "TITLE", user="mei")
    error = refusal(backend, Span(0, 2, "LOC"), rejected=(Span(0, 2, "TITLE"), Span(3, 5, "PLACE")))
    assert error.details["gone"] == {"LOC": "ORG", "TITLE": None, "PLACE": "ORG"}


def test_a_successor_that_is_gone_as_well_is_none(backend):
    label_changes.merge(backend.workspace, backend.project, "LOC", "ORG", user="mei")
    label_changes.delete(backend.workspace, backend.project, "ORG", user="mei")
    assert refusal(backend, Span(0, 2, "LOC")).details["gone"] == {"LOC": None}


def test_a_label_that_never_was_is_gone_too(backend):
    assert refusal(backend, Span(0, 2, "<b>")).details["gone"] == {"<b>": None}


def test_the_edit_is_saved_once_its_labels_are_there(backend):
    change = label_changes.delete(backend.workspace, backend.project, "LOC", user="mei")
    refusal(backend, Span(0, 2, "LOC"))
    label_changes.undo(backend.workspace, backend.project, change.id, user="mei")
    assert backend.save("a-token", edit(backend, Span(0, 2, "LOC")))["revision"] == 1
