"""Training a biLM: truncated backpropagation through running text, the state carried from batch to batch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.layers.candidate_sampling import CandidateSampler, log_uniform, unigram
from core.learning.bilm import Bilm, Perplexity, perplexity
from core.learning.bilm_checkpoint import BilmEpoch, BilmProgress, States, load_checkpoint, save_checkpoint
from core.learning.bilm_config import BilmSettings, SoftmaxConfig
from core.learning.bilm_corpus import BilmCorpus
from core.learning.bilm_folder import write_bilm
from core.learning.bilm_stream import BilmBatch
from core.learning.bilm_vocabulary import BilmVocabulary
from core.training.message import TrainingError
from core.training.progress import Progress

Report = Callable[[Mapping[str, Any]], None]
CHECKPOINT = "checkpoint"
CHECKPOINT_EVERY = 600.0  # seconds; an epoch over much text takes days


@dataclass(frozen=True, slots=True)
class BilmResult:
    """How a training ended.

    Args:
        before: dev perplexity before the first step; None without dev text.
        history: one record per complete epoch. best_epoch: whose weights the folder holds, 0 for none.
        stopped: whether it ended because somebody asked.
    """

    before: Perplexity | None
    history: tuple[BilmEpoch, ...]
    best_epoch: int
    stopped: bool


def train_bilm(
    bilm: Bilm,
    corpus: BilmCorpus,
    config: SoftmaxConfig,
    settings: BilmSettings,
    *,
    folder: Path,
    report: Report,
    should_stop: Callable[[], bool],
    device: torch.device,
) -> BilmResult:
    """Train and write the biLM of the epoch with the least dev perplexity, else of the last, to ``folder``.

    A checkpoint in ``folder`` is gone on from; the steps are those of a training never stopped.

    Args:
        bilm: fresh, or one to fine-tune. config: of its softmax, written with it.
        report: gets ``started``, ``step`` and ``epoch`` events. should_stop: asked before each step.

    Raises:
        TrainingError: no text, a loss that is no number, a checkpoint that does not fit, a full disk.
    """
    if not corpus.tokens:
        raise TrainingError("there is no text to learn from; give a file with text")
    work = _Training(bilm.to(device), corpus, config, settings, folder, report, device)
    fresh = work.resume()
    report({"event": "started", "resumed": not fresh})
    if fresh:
        work.measure_first()
    stopped = False
    while work.progress.epoch < settings.epochs and not stopped:
        stopped = work.run_epoch(should_stop)
    bilm.eval()
    progress = work.progress
    return BilmResult(progress.before, tuple(progress.history), progress.best_epoch, stopped)


def sampler_of(settings: BilmSettings, vocabulary: BilmVocabulary) -> CandidateSampler | None:
    """What draws the classes of a step; None where all of them are looked at."""
    classes = len(vocabulary)
    if settings.samples >= classes:
        return None
    counts = torch.tensor(vocabulary.counts)
    shares = log_uniform(classes) if settings.sampling == "log_uniform" else unigram(counts)
    return CandidateSampler(shares, settings.samples)


class _Training:
    """One training under way."""

    def __init__(
        self,
        bilm: Bilm,
        corpus: BilmCorpus,
        config: SoftmaxConfig,
        settings: BilmSettings,
        folder: Path,
        report: Report,
        device: torch.device,
    ) -> None:
        self.bilm, self.corpus, self.config, self.settings = bilm, corpus, config, settings
        self.folder, self.report, self.device = folder, report, device
        self.characters = corpus.characters.to(device)
        self.sampler = sampler_of(settings, corpus.vocabulary)
        if self.sampler is not None:
            self.sampler = self.sampler.to(device)
        self.optimiser = _optimiser(bilm, settings)
        self.progress = BilmProgress()
        self.states: States = None
        self.plan = self._plan()

    def resume(self) -> bool:
        """Go on from a checkpoint; True where there was none."""
        found = load_checkpoint(self.folder / CHECKPOINT, self.bilm, self.optimiser, self.plan)
        if found is None:
            torch.manual_seed(self.settings.seed)
            return True
        self.progress, states = found
        if states is not None:
            self.states = tuple(type(state)(*(part.to(self.device) for part in state)) for state in states)
        return False

    def measure_first(self) -> None:
        """Dev perplexity before the first step."""
        self.progress.before = self._measure()

    def run_epoch(self, should_stop: Callable[[], bool]) -> bool:
        """One epoch, or what is left of it; True when it was stopped in between."""
        progress, settings = self.progress, self.settings
        stream = self.corpus.stream(settings.batch_size, settings.unroll, settings.seed, progress.epoch)
        steps = stream.steps(settings.unroll)
        clock = Progress(settings.epochs * steps, progress.epoch * steps + progress.step)
        saved = time.monotonic()
        for batch in stream.batches(settings.unroll, progress.step):
            if should_stop():
                self._save()
                return True
            self._step(batch.to(self.device))
            clock.advance(1)
            if clock.due():
                self._report_step(clock)
            if time.monotonic() - saved > CHECKPOINT_EVERY:
                self._save()
                saved = time.monotonic()
        self._finish_epoch()
        return False

    def _step(self, batch: BilmBatch) -> None:
        start = time.monotonic()
        self.bilm.train()
        self.optimiser.zero_grad(set_to_none=True)
        hidden, states = self.bilm(batch, self.characters, self.states)
        loss: Tensor = self.bilm.losses(hidden, batch, sampler=self.sampler).mean()
        value = loss.item()
        if not math.isfinite(value):
            raise TrainingError(
                f"the loss is no longer a number in epoch {self.progress.epoch + 1}: the training diverged. "
                f"Start again with a lower learning rate (it is {self.settings.learning_rate:g})"
            )
        # Summed over the tokens of a row, as the published code weighs it against its clipping and Adagrad.
        (loss * batch.mask.shape[1]).backward()  # type: ignore[no-untyped-call,unused-ignore]
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.bilm.parameters(), self.settings.clip_norm)
        self.optimiser.step()
        self.states = tuple(state.detach() for state in states)
        tokens = int(batch.mask.sum())
        progress = self.progress
        progress.step += 1
        progress.loss += value * tokens
        progress.tokens += tokens
        progress.seconds += time.monotonic() - start

    def _finish_epoch(self) -> None:
        progress = self.progress
        dev = self._measure()
        progress.epoch += 1
        record = BilmEpoch(progress.epoch, progress.loss / progress.tokens, dev, progress.seconds)
        known = [_mean(old.dev) for old in progress.history if old.dev is not None]
        best = dev is None or _mean(dev) < min(known, default=math.inf)
        progress.history.append(record)
        progress.step, progress.tokens, progress.loss, progress.seconds = 0, 0, 0.0, 0.0
        self.states = None
        if best:
            progress.best_epoch = progress.epoch
            write_bilm(self.folder, self.bilm, self.config, self.corpus.vocabulary)
        self._save()
        self.report({"event": "epoch", "epochs": self.settings.epochs, "best": best, **asdict(record)})

    def _measure(self) -> Perplexity | None:
        if not any(self.corpus.dev):
            return None
        stream = self.corpus.dev_stream(self.settings.batch_size, self.settings.unroll)
        return perplexity(self.bilm, stream.batches(self.settings.unroll), self.characters)

    def _report_step(self, clock: Progress) -> None:
        progress = self.progress
        self.report(
            {
                "event": "step",
                "epoch": progress.epoch + 1,
                "epochs": self.settings.epochs,
                "loss": progress.loss / progress.tokens,
                "fraction": clock.fraction,
                "remaining_seconds": clock.remaining_seconds,
            }
        )

    def _save(self) -> None:
        save_checkpoint(
            self.folder / CHECKPOINT, self.progress, self.bilm, self.optimiser, self.states, self.plan
        )

    def _plan(self) -> dict[str, Any]:
        """What two processes must agree on; more epochs than before only go on."""
        settings = {k: v for k, v in asdict(self.settings).items() if k not in ("threads", "epochs")}
        return {
            "encoder": self.bilm.elmo.options.to_json(),
            "softmax": asdict(self.config),
            "settings": settings,
            "text": self.corpus.digest(),
        }


def _optimiser(bilm: Bilm, settings: BilmSettings) -> torch.optim.Optimizer:
    if settings.optimiser == "adagrad":
        # The published code begins with a sum of one.
        return torch.optim.Adagrad(
            bilm.parameters(), lr=settings.learning_rate, initial_accumulator_value=1.0
        )
    return torch.optim.Adam(bilm.parameters(), lr=settings.learning_rate)


def _mean(dev: Perplexity) -> float:
    """Of both directions, as the loss weighs them: in logarithms."""
    return math.log(dev.forward) + math.log(dev.backward)
