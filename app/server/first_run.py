"""A new workspace starts with the demo project and its tagger."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.demo import load_demo
from core.store.project import projects
from core.store.run import runs

ASSETS = Path(__file__).resolve().parents[2] / "assets"
DEMO_RUN = "demo"

log = logging.getLogger("latticelens")


def prepare(workspace: Workspace, assets: Path = ASSETS) -> None:
    """Add the demo project, with the demo tagger active, to a workspace without projects.

    In other workspaces only the path of the demo tagger is updated, as the program may have moved.
    """
    if projects.all_projects(workspace):
        _follow_demo_tagger(workspace, assets)
        return
    try:
        project = load_demo(workspace, assets)
    except StoreError as error:
        log.warning("starting with an empty project: %s", error)
        return
    if _register(workspace, project.id, assets):
        projects.set_active(workspace, project.id, DEMO_RUN)


def _follow_demo_tagger(workspace: Workspace, assets: Path) -> None:
    for project in projects.all_projects(workspace):
        if any(run.name == DEMO_RUN for run in runs.all_runs(workspace, project.id)):
            _register(workspace, project.id, assets)


def _register(workspace: Workspace, project_id: int, assets: Path) -> bool:
    """Register the demo tagger; False if it is missing."""
    folder = assets / "demo_tagger"
    if not (folder / "config.json").is_file():
        return False
    scores_file = folder / "scores.json"
    scores = json.loads(scores_file.read_text(encoding="utf-8")) if scores_file.is_file() else {}
    tagger = json.loads((folder / "config.json").read_text(encoding="utf-8"))["tagger"]
    runs.register(workspace, project_id, DEMO_RUN, tagger, folder, scores)
    return True
