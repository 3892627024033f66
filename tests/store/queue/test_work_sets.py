"""Work sets: filters that are kept under a name, with whatever they are made of."""

import pytest

from core.store.db.errors import NameTaken, NotFound, PayloadError
from core.store.document import documents
from core.store.project import members, projects
from core.store.project.members import NotAllowed
from core.store.queue import queue, work_sets
from core.store.queue.filter import Filter
from core.text import Document

WHICH = Filter(
    status="in_progress", split="dev", label="ORG", annotator="lin", search="大学",
    meta=(("genre", "news"), ("year", "2019")), confidence_from=0.5, commented=True, error="missed",
)  # fmt: skip


def test_a_set_is_its_filter_again(workspace, project):
    made = work_sets.add(workspace, project.id, "  hard \n cases ", WHICH, user="lin")
    assert (made.name, made.filter, made.user) == ("hard cases", WHICH, "lin")
    assert work_sets.all_sets(workspace, project.id) == [made]
    assert work_sets.from_json(work_sets.to_json(WHICH)) == WHICH
    assert work_sets.to_json(Filter(worker="lin", trashed=True, batch=3)) == {}


def test_sets_belong_to_their_project(workspace, project):
    made = work_sets.add(workspace, project.id, "dev", Filter(split="dev"), user="lin")
    other = projects.create(workspace, "other").id
    assert work_sets.all_sets(workspace, other) == []
    for change in (
        lambda: work_sets.get(workspace, other, made.id),
        lambda: work_sets.rename(workspace, other, made.id, "x", user="lin"),
        lambda: work_sets.remove(workspace, other, made.id, user="lin"),
    ):
        with pytest.raises(NotFound):
            change()
    work_sets.add(workspace, other, "dev", Filter(split="dev"), user="lin")


def test_a_set_is_renamed_and_deleted(workspace, project):
    made = work_sets.add(workspace, project.id, "dev", Filter(split="dev"), user="lin")
    assert work_sets.rename(workspace, project.id, made.id, "held out", user="lin").name == "held out"
    work_sets.remove(workspace, project.id, made.id, user="lin")
    assert work_sets.all_sets(workspace, project.id) == []


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, None])
def test_a_set_needs_a_name(workspace, project, name):
    with pytest.raises(PayloadError, match="100"):
        work_sets.add(workspace, project.id, name, WHICH, user="lin")


def test_a_name_is_used_once(workspace, project):
    first = work_sets.add(workspace, project.id, "dev", Filter(split="dev"), user="lin")
    second = work_sets.add(workspace, project.id, "test", Filter(split="test"), user="lin")
    with pytest.raises(NameTaken):
        work_sets.add(workspace, project.id, "dev", WHICH, user="lin")
    with pytest.raises(NameTaken):
        work_sets.rename(workspace, project.id, second.id, "dev", user="lin")
    assert work_sets.rename(workspace, project.id, first.id, "dev", user="lin") == first


def test_what_narrows_nothing_and_what_cannot_be_used_is_no_set(workspace, project):
    for which in (Filter(), Filter(status="finished"), Filter(meta=(("a", "b"),) * 9)):
        with pytest.raises(PayloadError):
            work_sets.add(workspace, project.id, "all", which, user="lin")
    assert work_sets.all_sets(workspace, project.id) == []


def test_only_who_saved_a_set_and_managers_change_it(workspace, project):
    for user, role in (("mia", "manager"), ("ana", "annotator"), ("bo", "annotator")):
        members.put(workspace, project.id, user, role, by="mia")
    made = work_sets.add(workspace, project.id, "dev", Filter(split="dev"), user="ana")
    with pytest.raises(NotAllowed):
        work_sets.remove(workspace, project.id, made.id, user="bo")
    with pytest.raises(NotAllowed):
        work_sets.add(workspace, project.id, "test", Filter(split="test"), user="stranger")
    work_sets.rename(workspace, project.id, made.id, "held out", user="ana")
    work_sets.remove(workspace, project.id, made.id, user="mia")


def test_metadata_finds_documents_by_text_number_truth_and_members_of_lists(workspace, project):
    metas = [
        {"genre": "news", "year": 2019, "checked": True, "tags": ["politics", "local"]},
        {"genre": "news", "year": 2020, "tags": []},
        {"genre": "blog", "year": 2019, "nested": {"genre": "x"}, "long": "x" * 500},
        {"genre": 'it\'s "quoted" = 50%'},
    ]
    given = [Document(str(at), f"text {at}", meta=meta) for at, meta in enumerate(metas)]
    documents.add(workspace, project.id, given)

    def found(*pairs):
        return [row.name for row in queue.page(workspace, project.id, Filter(meta=pairs)).rows]

    assert found(("genre", "news")) == ["0", "1"]
    assert found(("genre", "news"), ("year", "2019")) == ["0"]
    assert found(("checked", "true")) == ["0"]
    assert found(("tags", "local")) == ["0"]
    assert found(("genre", 'it\'s "quoted" = 50%')) == ["3"]
    assert found(("genre", "x")) == found(("long", "x" * 500)) == found(("nope", "news")) == []
