"""VAT: Virtual Adversarial Training (Miyato et al., IEEE TPAMI 2018)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import torch
from torch import Tensor

from core.taggers.base.tagger import Batch, Tagger, TokenScores
from core.training.strategies.divergence import kl_divergence
from core.training.strategies.perturbation import embedding_tables, perturbed, rescaled, rows_rescaled
from core.training.strategies.step import Share, Step
from core.training.strategies.strategy import Strategy, TrainingContext


class VAT(Strategy):
    """Adds ``α ∇ D(r_vadv)``, where ``D(r) = KL(p(y | x, e) ‖ p(y | x, e + r))`` needs no labels.

    ``r_vadv = ε g / ‖g‖₂`` with ``g = ∇_r D(r)`` at ``r = ξ d``; ``d`` is random at first and replaced by
    ``g`` in every further power iteration (algorithm 1). ``e`` are the embedding tables, ``y`` the decisions
    of ``Tagger.token_scores`` (for a CRF, the softmax of its emissions), and ``D`` is summed over the tokens
    of a sentence and averaged over sentences: those of the step, and unlabelled ones. ``p(y | x, e)`` is a
    constant. All passes use the same dropout masks, so that ``D(0) = 0``.
    """

    name: ClassVar[str] = "vat"

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        self._chance = random.Random()  # noqa: S311 - which documents, not a secret

    def begin_epoch(self, epoch: int) -> None:
        self._chance.seed(f"vat {self.settings.seed} {epoch}")

    def after_backward(self, step: Step) -> None:
        tables = embedding_tables(self.tagger, "VAT")
        if not tables:
            return
        # The same numbers in every process: the perturbation belongs to the step, not to a share of it.
        seed = self._chance.getrandbits(60)
        noise = torch.Generator().manual_seed(seed)
        direction = [torch.randn(table.shape, generator=noise).to(table) for table in tables]
        shares = self._shares(step, seed + 1)
        for _ in range(self.settings.vat_power_steps):
            with perturbed(tables, rows_rescaled(direction, self.settings.vat_probe)):
                direction = step.gradient(tables, shares)
        with perturbed(tables, rescaled(direction, self.settings.vat_radius)):
            step.backward([Share(share.loss, self.settings.vat * share.weight) for share in shares])

    def _shares(self, step: Step, seed: int) -> list[Share]:
        """``D`` of the step's batches and of a sample of unlabelled documents."""
        processes, unlabelled = self.context.processes, self.context.unlabelled
        count = min(self.settings.vat_unlabelled or step.total, len(unlabelled))
        drawn = [unlabelled[index] for index in self._chance.sample(range(len(unlabelled)), count)]
        batches = [*step.batches, *self.context.batches_of(processes.share(drawn))]
        total = step.total + count
        return [
            Share(
                _Divergence(self.tagger, batch, seed + processes.index + processes.count * place),
                len(batch.documents) / total,
            )
            for place, batch in enumerate(batches)
        ]


class _Divergence:
    """``D`` of one batch as a function of the tables, with fixed random numbers."""

    def __init__(self, tagger: Tagger, batch: Batch, seed: int) -> None:
        self._tagger, self._batch, self._seed = tagger, batch, seed
        with torch.no_grad():
            self._clean = self._scores().logits

    def __call__(self) -> Tensor:
        scores = self._scores()
        apart = kl_divergence(self._clean, scores.logits, scores.mask)
        return apart / max(len(self._batch.documents), 1)

    def _scores(self) -> TokenScores:
        device = self._tagger.device
        # Distributions this close to each other would be lost in half precision.
        with _seeded(device, self._seed), torch.autocast(device.type, enabled=False):
            return self._tagger.token_scores(self._batch)


@contextmanager
def _seeded(device: torch.device, seed: int) -> Iterator[None]:
    """Seed the random generators in the block, and restore their state afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield
