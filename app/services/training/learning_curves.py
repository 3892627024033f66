"""Start and follow learning curves in the job queue."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from app.services.training import job_folders
from app.services.training.training_runs import check_labelled
from core.jobs.curve_points import CurvePoint, curve_points
from core.store.run import snapshot
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

KIND: Literal["curve"] = "curve"
SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)


def start_curve(session: Session, names: Sequence[str], shares: Sequence[float]) -> str:
    """Snapshot the labelled documents and queue the trainings; returns the curve's name.

    Raises:
        AppError: nothing is labelled yet, or a run cannot be trained again. DiskFullError: no space.
    """
    check_labelled(session.workspace, session.project_id)
    request = RunRequest(
        kind=KIND,
        device=_device(session, names[0]),
        subjects=tuple(subject_of(session, name) for name in names),
        shares=tuple(shares),
        project=session.project_id,
    )
    write = partial(snapshot.write, session.workspace, session.project_id)
    return session.workbench.jobs.start(request, write)


def subject_of(session: Session, name: str) -> dict[str, Any]:
    """The request of a run; for registered runs the model's config with default settings.

    Raises:
        AppError: both are missing. NotFound: no such run.
    """
    from core.taggers.base.model_folder import read_header
    from core.taggers.base.tagger import ModelFolderError

    run = in_project.run(session, name)
    folder = RunFolder(run.folder)
    if folder.request_file.is_file():
        request = folder.read_request()
        return {
            "name": name,
            "tagger": request.tagger,
            "config": dict(request.config),
            "settings": dict(request.settings),
        }
    try:
        header = read_header(run.model_folder)
    except ModelFolderError as error:
        raise AppError(
            "{run} was not trained here, so its training settings are unknown. Choose a run that was "
            "trained here.",
            run=name,
        ) from error
    return {"name": name, "tagger": header.tagger, "config": header.changed(), "settings": {}}


def curves_of(session: Session) -> list[str]:
    """The curves of the session's project, newest first."""
    return job_folders.names_of(session, KIND, session.project_id)


def request_of(session: Session, curve: str) -> RunRequest:
    """The request of a curve.

    Raises:
        AppError: the project has no such curve.
    """
    if curve not in curves_of(session):  # the name comes from a browser
        raise AppError("This curve is not in the project any more. Choose another one.")
    return session.workbench.jobs.folder(curve).read_request()


def points_of(session: Session, curve: str) -> list[CurvePoint]:
    """The finished trainings of a curve."""
    return curve_points(session.workbench.jobs.folder(curve))


def _device(session: Session, name: str) -> str:
    folder = RunFolder(in_project.run(session, name).folder)
    return folder.read_request().device if folder.request_file.is_file() else "auto"
