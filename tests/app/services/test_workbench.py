"""A workbench: an open workspace with its services."""

import pytest

from app.services.limits.table import Limits
from app.services.workbench import Workbench
from core.store.db.errors import NotFound
from core.store.document import trash
from core.store.project import members, projects
from core.store.run import runs
from tests.workspaces import new_workspace


def test_only_finished_runs_can_be_opened_the_newest_first(workbench, tmp_path):
    project = workbench.first_project()
    runs.create(workbench.workspace, project, "flat")
    for name in ("one", "two"):
        runs.register(workbench.workspace, project, name, "flat", tmp_path, {})
    assert workbench.openable_runs(project) == ["two", "one"]
    assert workbench.active_run(project) is None
    projects.set_active(workbench.workspace, project, "one")
    assert workbench.active_run(project) == "one"


def test_an_unknown_project_has_no_active_run(workbench):
    with pytest.raises(NotFound):
        workbench.active_run(99)


def test_an_empty_workspace_gets_a_project(tmp_path, probe):
    bench = Workbench(tmp_path / "fresh", probe)
    assert bench.first_project() == bench.first_project()
    bench.close()


def test_a_person_whose_projects_are_all_in_the_trash_gets_another(tmp_path, probe):
    bench = Workbench(tmp_path / "fresh", probe)
    first = bench.first_project()
    trash.trash_project(bench.workspace, first)
    assert bench.first_project() not in (first, None)
    assert [project.name for project in projects.all_projects(bench.workspace)] == ["Demo 2"]
    bench.close()


def test_the_last_project_is_reopened_while_the_user_may_see_it(workbench):
    first = workbench.first_project()
    other = projects.create(workbench.workspace, "Letters").id
    assert workbench.first_project("lin", other) == other
    assert workbench.first_project("lin", 99) == first
    members.put(workbench.workspace, other, "mia", "manager", by="mia")
    assert workbench.first_project("lin", other) == first
    assert workbench.first_project("mia", other) == other


def test_at_rest_it_unloads_what_is_made_again_when_somebody_asks(workbench, monkeypatch):
    project = workbench.first_project()
    unloaded = []
    monkeypatch.setattr(workbench.taggers, "clear", lambda: unloaded.append("taggers"))
    indexes = [workbench.earlier.of(project), workbench.labelled_sentences.at((project, None))]
    workbench.rest()
    workbench.workspace.background.ask("rest", lambda: None).result(10)
    again = [workbench.earlier.of(project), workbench.labelled_sentences.at((project, None))]
    assert unloaded == ["taggers"]
    assert all(new is not old for new, old in zip(again, indexes, strict=True))
    assert workbench.first_project() == project


def test_a_workbench_counts_the_trainings_of_the_others_only(tmp_path, probe, monkeypatch):
    everyone = []
    for name in "ab":
        everyone.append(Workbench(new_workspace(tmp_path / name), probe, Limits(), lambda: everyone))
    for bench in everyone:
        monkeypatch.setattr(bench.jobs, "running", lambda: object())
    assert everyone[0].trainings_elsewhere() == 1
    monkeypatch.undo()
    for bench in everyone:
        bench.close()
