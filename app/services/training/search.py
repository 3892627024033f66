"""Start and follow searches for the best tagger, and make runs of their trials."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.services import in_project
from app.services.errors import AppError
from app.services.named_files import checked_files
from app.services.session import Session
from app.services.training import job_folders, learning_curves
from app.services.training.training_runs import Plan, begin, check_labelled
from core.corpus.atomic import full_disk_as_error
from core.corpus.errors import CorpusError
from core.corpus.snapshot import LABELS, LEXICON, read_manifest
from core.jobs.search_advice import advice
from core.learning.search.clock import read_spent
from core.learning.search.trials import Trial, read_trials, trained_folder, trial_model
from core.runtime.message import Message
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_state import RunState

KIND: Literal["search"] = "search"
LEAST_MINUTES, MOST_MINUTES = 1, 7 * 24 * 60
# What the trainings of a trial and of a run must share for the one to go on as the other.
SAME = ("train.jsonl", "dev.jsonl", "unlabelled.jsonl", LABELS, LEXICON)


@dataclass(frozen=True, slots=True)
class Search:
    """A search, finished or not.

    Args:
        name: of its folder. seconds: it has worked. scores: empty before the end.
    """

    name: str
    state: RunState
    request: RunRequest
    trials: Sequence[Trial]
    seconds: float
    scores: Mapping[str, Any]


def start_search(session: Session, minutes: float | None, taggers: Sequence[str], encoder: str) -> str:
    """Snapshot the labelled documents, without test, and queue a search; returns its name.

    Raises:
        AppError: nothing is labelled yet, the time is out of range, the encoder is a file that the person may
            not name, or this is the public demo.
        TrainingError: an unknown tagger, or an encoder that cannot be used. DiskFullError: no space.
    """
    from core.learning.search.settings import SearchSettings
    from core.learning.search.space import check_encoder

    if session.workbench.limits.demo:
        raise AppError(
            "A search takes minutes of CPU time and is not available in the public demo. Run LatticeLens on "
            "your own machine for it."
        )
    if minutes is None or not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise AppError(
            "The time of a search must be between {least} and {most:,} minutes.",
            least=LEAST_MINUTES,
            most=MOST_MINUTES,
        )
    search = {"minutes": float(minutes), "taggers": ",".join(taggers), "encoder": encoder.strip()}
    given = SearchSettings.from_values(search)
    search = checked_files(session.workbench, session.project_id, search, given)
    checked = SearchSettings.from_values(search)
    check_labelled(session.workspace, session.project_id)
    check_encoder(checked)
    request = RunRequest(
        kind=KIND, search=search, device=session.workbench.device.wanted, project=session.project_id
    )

    def write(folder: Path) -> None:
        snapshot.write_without_test(session.workspace, session.project_id, folder)

    return session.workbench.jobs.start(request, write)


def searches_of(session: Session) -> list[str]:
    """The searches of the session's project, newest first."""
    return job_folders.names_of(session, KIND, session.project_id)


def search_of(session: Session, name: str | None) -> Search:
    """The search of this name, which comes from a browser.

    Raises:
        AppError: the project has none.
    """
    if name is None or name not in searches_of(session):
        raise AppError("This search is not in the project any more. Choose another one.")
    folder = session.workbench.jobs.folder(name)
    state = session.workbench.jobs.state(name)
    scores = folder.scores() if state.status == "finished" else None
    return Search(name, state, folder.read_request(), read_trials(folder), read_spent(folder), scores or {})


def advice_of(session: Session, search: Search) -> Message | None:
    """Whether more labels would bring more than more search, by the newest learning curve that has points."""
    points = (learning_curves.points_of(session, name) for name in learning_curves.curves_of(session))
    return advice(search.trials, search.seconds, next((found for found in points if found), []))


def take(session: Session, search: Search, number: int | None) -> Run:
    """Make a finished trial a run of the project, and queue it.

    The best one goes on after its last epoch if the documents are still those it learned from: it is only
    scored, unless time was up before its last planned epoch. An average is made again of the same models. Any
    other is trained again.

    Raises:
        AppError: there is no such finished trial, or models that it averages are gone. DiskFullError: no
            space.
    """
    trial = next((trial for trial in search.trials if trial.number == number), None)
    if trial is None or trial.state != "finished":
        raise AppError("Choose a finished trial first.")
    folder = session.workbench.jobs.folder(search.name)
    models = [trial_model(folder, member) for member in trial.members]
    if not all(model.is_dir() for model in models):
        raise AppError("The taggers that this trial averages are gone. Choose another one, or search again.")
    plan = Plan(
        trial.tagger,
        trial.config,
        trial.settings,
        search.request.device,
        members=[str(each) for each in models],
    )
    run = begin(session.workbench, session.project_id, plan, submit=False)
    try:
        if not search.state.active:  # which may replace its best trial at any moment
            _reuse(folder, trial, RunFolder(run.folder))
        note = session._("{search}, trial {number}", search=search.name, number=trial.number + 1)
        runs.describe(session.workspace, run.name, title="", note=note)
        session.workbench.jobs.submit(run.name)
    except Exception:
        runs.set_status(session.workspace, run.name, "failed")
        raise
    return in_project.run(session, run.name)


def _reuse(folder: RunFolder, trial: Trial, run: RunFolder) -> None:
    """Let the run go on after the trial's last epoch, if it has the same documents, labels and words."""
    trained = trained_folder(folder, trial.number)
    try:
        before, now = read_manifest(folder.snapshot).sha256, read_manifest(run.snapshot).sha256
    except CorpusError:
        return
    if trained is None or any(before.get(name) != now.get(name) for name in SAME):
        return
    with full_disk_as_error(run.checkpoint):
        shutil.copytree(trained.checkpoint, run.checkpoint)
        shutil.copyfile(trained.events_file, run.events_file)
