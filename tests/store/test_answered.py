"""What a run said beside what people said."""

from __future__ import annotations

import pytest

from core.store import annotations, answered, documents, labels, predictions, projects, runs
from core.store.errors import PayloadError
from core.text import Document, LabelSet, Span

GOLD, SAID = Span(0, 2, "LOC"), Span(2, 4, "ORG", 0.75)


@pytest.fixture
def project(workspace):
    """Three documents, two of them labelled (dev and train), one of those answered by ``flat-0001``."""
    made = projects.create(workspace, "news").id
    labels.put(workspace, made, LabelSet.from_names(["LOC", "ORG"]))
    found = [
        Document(name, f"岭南钢厂{name}", meta={"split": part})
        for name, part in zip("abc", ("dev", "train", "dev"), strict=True)
    ]
    documents.add(workspace, made, found)
    for name in "ab":
        annotations.save(workspace, documents.find(workspace, made, name), 0, [GOLD], user="me")
    run = runs.create(workspace, made, "flat").name
    predictions.put_one(workspace, run, documents.find(workspace, made, "a"), [SAID])
    return made


def test_every_labelled_document_stands_beside_what_the_run_said(workspace, project):
    first, second = answered.answered(workspace, project, "flat-0001")
    assert (first.document.id, first.split, first.document.spans) == ("a", "dev", (GOLD,))
    assert first.predicted == (SAID,)
    assert (second.document.id, second.split, second.predicted) == ("b", "train", None)


def test_splits_can_be_chosen_and_unknown_ones_are_refused(workspace, project):
    assert [one.document.id for one in answered.answered(workspace, project, "flat-0001", ["dev"])] == ["a"]
    assert answered.answered(workspace, project, "flat-0001", []) == []
    with pytest.raises(PayloadError, match="split must be one of"):
        answered.answered(workspace, project, "flat-0001", ["nowhere"])


def test_the_stamp_changes_with_every_side(workspace, project):
    seen = {answered.stamp(workspace, project, "flat-0001")}
    assert answered.stamp(workspace, project, "flat-0001") in seen
    number = documents.find(workspace, project, "a")
    predictions.put_one(workspace, "flat-0001", number, [Span(2, 4, "ORG", 0.76)])
    seen.add(answered.stamp(workspace, project, "flat-0001"))
    annotations.save(workspace, number, 1, [], user="me")
    seen.add(answered.stamp(workspace, project, "flat-0001"))
    documents_left = documents.find(workspace, project, "b")
    annotations.set_status(workspace, documents_left, "done", user="me")
    seen.add(answered.stamp(workspace, project, "flat-0001"))
    assert len(seen) == 4
