"""A workbench and the lock that keeps a workspace for one app."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from app.services.hosting import Limits
from app.services.workbench import Workbench, WorkspaceInUse, WorkspaceLock
from core.store.db.errors import NotFound
from core.store.document import trash
from core.store.project import members, projects
from core.store.run import runs
from tests.workspaces import new_workspace


def test_a_workspace_that_is_open_is_refused_by_process(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (tmp_path / "app.lock").write_text(str(other.pid))
        with pytest.raises(WorkspaceInUse, match=f"process {other.pid}"):
            WorkspaceLock(tmp_path).take()
    finally:
        other.communicate(b"\n")
    WorkspaceLock(tmp_path).take()
    assert (tmp_path / "app.lock").read_text().split()[0] == str(os.getpid())


def test_a_workspace_opened_by_this_version_is_refused_while_its_process_lives(tmp_path):
    code = (
        "import sys; from pathlib import Path; from app.services.workbench import WorkspaceLock;"
        "WorkspaceLock(Path(sys.argv[1])).take(); print('held', flush=True); input()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **pipes) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(WorkspaceInUse, match=f"process {other.pid}"):
            WorkspaceLock(tmp_path).take()
        other.kill()
    WorkspaceLock(tmp_path).take()


def test_a_reused_pid_holds_no_lock(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (tmp_path / "app.lock").write_text(f"{other.pid} before-the-machine-was-restarted:17")
        WorkspaceLock(tmp_path).take()
    finally:
        other.communicate(b"\n")


@pytest.mark.parametrize("left", ["", "not a number", "999999999"])
def test_a_lock_left_behind_is_taken_over(tmp_path, left):
    (tmp_path / "app.lock").write_text(left)
    lock = WorkspaceLock(tmp_path)
    lock.take()
    lock.release()
    assert not (tmp_path / "app.lock").exists()


def test_a_lock_of_somebody_else_is_not_released(tmp_path):
    (tmp_path / "app.lock").write_text("1")
    WorkspaceLock(tmp_path).release()
    assert (tmp_path / "app.lock").read_text() == "1"


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
