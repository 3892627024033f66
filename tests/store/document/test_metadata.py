"""Fields of metadata that are offered as filters."""

from __future__ import annotations

import pytest

from core.store.document import documents, metadata, trash
from core.store.project import projects
from core.text import Document


def test_fields_are_short_texts_numbers_truths_and_lists_of_them():
    meta = {
        "genre": "news", "year": 2019, "share": 0.5, "checked": False, "tags": ["a", "b", None],
        "split": "dev", "none": None, "": "x", "long": "x" * 201, "deep": {"a": 1}, "pairs": [[0, 2]],
    }  # fmt: skip
    assert list(metadata.fields_of(meta)) == [
        ("genre", "news"), ("year", "2019"), ("share", "0.5"), ("checked", "false"), ("tags", "a"),
        ("tags", "b"),
    ]  # fmt: skip


@pytest.fixture
def filled(workspace, project):
    metas = [{"genre": "news", "year": 2019}, {"genre": "blog"}, {"genre": "news"}]
    given = [Document(str(at), f"text {at}", meta=meta) for at, meta in enumerate(metas)]
    return documents.add(workspace, project.id, given).ids


def test_every_field_is_offered_with_its_values(workspace, project, filled):
    assert metadata.offered(workspace, project.id) == {"genre": ["blog", "news"], "year": ["2019"]}
    other = projects.create(workspace, "other").id
    assert metadata.offered(workspace, other) == {}


def test_many_values_are_offered_up_to_a_limit(workspace, project, monkeypatch):
    monkeypatch.setattr(metadata, "MOST_OFFERED", 3)
    given = [Document(str(at), f"text {at}", meta={"id": at}) for at in range(9)]
    documents.add(workspace, project.id, given)
    assert metadata.offered(workspace, project.id) == {"id": ["0", "1", "2"]}


def test_rows_have_the_fields_of_their_documents(workspace, filled):
    found = metadata.of_documents(workspace, filled[:2])
    assert found == {filled[0]: [("genre", "news"), ("year", "2019")], filled[1]: [("genre", "blog")]}


def test_what_is_deleted_for_good_is_offered_no_more(workspace, project, filled):
    trash.trash_documents(workspace, project.id, [filled[1]])
    trash.empty(workspace, project.id)
    assert metadata.offered(workspace, project.id)["genre"] == ["news"]
