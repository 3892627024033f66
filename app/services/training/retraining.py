"""Automatic retraining after a number of edits, one run at a time."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

from app.i18n import Message
from app.i18n.terms import RUN_STATES
from app.services.background.tasks import Stopped, Task
from app.services.errors import message_for
from app.services.training.training_runs import Plan, begin, fitted, plan_from_form, plan_of
from app.services.workbench import Workbench
from core.store.annotation import events
from core.store.annotation.annotations import last_saved
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError
from core.store.project import projects
from core.store.project import settings as project_settings
from core.store.run import ledger, runs, snapshot
from core.store.run.runs import Run
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

Recipe = Literal["last", "quick"]
Promotion = Literal["ask", "unbroken"]
SETTING, STATE = "retraining", "retraining_state"
FEWEST, MOST = 5, 100_000
# A small tagger without a download and half the epochs, which takes minutes.
QUICK_TAGGER, QUICK_SHARE = "flat", 0.5
SAME_MOMENT = 1000  # milliseconds
VERDICT = "verdict"
BUSY_SECONDS = 20.0  # between checks of a full demo

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class RetrainingSettings:
    """Settings of automatic retraining.

    Args:
        on: enabled. every: number of edits between trainings.
        recipe: like the last training, or the quick default.
        promotion: ``ask``: a person activates runs; ``unbroken``: activate a run that breaks no correction.
    """

    on: bool = False
    every: int = 50
    recipe: Recipe = "last"
    promotion: Promotion = "ask"


@dataclass(frozen=True, slots=True)
class RetrainingState:
    """State of automatic retraining, stored, so that a restarted app continues.

    Args:
        run: the last run it started. resumed: how often that was resumed after a crash.
        settled: whether the run's end has been processed.
        outcome: ``activated``, ``kept`` (for a person to decide) or ``broken``; empty before the end.
        fixed, still_wrong, newly_broken: counts of the verdict.
        failed: why it is person; None if it is not.
    """

    run: str = ""
    resumed: int = 0
    settled: bool = True
    outcome: str = ""
    fixed: int = 0
    still_wrong: int = 0
    newly_broken: int = 0
    failed: Message | None = None


def read_settings(workbench: Workbench, project_id: int) -> RetrainingSettings:
    """The project's settings; off by default."""
    stored = project_settings.read(workbench.workspace, project_id, SETTING)
    try:
        return checked_settings(stored)
    except PayloadError:
        return RetrainingSettings()


def write_settings(workbench: Workbench, project_id: int, settings: RetrainingSettings) -> None:
    """Store the settings and clear a failure.

    Raises:
        PayloadError: invalid value; names it.
    """
    checked = checked_settings(asdict(settings))
    project_settings.write(workbench.workspace, project_id, SETTING, asdict(checked))
    state = read_state(workbench, project_id)
    if state.failed:
        _write_state(workbench, project_id, replace(state, failed=None))


def read_state(workbench: Workbench, project_id: int) -> RetrainingState:
    """The state of the project."""
    stored = project_settings.read(workbench.workspace, project_id, STATE)
    if not isinstance(stored, dict):
        return RetrainingState()
    failed = stored.pop("failed", None)
    try:
        return RetrainingState(**stored, failed=failed and Message.from_json(failed))
    except (TypeError, ValueError):
        return RetrainingState()


def checked_settings(values: Any) -> RetrainingSettings:
    """Settings from a form or from the store.

    Raises:
        PayloadError: invalid value; names it.
    """
    match values:
        case {"on": bool(on), "every": int() | float() as every, "recipe": recipe, "promotion": promotion}:
            if isinstance(every, bool) or not FEWEST <= every <= MOST or every != int(every):
                raise PayloadError(
                    "automatic retraining starts after {fewest} to {most} edits, got {every}",
                    fewest=FEWEST,
                    most=MOST,
                    every=str(every)[:20],
                )
            if recipe not in get_args(Recipe) or promotion not in get_args(Promotion):
                raise PayloadError(
                    "automatic retraining does not know this recipe or what to do after training; choose "
                    "both on the Train page"
                )
            return RetrainingSettings(on, int(every), cast(Recipe, recipe), cast(Promotion, promotion))
    raise PayloadError(
        "the settings of automatic retraining are incomplete; set them again on the Train page"
    )


def edits_waiting(workbench: Workbench, project_id: int) -> int:
    """Edits since the project's last training began."""
    begun = [run.created for run in _trainings(workbench, project_id)]
    return events.count_since(workbench.workspace, project_id, max(begun, default=0))


class Retraining:
    """Starts runs when a project is due, and processes their end.

    Everything is derived from settings, runs and edits in the store, so a killed app continues without
    starting anything twice.

    Args:
        workbench: whose projects.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._seen: dict[int, tuple[object, ...]] = {}
        self._busy_until = 0.0

    def look(self) -> None:
        """Do what is due; called every second."""
        judging = self._workbench.tasks.latest(VERDICT)
        if judging is not None and judging.running:
            return
        for project in projects.all_projects(self._workbench.workspace):
            settings = read_settings(self._workbench, project.id)
            state = read_state(self._workbench, project.id)
            if not state.settled:
                self._follow(project.id, settings, state)
            elif settings.on and not state.failed:
                self._start_if_due(project.id, settings)

    def _start_if_due(self, project_id: int, settings: RetrainingSettings) -> None:
        workbench = self._workbench
        if time.monotonic() < self._busy_until or workbench.jobs.running() is not None:
            return
        seen = (last_saved(workbench.workspace, project_id), settings)
        if self._seen.get(project_id) == seen:
            return  # nothing was saved since it was not due
        if edits_waiting(workbench, project_id) < settings.every:
            # A save of this very moment may be followed by another with the same time, which must count.
            if seen[0] is None or seen[0] < now() - SAME_MOMENT:
                self._seen[project_id] = seen
            return
        limits = workbench.limits
        if limits.demo and workbench.trainings_elsewhere() >= limits.trainings:
            self._busy_until = time.monotonic() + BUSY_SECONDS
            return
        try:
            run = begin(workbench, project_id, self._plan(project_id, settings), submit=False)
            # Before submission: after a crash in between, the run is found and submitted once.
            _write_state(workbench, project_id, RetrainingState(run=run.name, settled=False))
            workbench.jobs.submit(run.name)
        except Exception as error:
            log.warning("project %s could not be trained again: %s", project_id, error)
            _write_state(workbench, project_id, RetrainingState(failed=message_for(error)))

    def _plan(self, project_id: int, settings: RetrainingSettings) -> Plan:
        workbench = self._workbench
        if settings.recipe == "last":
            for run in reversed(_trainings(workbench, project_id)):
                if run.status == "finished":
                    return plan_of(RunFolder(run.folder), "auto")
        documents = snapshot.counts(workbench.workspace, project_id)["train"].documents
        return plan_from_form(QUICK_TAGGER, fitted(QUICK_TAGGER, {}, documents, QUICK_SHARE), "auto")

    def _follow(self, project_id: int, settings: RetrainingSettings, state: RetrainingState) -> None:
        """Process the run's end, if it has ended."""
        workbench = self._workbench
        try:
            run = runs.get(workbench.workspace, state.run)
        except NotFound:
            return _write_state(workbench, project_id, RetrainingState())
        folder = RunFolder(run.folder)
        if not folder.state_file.exists():  # killed before the queue had it
            workbench.jobs.submit(run.name)
        elif run.status == "finished":
            workbench.tasks.start(VERDICT, lambda task: self._judge(task, project_id, settings, state))
        elif run.status == "interrupted" and not state.resumed:
            _write_state(workbench, project_id, replace(state, resumed=1))
            workbench.jobs.resume(run.name)
        elif run.status == "cancelled":
            _write_state(workbench, project_id, replace(state, settled=True))
        elif run.status in ("failed", "interrupted"):
            ended = workbench.jobs.state(run.name)
            why = ended.error or ended.message or RUN_STATES[run.status]
            _write_state(workbench, project_id, replace(state, settled=True, failed=why))

    def _judge(
        self, task: Task[None], project_id: int, settings: RetrainingSettings, state: RetrainingState
    ) -> None:
        """Compute the ledger's verdict, and activate the run if that is allowed and nothing is newly
        broken."""
        workbench = self._workbench
        try:
            active = projects.get(workbench.workspace, project_id).active_run
            if settings.promotion == "unbroken":
                # Corrections made while it learned count too, and so do those made before the active run
                # came, which it may never have been asked: a gate that does not ask is none.
                for run in filter(None, (state.run, active)):
                    missing = ledger.unpredicted(workbench.workspace, run)
                    workbench.taggers.predict(
                        project_id,
                        run,
                        missing,
                        lambda done, total: task.progress("predicting", done / total),
                    )
            verdict = ledger.verdict(workbench.workspace, state.run, active)
            outcome = "kept"
            if settings.promotion == "unbroken":
                is_broken = verdict.newly_broken or verdict.unknown
                outcome = "broken" if is_broken else self._activated(project_id, state.run, active)
            after = replace(
                state, settled=True, outcome=outcome, fixed=verdict.fixed, still_wrong=verdict.still_wrong,
                newly_broken=verdict.newly_broken,
            )  # fmt: skip
        except Stopped:
            raise  # the app ends; the next one continues
        except Exception as error:
            log.warning("run %s could not be judged: %s", state.run, error)
            after = replace(state, settled=True, failed=message_for(error))
        _write_state(workbench, project_id, after)

    def _activated(self, project_id: int, run: str, active: str | None) -> str:
        """Activate the run; ``kept`` if a person has decided in the meantime."""
        workspace = self._workbench.workspace
        with workspace.writing():
            is_decided = runs.get(workspace, run).declined is not None
            if is_decided or projects.get(workspace, project_id).active_run != active:
                return "kept"
            projects.set_active(workspace, project_id, run)
        return "activated"


def _trainings(workbench: Workbench, project_id: int) -> list[Run]:
    """Trained runs, oldest first, without registered ones."""
    trainings = []
    for run in runs.all_runs(workbench.workspace, project_id):
        folder = RunFolder(run.folder)
        if folder.state_file.exists() and _is_training(folder):
            trainings.append(run)
    return trainings


def _is_training(folder: RunFolder) -> bool:
    try:
        return folder.read_request().kind == "train"
    except (TrainingError, OSError):
        return False


def _write_state(workbench: Workbench, project_id: int, state: RetrainingState) -> None:
    failed = state.failed and state.failed.to_json()
    values = asdict(replace(state, failed=None)) | {"failed": failed}
    project_settings.write(workbench.workspace, project_id, STATE, values)
