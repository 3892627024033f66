"""Sources of suggestions in the store: what they said, and how far people agreed."""

import pytest

from core.store.annotation import annotations
from core.store.db.errors import NotFound, PayloadError
from core.store.document import documents
from core.store.label import labels
from core.store.project import members, projects
from core.store.suggest import sources
from core.text import Document, LabelSet, Span

A, B, C = Span(0, 2, "PER", 0.5), Span(3, 5, "LOC"), Span(0, 2, "LOC")


@pytest.fixture
def source(workspace, project):
    labels.put(workspace, project.id, LabelSet().extended(["PER", "LOC"]))
    return sources.add(workspace, project.id, {"kind": "lac", "name": "LAC"}, user="lin")


@pytest.fixture
def raw(workspace, project, source):
    texts = [Document(f"d{n}", f"李明在青岛。{n}") for n in range(4)]
    return documents.add(workspace, project.id, texts, user="lin").ids


def save(workspace, document, spans, rejected=(), status="in_progress"):
    at = annotations.current(workspace, document).revision
    annotations.save(workspace, document, at, spans, rejected, user="lin", status=status)


def test_what_a_source_said_is_kept_by_document(workspace, project, source, raw):
    unknown = Span(0, 1, "NOBODY")
    assert sources.put(workspace, project.id, source.id, [(raw[0], [B, A, unknown]), (raw[1], [])]) == 2
    assert sources.said(workspace, raw[0]) == {source.id: (A, B)}
    assert sources.said(workspace, raw[1]) == {source.id: ()}
    assert sources.said(workspace, raw[2]) == {}
    assert [id_ for id_, _ in sources.unasked(workspace, project.id, source.id)] == list(raw[2:])
    assert sources.count_unasked(workspace, project.id, source.id) == (2, 14)
    ((_, first), (_, second)) = sources.of_source(workspace, project.id, source.id)
    assert (first.spans, second.spans) == ((A, B), ())
    sources.forget(workspace, project.id, source.id)
    assert sources.count_unasked(workspace, project.id, source.id)[0] == 4


def test_agreement_counts_what_people_decided(workspace, project, source, raw):
    sources.put(workspace, project.id, source.id, [(id_, [A, B]) for id_ in raw])
    assert sources.agreement(workspace, project.id) == {}, "nobody has decided anything"
    save(workspace, raw[0], [A])  # B is undecided
    save(workspace, raw[1], [A], [B])
    save(workspace, raw[2], [C], status="done")  # another label, and B is missing
    measured = sources.agreement(workspace, project.id)[source.id]
    assert (measured.taken, measured.refused, measured.precision) == (2, 3, 0.4)
    assert sources.Agreement().precision is None


def test_a_renamed_label_is_still_the_same_suggestion(workspace, project, source, raw):
    from core.store.label import changes

    sources.put(workspace, project.id, source.id, [(raw[0], [A])])
    changes.rename(workspace, project.id, "PER", "PERSON", user="lin")
    assert sources.said(workspace, raw[0])[source.id][0].label == "PERSON"


def test_a_source_is_changed_and_deleted_with_what_it_said(workspace, project, source, raw):
    sources.put(workspace, project.id, source.id, [(raw[0], [A])])
    changed = sources.change(workspace, project.id, source.id, {"kind": "lac", "name": "x"}, user="lin")
    sources.write_report(workspace, project.id, source.id, {"documents": 1})
    assert changed.settings["name"] == "x"
    assert sources.of(workspace, project.id)[0].report == {"documents": 1}
    sources.delete(workspace, project.id, source.id, user="lin")
    assert sources.of(workspace, project.id) == []
    assert sources.said(workspace, raw[0]) == {}
    with pytest.raises(NotFound):
        sources.put(workspace, project.id, source.id, [(raw[0], [A])])


def test_only_managers_change_sources_and_only_of_their_project(workspace, project, source):
    other = projects.create(workspace, "other")
    with pytest.raises(NotFound):
        sources.change(workspace, other.id, source.id, {}, user="lin")
    members.put(workspace, project.id, "boss", "manager", by="boss")
    members.put(workspace, project.id, "lin", "annotator", by="boss")
    for forbidden in (
        lambda: sources.add(workspace, project.id, {}, user="lin"),
        lambda: sources.change(workspace, project.id, source.id, {}, user="lin"),
        lambda: sources.delete(workspace, project.id, source.id, user="lin"),
    ):
        with pytest.raises(members.NotAllowed):
            forbidden()


def test_there_are_not_too_many(workspace, project, monkeypatch):
    monkeypatch.setattr(sources, "MOST", 1)
    sources.add(workspace, project.id, {}, user="lin")
    with pytest.raises(PayloadError):
        sources.add(workspace, project.id, {}, user="lin")
