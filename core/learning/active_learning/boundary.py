"""Boundary uncertainty: an entity of this type is surely here, but its boundaries are unclear."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor

from core.learning.active_learning.chains import ChainAcquisition, Chains
from core.text import Span


class BoundaryUncertainty(ChainAcquisition[float]):
    """Probability that a predicted span exists with other boundaries; the highest comes first.

    For a predicted span (s, e, l) the CRF gives exactly the probability ``p`` of that span, and for each of
    its characters t the probability that *some* span of type l covers t: the sum of the marginals of l's tags
    at t. The largest of these, ``q``, is the certainty of existence and type. As the span itself covers t,
    ``q - p >= 0`` is the probability that this character lies in a span of type l with other boundaries.
    Uncertain existence or type lowers q and p alike, so the difference stays small. A document's score is
    that of its most uncertain span; 0 if nothing is predicted.
    """

    def measure(self, chains: Chains) -> list[float]:
        tagger = chains.tagger
        decoded = tagger.decoder.decode(tagger.crf, chains.emissions, chains.mask)
        covered = label_marginals(chains)
        return [
            max((self._uncertainty(span, covered[row], tagger.labels) for span in spans), default=0.0)
            for row, spans in enumerate(decoded)
        ]

    def join(self, measures: Sequence[float]) -> float:
        return max(measures)

    @staticmethod
    def _uncertainty(span: Span, covered: Tensor, labels: Sequence[str]) -> float:
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
