"""Finished documents: done, or labelled when they came; of copies one's own; never what lies in the trash."""

from core.store.annotation import annotations, finished
from core.store.document import documents, trash
from core.store.project import projects
from core.text import Document, Span
from tests.store.by_hand import save_own
from tests.store.separate import separate

ORG = Span(0, 4, "ORG")


def add(workspace, project, *found, **options):
    return documents.add(workspace, project.id, found, **options).ids


def test_done_ones_and_those_that_came_labelled_are_finished(workspace, project):
    ids = add(
        workspace,
        project,
        Document("bare", "清河大学一"),
        Document("labelled", "清河大学二", (ORG,)),
        Document("partly", "清河大学三", (ORG,), {"annotated_regions": [[0, 4]]}),
        Document("done", "清河大学四"),
        Document("begun", "清河大学五"),
    )
    annotations.save(workspace, ids[3], 0, [ORG], user="lin", status="done")
    annotations.save(workspace, ids[4], 0, [ORG], user="lin", status="in_progress")
    assert list(finished.splits(workspace, project.id)) == [ids[3], ids[1]]
    found = finished.read(workspace, project.id, ids)
    assert {found[id_].text for id_ in found} == {"清河大学二", "清河大学四"}
    assert found[ids[3]].spans == (ORG,)
    annotations.set_status(workspace, ids[3], "in_progress", user="lin")
    assert list(finished.read(workspace, project.id, ids)) == [ids[1]]


def test_nothing_of_the_trash_or_of_another_project_is(workspace, project):
    other = projects.create(workspace, "other").id
    (here,) = add(workspace, project, Document("a", "清河大学", (ORG,)), split="test")
    (there,) = documents.add(workspace, other, [Document("a", "清河大学", (ORG,))]).ids
    assert finished.splits(workspace, project.id) == {here: "test"}
    assert list(finished.read(workspace, project.id, [here, there])) == [here]
    trash.trash_documents(workspace, project.id, [here])
    assert finished.splits(workspace, project.id) == finished.read(workspace, project.id, [here]) == {}
    trash.restore_documents(workspace, project.id, [here])
    assert finished.splits(workspace, project.id) == {here: "test"}


def test_of_copies_only_ones_own_that_are_done(workspace, project):
    team = separate(workspace, project)
    save_own(workspace, team.ids[0], 0, [Span(7, 11, "ORG")], user="ana", status="done")
    save_own(workspace, team.ids[1], 0, [Span(3, 7, "ORG")], user="bo", status="done")
    save_own(workspace, team.ids[2], 0, [], user="ana", status="in_progress")
    assert list(finished.splits(workspace, project.id, "ana")) == [team.ids[0]]
    assert list(finished.splits(workspace, project.id, "bo")) == [team.ids[1]]
    found = finished.read(workspace, project.id, team.ids, "ana")
    assert [one.spans for one in found.values()] == [(Span(7, 11, "ORG"),)]
    assert finished.read(workspace, project.id, team.ids, "nobody") == {}
    assert list(finished.splits(workspace, project.id)) == [team.ids[1]], "which came labelled"


def test_texts_of_documents_that_are_gone_are_left_out(workspace, project):
    ids = add(workspace, project, Document("a", "清河"), Document("b", "大学"))
    assert dict(finished.texts(workspace, [*ids, 999])) == {ids[0]: "清河", ids[1]: "大学"}
    assert list(finished.texts(workspace, [])) == []
