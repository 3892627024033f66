"""Rare label: documents that seem to contain the rarest labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from core.learning.active_learning.acquisition import Acquisition, MissingForAcquisition, Pool, Progress
from core.learning.active_learning.boundary import label_marginals
from core.learning.active_learning.chains import chains_of
from core.learning.active_learning.predictions import predictions
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document

Chances = Mapping[str, float]


class RareLabel(Acquisition):
    """``sum_l p_l log((1 + N) / (1 + n_l))``; the highest comes first.

    Of N labelled spans ``n_l`` have label l; the logarithm is the inverse document frequency of Spärck Jones
    (1972) with one added, so that unused labels weigh most. ``p_l`` is the probability that the document
    contains an l: with a CRF, the highest marginal probability of l at any character, whether or not the best
    path contains l; otherwise the highest score of a predicted l.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        counts = Counter(span.label for document in pool.labelled for span in document.spans)
        if not counts:
            raise MissingForAcquisition("labelled")
        return [
            sum(chance * rarity(label, counts) for label, chance in chances.items())
            for chances in self._chances(pool, progress)
        ]

    @staticmethod
    def _chances(pool: Pool, progress: Progress) -> Sequence[Chances]:
        if isinstance(pool.tagger, SequenceTagger):
            return label_chances(pool.tagger, pool.documents, progress)
        predicted = predictions(pool, progress)
        return [
            {
                label: max(1.0 if s.score is None else s.score for s in spans if s.label == label)
                for label in {span.label for span in spans}
            }
            for spans in predicted
        ]


def label_chances(tagger: SequenceTagger, documents: Sequence[Document], progress: Progress) -> list[Chances]:
    """For every label the highest probability that a character of the document lies in a span of it."""
    chances: list[dict[str, float]] = [dict.fromkeys(tagger.labels, 0.0) for _ in documents]
    for chains in chains_of(tagger, documents, progress):
        highest = label_marginals(chains).amax(1).tolist()
        for piece, row in zip(chains.pieces, highest, strict=True):
            of_document = chances[piece.document]
            for label, chance in zip(tagger.labels, row, strict=True):
                of_document[label] = max(of_document[label], chance)
    return list(chances)


def rarity(label: str, counts: Mapping[str, int]) -> float:
    """``log((1 + N) / (1 + n_l))``: 0 if all spans have this label, highest if none has."""
    return math.log((1 + sum(counts.values())) / (1 + counts.get(label, 0)))
