"""Scores of starts, ends and their matches to spans with numpy, as BERT-MRC has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.label_decoding import LabelDecoder, Scalings
from core.export.span_decoding import Edges
from core.export.tag_decoding import scaled
from core.text import Span, sort_spans

FILE = "query_decoding.json"
Pairs = NDArray[np.int64]


class QueryDecoder(LabelDecoder):
    """Decides as `core.taggers.mrc.tagger.Mrc`: a span's start, end and match all exceed a threshold.

    Row ``b * K + k`` of all arrays is text b with the query of label k; B texts of at most T characters.

    Args:
        labels, scalings: see :class:`LabelDecoder`. longest: most characters of a span; 0 sets no limit.
        bound: the log-odds that start, end and match must exceed.

    Raises:
        ValueError: a value does not fit.
    """

    def __init__(self, labels: Sequence[str], scalings: Scalings, bound: float, longest: int) -> None:
        super().__init__(labels, scalings)
        if not math.isfinite(bound) or longest < 0:
            raise ValueError("the bound or the longest span is out of range")
        self._bound, self._longest = bound, longest

    @classmethod
    def from_json(cls, value: Any) -> QueryDecoder:
        """What ``to_json`` returned.

        Raises:
            ValueError: it is malformed.
        """
        labels, scalings = cls.read_labels(value)
        match value:
            case {"bound": float(bound), "longest": int(longest)}:
                return cls(labels, scalings, bound, longest)
        raise ValueError("it needs a bound and the longest span")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {**super().to_json(), "bound": self._bound, "longest": self._longest}

    def candidates(self, scores: NDArray[np.float32], edges: Edges) -> Pairs:
        """The pairs of a start and an end whose match decides: row, start and end (inclusive), ``[P, 3]``.

        Args:
            scores: logits of starts and ends, ``[B * K, T, 2]``. edges: where a span may start, and where it
                may end (inclusive), ``[B * K, T]`` each.
        """
        starts, ends = (scores[..., side] > self._bound for side in range(2))
        pairs = np.triu((starts & edges[0])[:, :, None] & (ends & edges[1])[:, None])
        if self._longest:
            pairs = np.tril(pairs, self._longest - 1)
        return np.argwhere(pairs)

    def __call__(
        self, scores: NDArray[np.float32], pairs: Pairs, matches: NDArray[np.float32], texts: int
    ) -> list[list[Span]]:
        """The spans of every text, with the product of their three probabilities, calibrated.

        Args:
            scores: as for ``candidates``, which gave ``pairs``. matches: their logits, ``[P]``. texts: B.
        """
        kept = matches > self._bound
        row, start, end = pairs[kept].T
        logits = np.stack([scores[row, start, 0], scores[row, end, 1], matches[kept]]).astype(np.float64)
        # The product of the sigmoids.
        probability = np.exp(-np.logaddexp(0.0, -logits).sum(0))
        found: list[list[Span]] = [[] for _ in range(texts)]
        for (number, first, last), raw in zip(pairs[kept].tolist(), probability.tolist(), strict=True):
            text, label = divmod(number, len(self.labels))
            found[text].append(Span(first, last + 1, self.labels[label], scaled(raw, self.scalings[label])))
        return [list(sort_spans(spans)) for spans in found]
