"""The demo's workspace is made beside the app while it loads, or here where that cannot be."""

import multiprocessing
import os
import signal
import sys
import time

import pytest

from app.server import demo_template
from app.server.demo_template import DemoTemplate
from core.store import Workspace
from core.store.project import projects

forked = pytest.mark.skipif(sys.platform != "linux", reason="a process beside is forked on Linux alone")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(demo_template.tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def quick(monkeypatch):
    """Makes a workspace that says which process did."""

    def make(workspace):
        workspace.mkdir()
        (workspace / "by").write_text(str(os.getpid()))

    monkeypatch.setattr(demo_template, "_make", make)
    return make


def maker(template):
    return int((template.made() / "by").read_text())


@forked
def test_it_is_made_by_a_process_beside(quick):
    template = DemoTemplate()
    template.begin("text")
    assert maker(template) != os.getpid()


def test_it_is_the_workspace_with_the_demo_project(temporary):
    template = DemoTemplate()
    template.begin("text")
    with Workspace.open(template.made()) as workspace:
        (project,) = projects.all_projects(workspace)
        assert (project.name, project.active_run) == ("Demo", "demo")
    template.delete()
    assert list(temporary.iterdir()) == []


def test_without_a_process_it_is_made_here(quick):
    assert maker(DemoTemplate()) == os.getpid()


@forked
@pytest.mark.parametrize("how", ["killed", "failed"])
def test_what_the_process_did_not_finish_is_made_here(quick, monkeypatch, how):
    def half(workspace):
        workspace.mkdir()
        (workspace / "half").touch()
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError("no room")

    template = DemoTemplate()
    monkeypatch.setattr(demo_template, "_make", half)
    template.begin("text")
    monkeypatch.setattr(demo_template, "_make", quick)
    assert maker(template) == os.getpid()
    assert not (template._folder / "workspace" / "half").exists()


@forked
def test_deleted_in_the_middle_nothing_is_left(temporary, monkeypatch):
    monkeypatch.setattr(demo_template, "_make", lambda workspace: (workspace.mkdir(), time.sleep(600)))
    template = DemoTemplate()
    template.begin("text")
    template.delete()
    assert list(temporary.iterdir()) == []
    assert multiprocessing.active_children() == []


@forked
def test_the_process_of_an_app_that_was_killed_deletes_what_it_made(quick, temporary):
    folder = temporary / "template"
    folder.mkdir()
    context = multiprocessing.get_context("fork")
    orphan = context.Process(target=demo_template._beside, args=(folder, "text", os.getppid()))
    orphan.start()
    orphan.join(60)
    assert (orphan.exitcode, folder.exists()) == (0, False)
