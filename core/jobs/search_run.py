"""A search: trial after trial in the time a person gives, then the best one's model."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.cluster.options import WorkerGroup
from core.corpus.atomic import replace_folder
from core.corpus.errors import CorpusError, DiskFullError
from core.corpus.snapshot import read_snapshot
from core.jobs.failures import error_message
from core.jobs.search_average import (
    average,
    average_seconds,
    averaging_trial,
    best_to_average,
    scored,
    sizes,
)
from core.jobs.search_scores import gain
from core.jobs.search_trial import SearchWork, TrialTraining, keep_epoch, write_training
from core.learning.search.clock import Clock
from core.learning.search.folds import Fold, search_corpus
from core.learning.search.settings import SearchSettings
from core.learning.search.space import Space, check_encoder
from core.learning.search.study import Study
from core.learning.search.trials import (
    WHOLE,
    Trial,
    ranked,
    read_trials,
    trial_folder,
    trial_model,
    write_trial,
)
from core.training.loop import Report
from core.training.run.errors import TrainingError
from core.training.run.run import execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_scores import environment
from core.training.run.run_start import start_run
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped

MOST_FAILURES = 5  # in a row, until the search gives up
LEAST_SHARE = 0.3  # of the time trials usually take: with less left, no other is begun


def execute_search(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Try taggers and settings until the time is over; returns the contents of ``scores.json``.

    Each trial has a folder below ``trials``. Its record is always kept; the checkpoint is kept for the best
    trial only, and the models for trials that may be averaged. The averages are trials too, tried last.
    The best one's model becomes the search's ``model``. Ended trials are not repeated, and an interrupted one
    is resumed after its last epoch.

    Raises:
        Stopped: on request. TrainingError: there is nothing to score on, the encoder cannot be used, or no
            trial could be finished.
        DiskFullError: what was written before is unchanged.
    """
    request = folder.read_request()
    settings = SearchSettings.from_values(request.search)
    check_encoder(settings)
    base = TrainingSettings.from_values(request.settings)
    torch.set_num_threads(base.threads or torch.get_num_threads())
    trials = _trained_trials(folder)
    device = start_run(request, "search", report, resumed_from=len(trials))
    snapshot = read_snapshot(folder.snapshot)
    corpus = search_corpus(snapshot, settings.seed)
    for note in corpus.notes:
        report({"event": "log", "message": note.to_json()})
    space = Space.of(corpus.documents, len(corpus.folds[0].train), settings, dict(request.settings))
    study = Study(space, settings.seed, trials)
    clock = Clock(folder, 60 * settings.minutes)
    work = SearchWork(folder, request, snapshot, corpus, device, clock, study, report, should_stop)
    search = _Search(work, study, settings, [trial for trial in trials if trial.state != "running"])
    interrupted = [trial for trial in trials if trial.state == "running"]
    if request.cluster:
        search.run_side_by_side(WorkerGroup.from_json(request.cluster))
    else:
        search.run(interrupted)
    scores = search.finish()
    folder.write_scores(scores)
    return scores


def _trained_trials(folder: RunFolder) -> list[Trial]:
    """The trained trials so far; the averages of an earlier end are dropped, new ones come at the next."""
    trials = read_trials(folder)
    for trial in trials:
        if trial.members:
            shutil.rmtree(trial_folder(folder, trial.number), ignore_errors=True)
    return [trial for trial in trials if not trial.members]


class _Search:
    """The loop over trials.

    Args:
        trials: those that have ended.
    """

    def __init__(self, work: SearchWork, study: Study, settings: SearchSettings, trials: list[Trial]) -> None:
        self.work, self.study, self.settings, self.trials = work, study, settings, trials
        self._reserve()

    def run(self, interrupted: list[Trial]) -> None:
        """Run trials until time or number is reached; ``interrupted`` ones go on where they were."""
        while interrupted or self._goes_on():
            trial = self.study.ask()
            if interrupted:  # the study proposes them again, in the same order
                trial = interrupted.pop(0)
            write_trial(self.work.folder, trial)
            ended = self._train(trial)
            self.study.tell(ended)
            self._end(ended)
            if self.work.should_stop():
                raise Stopped

    def run_side_by_side(self, group: WorkerGroup) -> None:
        """The same with several trials at once, chosen and ended by Ray Tune."""
        from core.cluster.opening import opened
        from core.jobs.side_by_side import WORK, SideBySide, run_side_by_side

        left = self.settings.trials - len(self.trials)
        if self.settings.trials and left <= 0:
            return
        asked = SideBySide(
            left if self.settings.trials else None,
            self._goes_on,
            lambda trial: self._seconds(trial, group.workers),
            lambda: self._best is not None,
            self._end,
        )
        with opened(group, self.work.folder.path, WORK) as ray:
            run_side_by_side(ray, self.work, self.study, group, asked)

    def _end(self, trial: Trial) -> None:
        """Take in a trial that has ended."""
        ended = replace(trial, ended=round(self.work.clock.spent, 3))
        write_trial(self.work.folder, ended)
        self.trials.append(ended)
        self.work.clock.save()
        self._tidy()
        self._reserve()
        self.work.report({"event": "trial", **_told(ended)})
        self._check_failures()

    def _seconds(self, trial: Trial, at_once: int = 1) -> float:
        """The time limit of a trial: its share of the remaining time."""
        return min(1.0, at_once / self.study.shares(trial)) * self.work.clock.left

    def finish(self) -> dict[str, Any]:
        """Put the best trial's model into the search's folder, and return what ``scores.json`` says.

        Raises:
            TrainingError: no trial was finished.
        """
        work = self.work
        for group in self._to_average():
            self._end(self._average(group))
        best = self._best
        if best is None:
            raise TrainingError(
                "no trial was finished within {minutes} minutes; give the search more time, or name a "
                "quicker tagger",
                minutes=f"{self.settings.minutes:g}",
            )
        self._write_model(best)
        work.clock.save()
        default = next((trial for trial in ranked(self.trials) if trial.start == "default"), None)
        above = None if default is None else gain(default, best)
        return {
            "best": best.number,
            "trials": len(self.trials),
            "f1": best.f1,
            "interval": [best.low, best.high],
            "default": None if default is None else default.number,
            "gain": None if above is None else {"f1": above[0], "interval": list(above[1:])},
            "folds": len(work.corpus.folds),
            "seconds": round(work.clock.spent, 3),
            "environment": environment(work.device),
        }

    @property
    def _best(self) -> Trial | None:
        return next(iter(ranked(self.trials)), None)

    def _goes_on(self) -> bool:
        """Whether another trial begins."""
        if self.settings.trials and len(self.trials) >= self.settings.trials:
            return False
        left = self.work.clock.left
        if self._best is None:
            return left > 0 or not self.trials
        ended = sorted(self._length(place) for place in range(len(self.trials)))
        return left > LEAST_SHARE * ended[len(ended) // 2]

    def _length(self, place: int) -> float:
        """Seconds of the search that a trial took, all of it."""
        before = self.trials[place - 1].ended if place else 0.0
        return (self.trials[place].ended or 0.0) - (before or 0.0)

    def _train(self, trial: Trial) -> Trial:
        """The trial with its outcome; an error of the training is one."""
        work = self.work
        training = TrialTraining(work, trial, self._seconds(trial), self._best is not None)
        try:
            return training.run()
        except (Stopped, DiskFullError, CorpusError):
            raise
        except Exception as error:
            return self._failed(training.trial, error)

    def _average(self, group: Sequence[Trial]) -> Trial:
        """The best trial that averages the first of a group, with its outcome; an error is one."""
        trials = [averaging_trial(group[:size], len(self.trials)) for size in sizes(group)]
        try:
            outcomes = [scored(self.work, trial, group[: len(trial.members)]) for trial in trials]
        except (Stopped, DiskFullError):
            raise
        except Exception as error:
            return self._failed(trials[-1], error)
        return ranked(outcomes)[0]

    def _failed(self, trial: Trial, error: Exception) -> Trial:
        folder = self.work.folder
        with suppress(OSError), folder.log_file.open("a", encoding="utf-8") as log:
            traceback.print_exception(error, file=log)
        return replace(trial, state="failed", error=error_message(error, folder))

    def _check_failures(self) -> None:
        """Give up after several failures in a row: the next one would fail too.

        Raises:
            TrainingError: says why the last one failed.
        """
        last = self.trials[-MOST_FAILURES:]
        if len(last) == MOST_FAILURES and all(trial.state == "failed" for trial in last):
            raise TrainingError(
                "one trial after another failed, so the search was ended. The last one: {reason}",
                reason=last[-1].error or "",
            )

    def _to_average(self) -> list[list[Trial]]:
        """The trials to average. None after a cross-validation: each would have to be trained once more."""
        if self.work.corpus.crossed:
            return []
        return [group for group in best_to_average(self.work.folder, self.trials) if sizes(group)]

    def _tidy(self) -> None:
        """Keep the records of the trials, the best one's training on all training documents, and the models
        that may be averaged at the end."""
        work = self.work
        best = next((trial for trial in ranked(self.trials) if not trial.members), None)
        models: set[int] = set()
        if not work.corpus.crossed:
            groups = best_to_average(work.folder, self.trials)
            models = {trial.number for group in groups for trial in group}
        whole = WHOLE if work.corpus.crossed else "0"
        for trial in self.trials:
            for path in trial_folder(work.folder, trial.number).glob("*/"):
                if best is not None and trial.number == best.number and path.name == whole:
                    continue
                if trial.number in models:
                    shutil.rmtree(RunFolder(path).checkpoint, ignore_errors=True)
                else:
                    shutil.rmtree(path, ignore_errors=True)

    def _reserve(self) -> None:
        """Keep time for what comes after the last trial: averaging the best ones, or after a cross-validation
        the best one's training on all documents."""
        work, best, folds = self.work, self._best, len(self.work.corpus.folds)
        if folds == 1:
            characters = sum(len(document.text) for document in work.corpus.folds[0].dev)
            work.clock.reserve = average_seconds(self._to_average(), characters)
        elif best is not None:
            work.clock.reserve = best.seconds / (folds - 1)

    def _write_model(self, best: Trial) -> None:
        """Write the best trial's model as that of the search, unless an earlier process has done so."""
        model = self.work.folder.model
        if best.members:
            members = [self.trials[number] for number in best.members]
            replace_folder(model, average(self.work, members).save)
            return
        source = (
            self._whole_model(best)
            if self.work.corpus.crossed
            else trial_model(self.work.folder, best.number)
        )
        if source.is_dir():

            def copy(target: Path) -> None:
                shutil.copytree(source, target, dirs_exist_ok=True)

            replace_folder(model, copy)
        if self.work.corpus.crossed:  # a training without it is resumed at its checkpoint
            shutil.rmtree(source, ignore_errors=True)

    def _whole_model(self, best: Trial) -> Path:
        """The best trial of a cross-validation, trained on all training documents now, like any run."""
        work = self.work
        whole = RunFolder(trial_folder(work.folder, best.number) / WHOLE)
        if not whole.scores_file.is_file():
            if not (whole.snapshot / "manifest.json").is_file():
                write_training(work, whole, best, Fold(work.snapshot["train"], work.snapshot["dev"]))

            def report(event: Mapping[str, Any]) -> None:
                keep_epoch(whole, event)
                if event["event"] == "step":
                    work.report(event)

            execute_training(whole, report, work.should_stop)
        shutil.rmtree(whole.snapshot, ignore_errors=True)
        return whole.model


def _told(trial: Trial) -> dict[str, Any]:
    """What an event says of an ended trial."""
    told = trial.to_json()
    for long in ("counts", "reported", "params"):
        del told[long]
    return told
