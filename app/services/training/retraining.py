"""Training again by itself after so many edits: one run at a time, and never more than a person allowed."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

from app.services.errors import sentence, told
from app.services.tasks import Stopped, Task
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
from core.training.run.message import TrainingError
from core.training.run.run_folder import RunFolder

Recipe = Literal["last", "quick"]
Promotion = Literal["ask", "unbroken"]
SETTING, STATE = "retraining", "retraining_state"
FEWEST, MOST = 5, 100_000
# Good enough to correct against after minutes: a small tagger without a download, and half of the passes.
QUICK_TAGGER, QUICK_SHARE = "flat", 0.5
SAME_MOMENT = 1000  # milliseconds
VERDICT = "verdict"
BUSY_SECONDS = 20.0  # between two looks at a demo whose places are taken

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class RetrainingSettings:
    """When and how a project trains again by itself.

    Args:
        on: whether it does. every: edits after which it does.
        recipe: as the last training was made, or the quick default.
        promotion: ``ask`` leaves serving to a person; ``unbroken`` serves a run that breaks no correction.
    """

    on: bool = False
    every: int = 50
    recipe: Recipe = "last"
    promotion: Promotion = "ask"


@dataclass(frozen=True, slots=True)
class RetrainingState:
    """How far it got; kept in the store, so that a restarted app goes on from it.

    Args:
        run: the last run it started. resumed: how often that was taken up after it was lost.
        settled: whether everything that follows from the run's end has been done.
        outcome: ``served``, ``kept`` (for a person to decide) or ``broken``; empty before the end.
        fixed, still_wrong, newly_broken: of the verdict.
        failed, failed_zh: why it waits for a person, in English and in Chinese; empty where it does not.
    """

    run: str = ""
    resumed: int = 0
    settled: bool = True
    outcome: str = ""
    fixed: int = 0
    still_wrong: int = 0
    newly_broken: int = 0
    failed: str = ""
    failed_zh: str = ""


def read_settings(workbench: Workbench, project_id: int) -> RetrainingSettings:
    """What was chosen for the project; the defaults, off, where nothing was."""
    stored = project_settings.read(workbench.workspace, project_id, SETTING)
    try:
        return checked_settings(stored)
    except PayloadError:
        return RetrainingSettings()


def write_settings(workbench: Workbench, project_id: int, settings: RetrainingSettings) -> None:
    """Remember the choice. A failure that was waiting is forgotten: somebody has looked.

    Raises:
        PayloadError: a value does not fit; names it.
    """
    checked = checked_settings(asdict(settings))
    project_settings.write(workbench.workspace, project_id, SETTING, asdict(checked))
    state = read_state(workbench, project_id)
    if state.failed:
        _write_state(workbench, project_id, replace(state, failed="", failed_zh=""))


def read_state(workbench: Workbench, project_id: int) -> RetrainingState:
    """How far it got with the project."""
    stored = project_settings.read(workbench.workspace, project_id, STATE)
    try:
        return RetrainingState(**stored) if isinstance(stored, dict) else RetrainingState()
    except TypeError:
        return RetrainingState()


def checked_settings(values: Any) -> RetrainingSettings:
    """Settings from a form or from the store.

    Raises:
        PayloadError: a value does not fit; names it.
    """
    match values:
        case {"on": bool(on), "every": int() | float() as every, "recipe": recipe, "promotion": promotion}:
            if isinstance(every, bool) or not FEWEST <= every <= MOST or every != int(every):
                raise PayloadError(f"retraining comes after {FEWEST} to {MOST} edits, got {str(every)[:20]}")
            if recipe not in get_args(Recipe) or promotion not in get_args(Promotion):
                raise PayloadError("retraining needs a recipe and a way of promotion that exist")
            return RetrainingSettings(on, int(every), cast(Recipe, recipe), cast(Promotion, promotion))
    raise PayloadError("retraining needs on, every, recipe and promotion")


def edits_waiting(workbench: Workbench, project_id: int) -> int:
    """Edits since the project's last training began."""
    begun = [run.created for run in _trainings(workbench, project_id)]
    return events.count_since(workbench.workspace, project_id, max(begun, default=0))


class Retraining:
    """Looks after every save whether a project is due, and at the end of its run what follows.

    All of it follows from settings, runs and edits in the store: an app that was killed at any point goes on
    where it was and starts nothing twice.

    Args:
        workbench: whose projects.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._seen: dict[int, tuple[object, ...]] = {}
        self._busy_until = 0.0

    def look(self) -> None:
        """Do what is due, once; called every second, and mostly there is nothing."""
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
        if limits is not None and workbench.trainings_elsewhere() >= limits.trainings:
            self._busy_until = time.monotonic() + BUSY_SECONDS
            return
        try:
            run = begin(workbench, project_id, self._plan(project_id, settings), submit=False)
            # Before the queue has it: killed in between, the run is found again and submitted, not doubled.
            _write_state(workbench, project_id, RetrainingState(run=run.name, settled=False))
            workbench.jobs.submit(run.name)
        except Exception as error:
            log.warning("project %s could not be trained again: %s", project_id, error)
            _write_state(workbench, project_id, RetrainingState(**_told(error)))

    def _plan(self, project_id: int, settings: RetrainingSettings) -> Plan:
        workbench = self._workbench
        if settings.recipe == "last":
            for run in reversed(_trainings(workbench, project_id)):
                if run.status == "finished":
                    return plan_of(RunFolder(run.folder), "auto")
        documents = snapshot.counts(workbench.workspace, project_id)["train"].documents
        return plan_from_form(
            QUICK_TAGGER, fitted(QUICK_TAGGER, {}, documents, QUICK_SHARE), "auto", workbench.limits
        )

    def _follow(self, project_id: int, settings: RetrainingSettings, state: RetrainingState) -> None:
        """What the run's end asks for, if it has ended."""
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
            why = ended.error or ended.message
            ended_as: dict[str, Any] = {"failed": run.status}
            if why:
                ended_as = {"failed": why.en, "failed_zh": told(why, "zh")}
            _write_state(workbench, project_id, replace(state, settled=True, **ended_as))

    def _judge(
        self, task: Task[None], project_id: int, settings: RetrainingSettings, state: RetrainingState
    ) -> None:
        """The ledger's verdict, and serving where a person allowed it and nothing is newly broken."""
        workbench = self._workbench
        try:
            serving = projects.get(workbench.workspace, project_id).serving_run
            if settings.promotion == "unbroken":
                # Corrections made while it learned count too, and so do those made before the serving run
                # came, which it may never have been asked: a gate that does not ask is none.
                for run in filter(None, (state.run, serving)):
                    missing = ledger.unpredicted(workbench.workspace, run)
                    workbench.serving.predict(
                        project_id,
                        run,
                        missing,
                        lambda done, total: task.progress("predicting", done / total),
                    )
            verdict = ledger.verdict(workbench.workspace, state.run, serving)
            outcome = "kept"
            if settings.promotion == "unbroken":
                is_broken = verdict.newly_broken or verdict.unknown
                outcome = "broken" if is_broken else self._served(project_id, state.run, serving)
            after = replace(
                state, settled=True, outcome=outcome, fixed=verdict.fixed, still_wrong=verdict.still_wrong,
                newly_broken=verdict.newly_broken,
            )  # fmt: skip
        except Stopped:
            raise  # the app ends; the next one judges
        except Exception as error:
            log.warning("run %s could not be judged: %s", state.run, error)
            after = replace(state, settled=True, **_told(error))
        _write_state(workbench, project_id, after)

    def _served(self, project_id: int, run: str, serving: str | None) -> str:
        """Let the run serve; ``kept`` where a person decided about it, or about serving, in the meantime."""
        workspace = self._workbench.workspace
        with workspace.writing():
            is_decided = runs.get(workspace, run).declined is not None
            if is_decided or projects.get(workspace, project_id).serving_run != serving:
                return "kept"
            projects.set_serving(workspace, project_id, run)
        return "served"


def _trainings(workbench: Workbench, project_id: int) -> list[Run]:
    """Runs that were given to the queue to learn, oldest first; those registered from elsewhere are none."""
    found = []
    for run in runs.all_runs(workbench.workspace, project_id):
        folder = RunFolder(run.folder)
        if folder.state_file.exists() and _is_training(folder):
            found.append(run)
    return found


def _is_training(folder: RunFolder) -> bool:
    try:
        return folder.read_request().kind == "train"
    except (TrainingError, OSError):
        return False


def _write_state(workbench: Workbench, project_id: int, state: RetrainingState) -> None:
    project_settings.write(workbench.workspace, project_id, STATE, asdict(state))


def _told(error: Exception) -> dict[str, Any]:
    return {"failed": sentence(error, "en"), "failed_zh": sentence(error, "zh")}
