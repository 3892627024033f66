"""Trains a biLM: truncated backpropagation through running text, with the state carried across batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.layers.candidate_sampling import CandidateSampler, log_uniform, unigram
from core.layers.recurrent.lstmp import LstmpState
from core.learning.bilm.bilm import Bilm, Perplexity, perplexity
from core.learning.bilm.config import BilmSettings, SoftmaxConfig
from core.learning.bilm.corpus import BilmCorpus
from core.learning.bilm.folder import write_bilm
from core.learning.bilm.stream import BilmBatch
from core.learning.bilm.vocabulary import BilmVocabulary
from core.learning.pretraining.loop import PretrainingLoop, PretrainingResult, Report, finite
from core.training.processes import ALONE, Processes
from core.training.run.errors import TrainingError


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
    processes: Processes = ALONE,
) -> PretrainingResult[Perplexity]:
    """Train, and write the biLM of the epoch with the lowest dev perplexity, else of the last, to ``folder``.

    Resumes from a checkpoint in ``folder`` with identical steps.

    Args:
        bilm: a new one, or one to fine-tune. config: of its softmax, written with it.
        report: receives ``started``, ``step`` and ``epoch`` events. should_stop: called before each step.
        processes: all that train together, each on its share of the rows of text; only the main one writes.

    Raises:
        TrainingError: no text, fewer rows than processes, a loss that is NaN or infinite, a checkpoint that
            does not fit, a full disk.
    """
    if not corpus.tokens:
        raise TrainingError("there is no text to learn from; give a file with text")
    loop = _BilmLoop(bilm.to(device), corpus, config, settings, folder, report, device, processes)
    return loop.run(should_stop)


def sampler_of(settings: BilmSettings, vocabulary: BilmVocabulary) -> CandidateSampler | None:
    """The sampler of negative classes; None for the full softmax."""
    classes = len(vocabulary)
    if settings.samples >= classes:
        return None
    counts = torch.tensor(vocabulary.counts)
    shares = log_uniform(classes) if settings.sampling == "log_uniform" else unigram(counts)
    return CandidateSampler(shares, settings.samples)


class _BilmLoop(PretrainingLoop[BilmBatch, Perplexity]):
    """A running training."""

    def __init__(
        self,
        bilm: Bilm,
        corpus: BilmCorpus,
        config: SoftmaxConfig,
        settings: BilmSettings,
        folder: Path,
        report: Report,
        device: torch.device,
        processes: Processes,
    ) -> None:
        super().__init__(
            bilm,
            _optimiser(bilm, settings),
            _plan(bilm, corpus, config, settings),
            epochs=settings.epochs,
            seed=settings.seed,
            folder=folder,
            report=report,
            processes=processes,
        )
        self.bilm, self.corpus, self.config, self.settings = bilm, corpus, config, settings
        self.device = device
        self.characters = corpus.characters.to(device)
        sampler = sampler_of(settings, corpus.vocabulary)
        self.sampler = sampler.to(device) if sampler is not None else None
        self.states: tuple[LstmpState, ...] | None = None

    def begin_epoch(self, epoch: int, first: int) -> tuple[int, Iterator[BilmBatch]]:
        settings = self.settings
        stream = self.corpus.stream(settings.batch_size, settings.unroll, settings.seed, epoch)
        rows = len(stream.lengths)
        if rows < self.processes.count:
            raise TrainingError(
                "the text gives {rows} rows with batch_size {size} and unroll {unroll}, fewer than the "
                "{processes} processes; start fewer, or raise batch_size or lower unroll",
                rows=rows,
                size=settings.batch_size,
                unroll=settings.unroll,
                processes=self.processes.count,
            )
        return stream.steps(settings.unroll), stream.batches(settings.unroll, first)

    def learn(self, batch: BilmBatch, steps: int) -> tuple[float, int]:
        tokens = int(batch.mask.sum())
        share = batch.share(self.processes.index, self.processes.count).to(self.device)
        self.bilm.train()
        self.optimiser.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        if bool(share.mask.any()):  # where the text ends, a process's rows may have ended before others
            hidden, states = self.bilm(share, self.characters, self.states)
            self.states = tuple(state.detach() for state in states)
            loss: Tensor = self.bilm.losses(hidden, share, sampler=self.sampler).sum() / (2 * tokens)
            # Summed over the tokens of a row, as in the published code, whose clipping and step size assume
            # it.
            (loss * batch.mask.shape[1]).backward()  # type: ignore[no-untyped-call,unused-ignore]
            total = loss.detach()
        total = self.processes.sum_gradients(list(self.bilm.parameters()), total)
        value = finite(total, self.progress.epoch, self.settings.learning_rate)
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self.bilm.parameters(), self.settings.clip_norm)
        self.optimiser.step()
        return value, tokens

    def measure(self) -> Perplexity | None:
        if not any(self.corpus.dev):
            return None
        stream = self.corpus.dev_stream(self.settings.batch_size, self.settings.unroll)
        return perplexity(self.bilm, stream.batches(self.settings.unroll), self.characters)

    def criterion(self, measure: Perplexity) -> float:
        """Mean of both directions in logarithms, like the loss."""
        return math.log(measure.forward) + math.log(measure.backward)

    def read_measure(self, value: Mapping[str, float]) -> Perplexity:
        return Perplexity(**value)

    def write(self) -> None:
        write_bilm(self.folder, self.bilm, self.config, self.corpus.vocabulary)

    def state(self) -> dict[str, Tensor]:
        return {
            f"{part}.{layer}": self._all_rows(value)
            for layer, state in enumerate(self.states or ())
            for part, value in zip(("output", "cell"), state, strict=True)
        }

    def restore_state(self, tensors: Mapping[str, Tensor]) -> None:
        self.states = (
            tuple(
                LstmpState(*(self._own_rows(tensors[f"{part}.{layer}"]) for part in ("output", "cell")))
                for layer in range(len(tensors) // 2)
            )
            or None
        )

    def _all_rows(self, state: Tensor) -> Tensor:
        """The state of all processes' rows, ``[G, B, …]``."""
        return torch.stack(self.processes.gather(list(state.detach().cpu().unbind(1))), dim=1)

    def _own_rows(self, state: Tensor) -> Tensor:
        return state[:, self.processes.index :: self.processes.count].to(self.device)


def _plan(bilm: Bilm, corpus: BilmCorpus, config: SoftmaxConfig, settings: BilmSettings) -> dict[str, Any]:
    """The settings a resumed training must share; more epochs are allowed."""
    return {
        "encoder": bilm.elmo.options.to_json(),
        "softmax": asdict(config),
        "settings": {k: v for k, v in asdict(settings).items() if k not in ("threads", "epochs")},
        "text": corpus.digest(),
    }


def _optimiser(bilm: Bilm, settings: BilmSettings) -> torch.optim.Optimizer:
    if settings.optimiser == "adagrad":
        # The initial accumulator value of the published code is 1.
        return torch.optim.Adagrad(
            bilm.parameters(), lr=settings.learning_rate, initial_accumulator_value=1.0
        )
    return torch.optim.Adam(bilm.parameters(), lr=settings.learning_rate)
