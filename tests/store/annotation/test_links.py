"""Links of spans: saved, taken back, kept by changes of labels, and in snapshots."""

import pytest

from core.store import PayloadError, Project, StaleRevision, Workspace, annotations
from core.store.annotation import batches, undo_steps
from core.store.annotation.scope import Scope
from core.store.document import documents
from core.store.label import changes
from core.store.project import assignments
from core.store.review import span_history
from core.text import Document, EntityLink, Span
from core.text.entity_link import NIL
from tests.store.separate import Separate

BERLIN, CITY, NOTHING = EntityLink("Q64", "Berlin", "Wikidata"), EntityLink("Q821244"), EntityLink(NIL)


def _save(workspace: Workspace, document_id: int, *spans: object, **options: object) -> int:
    base = annotations.current(workspace, document_id).revision
    return annotations.save(workspace, document_id, base, spans, user="me", **options).revision


def _spans(workspace: Workspace, document_id: int) -> tuple[Span, ...]:
    return annotations.current(workspace, document_id).document.spans


def test_another_link_is_an_event_of_its_own_and_can_be_taken_back(
    workspace: Workspace, document_id: int
) -> None:
    plain, linked, other = (Span(0, 3, "PER", link=link) for link in (None, BERLIN, CITY))
    _save(workspace, document_id, plain)
    _save(workspace, document_id, linked)
    assert _save(workspace, document_id, linked) == 2, "the same link is no change"
    _save(workspace, document_id, other)
    assert _spans(workspace, document_id) == (other,)
    last = annotations.history(workspace, document_id)[-1]
    assert (last.removed, last.added) == ((linked,), (other,))
    steps = undo_steps.steps(annotations.history(workspace, document_id), "me").past
    assert [(step.added, step.removed) for step in steps[:2]] == [
        ((linked,), (other,)),
        ((plain,), (linked,)),
    ]
    annotations.revert(workspace, document_id, 1, base_revision=3, user="me")
    assert _spans(workspace, document_id) == (plain,)
    told = span_history.history(workspace, document_id, plain, user="me")
    assert [(step.kind, step.span.link) for step in told] == [
        ("created", None), ("linked", BERLIN), ("linked", CITY), ("linked", None),
    ]  # fmt: skip


def test_a_link_stays_when_its_label_is_renamed_merged_or_replaced(
    workspace: Workspace, project: Project, document_id: int
) -> None:
    _save(
        workspace,
        document_id,
        Span(0, 3, "PER", link=BERLIN),
        Span(0, 3, "ORG"),
        Span(7, 11, "LOC", link=NOTHING),
    )
    changes.rename(workspace, project.id, "PER", "PERSON", user="me")
    changes.merge(workspace, project.id, "ORG", "PERSON", user="me")
    merged = (Span(0, 3, "PERSON", link=BERLIN), Span(7, 11, "LOC", link=NOTHING))
    assert _spans(workspace, document_id) == merged
    unlinked = (Span(0, 3, "PERSON"), merged[1])
    _save(workspace, document_id, *unlinked)
    assert _spans(workspace, document_id) == unlinked, "neither of the merged spans keeps the link"
    annotations.revert(workspace, document_id, 1, base_revision=2, user="me")
    assert _spans(workspace, document_id) == merged
    batches.replace(workspace, Scope(project.id, "me", "together"), "LOC", "TITLE", batch="one-batch")
    assert _spans(workspace, document_id)[1] == Span(7, 11, "TITLE", link=NOTHING)


def test_links_come_with_an_import_and_reach_every_version(workspace: Workspace, team: Separate) -> None:
    linked = Span(0, 2, "LOC", 0.5, BERLIN)
    document_id = documents.add(workspace, team.project, [Document("x", "柏林很大。", (linked,))]).ids[0]
    assignments.hand_out(workspace, team.project, ["ana", "bo"], by="mia")
    assert [one.spans for one in documents.iterate(workspace, team.project) if one.id == "x"] == [(linked,)]
    first = annotations.current(workspace, document_id, "ana").document.spans
    assert first == (Span(0, 2, "LOC", link=BERLIN),)
    other = Span(0, 2, "LOC", link=CITY)
    annotations.save(workspace, document_id, 0, [other, Span(3, 4, "LOC")], user="ana", annotator="ana")
    assert annotations.current(workspace, document_id, "ana").document.spans[0] == other
    assert annotations.history(workspace, document_id, "ana")[0].removed == first
    assert annotations.current(workspace, document_id, "bo").document.spans == first
    assert documents.get(workspace, document_id).spans == (linked,)


@pytest.mark.parametrize(
    "link",
    [{}, {"id": ""}, {"id": "Q1", "url": "x"}, {"id": "Q\n1"}, {"id": "Q" * 201}, {"id": 3}, "Q1", ["Q1"]],
)
def test_what_is_no_link_is_refused_by_place(workspace: Workspace, document_id: int, link: object) -> None:
    with pytest.raises(PayloadError, match=r"spans\[0\]"):
        _save(workspace, document_id, {"start": 0, "end": 3, "label": "PER", "link": link})


def test_somebody_elses_link_is_not_overwritten(workspace: Workspace, document_id: int) -> None:
    _save(workspace, document_id, Span(0, 3, "PER", link=BERLIN))
    with pytest.raises(StaleRevision) as stale:
        annotations.save(workspace, document_id, 0, [Span(0, 3, "PER", link=CITY)], user="you")
    assert stale.value.current.document.spans == (Span(0, 3, "PER", link=BERLIN),)
