"""Masked-language-model training on raw text: first a new head alone, then the whole model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from core.learning.mlm.batch import MlmBatch
from core.learning.mlm.config import MlmConfig
from core.learning.mlm.corpus import MlmCorpus, PieceText, Stretch, stretches
from core.learning.mlm.model import MaskedModel, MlmCounts, perplexity
from core.learning.pretraining.loop import PretrainingLoop, PretrainingResult, Report, finite
from core.runtime.message import _
from core.training.batches import epoch_batches
from core.training.processes import ALONE, Processes
from core.training.run.progress import Progress
from core.training.schedule import learning_rate_factor

MODEL = "model"
HEAD_RATE = 1e-3  # learning rate of a head trained alone
WINDOW = 100  # steps averaged
CONVERGED = 0.99  # it is done when the loss of the last of them is more than that share of the loss before
_EPOCH, _DEV, _HEAD = 1, 2, 3  # what a generator of random numbers is for


@dataclass(slots=True)
class HeadPhase:
    """Progress of training a new head alone.

    Args:
        steps: number so far. losses: of the latest steps. done: whether the phase has ended.
    """

    steps: int = 0
    losses: list[float] = field(default_factory=list)
    done: bool = False

    def add(self, loss: float) -> None:
        """Record a step."""
        self.steps += 1
        self.losses = [*self.losses, loss][-2 * WINDOW :]

    def converged(self) -> bool:
        """Whether the loss has stopped falling quickly."""
        last, before = self.losses[-WINDOW:], self.losses[:-WINDOW]
        return len(before) == WINDOW and sum(last) > CONVERGED * sum(before)


def train_mlm(
    model: MaskedModel,
    corpus: MlmCorpus,
    config: MlmConfig,
    *,
    folder: Path,
    report: Report,
    should_stop: Callable[[], bool],
    device: torch.device,
    processes: Processes = ALONE,
) -> PretrainingResult[float]:
    """Train, and write the encoder of the epoch with the lowest dev perplexity, else of the last.

    ``folder/model`` is what a tagger's ``encoder`` takes. Resumes from a checkpoint in ``folder`` with
    identical steps. Masks are drawn anew every epoch, but are fixed for the dev text.

    A new head is first trained alone: its first gradients are noise and would distort the encoder's features
    (Kumar et al., ICLR 2022, "Fine-Tuning can Distort Pretrained Features").

    Args:
        report: receives ``started``, ``before``, ``step``, ``head`` and ``epoch`` events.
        should_stop: called before each step. processes: all that train together, each on its share of every
            batch; only the main one writes.

    Raises:
        TrainingError: a loss that is NaN or infinite, a checkpoint that does not fit, a full disk.
    """
    loop = _MlmLoop(model.to(device), corpus, config, folder, report, device, processes)
    return loop.run(should_stop)


class _MlmLoop(PretrainingLoop[MlmBatch, float]):
    """A running training."""

    def __init__(
        self,
        model: MaskedModel,
        corpus: MlmCorpus,
        config: MlmConfig,
        folder: Path,
        report: Report,
        device: torch.device,
        processes: Processes,
    ) -> None:
        plan = {"config": _without_threads(config), "text": corpus.digest()}
        self.phase = HeadPhase(done=not (model.fresh_head and config.head_steps))
        optimiser = _optimiser(model, config) if self.phase.done else _head_optimiser(model, config)
        super().__init__(
            model,
            optimiser,
            plan,
            epochs=config.epochs,
            seed=config.seed,
            folder=folder,
            report=report,
            processes=processes,
        )
        self.model, self.corpus, self.config, self.device = model, corpus, config, device
        self.batches = model.batches()
        self.room = max(model.length - self.batches.template.room(config.pairs != "none"), 2)

    def preliminary_phase(self, should_stop: Callable[[], bool]) -> bool:
        """Train a new head with the encoder frozen; True if stopped."""
        if self.phase.done:
            return False
        most = self.config.head_steps
        steps, _batches = self.begin_epoch(0, 0)
        clock = Progress(most + self.epochs * steps, self.progress.step)
        doing = _("Training the new head alone")
        self.model.freeze_encoder(True)
        told = {"epoch": 0, "message": doing.to_json()}
        if self.make_steps(self._head_batches(), self._learn_head, clock, should_stop, told):
            return True
        self._end_head_phase()
        return False

    def preliminary_steps(self) -> int:
        return self.phase.steps

    def extra_state(self) -> dict[str, Any]:
        return asdict(self.phase)

    def restore_extra_state(self, value: Mapping[str, Any]) -> None:
        self.phase = HeadPhase(**value)
        if self.phase.done:
            self.optimiser = _optimiser(self.model, self.config)

    def begin_epoch(self, epoch: int, first: int) -> tuple[int, Iterator[MlmBatch]]:
        text = self._stretches(self.corpus.documents, _EPOCH, epoch)
        order = self._order(text, epoch)
        return len(order), self._batches(text, order, _EPOCH, epoch, first)

    def learn(self, batch: MlmBatch, steps: int) -> tuple[float, int]:
        config, progress = self.config, self.progress
        factor = learning_rate_factor(
            progress.epoch * steps + progress.step,
            self.epochs * steps,
            round(config.warm_up * self.epochs * steps),
            "linear",
        )
        for group in self.optimiser.param_groups:
            group["lr"] = config.learning_rate * factor
        self.model.train()
        return self._step(batch, config.learning_rate), 1

    def measure(self) -> float | None:
        """Current dev perplexity, with the same masks each time."""
        return perplexity(self.model, self._dev_batches(), self.device)

    def criterion(self, measure: float) -> float:
        return measure

    def read_measure(self, value: Any) -> float:
        return float(value)

    def write(self) -> None:
        self.model.write(self.folder / MODEL)

    def _learn_head(self, batch: MlmBatch) -> tuple[float, int]:
        self.model.train()
        self.model.encoder.eval()
        loss = self._step(batch, HEAD_RATE)
        self.phase.add(loss)
        return loss, 1

    def _head_batches(self) -> Iterator[MlmBatch]:
        """The text repeatedly until the head has converged."""
        at = turn = 0
        while True:
            text = self._stretches(self.corpus.documents, _HEAD, turn)
            order = self._order(text, -1 - turn)
            first = max(self.progress.step - at, 0)
            for batch in self._batches(text, order, _HEAD, turn, first):
                if self.phase.steps >= self.config.head_steps or self.phase.converged():
                    return
                yield batch
            at, turn = at + len(order), turn + 1

    def _end_head_phase(self) -> None:
        self.model.freeze_encoder(False)
        self.phase.done = True
        self.reset_sums()
        self.optimiser = _optimiser(self.model, self.config)
        self.save()
        self.report({"event": "head", "steps": self.phase.steps, "dev": self.measure()})

    def _dev_batches(self) -> Iterator[MlmBatch]:
        text = self._stretches(self.corpus.dev, _DEV, 0)
        for at in range(0, len(text), self.config.batch_size):
            rng = np.random.default_rng([self.config.seed, _DEV, at])
            yield self.batches(text[at : at + self.config.batch_size], rng)

    def _batches(
        self, text: Sequence[Stretch], order: Sequence[Sequence[int]], use: int, turn: int, first: int
    ) -> Iterator[MlmBatch]:
        for step, rows in enumerate(order[first:], first):
            rng = np.random.default_rng([self.config.seed, use, turn, 2, step])
            yield self.batches([text[row] for row in rows], rng)

    def _order(self, text: Sequence[Stretch], turn: int) -> list[list[int]]:
        """Batches of stretches of similar length, to avoid padding."""
        size = self.config.batch_size
        most = size * self.model.length**2
        lengths = [len(stretch) for stretch in text]
        return epoch_batches(lengths, size=size, area=most, seed=self.seed, epoch=turn)

    def _stretches(self, texts: Sequence[PieceText], use: int, turn: int) -> list[Stretch]:
        rng = np.random.default_rng([self.config.seed, use, turn, 0])
        return stretches(texts, self.config, self.room, rng)

    def _step(self, batch: MlmBatch, learning_rate: float) -> float:
        self.optimiser.zero_grad(set_to_none=True)
        share = batch.share(self.processes.index, self.processes.count)
        total = torch.zeros((), device=self.device)
        if len(share.ids):  # the last batch of an epoch may be shorter than there are processes
            loss = self.model.losses(share.to(self.device)).mean_over(MlmCounts.of(batch))
            loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
            total = loss.detach()
        total = self.processes.sum_gradients(list(self.model.parameters()), total)
        value = finite(total, self.progress.epoch, learning_rate)
        if self.config.clip_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip_norm)
        self.optimiser.step()
        return value


def _head_optimiser(model: MaskedModel, config: MlmConfig) -> torch.optim.Optimizer:
    return _adamw(model.head_parameters(), HEAD_RATE, config.weight_decay)


def _optimiser(model: MaskedModel, config: MlmConfig) -> torch.optim.Optimizer:
    return _adamw(list(model.parameters()), config.learning_rate, config.weight_decay)


def _adamw(parameters: Sequence[nn.Parameter], rate: float, weight_decay: float) -> torch.optim.Optimizer:
    """AdamW without weight decay on biases and norms, as in BERT's code."""
    groups = [
        {"params": [value for value in parameters if value.dim() > 1], "weight_decay": weight_decay},
        {"params": [value for value in parameters if value.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate)


def _without_threads(config: MlmConfig) -> dict[str, Any]:
    return {name: value for name, value in asdict(config).items() if name != "threads"}
