"""The training loop on raw text: resumable at any step; the best epoch is written."""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from core.learning.pretraining.checkpoint import (
    CHECKPOINT,
    Measure,
    PretrainingCheckpoint,
    PretrainingEpoch,
    PretrainingProgress,
)
from core.training.loop_events import step_event
from core.training.processes import ALONE, Processes
from core.training.run.checkpoint_refusals import check_plan, damage_as_error
from core.training.run.errors import TrainingError
from core.training.run.progress import Progress
from core.training.run.state_tensors import (
    optimiser_tensors,
    random_states,
    restore_optimiser,
    set_random_states,
    weights_of,
    with_prefix,
    without_prefix,
)

Batch = TypeVar("Batch")
Report = Callable[[Mapping[str, Any]], None]
CHECKPOINT_EVERY = 600.0  # seconds; an epoch on large text takes days


@dataclass(frozen=True, slots=True)
class PretrainingResult(Generic[Measure]):
    """Result of a training.

    Args:
        before: dev score before the first step; None without dev text.
        history: one record per complete epoch. best_epoch: epoch whose weights were written, 0 for none.
        stopped: whether it was stopped on request.
    """

    before: Measure | None
    history: tuple[PretrainingEpoch[Measure], ...]
    best_epoch: int
    stopped: bool


class PretrainingLoop(ABC, Generic[Batch, Measure]):
    """The training loop; subclasses define model and data.

    Args:
        module: on its device. optimiser: of its parameters. plan: the settings a resumed training must share.
            epochs, seed: of the whole training.
        folder: a checkpoint in it is resumed. report: receives ``started``, ``before``, ``step`` and
            ``epoch`` events.
        processes: all that train together; each measures, only the main one writes. Its report and its stop
            predicate are those that count.
    """

    def __init__(
        self,
        module: nn.Module,
        optimiser: torch.optim.Optimizer,
        plan: Mapping[str, Any],
        *,
        epochs: int,
        seed: int,
        folder: Path,
        report: Report,
        processes: Processes = ALONE,
    ) -> None:
        self.processes = processes
        self.module, self.optimiser, self.plan = module, optimiser, plan
        self.epochs, self.seed = epochs, seed
        self.folder, self.report = folder, report
        self.progress: PretrainingProgress[Measure] = PretrainingProgress()

    @abstractmethod
    def begin_epoch(self, epoch: int, first: int) -> tuple[int, Iterator[Batch]]:
        """The number of steps of epoch ``epoch`` (0-based), and its batches from step ``first`` on."""

    @abstractmethod
    def learn(self, batch: Batch, steps: int) -> tuple[float, int]:
        """Make one step of an epoch of ``steps`` steps; returns the mean loss, and the number of items, of
        all processes."""

    @abstractmethod
    def measure(self) -> Measure | None:
        """The dev score; None without dev text."""

    @abstractmethod
    def criterion(self, measure: Measure) -> float:
        """The value by which the best epoch is chosen; the lowest is best."""

    @abstractmethod
    def read_measure(self, value: Any) -> Measure:
        """Restore a measure from its ``asdict``."""

    @abstractmethod
    def write(self) -> None:
        """Write the current model."""

    def preliminary_phase(self, should_stop: Callable[[], bool]) -> bool:
        """Runs before the first epoch; True if stopped."""
        return False

    def preliminary_steps(self) -> int:
        """Number of steps made before the first epoch."""
        return 0

    def extra_state(self) -> Mapping[str, Any]:
        """Additional JSON state for the checkpoint."""
        return {}

    def restore_extra_state(self, value: Mapping[str, Any]) -> None:
        """Restore ``extra_state``, before weights and optimiser."""

    def state(self) -> Mapping[str, Tensor]:
        """State carried from step to step besides the weights, of all processes; all call it."""
        return {}

    def restore_state(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore ``state``; empty at the start of an epoch."""

    def run(self, should_stop: Callable[[], bool]) -> PretrainingResult[Measure]:
        """Train or resume until the last epoch or a stop request."""
        fresh = self._resume()
        self.report({"event": "started", "resumed": not fresh})
        if fresh:
            self.processes.broadcast_weights(self.module)
            torch.manual_seed(self.seed)
            self.progress.before = self.measure()
            self.report({"event": "before", "dev": _plain(self.progress.before)})
        stopped = self.preliminary_phase(should_stop)
        while self.progress.epoch < self.epochs and not stopped:
            stopped = self._run_epoch(should_stop)
        self.module.eval()
        progress = self.progress
        return PretrainingResult(progress.before, tuple(progress.history), progress.best_epoch, stopped)

    def make_steps(
        self,
        batches: Iterable[Batch],
        learn: Callable[[Batch], tuple[float, int]],
        clock: Progress,
        should_stop: Callable[[], bool],
        told: Mapping[str, Any] | None = None,
    ) -> bool:
        """Make steps with reports and checkpoints; True if stopped.

        Args:
            told: additional fields of ``step`` events.
        """
        progress = self.progress
        saved = time.monotonic()
        for batch in batches:
            if self.processes.any(should_stop()):
                self.save()
                return True
            start = time.monotonic()
            loss, counted = learn(batch)
            progress.step += 1
            progress.loss += loss * counted
            progress.counted += counted
            progress.seconds += time.monotonic() - start
            clock.advance(1)
            if clock.due():
                mean = progress.loss / max(progress.counted, 1)
                event = step_event(min(progress.epoch + 1, self.epochs), self.epochs, mean, clock)
                self.report({**event, **(told or {})})
            if self.processes.any(time.monotonic() - saved > CHECKPOINT_EVERY):
                self.save()
                saved = time.monotonic()
        return False

    def reset_sums(self) -> None:
        """Reset the sums over the current epoch."""
        progress = self.progress
        progress.step, progress.counted, progress.loss, progress.seconds = 0, 0, 0.0, 0.0

    def save(self) -> None:
        """Write a checkpoint; all processes call it.

        Raises:
            DiskFullError: the previous checkpoint is untouched.
        """
        carried = self.state()
        if not self.processes.main:
            return
        moving, numbers = optimiser_tensors(self.optimiser)
        tensors = {
            **with_prefix("model.", weights_of(self.module)),
            **with_prefix("optimiser.", moving),
            **with_prefix("random.", random_states()),
            **with_prefix("state.", {name: x.detach().cpu().clone() for name, x in carried.items()}),
        }
        progress = asdict(self.progress)
        checkpoint = PretrainingCheckpoint(self.plan, progress, self.extra_state(), numbers, tensors)
        checkpoint.write(self.folder / CHECKPOINT)

    def _resume(self) -> bool:
        """Resume from a checkpoint; True if there was none."""
        folder = self.folder / CHECKPOINT
        with damage_as_error(folder):
            checkpoint = PretrainingCheckpoint.read(folder)
        if checkpoint is None:
            return True
        check_plan(folder, checkpoint.plan, self.plan)
        with damage_as_error(folder):
            self.progress = self._read_progress(checkpoint.progress)
            self.restore_extra_state(checkpoint.more)
            tensors = checkpoint.tensors
            self.module.load_state_dict(without_prefix(tensors, "model."))
            restore_optimiser(self.optimiser, without_prefix(tensors, "optimiser."), checkpoint.numbers)
            self.restore_state(without_prefix(tensors, "state."))
            set_random_states(without_prefix(tensors, "random."))
        return False

    def _read_progress(self, value: Mapping[str, Any]) -> PretrainingProgress[Measure]:
        history = [
            PretrainingEpoch(**{**record, "dev": self._read_measure(record["dev"])})
            for record in value["history"]
        ]
        read = {**value, "before": self._read_measure(value["before"]), "history": history}
        return PretrainingProgress(**read)

    def _read_measure(self, value: Any) -> Measure | None:
        return None if value is None else self.read_measure(value)

    def _run_epoch(self, should_stop: Callable[[], bool]) -> bool:
        """Run one epoch, or the rest of it; True if stopped."""
        progress = self.progress
        if not self.processes.main:
            # The checkpoint has the main process's random state; the others reseed.
            name = f"process {self.seed} {progress.epoch} {progress.step} {self.processes.index}"
            torch.manual_seed(random.Random(name).getrandbits(60))  # noqa: S311 - dropout, not a secret
        steps, batches = self.begin_epoch(progress.epoch, progress.step)
        earlier = self.preliminary_steps()
        done = earlier + progress.epoch * steps + progress.step
        clock = Progress(earlier + self.epochs * steps, done)
        if self.make_steps(batches, lambda batch: self.learn(batch, steps), clock, should_stop):
            return True
        self._finish_epoch()
        return False

    def _finish_epoch(self) -> None:
        progress = self.progress
        dev = self.measure()
        progress.epoch += 1
        loss = progress.loss / max(progress.counted, 1)
        record = PretrainingEpoch(progress.epoch, loss, dev, progress.seconds)
        earlier = [self.criterion(old.dev) for old in progress.history if old.dev is not None]
        best = dev is None or self.criterion(dev) < min(earlier, default=math.inf)
        progress.history.append(record)
        self.reset_sums()
        self.restore_state({})
        if best:
            progress.best_epoch = progress.epoch
            if self.processes.main:
                self.write()
        self.save()
        self.report({"event": "epoch", "epochs": self.epochs, "best": best, **asdict(record)})


def finite(loss: Tensor, epoch: int, learning_rate: float) -> float:
    """Check and return a loss value.

    Args:
        epoch: number of complete epochs. learning_rate: named in the error.

    Raises:
        TrainingError: it is NaN or infinite.
    """
    value = loss.item()
    if math.isfinite(value):
        return value
    raise TrainingError(
        "the loss is no longer a number in epoch {epoch}: the training diverged. Start again "
        "with a lower learning rate (it is {learning_rate:g})",
        epoch=epoch + 1,
        learning_rate=learning_rate,
    )


def _plain(measure: Any) -> Any:
    """The measure as JSON, for an event."""
    return asdict(measure) if is_dataclass(measure) and not isinstance(measure, type) else measure
