"""Workspaces from Python: what the app sees is what was done, and bad input changes nothing."""

import pytest

import latticelens as ll
from core.store.annotation import annotations
from core.store.db.workspace import Workspace as Store
from core.store.document import documents

GIVEN = [
    ll.Document("a", "张伟在北京", [ll.Span(0, 2, "PER")], {"split": "train"}),
    ll.Document("b", "下雨了"),
]


@pytest.fixture
def workspace(tmp_path):
    with ll.open_workspace(tmp_path / "work", create=True) as opened:
        yield opened


@pytest.fixture
def project(workspace):
    made = workspace.create_project("news")
    made.add(GIVEN)
    return made


def test_documents_come_in_once_and_out_again(project, tmp_path):
    again = project.add(GIVEN)
    assert (again.added, again.duplicates) == (0, 2)
    assert [document.id for document in project.documents()] == ["a", "b"]
    assert [document.id for document in project.documents(split="train")] == ["a"]
    assert project.document("a").spans == GIVEN[0].spans
    assert project.export(tmp_path / "x.jsonl", labelled=True) == {}
    assert {document.id for document in ll.read(tmp_path / "x.jsonl").documents} == {"a", "b"}


def test_an_annotation_is_an_event_of_the_history(workspace, project):
    done = project.annotate("b", [], user="ada", status="done")
    assert (done.status, done.document.id) == ("done", "b")
    changed = project.annotate("a", [ll.Span(0, 1, "PER")], user="ada")
    assert project.document("a").spans == (ll.Span(0, 1, "PER"),)
    with Store.open(workspace.folder) as store:
        number = documents.number_named(store, 1, "a")
        assert [event.user for event in annotations.history(store, number)][-1] == "ada"
    with pytest.raises(ll.LatticeLensError):
        project.annotate("a", [], user="bob", revision=changed.revision - 1)
    assert project.document("a").spans == (ll.Span(0, 1, "PER"),)


def test_runs_are_added_and_made_active(project, tmp_path):
    assert project.active_run is None
    with pytest.raises(ll.LatticeLensError, match="no run of project 'news' is active"):
        project.tagger()
    run = project.add_run(ll.Run("demo", "span", ll.DEMO_TAGGER, "finished", {"dev": {"f1": 0.5}}))
    project.activate(run)
    assert project.active_run == run
    assert [item.scores for item in project.runs()] == [{"dev": {"f1": 0.5}}]
    assert "PER" in project.tagger("cpu").labels
    with pytest.raises(ll.LatticeLensError, match="is running"):
        project.add_run(ll.Run("x", "span", tmp_path, "running"))


def test_labels_are_read_and_replaced(workspace):
    wanted = ll.LabelSet([ll.Label("CROP", description="what is grown")])
    project = workspace.create_project("fields", wanted)
    assert [(label.name, label.description) for label in project.labels] == [("CROP", "what is grown")]


def test_a_backup_can_be_opened(workspace, project, tmp_path):
    kept = workspace.backup(tmp_path / "kept.sqlite")
    assert kept.read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda workspace, project: workspace.project("gone"), "gone"),
        (lambda workspace, project: workspace.create_project("news"), "news"),
        (lambda workspace, project: project.document("z"), "z"),
        (lambda workspace, project: project.annotate("a", [ll.Span(0, 99, "PER")], user="ada"), "99"),
        (lambda workspace, project: project.annotate("a", [ll.Span(0, 1, "NOPE")], user="ada"), "NOPE"),
        (lambda workspace, project: project.annotate("a", [], user="ada", status="perfect"), "perfect"),
        (lambda workspace, project: project.add(GIVEN, split="half"), "half"),
        (lambda workspace, project: project.activate("gone"), "gone"),
        (lambda workspace, project: project.export("x.unheard"), "belongs to no format"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(workspace, project, act, said):
    before = [(document.id, document.spans) for document in project.documents()]
    with pytest.raises(ll.LatticeLensError, match=said):
        act(workspace, project)
    assert [(document.id, document.spans) for document in project.documents()] == before
    assert [item.name for item in workspace.projects()] == ["news"]


def test_only_a_workspace_is_opened(tmp_path):
    with pytest.raises(ll.LatticeLensError, match="create=True"):
        ll.open_workspace(tmp_path)
    assert not list(tmp_path.iterdir())
