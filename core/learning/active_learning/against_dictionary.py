"""Tagger against dictionary: typed words that contradict the tagger's predictions."""

from __future__ import annotations

from collections.abc import Sequence

from core.learning.active_learning.acquisition import Acquisition, MissingForAcquisition, Pool, Progress
from core.learning.active_learning.predictions import predictions
from core.text import Span


class AgainstDictionary(Acquisition):
    """Number of typed dictionary words the tagger contradicts; the highest comes first.

    Of overlapping words the longest counts, then the leftmost. A word is contradicted if no predicted span
    contains it: nothing is predicted there, a span crosses it, or the same offsets have another label. A
    longer predicted span around a word is no contradiction, and neither is a span that is not in the
    dictionary. Agreement of two views: Blum and Mitchell, COLT 1998; of a tagger and a gazetteer: Collins
    and Singer, EMNLP 1999.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        if pool.dictionary is None:
            raise MissingForAcquisition("dictionary")
        predicted = predictions(pool, progress)
        return [
            float(len(contradicted(words, spans)))
            for words, spans in zip(pool.dictionary, predicted, strict=True)
        ]


def contradicted(words: Sequence[Span], spans: Sequence[Span]) -> list[Span]:
    """The dictionary's spans that no predicted span agrees with, in reading order."""
    return [word for word in longest_disjoint(words) if not any(_agrees(word, span) for span in spans)]


def longest_disjoint(words: Sequence[Span]) -> list[Span]:
    """Non-overlapping spans, chosen longest first, then leftmost; in reading order."""
    kept: list[Span] = []
    for word in sorted(words, key=lambda span: (span.start - span.end, span.start, span.label)):
        if all(word.end <= other.start or other.end <= word.start for other in kept):
            kept.append(word)
    return sorted(kept, key=lambda span: span.start)


def _agrees(word: Span, span: Span) -> bool:
    if (span.start, span.end) == (word.start, word.end):
        return span.label == word.label
    return span.start <= word.start and word.end <= span.end
