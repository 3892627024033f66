"""Interventions: the effect of changing a sentence, or the words matched in it, on predicted spans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import torch

from core.layers.evaluating import evaluating
from core.lexicon import Lexicon
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import BUDGET
from core.text import Document, Span, SpanKey


@dataclass(frozen=True, slots=True)
class Outcome:
    """One predicted span after a change.

    Args:
        span: as predicted before, with its score.
        becomes: the span of the new prediction that overlaps ``span`` most and was not predicted beside it
            before, or None if it is lost.
        probability: new probability of the same span, predicted or not; None if the tagger gives none.
    """

    span: Span
    becomes: Span | None
    probability: float | None

    @property
    def kept(self) -> bool:
        """Whether the same span is still predicted."""
        return self.becomes is not None and self.becomes.key == self.span.key

    @property
    def change(self) -> float | None:
        """Confidence in the same span, new minus old; None if either is unknown."""
        now = self.probability
        if now is None and self.kept and self.becomes is not None:
            now = self.becomes.score
        return None if now is None or self.span.score is None else now - self.span.score

    @property
    def damage(self) -> tuple[int, float]:
        """Sort key, worst first: lost, then changed, then by the fall in confidence."""
        rank = 0 if self.becomes is None else 2 if self.kept else 1
        return rank, self.change if self.change is not None else 0.0


def outcomes(
    tagger: Tagger,
    documents: Sequence[Document],
    spans: Sequence[Span],
    lexicons: Sequence[Lexicon | None] | None = None,
    before: Sequence[Span] = (),
) -> list[list[Outcome]]:
    """The outcome of every span in every changed sentence: ``[documents][spans]``.

    Sentences are tagged in batches; the tagger's own lexicon is not changed.

    Args:
        documents: long enough to contain the spans.
        lexicons: one for each document, in place of the tagger's.
        before: all that is predicted without a change: where spans nest, one that is lost does not become
            another that was there all along.
    """
    known = {span.key for span in before}
    rows: list[list[Outcome]] = []
    with evaluating(tagger), torch.inference_mode():
        for some in _groups(tagger, documents):
            rows += _batch_outcomes(tagger, documents[some], spans, lexicons and lexicons[some], known)
    return rows


def _batch_outcomes(
    tagger: Tagger,
    documents: Sequence[Document],
    spans: Sequence[Span],
    lexicons: Sequence[Lexicon | None] | None,
    known: Collection[SpanKey],
) -> list[list[Outcome]]:
    made = tagger.collate(documents) if lexicons is None else tagger.collate_with(documents, lexicons)
    batch = made.to(tagger.device)
    if not tagger.has_span_probabilities or not spans:
        return [
            [Outcome(s, _successor(s, after, known), None) for s in spans] for after in tagger.decode(batch)
        ]
    decoded, weights = tagger.decode_and_score(batch, spans)
    return [
        [Outcome(s, _successor(s, after, known), p) for s, p in zip(spans, row, strict=True)]
        for after, row in zip(decoded, weights.tolist(), strict=True)
    ]


def _successor(span: Span, candidates: Sequence[Span], known: Collection[SpanKey]) -> Span | None:
    """The candidate that overlaps ``span`` most, preferring an identical one; None if no new one overlaps."""
    overlapping = [
        other
        for other in candidates
        if other.key == span.key or (other.key not in known and other.overlaps(span))
    ]
    return max(
        overlapping,
        key=lambda other: (other.key == span.key, min(other.end, span.end) - max(other.start, span.start)),
        default=None,
    )


def _groups(tagger: Tagger, documents: Sequence[Document]) -> Iterator[slice]:
    """Slices of consecutive documents to tag as a batch."""
    most = max((tagger.cost(document) for document in documents), default=1)
    size = max(1, BUDGET // max(most, 1))
    for first in range(0, len(documents), size):
        yield slice(first, first + size)
