"""The probability of every span of a sentence for one label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.taggers.base.trace import Array, Trace

LONGEST = 12  # characters of a span's text; of longer ones the middle is left out
KEPT = 5  # at either end


@dataclass(frozen=True, slots=True)
class SpanScoresView:
    """Probabilities of spans for one label.

    Args:
        label: its name. tokens: ``[T]``.
        probabilities: of every span, ``[T, T]``, row = first character, column = last; NaN if it is none.
        texts: of every span, the middle of long ones left out, ``[T, T]``; empty where there is none.
        predicted: rows and columns of the predicted spans of this label, ``[S, 2]``.
        beaten: the same for spans above the threshold that a better span displaced, ``[S, 2]``.
    """

    label: str
    tokens: tuple[str, ...]
    probabilities: Array
    texts: NDArray[np.object_]
    predicted: NDArray[np.int64]
    beaten: NDArray[np.int64]


def span_scores_view(trace: Trace, label: int) -> SpanScoresView:
    """What the tagger says of every span for one of its labels.

    Raises:
        IndexError: there is no such label.
    """
    scores = trace.span_scores
    assert scores is not None
    if not 0 <= label < len(scores.labels):
        raise IndexError(f"label {label} of {len(scores.labels)}")
    name, table = scores.labels[label], scores.matrix(label)
    texts = np.full(table.shape, "", dtype=object)
    for start, end in np.argwhere(~np.isnan(table)).tolist():
        texts[start, end] = shortened(trace.text[start : end + 1])
    predicted = {(span.start, span.end - 1) for span in trace.spans if span.label == name}
    likely = {(start, end) for start, end in np.argwhere(table > scores.thresholds[label]).tolist()}
    return SpanScoresView(name, trace.tokens, table, texts, _places(predicted), _places(likely - predicted))


def shortened(text: str) -> str:
    """A span's text, of a long one the beginning and the end."""
    return text if len(text) <= LONGEST else f"{text[:KEPT]}…{text[-KEPT:]}"


def _places(spans: set[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(sorted(spans), dtype=np.int64).reshape(-1, 2)
