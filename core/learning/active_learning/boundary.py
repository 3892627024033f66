"""Boundary-only doubt: something of this type is surely here, but where does it begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor

from core.learning.active_learning.chains import ChainAcquisition, Chains
from core.text import Span


class BoundaryDoubt(ChainAcquisition[float]):
    """Probability that a predicted span is there with other ends; the highest comes first.

    Of a predicted span (s, e, l) the CRF gives two exact probabilities: that it stands exactly so, ``p``, and
    for each character t of it that *some* span of type l covers t, the summed marginals of l's tags at t. The
    greatest of these, ``q``, says how sure existence and type are. A span that stands exactly so covers t, so
    ``q - p >= 0`` is the probability that the surest character lies in a span of this type with other ends.
    Doubt about existence or type lowers q and p alike and leaves it small. A document has that of its most
    doubtful span; 0 where nothing is predicted.
    """

    def measure(self, chains: Chains) -> list[float]:
        tagger = chains.tagger
        decoded = tagger.decoder.decode(tagger.crf, chains.emissions, chains.mask)
        covered = label_marginals(chains)
        return [
            max((self._doubt(span, covered[row], tagger.labels) for span in spans), default=0.0)
            for row, spans in enumerate(decoded)
        ]

    def join(self, measures: Sequence[float]) -> float:
        return max(measures)

    @staticmethod
    def _doubt(span: Span, covered: Tensor, labels: Sequence[str]) -> float:
        sure = covered[span.start : span.end, labels.index(span.label)].max().item()
        return max(float(sure) - (span.score or 0.0), 0.0)


def label_marginals(chains: Chains) -> Tensor:
    """Probability that a span of each label covers each character, ``[B, T, labels]``; 0 at padding."""
    tagger = chains.tagger
    marginals = tagger.crf.marginals(chains.emissions, chains.mask, tagger.decoder.constraints)
    column = {label: place for place, label in enumerate(tagger.labels)}
    # "B-LOC" belongs to LOC; "O" to no label. A label may itself hold a hyphen.
    pairs = [
        (row, column[tag.partition("-")[2]]) for row, tag in enumerate(tagger.decoder.tags) if tag != "O"
    ]
    rows, columns = torch.tensor(list(chain.from_iterable(pairs))).view(-1, 2).unbind(1)
    table = marginals.new_zeros(marginals.shape[2], len(tagger.labels))
    table[rows, columns] = 1.0
    return marginals @ table
