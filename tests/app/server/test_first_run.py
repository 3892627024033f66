"""What a fresh workspace starts with."""

import json
import shutil

import pytest

from app.server.first_run import ASSETS, prepare
from core.store import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import ledger, runs


@pytest.fixture
def assets(tmp_path):
    folder = tmp_path / "assets"
    shutil.copytree(ASSETS / "demo", folder / "demo")
    return folder


@pytest.fixture
def workspace(tmp_path):
    with Workspace.open(tmp_path / "workspace") as opened:
        yield opened


def add_tagger(assets):
    (assets / "demo_tagger").mkdir()
    (assets / "demo_tagger" / "config.json").write_text(json.dumps({"tagger": "flat"}))
    (assets / "demo_tagger" / "scores.json").write_text(json.dumps({"test": {"micro": {"f1": 0.9}}}))


def test_a_fresh_workspace_opens_with_the_demo_corpus(workspace, assets):
    prepare(workspace, assets)
    (project,) = projects.all_projects(workspace)
    assert documents.count(workspace, project.id)["all"] >= 400
    assert len(labels.get(workspace, project.id)) >= 6
    assert project.active_run is None


def test_the_demo_tagger_serves_where_it_is_there(workspace, assets):
    add_tagger(assets)
    prepare(workspace, assets)
    (project,) = projects.all_projects(workspace)
    assert project.active_run == "demo"
    assert runs.get(workspace, "demo").model_folder == (assets / "demo_tagger").resolve()


def test_a_second_start_changes_nothing_but_the_place_of_the_tagger(workspace, assets, tmp_path):
    add_tagger(assets)
    prepare(workspace, assets)
    (project,) = projects.all_projects(workspace)
    projects.set_active(workspace, project.id, None)
    projects.rename(workspace, project.id, "mine")
    moved = tmp_path / "elsewhere"
    shutil.move(assets, moved)
    prepare(workspace, moved)
    (project,) = projects.all_projects(workspace)
    assert (project.name, project.active_run) == ("mine", None)
    assert runs.get(workspace, "demo").folder == (moved / "demo_tagger").resolve()


def test_a_missing_corpus_is_said_and_does_not_stop_the_start(workspace, tmp_path, caplog):
    prepare(workspace, tmp_path / "nothing")
    assert projects.all_projects(workspace) == []
    assert "demo corpus" in caplog.text


def test_a_new_workspace_has_two_runs_and_what_happened_between_them(workspace):
    prepare(workspace)
    (project,) = projects.all_projects(workspace)
    assert (project.active_run, project.previous_run) == ("demo", "baseline")
    assert ledger.verdict(workspace, "demo", "baseline").total >= 30


def test_a_damaged_history_is_said_and_the_demo_starts_without_it(workspace, tmp_path, caplog):
    ignored = shutil.ignore_patterns("model.safetensors", "scripts")
    assets = shutil.copytree(ASSETS, tmp_path / "whole", ignore=ignored)
    (assets / "demo" / "history" / "history.json").write_text("{", encoding="utf-8")
    prepare(workspace, assets)
    (project,) = projects.all_projects(workspace)
    assert project.active_run == "demo"
    assert ledger.verdict(workspace, "demo", "baseline").total == 0
    assert "without its history" in caplog.text
