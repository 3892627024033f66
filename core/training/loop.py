"""The one training loop: every tagger learns here."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from core.taggers.tagger import Tagger
from core.text import Document
from core.text.scoring import Scores
from core.training.atomic import replace_folder
from core.training.batches import batch_area, epoch_batches
from core.training.checkpoint import (
    Checkpoint,
    EpochRecord,
    load_checkpoint,
    save_checkpoint,
    weights_of,
)
from core.training.evaluation import evaluate
from core.training.message import TrainingError
from core.training.optimisation import Optimisation
from core.training.progress import Progress
from core.training.run_folder import RunFolder
from core.training.settings import TrainingSettings

Report = Callable[[Mapping[str, Any]], None]
EVALUATION_SHARE = 0.1  # of an epoch's time, roughly, for the progress bar only


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How a training ended.

    Args:
        history: one record per complete epoch.
        best_epoch: the epoch whose weights the tagger now has, 1-based; 0 when none was completed.
        stopped: whether it ended because somebody asked, before its last epoch.
        seconds: time of the complete epochs, over all processes that worked on them.
    """

    history: tuple[EpochRecord, ...]
    best_epoch: int
    stopped: bool
    seconds: float

    @property
    def seconds_per_epoch(self) -> float:
        """Mean seconds of an epoch, dev evaluation included."""
        return self.seconds / len(self.history) if self.history else 0.0


def train(
    tagger: Tagger,
    train_documents: Sequence[Document],
    dev_documents: Sequence[Document],
    settings: TrainingSettings,
    *,
    folder: RunFolder,
    report: Report,
    should_stop: Callable[[], bool],
    device: torch.device,
) -> TrainingResult:
    """Train, evaluate on dev after each epoch, keep the best; resume ``folder.checkpoint`` if any.

    A tagger built with the same seed and resumed here makes exactly the steps of an uninterrupted training.
    On return the tagger holds the best epoch's weights and ``folder.model`` is saved from it.

    Args:
        tagger: fresh from ``build``. train_documents: non-empty texts the tagger can learn (see ``prepare``).
        dev_documents: may be empty; then the last epoch counts as the best.
        report: gets ``step`` and ``epoch`` events (see ``core.training.run_folder``).
        should_stop: asked before each step.

    Raises:
        TrainingError: no documents, a loss that is no number, a checkpoint that does not fit, a full disk.
    """
    if not train_documents:
        raise TrainingError("there are no training documents with text; choose another training set")
    work = _Training(tagger.to(device), train_documents, dev_documents, settings, folder, report, device)
    work.resume()
    while work.goes_on() and not work.run_epoch(should_stop):
        pass
    return work.finish()


class _Training:
    """One training under way."""

    def __init__(
        self,
        tagger: Tagger,
        train_documents: Sequence[Document],
        dev_documents: Sequence[Document],
        settings: TrainingSettings,
        folder: RunFolder,
        report: Report,
        device: torch.device,
    ) -> None:
        self.tagger, self.settings, self.folder = tagger, settings, folder
        self.report, self.device = report, device
        self.train_documents, self.dev_documents = train_documents, dev_documents
        self.costs = [tagger.cost(document) for document in train_documents]
        # Other epochs may have a batch more or less; the schedule is clamped at its end.
        self.optimisation = Optimisation(tagger, settings, len(self._batches(0)))
        self.state = Checkpoint(0, 0, [], 0, {}, self._plan())
        self.stopped = False
        self.progress = Progress(1.0)

    def resume(self) -> None:
        found = load_checkpoint(
            self.folder.checkpoint, self.tagger, self.optimisation.optimiser, self.state.plan
        )
        if found is None:
            torch.manual_seed(self.settings.seed)
        else:
            self.state = found
            self.optimisation.step = found.step
        self.progress = Progress(self.settings.epochs, self.state.epoch)

    def goes_on(self) -> bool:
        patience = self.settings.patience
        waited = self.state.epoch - self.state.best_epoch
        return self.state.epoch < self.settings.epochs and not (patience and waited >= patience)

    def run_epoch(self, should_stop: Callable[[], bool]) -> bool:
        """One epoch with its evaluation and checkpoint; True when it was stopped in between."""
        start = time.monotonic()
        rate = self.optimisation.learning_rate
        loss = self._learn(should_stop)
        if loss is None:
            self.stopped = True
            return True
        scores = evaluate(self.tagger, self.dev_documents) if self.dev_documents else None
        self.progress.advance(EVALUATION_SHARE)
        self._record(loss, scores, rate, start)
        return False

    def finish(self) -> TrainingResult:
        state = self.state
        if state.best_epoch:
            self.tagger.load_state_dict(state.best)
        self.tagger.eval()
        if state.best_epoch:
            replace_folder(self.folder.model, self.tagger.save)
        return TrainingResult(
            tuple(state.history),
            state.best_epoch,
            self.stopped,
            sum(record.seconds for record in state.history),
        )

    def _learn(self, should_stop: Callable[[], bool]) -> float | None:
        """All steps of an epoch; the mean loss over documents, or None when asked to stop."""
        self.tagger.train()
        batches = self._batches(self.state.epoch)
        whole = sum(batch_area(batch, self.costs) for batch in batches)
        total, seen = torch.zeros((), device=self.device), 0
        for batch in batches:
            if should_stop():
                return None
            collated = self.tagger.collate([self.train_documents[index] for index in batch])
            loss = self.optimisation.make_step(collated.to(self.device))
            total += loss * len(batch)
            seen += len(batch)
            self.progress.advance((1 - EVALUATION_SHARE) * batch_area(batch, self.costs) / whole)
            if self.progress.due():  # reading the loss waits for a GPU, so not at every step
                self._report_step(self._checked(total) / seen)
        return self._checked(total) / seen

    def _checked(self, total: torch.Tensor) -> float:
        value = float(total)
        if not math.isfinite(value):
            rate = self.settings.learning_rate
            raise TrainingError(
                f"the loss is no longer a number in epoch {self.state.epoch + 1}: the training diverged. "
                f"Start a new run with a lower learning rate (it is {rate:g}) or a longer warm-up",
                f"第 {self.state.epoch + 1} 轮的损失不再是有效数字：训练已发散。"
                f"请降低学习率（当前 {rate:g}）或延长预热后重新训练",
            )
        return value

    def _record(self, loss: float, scores: Scores | None, rate: float, start: float) -> None:
        state = self.state
        state.epoch += 1
        state.step = self.optimisation.step
        micro = scores.micro if scores else None
        best = max((r.f1 for r in state.history if r.f1 is not None), default=-1.0)
        is_best = micro is None or micro.f1 > best
        if is_best:
            state.best_epoch, state.best = state.epoch, weights_of(self.tagger)
        record = EpochRecord(
            state.epoch,
            loss,
            micro.precision if micro else None,
            micro.recall if micro else None,
            micro.f1 if micro else None,
            rate,
            time.monotonic() - start,
        )
        state.history.append(record)
        # Reported first: an epoch done again after a kill is reported twice, never not at all.
        self._report_epoch(record, is_best)
        save_checkpoint(self.folder.checkpoint, state, self.tagger, self.optimisation.optimiser)

    def _report_step(self, loss: float) -> None:
        self.report(
            {
                "event": "step",
                "epoch": self.state.epoch + 1,
                "epochs": self.settings.epochs,
                "fraction": self.progress.fraction,
                "remaining_seconds": self.progress.remaining_seconds,
                "loss": loss,
            }
        )

    def _report_epoch(self, record: EpochRecord, is_best: bool) -> None:
        dev = {"precision": record.precision, "recall": record.recall, "f1": record.f1}
        self.report(
            {
                "event": "epoch",
                "epoch": record.epoch,
                "epochs": self.settings.epochs,
                "loss": record.loss,
                "dev": dev if record.f1 is not None else None,
                "best": is_best,
                "learning_rate": record.learning_rate,
                "seconds": record.seconds,
                "fraction": self.progress.fraction,
                "remaining_seconds": self.progress.remaining_seconds,
            }
        )

    def _batches(self, epoch: int) -> list[list[int]]:
        settings = self.settings
        return epoch_batches(
            self.costs, size=settings.batch_size, area=settings.batch_area, seed=settings.seed, epoch=epoch
        )

    def _plan(self) -> dict[str, Any]:
        """What two processes must agree on to be one training (threads and device may change)."""
        settings = {name: value for name, value in self.settings.to_json().items() if name != "threads"}
        return {
            "tagger": self.tagger.name,
            "config": _plain(asdict(self.tagger.config)),
            "labels": list(self.tagger.labels),
            "settings": settings,
            "documents": _digest([*self.train_documents, *self.dev_documents]),
        }


def _plain(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config as JSON would give it back, so that two of them compare."""
    return {
        name: list(value)
        if isinstance(value, tuple)
        else value
        if isinstance(value, (int, float, str, type(None)))
        else str(value)
        for name, value in config.items()
    }


def _digest(documents: Sequence[Document]) -> str:
    digest = hashlib.sha256()
    for document in documents:
        digest.update(repr((document.text, [span.key for span in document.spans])).encode())
    return digest.hexdigest()
