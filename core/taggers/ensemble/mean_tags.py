"""The mean of the tag marginals of several taggers, decoded as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.layers.crf.viterbi import best_paths
from core.taggers.base.calibration import Calibration
from core.taggers.base.tagger import Batch
from core.taggers.base.trace import CrfTrace, Trace
from core.taggers.ensemble.average import Average
from core.taggers.sequence.batch import SequenceBatch
from core.taggers.sequence.crf_decoding import CrfDecoder
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Span


class _Answer(NamedTuple):
    """What the members say of B sentences of at most T units.

    Args:
        batch: the sentences. emissions: of each member, ``[B, T, K]``.
        marginals: mean probability of every tag, in the order of the first member's, ``[B, T, K]``.
        paths: the best legal path of the mean marginals, of each sentence.
        spans: those of the paths, counted in units, with their mean probability.
    """

    batch: SequenceBatch
    emissions: list[Tensor]
    marginals: Tensor
    paths: list[list[int]]
    spans: list[list[Span]]


class MeanTags(Average):
    """Averages tag marginals ``p_m(y_t = k)`` over members m: ``p̄_t(k) = 1/M Σ_m p_m(y_t = k)``.

    Decoding takes the legal tag sequence with the largest ``Σ_t log p̄_t(y_t)``, by Viterbi. The members may
    be CRFs and softmax taggers, over any encoders. A span's probability is the mean of its calibrated
    probabilities under the members, which each know its tags together.

    Args:
        members: with the same labels (in any order), unit and tag scheme.
    """

    def __init__(self, members: Sequence[SequenceTagger]) -> None:
        self.members = list(members)
        first = self.members[0]
        self.decoder = CrfDecoder(first.labels, first.config.scheme)
        tags = self.decoder.tags
        self._columns = [[member.decoder.tags.index(tag) for tag in tags] for member in self.members]

    def marginals(self, batches: Sequence[Batch]) -> Tensor:
        """Mean probability of every tag at every unit, ``[B, T, K]``; padding rows are 0."""
        checked = self._check(batches)
        return self._mean(checked, self._emissions(checked))

    def decode(self, batches: Sequence[Batch]) -> list[list[Span]]:
        return self._in_texts(self._answer(batches))

    def trace(self, batches: Sequence[Batch], calibration: Calibration, name: str) -> list[Trace]:
        answer = self._answer(batches)
        spans, units = self._in_texts(answer), answer.batch.units
        return [
            Trace(
                text=document.text,
                tokens=units[index].surfaces(document.text),
                spans=tuple(calibration.scaled(spans[index])),
                tagger=name,
                units=units[index],
                crf=self._chain(answer, index),
            )
            for index, document in enumerate(answer.batch.documents)
        ]

    def _answer(self, batches: Sequence[Batch]) -> _Answer:
        checked = self._check(batches)
        emissions = self._emissions(checked)
        marginals = self._mean(checked, emissions)
        lengths = checked[0].mask.sum(1).cpu().numpy()
        paths = best_paths(_log(marginals), lengths, *self._legal())
        found = [self.decoder.read(path) for path in paths]
        return _Answer(checked[0], emissions, marginals, paths, self._scored(checked, emissions, found))

    def _check(self, batches: Sequence[Batch]) -> list[SequenceBatch]:
        return [member.check_batch(batch) for member, batch in zip(self.members, batches, strict=True)]

    def _emissions(self, batches: Sequence[SequenceBatch]) -> list[Tensor]:
        return [member.emissions(batch) for member, batch in zip(self.members, batches, strict=True)]

    def _mean(self, batches: Sequence[SequenceBatch], emissions: Sequence[Tensor]) -> Tensor:
        parts = [
            member.crf.marginals(emitted, batch.mask, member.decoder.constraints)[..., columns]
            for member, batch, emitted, columns in zip(
                self.members, batches, emissions, self._columns, strict=True
            )
        ]
        return torch.stack(parts).mean(0)

    def _scored(
        self, batches: Sequence[SequenceBatch], emissions: Sequence[Tensor], found: list[list[Span]]
    ) -> list[list[Span]]:
        """The same spans with the mean of their calibrated probabilities."""
        scored = [
            [
                member.calibration.scaled(spans)
                for spans in member.decoder.score(member.crf, emitted, batch.mask, found)
            ]
            for member, batch, emitted in zip(self.members, batches, emissions, strict=True)
        ]
        return [
            [
                replace(span, score=float(np.mean([spans[at].score for spans in answers])))
                for at, span in enumerate(row)
            ]
            for row, answers in zip(found, zip(*scored, strict=True), strict=True)
        ]

    def _legal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Transition, start and end scores: 0 where the tag scheme allows, minus infinity elsewhere."""
        rules = self.decoder.constraints
        assert rules is not None
        allowed = (rules.transitions, rules.start, rules.end)
        transitions, start, end = (
            np.where(each.numpy(), np.float32(0), np.float32("-inf")) for each in allowed
        )
        return transitions, start, end

    def _in_texts(self, answer: _Answer) -> list[list[Span]]:
        pairs = zip(answer.batch.units, answer.spans, strict=True)
        return [[units.in_text(span) for span in spans] for units, spans in pairs]

    def _chain(self, answer: _Answer, index: int) -> CrfTrace:
        """The mean as a chain without transitions, whose best path is the prediction."""
        path = answer.paths[index]
        count = len(self.decoder.tags)
        edges = np.zeros(count, dtype=np.float32)
        return CrfTrace(
            tags=self.decoder.tags,
            emissions=_log(answer.marginals[index, : len(path)]),
            transitions=np.zeros((count, count), dtype=np.float32),
            start=edges,
            end=edges,
            marginals=answer.marginals[index, : len(path)].float().cpu().numpy(),
            path=np.array(path, dtype=np.int64),
            allowed=self.decoder.allowed_steps(),
            scheme=self.decoder.scheme,
            learned=False,
        )


def _log(marginals: Tensor) -> np.ndarray:
    """Their logarithms, float32; finite, because a product of rounded probabilities may be 0."""
    values = marginals.detach().to("cpu", torch.float32)
    return values.clamp(min=torch.finfo(torch.float32).tiny).log().numpy()
