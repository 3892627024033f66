"""What the command palette finds for whom."""

import pytest

from app.ui.payload import InvalidPayload
from app.ui.window import palette
from core.store.document import documents
from core.store.project import assignments, members, projects
from core.store.run import runs
from core.text import Document
from tests.app.asking import asked


def found(session, text):
    return [row["excerpt"] for row in asked(palette.find_documents, session, {"search": text})["documents"]]


def test_documents_are_found_by_any_part_of_their_text(filled):
    assert found(filled, "天下") == ["今天下雨。"]
    assert len(found(filled, "北京")) == 4
    assert found(filled, "  雨 ") == ["今天下雨。"]
    assert found(filled, "上海") == []


@pytest.mark.parametrize("search", ["", "   ", None])
def test_nothing_typed_finds_no_document(filled, search):
    assert found(filled, search) == []


def test_of_many_documents_only_the_first_come(filled):
    many = [Document(f"m-{n}", f"第{n}场雨") for n in range(40)]
    documents.add(filled.workspace, filled.project_id, many)
    assert len(found(filled, "雨")) == palette.MOST_DOCUMENTS


def test_a_search_that_is_no_text_is_refused(filled):
    for wrong in (7, ["雨"], "雨" * 201):
        with pytest.raises(InvalidPayload) as refused:
            asked(palette.find_documents, filled, {"search": wrong})
        assert refused.value.detail.startswith("search: ")


def test_the_other_projects_and_the_runs_are_listed_newest_first(filled, tmp_path):
    other = projects.create(filled.workspace, "<b>rivers</b>").id
    scores = {"test": {"micro": {"f1": 0.946}}}
    runs.register(filled.workspace, filled.project_id, "first", "flat", tmp_path, scores)
    runs.create(filled.workspace, filled.project_id, "flat")
    listed = asked(palette.list_places, filled)
    assert listed["projects"] == [{"id": other, "name": "<b>rivers</b>"}]
    assert listed["runs"] == [
        {"name": "flat-0001", "f1": None, "finished": False},
        {"name": "first", "f1": "94.6", "finished": True},
    ]


def test_an_annotator_with_documents_of_their_own_finds_those_alone(filled, tmp_path):
    place = (filled.workspace, filled.project_id)
    members.put(*place, "boss", "manager", by="boss")
    members.put(*place, "lin", "annotator", by="boss")
    runs.register(*place, "first", "flat", tmp_path, {})
    assignments.set_plan(*place, "separate", 1, by="boss")
    assert found(filled, "雨") == []
    assignments.hand_out(*place, ["lin"], by="boss")
    assert found(filled, "雨") == ["今天下雨。"]
    assert asked(palette.list_places, filled)["runs"] == []


def test_who_is_no_member_finds_nothing(filled, tmp_path):
    place = (filled.workspace, filled.project_id)
    runs.register(*place, "first", "flat", tmp_path, {})
    members.put(*place, "boss", "manager", by="boss")
    filled.user = "stranger"
    assert found(filled, "雨") == []
    assert asked(palette.list_places, filled) == {"projects": [], "runs": []}
