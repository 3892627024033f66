"""Exports say what they lose before they write."""

import pytest

from app.services.exporting.documents import Choice, chosen, export, file_stem, losses
from core.formats import read_file, writable
from core.text import Document, Span

NESTED = Document("a", "北京大学生", (Span(0, 4, "ORG", 0.5), Span(0, 2, "LOC")))


@pytest.mark.parametrize("name", writable())
def test_every_format_says_what_it_loses_and_the_file_holds_the_rest(name):
    lost = losses([NESTED], name)
    path, _ = export([NESTED], name, "我的 项目/../x")
    back = read_file(path, name).documents[0]
    assert back.text == NESTED.text
    kept = 0 if lost.get("spans") else 2 - lost.get("nested_spans", 0)
    assert len(back.spans) == kept


@pytest.mark.parametrize(
    ("name", "stem"),
    [("../../etc/passwd", "etc-passwd"), ("我的 项目", "我的-项目"), ("", "documents"), ("a" * 99, "a" * 60)],
)
def test_a_projects_name_makes_a_file_name_that_stays_in_its_folder(name, stem):
    assert file_stem(name) == stem


def test_only_the_chosen_documents_are_written(filled):
    workspace, project = filled.workspace, filled.project_id
    assert [x.id for x in chosen(workspace, project, Choice("dev"))] == ["d-3"]
    assert "raw" not in [x.id for x in chosen(workspace, project, Choice(labelled=True))]
    assert len(list(chosen(workspace, project, Choice()))) == 5


def test_progress_is_reported_in_intervals(monkeypatch):
    monkeypatch.setattr("app.services.exporting.documents.EVERY", 2)
    told = []
    export([Document(str(n), "x") for n in range(5)], "plain", "x", told.append)
    assert told == [2, 4]
