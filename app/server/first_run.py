"""A new workspace starts with the demo project, its runs, and what has happened in it."""

from __future__ import annotations

import logging
from pathlib import Path

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.demo import load_demo
from core.store.demo_history import ACTIVE as DEMO_RUN
from core.store.demo_history import FOLDERS, before_first_visit, load_history, load_runs, register_run
from core.store.project import projects
from core.store.run import runs

ASSETS = Path(__file__).resolve().parents[2] / "assets"

__all__ = ["ASSETS", "DEMO_RUN", "prepare"]

log = logging.getLogger("latticelens")


def prepare(workspace: Workspace, assets: Path = ASSETS) -> None:
    """Add the demo project, with the demo tagger active, to a workspace without projects.

    In other workspaces only the paths of the demo's runs are updated, as the program may have moved.
    """
    if projects.all_projects(workspace):
        _follow_runs(workspace, assets)
        return
    try:
        with before_first_visit():
            project = load_demo(workspace, assets)
    except StoreError as error:
        log.warning("starting with an empty project: %s", error)
        return
    if load_runs(workspace, project, assets):
        try:
            load_history(workspace, project, assets)
        except StoreError as error:
            log.warning("the demo starts without its history: %s", error)


def _follow_runs(workspace: Workspace, assets: Path) -> None:
    for project in projects.all_projects(workspace):
        names = {run.name for run in runs.all_runs(workspace, project.id)}
        for name in FOLDERS:
            if name in names:
                register_run(workspace, project.id, name, assets)
