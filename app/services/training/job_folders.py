"""The folders of a project's jobs that are no runs: learning curves and searches."""

from __future__ import annotations

import shutil

from app.services.errors import AppError
from app.services.session import Session
from core.training.run.errors import TrainingError

KINDS = ("curve", "search")


def names_of(session: Session, kind: str, project_id: int) -> list[str]:
    """The jobs of a kind in a project, newest first."""
    root = session.workspace.runs_folder
    names = [path.name for path in root.glob(f"{kind}-*") if (path / "state.json").is_file()]
    return sorted((name for name in names if _is_of(session, name, kind, project_id)), reverse=True)


def check_none_runs(session: Session, project_id: int) -> None:
    """Check that no learning curve and no search of a project is going on.

    Raises:
        AppError: names it.
    """
    for kind in KINDS:
        for name in names_of(session, kind, project_id):
            if session.workbench.jobs.state(name).active:
                raise AppError("{job} of this project is not finished; cancel it first.", job=name)


def delete_all(session: Session, project_id: int) -> None:
    """Delete a project's learning curves and searches, which contain its texts."""
    for kind in KINDS:
        for name in names_of(session, kind, project_id):
            folder = session.workbench.jobs.folder(name).path
            if not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


def _is_of(session: Session, name: str, kind: str, project_id: int) -> bool:
    try:
        request = session.workbench.jobs.folder(name).read_request()
    except TrainingError:
        return False
    return request.kind == kind and request.project == project_id
