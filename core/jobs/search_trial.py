"""One trial of a search: its trainings, watched after every epoch."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import torch

from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot
from core.jobs.search_scores import FoldResult, finished, read_fold, score_fold
from core.learning.search.clock import Clock
from core.learning.search.folds import Fold, SearchCorpus
from core.learning.search.study import TENTHS, with_report
from core.learning.search.trials import Trial, trial_folder, write_trial
from core.runtime.message import _
from core.training.loop import Report
from core.training.run.run import execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.stopping import Stopped

LEAST_EPOCHS = 3
LEAST_PART = 1 / 3  # of the epochs planned
OVERRUN = 1.5  # times its share of the time, after which a slowed-down trial leaves the rest to others
PACE_EPOCH = 2  # the first also loads and compiles


class Judge(Protocol):
    """Says whether a trial is worth going on with."""

    def is_hopeless(self, trial: Trial) -> bool:
        """Whether others did better at the trial's last step."""


@dataclass(frozen=True, slots=True)
class SearchWork:
    """What all trials of a search share.

    Args:
        folder: of the search. request: its request. snapshot: its documents, labels and words.
        judge: of trials under way. report: of the search. should_stop: whether a person asked to stop.
    """

    folder: RunFolder
    request: RunRequest
    snapshot: Snapshot
    corpus: SearchCorpus
    device: torch.device
    clock: Clock
    judge: Judge
    report: Report
    should_stop: Callable[[], bool]


class TrialTraining:
    """Trains one trial on every fold.

    Args:
        work: what it shares with others. trial: as the study proposed it, or as an interrupted process left
            it. seconds: its share of the time; if it would take more, it gets fewer epochs.
        has_rival: whether a finished trial would be there if this one ended without a result.
    """

    def __init__(self, work: SearchWork, trial: Trial, seconds: float, has_rival: bool) -> None:
        self.work, self.trial, self.seconds, self.has_rival = work, trial, seconds, has_rival
        self.done: list[FoldResult] = []
        self.verdict = ""  # why the training under way ends before its last epoch
        self._begun = time.monotonic()
        self._best = 0.0  # dev F1 of the training under way
        self._epochs = 0  # that it has completed

    def run(self) -> Trial:
        """Train, and return the trial with its outcome, not yet written.

        Raises:
            Stopped: a person asked for it; the trial can be resumed.
            TrainingError, ConfigError, DiskFullError, …: of the training.
        """
        for number, fold in enumerate(self.work.corpus.folds):
            folder = RunFolder(trial_folder(self.work.folder, self.trial.number) / str(number))
            result = read_fold(folder.path) or self._train(folder, fold)
            if result is None:
                return replace(self.trial, state="pruned", cut=self.verdict == "time")
            self.done.append(result)
            if self.verdict == "time":
                break
        return finished(self.trial, self.done, self.trial.cut or self.verdict == "time")

    def _train(self, folder: RunFolder, fold: Fold) -> FoldResult | None:
        """The training of a fold; None if it ended early without a result to count."""
        while True:
            self._write(folder, fold)
            before = folder.history()  # of an interrupted process
            self._best = max((event["dev"]["f1"] for event in before if event["dev"]), default=0.0)
            self._epochs = len(before)
            try:
                execute_training(folder, partial(self._watch, folder), self._must_stop)
            except Stopped:
                if not self.verdict:
                    raise
            if self.verdict != "slow":
                break
            self.verdict = ""
            shutil.rmtree(folder.path)
        if self.verdict == "hopeless" or not folder.model.is_dir():
            return None
        if self.verdict == "time" and self.has_rival and self.work.corpus.crossed:
            return None  # a part of the folds cannot be compared with all
        seconds = sum(event["seconds"] for event in folder.history())
        result = score_fold(folder, fold, self.work.device, seconds)
        shutil.rmtree(folder.snapshot, ignore_errors=True)
        if self.work.corpus.crossed:  # no model of a part of the documents is kept
            for heavy in (folder.model, folder.checkpoint):
                shutil.rmtree(heavy, ignore_errors=True)
        return result

    def _write(self, folder: RunFolder, fold: Fold) -> None:
        """Request and snapshot of a training, unless an interrupted process wrote them."""
        if (folder.snapshot / "manifest.json").is_file():
            return
        write_training(self.work, folder, self.trial, fold)

    def _watch(self, folder: RunFolder, event: Mapping[str, Any]) -> None:
        """Follow the events of a training."""
        work, trial = self.work, self.trial
        keep_epoch(folder, event)
        if event["event"] == "step":
            work.clock.save_now_and_then()
            work.report(
                {
                    "event": "step",
                    "trial": trial.number,
                    "epoch": event["epoch"],
                    "epochs": event["epochs"],
                    "fraction": work.clock.fraction,
                    "remaining_seconds": max(0.0, work.clock.total - work.clock.spent),
                    "message": self._where(event).to_json(),
                }
            )
        elif event["event"] == "epoch" and event["dev"] is not None:
            self._epochs = event["epoch"]
            self._best = max(self._best, event["dev"]["f1"])
            self._note(event["epoch"] / event["epochs"])
            if event["epoch"] < event["epochs"]:
                self._judge(event)

    def _where(self, event: Mapping[str, Any]) -> Any:
        names = {"number": self.trial.number + 1, "tagger": self.trial.tagger}
        place = {"epoch": event["epoch"], "epochs": event["epochs"]}
        folds = len(self.work.corpus.folds)
        if folds == 1:
            return _("Trial {number}, {tagger}: epoch {epoch} of {epochs}", **names, **place)
        return _(
            "Trial {number}, {tagger}: fold {fold} of {folds}, epoch {epoch} of {epochs}",
            fold=len(self.done) + 1,
            folds=folds,
            **names,
            **place,
        )

    def _note(self, share: float) -> None:
        """Write the best F1 so far at every tenth of a training."""
        step = TENTHS * len(self.done) + int(TENTHS * share + 1e-9)
        if step > max(self.trial.reported, default=0):
            mean = (sum(result.f1 for result in self.done) + self._best) / (len(self.done) + 1)
            self.trial = with_report(self.trial, step, mean)
            write_trial(self.work.folder, self.trial)

    def _judge(self, event: Mapping[str, Any]) -> None:
        """Decide after an epoch whether the training goes on."""
        clock = self.work.clock
        if self.work.judge.is_hopeless(self.trial):
            self.verdict = "hopeless"
        elif not self.done and event["epoch"] == PACE_EPOCH and self._is_slow(event):
            self.verdict = "slow"
        elif clock.left < event["seconds"] or self._overruns():
            self.verdict = "time"

    def _overruns(self) -> bool:
        """Whether the machine became slower since the epochs were fitted; parts of the folds do not count."""
        spent = time.monotonic() - self._begun
        return not self.work.corpus.crossed and spent > OVERRUN * self.seconds

    def _is_slow(self, event: Mapping[str, Any]) -> bool:
        """Whether all epochs take longer than they may; then gives the trial as many as fit.

        But never less than a fixed share of the planned epochs while there is time for that: scores of
        taggers that were hardly trained cannot be compared.
        """
        if self.trial.cut:
            return False
        planned, folds = event["epochs"], len(self.work.corpus.folds)
        spent = time.monotonic() - self._begun
        fits = int((self.seconds - spent) / max(1e-9, event["seconds"] * folds))
        most = int(self.work.clock.left / max(1e-9, event["seconds"] * folds))
        fitting = max(LEAST_EPOCHS, min(most, max(fits, math.ceil(LEAST_PART * planned))))
        if fitting >= planned - PACE_EPOCH:
            return False
        self.seconds = max(self.seconds, spent + fitting * folds * event["seconds"])
        settings = {**self.trial.settings, "epochs": fitting}
        self.trial = replace(self.trial, settings=settings, epochs=fitting, cut=True, reported={}, f1=None)
        write_trial(self.work.folder, self.trial)
        return True

    def _must_stop(self) -> bool:
        if self.verdict or self.work.should_stop():
            return True
        if self.work.clock.left <= 0 and (self.has_rival or self._epochs or self.done):
            self.verdict = "time"
        return bool(self.verdict)


def write_training(work: SearchWork, folder: RunFolder, trial: Trial, fold: Fold) -> None:
    """Write request and snapshot of a training of this trial on these documents; there is no test part."""
    folder.write_request(
        RunRequest(
            tagger=trial.tagger,
            config=trial.config,
            settings=trial.settings,
            device=work.request.device,
            lexicon=work.request.lexicon,
            predict_all=False,
        )
    )
    target, lexicon = folder.snapshot, work.request.lexicon
    if lexicon != "jieba":
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(work.folder.snapshot / lexicon, target / lexicon)
    parts = {"train": fold.train, "dev": fold.dev, UNLABELLED: work.snapshot[UNLABELLED]}
    write_snapshot(target, replace(work.snapshot, parts=parts))


def keep_epoch(folder: RunFolder, event: Mapping[str, Any]) -> None:
    """Write an ``epoch`` event into the training's own folder: a run made of it has a curve."""
    if event["event"] == "epoch":
        folder.append_event("epoch", **{name: value for name, value in event.items() if name != "event"})
