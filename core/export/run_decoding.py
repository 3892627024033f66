"""Scores of types to spans with numpy: runs of words or characters of one type, as the PU tagger has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.label_decoding import LabelDecoder, Scalings
from core.export.tag_decoding import scaled
from core.lexicon.segmentation import word_lengths
from core.text import Span

FILE = "run_decoding.json"
UNITS = ("words", "characters")


class RunDecoder(LabelDecoder):
    """Reads log-odds as `core.taggers.pu.tagger.Pu` does: a unit has its most probable type, if that is above
    0.5, and consecutive units of one type are a span.

    Args:
        labels, scalings: see :class:`LabelDecoder`; the K types.
        unit: of a prediction, ``words`` as segmented by jieba, or ``characters``.

    Raises:
        ValueError: a value does not fit.
    """

    def __init__(self, labels: Sequence[str], scalings: Scalings, unit: str) -> None:
        super().__init__(labels, scalings)
        if unit not in UNITS:
            raise ValueError(f"the unit is none of {', '.join(UNITS)}")
        self.unit = unit

    @classmethod
    def from_json(cls, value: Any) -> RunDecoder:
        """What ``to_json`` returned.

        Raises:
            ValueError: it is malformed.
        """
        labels, scalings = cls.read_labels(value)
        match value:
            case {"unit": str(unit)}:
                return cls(labels, scalings, unit)
        raise ValueError("it needs a unit")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {**super().to_json(), "unit": self.unit}

    def __call__(self, scores: NDArray[np.float32], texts: Sequence[str]) -> list[list[Span]]:
        """The spans of B texts.

        Args:
            scores: log-odds of every type at every character, ``[B, T, K]``.
        """
        return [self._text(row[: len(text)], text) for row, text in zip(scores, texts, strict=True)]

    def _text(self, scores: NDArray[np.float32], text: str) -> list[Span]:
        if not text:
            return []
        sizes = np.array(word_lengths(text) if self.unit == "words" else [1] * len(text))
        edges = np.concatenate([[0], sizes.cumsum()])
        odds = np.add.reduceat(scores, edges[:-1], axis=0) / sizes[:, None].astype(
            np.float32
        )  # shape: (U, K)
        types = np.where(odds.max(1) > 0, odds.argmax(1), -1).tolist()
        if max(types) < 0:
            return []
        precise = odds.astype(np.float64)
        inside, outside = -np.logaddexp(0.0, -precise), -np.logaddexp(0.0, precise)
        spans = []
        bounds = np.cumsum([0, *(len(list(run)) for _, run in groupby(types))]).tolist()
        for start, end in pairwise(bounds):
            k = types[start]
            if k < 0:
                continue
            neighbours = [at for at in (start - 1, end) if 0 <= at < len(types)]
            total = float(inside[start:end, k].sum() + outside[neighbours, k].sum())
            probability = scaled(min(math.exp(total), 1.0), self.scalings[k])
            spans.append(Span(int(edges[start]), int(edges[end]), self.labels[k], probability))
        return spans
