"""Runs: the list, one with its state, start, cancel, make active."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from app.api.access import allowed
from app.api.errors import InvalidRequest, ToldRoute
from app.api.payloads import Body, Line
from app.services import in_project
from app.services.session import Session
from app.services.training import training_runs
from app.ui.runs.decision import make_active
from core.store.document import documents
from core.store.project import projects
from core.store.run import runs
from core.store.run.runs import Run
from core.training.run.errors import TrainingError

router = APIRouter(route_class=ToldRoute, tags=["runs"])

Reader = Annotated[Session, allowed("see_documents")]
Trainer = Annotated[Session, allowed("train")]
Name = Annotated[str, Path(max_length=80)]


class TrainingBody(Body):
    """A training.

    Args:
        like: a run to train like; left out, like the active one, unless a tagger is named.
        tagger: its registered name. values: its options and the training's, as ``--set`` of the command line
            takes them. device: auto, cpu, cuda or mps.
    """

    like: Line | None = None
    tagger: Line | None = None
    values: Annotated[dict[str, bool | int | float | str], Field(max_length=100)] = Field(
        default_factory=dict
    )
    device: Annotated[str, Field(pattern="^(auto|cpu|cuda|mps)$")] = "auto"


class RunReply(BaseModel):
    """A run.

    Args:
        name: identifies it. title: what people call it. status: queued, running, finished, failed, cancelled
            or interrupted. active: whether its tagger answers. created, finished: ms since 1970, UTC.
        scores: as in its ``scores.json``.
        fraction: work done, 0 to 1. remaining_seconds: an estimate, or null. message: what it is doing, or
            why it failed.
    """

    name: str
    title: str
    tagger: str
    status: str
    active: bool
    parent: str | None
    created: int
    finished: int | None
    scores: dict[str, Any]
    fraction: float | None = None
    remaining_seconds: float | None = None
    message: str = ""


class RunsReply(BaseModel):
    """The project's runs, oldest first."""

    runs: list[RunReply]


@router.get("/runs")
def list_runs(session: Reader) -> RunsReply:
    """All runs, oldest first, without what they are doing just now."""
    active = session.workbench.active_run(session.project_id)
    found = runs.all_runs(session.workspace, session.project_id)
    return RunsReply(runs=[_run(run, active) for run in found])


@router.get("/runs/{run}")
def read_run(session: Reader, run: Name) -> RunReply:
    """One run and what it is doing."""
    return _with_state(session, in_project.run(session, run))


@router.post("/runs", status_code=201)
def start_run(session: Trainer, body: TrainingBody) -> RunReply:
    """Train on the labelled documents, in a process of its own; one training at a time runs, others wait."""
    return _with_state(session, training_runs.start(session, plan_for(session, body)))


@router.post("/runs/{run}/cancel")
def cancel_run(session: Trainer, run: Name) -> RunReply:
    """Ask a run to stop; one that has ended stays as it is."""
    chosen = in_project.run(session, run)
    if training_runs.state_of(session, chosen).active:
        session.workbench.jobs.cancel(chosen.name)
    return _with_state(session, chosen)


@router.post("/runs/{run}/activate")
def activate_run(session: Annotated[Session, allowed("promote")], run: Name) -> RunReply:
    """Make a finished run the one whose tagger answers."""
    return _with_state(session, make_active(session, run))


def plan_for(session: Session, body: TrainingBody) -> training_runs.Plan:
    """The plan of a training.

    Raises:
        InvalidRequest, ConfigError: an unknown tagger or option, or a value that does not fit.
        AppError: nothing says which tagger. NotFound: the project has no such run.
    """
    try:
        return _plan(session, body)
    except TrainingError as error:
        raise InvalidRequest(error.message) from error


def _plan(session: Session, body: TrainingBody) -> training_runs.Plan:
    workbench, project_id = session.workbench, session.project_id
    if body.tagger is not None and body.like is None:
        count = documents.count(session.workspace, project_id)["labelled"]
        values = training_runs.fitted(body.tagger, body.values, count)
        return training_runs.plan_from_form(body.tagger, values, body.device)
    name = body.like or workbench.taggers.run_of(project_id)
    plan = training_runs.plan_like(workbench, in_project.run(session, name), body.device)
    if not body.values:
        return plan
    values = {**plan.config, **plan.settings, **body.values}
    return training_runs.plan_from_form(body.tagger or plan.tagger, values, body.device)


def _with_state(session: Session, run: Run) -> RunReply:
    active = projects.get(session.workspace, session.project_id).active_run
    state = training_runs.state_of(session, run)
    told = training_runs.sentence_of(state.error or state.message, session)
    return _run(run, active).model_copy(
        update={
            "status": state.status,
            "fraction": state.fraction,
            "remaining_seconds": state.remaining_seconds,
            "message": told,
        }
    )


def _run(run: Run, active: str | None) -> RunReply:
    return RunReply(
        name=run.name,
        title=run.title,
        tagger=run.tagger,
        status=run.status,
        active=run.name == active,
        parent=run.parent,
        created=run.created,
        finished=run.finished,
        scores=run.scores,
    )
