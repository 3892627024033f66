"""Span scores to spans, with numpy and the decodings of the span tagger."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.label_decoding import LabelDecoder, Scalings
from core.export.tag_decoding import sigmoid
from core.taggers.span.decoding import (
    DECODINGS,
    MOST_PER_CHARACTER,
    SEEN,
    SIDE_BY_SIDE,
    Candidate,
    choice,
)
from core.text import Span, sort_spans

Edges = tuple[NDArray[np.bool_], NDArray[np.bool_]]
FILE = "span_decoding.json"


class SpanDecoder(LabelDecoder):
    """Chooses spans as `core.taggers.span.tagger.SpanTagger` does.

    Args:
        labels, scalings: see :class:`LabelDecoder`.
        least: the calibrated log-odds that a span must exceed; None for a score above 0.
        longest: most characters of a span; 0 sets no limit. decoding: which spans may overlap.
        overlaps: which labels overlap and how, for the decoding by what was seen, ``[3, K, K]``.

    Raises:
        ValueError: shapes do not fit, or a value is out of its range.
    """

    def __init__(
        self,
        labels: Sequence[str],
        scalings: Scalings,
        least: float | None,
        longest: int,
        decoding: str,
        overlaps: NDArray[np.bool_],
    ) -> None:
        super().__init__(labels, scalings)
        count = len(labels)
        if overlaps.shape != (3, count, count):
            raise ValueError(f"{count} labels need 3 by {count} by {count} overlaps")
        if (
            decoding not in (SEEN, *DECODINGS)
            or longest < 0
            or (least is not None and not math.isfinite(least))
        ):
            raise ValueError("the threshold, the decoding or the longest span is out of range")
        self.supports_nested = decoding not in SIDE_BY_SIDE
        self._least, self._longest = least, longest
        self._decoding, self._overlaps = decoding, overlaps
        self._choose = choice(decoding, lambda how, one, other: bool(overlaps[how, one, other]))

    @classmethod
    def from_json(cls, value: Any) -> SpanDecoder:
        """What ``to_json`` returned.

        Raises:
            ValueError: it is malformed.
        """
        labels, scalings = cls.read_labels(value)
        match value:
            case {
                "least": (float() | None) as least, "longest": int(longest), "decoding": str(decoding),
                "overlaps": [*overlaps],
            }:  # fmt: skip
                try:
                    table = np.array(overlaps, dtype=np.int64) > 0
                except (TypeError, ValueError, OverflowError):
                    raise ValueError("overlaps must be numbers") from None
                return cls(labels, scalings, least, longest, decoding, table)
        raise ValueError("it needs least, longest, decoding and overlaps")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            **super().to_json(),
            "least": self._least,
            "longest": self._longest,
            "decoding": self._decoding,
            "overlaps": self._overlaps.astype(int).tolist(),
        }

    def __call__(self, scores: NDArray[np.float32], lengths: Sequence[int], edges: Edges) -> list[list[Span]]:
        """The spans of B texts.

        Args:
            scores: ``[B, K, T, T]``: at ``[b, k, i, j]`` that of the span from i to j (inclusive).
            lengths: characters of each text. edges: where a span may start, and where it may end (inclusive),
                ``[B, T]`` each.
        """
        weights = scores if self._least is None else self.log_odds(scores) - np.float32(self._least)
        return [
            self.chosen(*each, self._probability)
            for each in zip(weights, self.possible(edges), lengths, strict=True)
        ]

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The probability that a span of each label must exceed, ``[K]``."""
        return tuple(sigmoid(shift if self._least is None else self._least) for _, shift in self.scalings)

    def log_odds(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Calibrated log-odds of scores, ``[B, K, T, T]``."""
        temperatures, shifts = np.array(self.scalings, dtype=np.float32).T[..., None, None]
        odds: NDArray[np.float32] = scores / temperatures + shifts
        return odds

    def possible(self, edges: Edges) -> NDArray[np.bool_]:
        """Which spans may be predicted, ``[B, T, T]``.

        Args:
            edges: where a span may start, and where it may end (inclusive), ``[B, T]`` each.
        """
        starts, ends = edges
        spans = np.triu(starts[:, :, None] & ends[:, None])
        if self._longest:
            spans &= np.tril(np.ones(spans.shape[1:], dtype=np.bool_), self._longest - 1)
        return spans

    def chosen(
        self,
        weights: NDArray[np.floating],
        possible: NDArray[np.bool_],
        length: int,
        probability: Callable[[Candidate], float],
    ) -> list[Span]:
        """The spans of one text.

        Args:
            weights: above 0 where a span may be predicted, ``[K, T, T]``. possible: ``[T, T]``.
            length: of the text, in characters. probability: of a candidate, calibrated.
        """
        places = np.argwhere((weights > 0) & possible)
        values = weights[tuple(places.T)]
        best = np.argsort(-values, kind="stable")[: MOST_PER_CHARACTER * length]
        candidates = [
            Candidate(start, end + 1, label, value)
            for (label, start, end), value in zip(places[best].tolist(), values[best].tolist(), strict=True)
        ]
        return list(
            sort_spans(
                Span(each.start, each.end, self.labels[each.label], probability(each))
                for each in self._choose(candidates)
            )
        )

    def _probability(self, candidate: Candidate) -> float:
        if self._least is not None:
            return sigmoid(candidate.weight + self._least)
        temperature, shift = self.scalings[candidate.label]
        return sigmoid(candidate.weight / temperature + shift)
