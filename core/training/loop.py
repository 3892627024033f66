"""The training loop of all taggers."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from core.corpus.atomic import replace_folder
from core.runtime.message import Message
from core.taggers.base.tagger import Batch, Tagger
from core.text import Document
from core.text.scoring import Scores
from core.training.batches import batch_area, epoch_batches, split_batch
from core.training.distillation.lesson import Lesson
from core.training.evaluation import evaluate
from core.training.loop_events import epoch_event, step_event, step_fields
from core.training.memory import FittingBatches
from core.training.optimisation import Optimisation
from core.training.preparation import pieces
from core.training.processes import ALONE, Processes
from core.training.run.checkpoint import Checkpoint, EpochRecord, load_checkpoint, save_checkpoint
from core.training.run.errors import TrainingError
from core.training.run.progress import Progress
from core.training.run.run_folder import RunFolder
from core.training.run.state_tensors import weights_of
from core.training.settings import TrainingSettings
from core.training.strategies.composition import Strategies
from core.training.strategies.negative_sampling import epoch_documents
from core.training.strategies.strategy import TrainingContext
from core.training.training_plan import training_plan

Report = Callable[[Mapping[str, Any]], None]
EVALUATION_SHARE = 0.1  # of an epoch's time, roughly; only used by the progress bar


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The outcome of a training.

    Args:
        history: one record per complete epoch.
        best_epoch: the epoch whose weights the tagger has, 1-based; 0 if none was completed, or none is
            needed.
        stopped: whether it was stopped before its last epoch.
        seconds: time of the complete epochs, resumed ones included.
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
    unlabelled: Sequence[Document] = (),
    processes: Processes = ALONE,
    judge: Callable[[Tagger], float] | None = None,
    lesson: Lesson | None = None,
) -> TrainingResult:
    """Train, evaluate on dev after each epoch, keep the best; resume ``folder.checkpoint`` if any.

    A tagger built with the same seed and resumed makes exactly the steps of an uninterrupted training. On
    return the tagger has the best epoch's weights, its confidence is calibrated on dev, and it is saved to
    ``folder.model``; a tagger that needs no training, at once.

    Args:
        tagger: fresh from ``build``. train_documents: non-empty texts the tagger can learn (see ``prepare``).
        dev_documents: if empty, the last epoch is the best.
        report: receives ``step`` and ``epoch`` events (see ``core.training.run.run_folder``).
        should_stop: called before each step.
        unlabelled: texts for strategies that use unlabelled data.
        processes: all that train together; only the main one writes to ``folder``.
        judge: replaces dev F1 as the score of an epoch; the highest is the best.
        lesson: what a teacher says of the training documents, if they are learned from one too.

    Raises:
        TrainingError: no documents, a loss that is NaN or infinite, a checkpoint that does not fit, a full
            disk.
    """
    if not train_documents:
        raise TrainingError("there are no training documents with text; choose another training set")
    if not tagger.needs_training:
        if processes.main:
            tagger.calibrate(tagger.collate([document]) for document in dev_documents)
            replace_folder(folder.model, tagger.save)
        return TrainingResult((), 0, False, 0.0)
    lengths = [len(document.text) for document in train_documents]
    tagger.usual_length = max(1, round(sum(lengths) / len(lengths)))
    work = _Training(
        tagger.to(device),
        train_documents,
        dev_documents,
        unlabelled,
        settings,
        folder,
        report,
        processes,
        judge,
        lesson,
    )
    work.resume()
    while work.should_continue() and not work.run_epoch(should_stop):
        pass
    return work.finish()


class _Training:
    """The state of a running training."""

    def __init__(
        self,
        tagger: Tagger,
        train_documents: Sequence[Document],
        dev_documents: Sequence[Document],
        unlabelled: Sequence[Document],
        settings: TrainingSettings,
        folder: RunFolder,
        report: Report,
        processes: Processes,
        judge: Callable[[Tagger], float] | None,
        lesson: Lesson | None,
    ) -> None:
        self.judge = judge
        self.tagger, self.settings, self.folder = tagger, settings, folder
        self.report, self.processes = report, processes
        self.train_documents, self.dev_documents = train_documents, dev_documents
        self.costs = [tagger.cost(document) for document in train_documents]

        def say(message: Message) -> None:
            report({"event": "log", "message": message.to_json()})

        self.fitting = FittingBatches(self.costs, settings.batch_size, settings.batch_area, say)
        # Other epochs may have a step more or less; the schedule is clamped at its end.
        steps = max(1, len(self._steps(0)))
        self.strategies = Strategies.of(
            TrainingContext(
                tagger, settings, train_documents, unlabelled, self._batches_of, processes, steps, lesson
            )
        )
        self.optimisation = Optimisation(tagger, settings, steps, self.strategies, processes)
        plan = training_plan(tagger, settings, [*train_documents, *dev_documents], unlabelled)
        if lesson is not None:
            plan = {**plan, "lesson": lesson.plan()}
        self.state = Checkpoint(0, 0, [], 0, {}, plan)
        self.stopped = False
        self.progress = Progress(1.0)

    def resume(self) -> None:
        checkpoint = load_checkpoint(
            self.folder.checkpoint, self.tagger, self.optimisation.optimiser, self.strategies, self.state.plan
        )
        if checkpoint is None:
            self.processes.broadcast_weights(self.tagger)
            torch.manual_seed(self.settings.seed)
        else:
            self.state = checkpoint
            self.optimisation.step = checkpoint.step
            self.optimisation.precision.load_state(checkpoint.scaler)
        self.progress = Progress(self.settings.epochs, self.state.epoch)

    def should_continue(self) -> bool:
        patience = self.settings.patience
        waited = self.state.epoch - self.state.best_epoch
        return self.state.epoch < self.settings.epochs and not (patience and waited >= patience)

    def run_epoch(self, should_stop: Callable[[], bool]) -> bool:
        """Run one epoch with its evaluation and checkpoint; True if it was stopped."""
        start = time.monotonic()
        self.tagger.begin_epoch(self.state.epoch)
        self.strategies.begin_epoch(self.state.epoch)
        rate = self.optimisation.learning_rate
        loss = self._learn(should_stop)
        if loss is None:
            self.stopped = True
            return True
        self.strategies.end_epoch()
        now = self._step_fields()  # of the trained weights, as at every step, not of their average
        with self.strategies.averaged():
            scores = evaluate(self.tagger, self.dev_documents, self.processes) if self.dev_documents else None
            self.progress.advance(EVALUATION_SHARE)
            self._record(loss, scores, rate, start, now)
        self.state.scaler = self.optimisation.precision.state()
        if self.processes.main:
            save_checkpoint(
                self.folder.checkpoint, self.state, self.tagger, self.optimisation.optimiser, self.strategies
            )
        return False

    def finish(self) -> TrainingResult:
        state = self.state
        if state.best_epoch:
            self.tagger.load_state_dict(state.best)
        self.tagger.eval()
        if state.best_epoch and self.processes.main:
            dev = [piece for each in self.dev_documents for piece in pieces(each, self.settings.longest_text)]
            self.tagger.calibrate(self._batches_of(dev))
            replace_folder(self.folder.model, self.tagger.save)
        return TrainingResult(
            tuple(state.history),
            state.best_epoch,
            self.stopped,
            sum(record.seconds for record in state.history),
        )

    def _learn(self, should_stop: Callable[[], bool]) -> float | None:
        """Run all steps of an epoch; the mean loss over documents, or None if stopped."""
        self.tagger.train()
        if not self.processes.main:
            # The checkpoint has the main process's random state; the others reseed every epoch.
            name = f"process {self.settings.seed} {self.state.epoch} {self.processes.index}"
            torch.manual_seed(random.Random(name).getrandbits(60))  # noqa: S311 - dropout, not a secret
        steps = self._steps(self.state.epoch)
        whole = sum(batch_area(step, self.costs) for step in steps)
        total, seen = torch.zeros((), device=self.tagger.device), 0
        for step in steps:
            if self.processes.any(should_stop()):
                return None
            loss = self._make_step(step)
            total += loss * len(step)
            seen += len(step)
            self.progress.advance((1 - EVALUATION_SHARE) * batch_area(step, self.costs) / whole)
            if self.progress.due():  # reading the loss synchronises a GPU, so not at every step
                mean = self._checked(total) / seen
                event = step_event(self.state.epoch + 1, self.settings.epochs, mean, self.progress)
                self.report({**event, **self._step_fields()})
        return self._checked(total) / max(seen, 1)

    def _make_step(self, step: Sequence[int]) -> torch.Tensor:
        """One step with this process's share of its documents, in batches within the bounds."""

        def learn(batches: list[list[int]]) -> torch.Tensor:
            collated = [self.tagger.collate([self.train_documents[i] for i in batch]) for batch in batches]
            return self.optimisation.make_step([each.to(self.tagger.device) for each in collated], len(step))

        share = self.processes.share(step)
        if self.processes.count > 1:  # one that made its step again would leave the others waiting
            return learn(self.fitting.split(share))
        return self.fitting.run(share, learn)

    def _batches_of(self, documents: Sequence[Document]) -> Iterator[Batch]:
        """Documents as batches within the bounds."""
        costs = [self.tagger.cost(document) for document in documents]
        settings = self.settings
        everything = range(len(documents))
        for batch in split_batch(everything, costs, size=settings.batch_size, area=settings.batch_area):
            yield self.tagger.collate([documents[index] for index in batch]).to(self.tagger.device)

    def _checked(self, total: torch.Tensor) -> float:
        value = float(total)
        if not math.isfinite(value):
            rate = self.settings.learning_rate
            raise TrainingError(
                "the loss is no longer a number in epoch {epoch}: the training diverged. Start "
                "a new run with a lower learning rate (it is {rate:g}) or a longer warm-up",
                epoch=self.state.epoch + 1,
                rate=rate,
            )
        return value

    def _step_fields(self) -> dict[str, Any]:
        return step_fields(self.optimisation.step, self.tagger.mixes())

    def _record(
        self, loss: float, scores: Scores | None, rate: float, start: float, now: Mapping[str, Any]
    ) -> None:
        """Record the epoch, and keep the current weights if they are the best."""
        state = self.state
        state.epoch += 1
        state.step = self.optimisation.step
        micro = scores.micro if scores else None
        criterion = None if self.judge is None else self.judge(self.tagger)
        earlier = (r.f1 if self.judge is None else r.criterion for r in state.history)
        score = (micro.f1 if micro else None) if self.judge is None else criterion
        is_best = score is None or score > max((s for s in earlier if s is not None), default=-math.inf)
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
            criterion,
        )
        state.history.append(record)
        # Reported first: an epoch repeated after a kill is reported twice rather than not at all.
        self.report({**epoch_event(record, self.settings.epochs, is_best, self.progress), **now})

    def _steps(self, epoch: int) -> list[list[int]]:
        """The documents of every step of an epoch."""
        settings = self.settings
        learned = epoch_documents(
            self.train_documents, settings.keep_negatives, seed=settings.seed, epoch=epoch
        )
        steps = epoch_batches(
            [self.costs[index] for index in learned],
            size=settings.batch_size * settings.accumulate,
            area=settings.batch_area * settings.accumulate,
            seed=settings.seed,
            epoch=epoch,
        )
        return [[learned[index] for index in step] for step in steps]
