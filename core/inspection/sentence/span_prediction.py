"""What a tagger says about one span of a text, predicted or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.runtime.message import ToldValueError
from core.text import Document, Span
from core.text.segmentation import sentence_groups, windows

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger
    from core.taggers.base.trace import Trace

# One trace holds layers x heads x nodes^2 weights; a browser's heatmap stays smooth up to about here.
MOST_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class SpanPrediction:
    """A tagger's prediction at a span.

    Args:
        trace: of the sentence. span: the span; its score is the tagger's probability, None if it gives none.
        is_predicted: whether the tagger predicts just this span.
        is_known: whether the tagger has the label.
        instead: what it predicts there, if it does not predict the span, in reading order.
    """

    trace: Trace
    span: Span
    is_predicted: bool
    is_known: bool
    instead: tuple[Span, ...]


def predict_span(tagger: Tagger, text: str, span: Span) -> SpanPrediction:
    """What the tagger says about ``span`` of ``text``.

    Raises:
        ValueError: the span leaves the text.
    """
    if span.end > len(text):
        raise ToldValueError(
            "a span up to character {end} leaves a text of {length}", end=span.end, length=len(text)
        )
    trace = tagger.trace(tagger.collate([Document("sentence", text)]).to(tagger.device))[0]
    is_known = span.label in tagger.labels
    predicted = next((said for said in trace.spans if said.key == span.key), None)
    if predicted is not None:
        return SpanPrediction(trace, predicted, True, is_known, ())
    score = _probability(tagger, text, span) if is_known and tagger.has_span_probabilities else None
    return SpanPrediction(trace, replace(span, score=score), False, is_known, overlapping(trace.spans, span))


def overlapping(spans: Sequence[Span], span: Span) -> tuple[Span, ...]:
    """Those of ``spans`` that share a character with ``span``, in their order."""
    return tuple(other for other in spans if other.overlaps(span))


def window_around(
    text: str, start: int, end: int, most: int = MOST_CHARACTERS, usual: int | None = None
) -> tuple[int, int]:
    """The piece of a text that is traced for the characters from ``start`` to ``end``, at most ``most`` long.

    It consists of whole sentences, unless one is too long or the characters cross the end of a piece.

    Args:
        usual: of the tagger's texts; the piece is what it reads at once then, see ``reading_windows``.

    Raises:
        ValueError: they leave the text, or are more than ``most``.
    """
    if not start <= end <= len(text):
        raise ToldValueError(
            "a span up to character {end} leaves a text of {length}", end=end, length=len(text)
        )
    if end - start > most:
        raise ToldValueError(
            "a span of {length} characters is too long, at most {most}", length=end - start, most=most
        )
    groups = [(0, len(text))] if usual is None else sentence_groups(text, usual, most)
    for first, last in groups:
        for left, right in windows(text[first:last], most):
            if first + left <= start and end <= first + right:
                return first + left, first + right
    left = max(0, min((start + end - most) // 2, len(text) - most))
    return left, min(len(text), left + most)


def _probability(tagger: Tagger, text: str, span: Span) -> float | None:
    from core.inspection.sentence.intervention import outcomes  # loads torch

    return outcomes(tagger, [Document("sentence", text)], [span])[0][0].probability
