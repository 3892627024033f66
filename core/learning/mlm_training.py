"""Masked-language-model training on raw text, stopped and gone on with at any step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from core.learning.mlm_batch import MlmBatch
from core.learning.mlm_checkpoint import MlmEpoch, MlmProgress, load_checkpoint, save_checkpoint
from core.learning.mlm_config import MlmConfig, TinyBertConfig
from core.learning.mlm_corpus import MlmCorpus, PieceReader, Stretch, stretches
from core.learning.mlm_model import MaskedModel, perplexity
from core.learning.tiny_bert import tiny_bert
from core.lexicon import Lexicon
from core.text import Document
from core.training.message import Message, TrainingError
from core.training.progress import Progress

Report = Callable[[Mapping[str, Any]], None]
CHECKPOINT, MODEL = "checkpoint", "model"
CHECKPOINT_EVERY = 600.0  # seconds
LEAST_PIECES = 1000  # fewer teach nothing that would hold elsewhere
_EPOCH, _DEV = 1, 2  # what a generator of random numbers is for


@dataclass(frozen=True, slots=True)
class MlmResult:
    """How a training ended.

    Args:
        before: dev perplexity before the first step; None without dev text.
        history: one record per complete epoch. best_epoch: whose weights were written, 0 for none.
        stopped: whether it ended because somebody asked.
    """

    before: float | None
    history: tuple[MlmEpoch, ...]
    best_epoch: int
    stopped: bool


def prepare_mlm(
    documents: Sequence[Document],
    dev: Sequence[Document],
    config: MlmConfig,
    tiny: TinyBertConfig,
    lexicon: Lexicon | None = None,
) -> tuple[MaskedModel, MlmCorpus, Message | None]:
    """A model and its text, and what is to be said of its head.

    Raises:
        EncoderError: the encoder cannot be used. TrainingError: the text is too small.
    """
    if sum(len(document.text) for document in documents) < LEAST_PIECES:
        raise _too_small(sum(len(document.text) for document in documents))
    torch.manual_seed(config.seed)
    note = None
    if config.encoder:
        model, fresh = MaskedModel.pretrained(config)
        if fresh:
            note = Message(
                "the folder holds an encoder without the head that predicts masked pieces; a fresh one "
                "learns along, so the first perplexity is that of chance",
                "该文件夹只有编码器，没有预测被遮盖词片的输出层；新的输出层随之学习，因此最初的困惑度相当于随机",
            )
    else:
        model = MaskedModel(*tiny_bert(documents, tiny, config.seed), config)
    reader = PieceReader(model.tokenizer.backend_tokenizer, lexicon)
    corpus = MlmCorpus.of(documents, dev, reader)
    different = {int(number) for text in corpus.documents for number in np.unique(text.ids)}
    if corpus.pieces < LEAST_PIECES or len(different) < 2:
        raise _too_small(corpus.pieces, len(different))
    return model, corpus, note


def train_mlm(
    model: MaskedModel,
    corpus: MlmCorpus,
    config: MlmConfig,
    *,
    folder: Path,
    report: Report,
    should_stop: Callable[[], bool],
    device: torch.device,
) -> MlmResult:
    """Train and write the encoder of the epoch with the least dev perplexity, else of the last.

    ``folder/model`` is what a tagger's ``encoder`` takes. A checkpoint in ``folder`` is gone on from; the
    steps are those of a training never stopped. What is hidden is drawn anew every epoch; in the dev text it
    is always the same.

    Args:
        report: gets ``started``, ``step`` and ``epoch`` events. should_stop: asked before each step.

    Raises:
        TrainingError: a loss that is no number, a checkpoint that does not fit, a full disk.
    """
    work = _Training(model.to(device), corpus, config, folder, report, device)
    fresh = work.resume()
    report({"event": "started", "resumed": not fresh})
    if fresh:
        work.progress.before = work.measure()
        report({"event": "before", "perplexity": work.progress.before})
    stopped = False
    while work.progress.epoch < config.epochs and not stopped:
        stopped = work.run_epoch(should_stop)
    model.eval()
    progress = work.progress
    return MlmResult(progress.before, tuple(progress.history), progress.best_epoch, stopped)


class _Training:
    """One training under way."""

    def __init__(
        self,
        model: MaskedModel,
        corpus: MlmCorpus,
        config: MlmConfig,
        folder: Path,
        report: Report,
        device: torch.device,
    ) -> None:
        self.model, self.corpus, self.config = model, corpus, config
        self.folder, self.report, self.device = folder, report, device
        self.batches = model.batches()
        self.room = max(model.length - self.batches.template.room(config.pairs != "none"), 2)
        self.optimiser = _optimiser(model, config)
        self.progress = MlmProgress()
        self.plan = {"config": _without_threads(config), "text": corpus.digest()}

    def resume(self) -> bool:
        """Go on from a checkpoint; True where there was none."""
        found = load_checkpoint(self.folder / CHECKPOINT, self.model, self.optimiser, self.plan)
        if found is None:
            torch.manual_seed(self.config.seed)
            return True
        self.progress = found
        return False

    def run_epoch(self, should_stop: Callable[[], bool]) -> bool:
        """One epoch, or what is left of it; True when it was stopped in between."""
        progress, config = self.progress, self.config
        text = self._stretches(self.corpus.documents, _EPOCH, progress.epoch)
        order = np.random.default_rng([config.seed, _EPOCH, progress.epoch, 1]).permutation(len(text))
        steps = math.ceil(len(text) / config.batch_size)
        clock = Progress(config.epochs * steps, progress.epoch * steps + progress.step)
        saved = time.monotonic()
        for step in range(progress.step, steps):
            if should_stop():
                self._save()
                return True
            rows = order[step * config.batch_size : (step + 1) * config.batch_size]
            rng = np.random.default_rng([config.seed, _EPOCH, progress.epoch, 2, step])
            self._step(self.batches([text[row] for row in rows], rng).to(self.device), steps)
            clock.advance(1)
            if clock.due():
                self._report_step(clock)
            if time.monotonic() - saved > CHECKPOINT_EVERY:
                self._save()
                saved = time.monotonic()
        self._finish_epoch(steps)
        return False

    def measure(self) -> float | None:
        """Dev perplexity now, of pieces that are the same each time."""
        return perplexity(self.model, self._dev_batches(), self.device)

    def _dev_batches(self) -> Iterator[MlmBatch]:
        text = self._stretches(self.corpus.dev, _DEV, 0)
        for at in range(0, len(text), self.config.batch_size):
            rng = np.random.default_rng([self.config.seed, _DEV, at])
            yield self.batches(text[at : at + self.config.batch_size], rng)

    def _stretches(self, texts: Sequence[Any], use: int, epoch: int) -> list[Stretch]:
        rng = np.random.default_rng([self.config.seed, use, epoch, 0])
        return stretches(texts, self.config, self.room, rng)

    def _step(self, batch: MlmBatch, steps: int) -> None:
        start = time.monotonic()
        progress, config = self.progress, self.config
        done = progress.epoch * steps + progress.step
        for group in self.optimiser.param_groups:
            group["lr"] = config.learning_rate * _rate(done, config.epochs * steps, config.warm_up)
        self.model.train()
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.model.losses(batch).mean
        value = loss.item()
        if not math.isfinite(value):
            raise TrainingError(
                f"the loss is no longer a number in epoch {progress.epoch + 1}: the training diverged. Start "
                f"again with a lower learning rate (it is {config.learning_rate:g})",
                f"第 {progress.epoch + 1} 轮中损失已不是数：训练发散。请降低学习率后重新开始",
            )
        loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        if config.clip_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), config.clip_norm)
        self.optimiser.step()
        progress.step += 1
        progress.loss += value
        progress.seconds += time.monotonic() - start

    def _finish_epoch(self, steps: int) -> None:
        progress = self.progress
        found = self.measure()
        progress.epoch += 1
        record = MlmEpoch(progress.epoch, progress.loss / max(steps, 1), found, progress.seconds)
        known = [old.perplexity for old in progress.history if old.perplexity is not None]
        best = found is None or found < min(known, default=math.inf)
        progress.history.append(record)
        progress.step, progress.loss, progress.seconds = 0, 0.0, 0.0
        if best:
            progress.best_epoch = progress.epoch
            self.model.write(self.folder / MODEL)
        self._save()
        self.report({"event": "epoch", "epochs": self.config.epochs, "best": best, **asdict(record)})

    def _report_step(self, clock: Progress) -> None:
        progress = self.progress
        self.report(
            {
                "event": "step",
                "epoch": progress.epoch + 1,
                "epochs": self.config.epochs,
                "loss": progress.loss / progress.step,
                "fraction": clock.fraction,
                "remaining_seconds": clock.remaining_seconds,
            }
        )

    def _save(self) -> None:
        save_checkpoint(self.folder / CHECKPOINT, self.progress, self.model, self.optimiser, self.plan)


def _rate(step: int, steps: int, warm_up: float) -> float:
    """The share of the highest step size: it grows over the warm-up, then falls to zero, both linearly."""
    warm = warm_up * steps
    if step < warm:
        return (step + 1) / (warm + 1)
    return max(0.0, (steps - step) / max(steps - warm, 1.0))


def _optimiser(model: nn.Module, config: MlmConfig) -> torch.optim.Optimizer:
    """AdamW; biases and norms are not pulled to zero, as in BERT's code."""
    plain = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    others = [parameter for parameter in model.parameters() if parameter.dim() <= 1]
    groups = [
        {"params": plain, "weight_decay": config.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate)


def _without_threads(config: MlmConfig) -> dict[str, Any]:
    return {name: value for name, value in asdict(config).items() if name != "threads"}


def _too_small(pieces: int, different: int | None = None) -> TrainingError:
    if different is not None and different < 2 and pieces >= LEAST_PIECES:
        return TrainingError(
            "the text repeats one piece over and over; there is nothing to predict in it. Bring other text",
            "文本只是同一个词片的重复，没有可预测的内容；请换用其他文本",
        )
    return TrainingError(
        f"the text is too small: {pieces} characters or word pieces to learn from, at least {LEAST_PIECES} "
        "are needed; bring more text",
        f"文本太少：只有 {pieces} 个字或词片可学，至少需要 {LEAST_PIECES} 个；请增加文本",
    )
