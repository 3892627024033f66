"""Scores of types to spans with numpy: runs of words or characters of one type, as the PU tagger has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.tag_decoding import scaled
from core.lexicon.segmentation import word_lengths
from core.text import Span

FILE = "run_decoding.json"
UNITS = ("words", "characters")


class RunDecoder:
    """Reads log-odds as `core.taggers.pu.tagger.Pu` does: a unit has its most probable type, if that is above
    0.5, and consecutive units of one type are a span.

    Args:
        labels: names of the K types. scalings: temperature and shift of the log-odds of each label's spans,
            ``[K, 2]``. unit: of a prediction, ``words`` as segmented by jieba, or ``characters``.

    Raises:
        ValueError: a value does not fit.
    """

    def __init__(self, labels: Sequence[str], scalings: Sequence[tuple[float, float]], unit: str) -> None:
        if not labels or len(scalings) != len(labels) or unit not in UNITS:
            raise ValueError(f"{len(labels)} labels need as many scalings, and a unit")
        if not all(math.isfinite(number) for pair in scalings for number in pair):
            raise ValueError("a scaling is no number")
        if any(temperature <= 0 for temperature, _ in scalings):
            raise ValueError("a scaling is out of range")
        self.labels, self.scalings, self.unit = tuple(labels), tuple(scalings), unit

    @classmethod
    def from_json(cls, value: Any) -> RunDecoder:
        """What ``to_json`` returned.

        Raises:
            ValueError: it is malformed.
        """
        match value:
            case {"labels": [*labels], "scalings": [*scalings], "unit": str(unit)} if all(
                isinstance(label, str) for label in labels
            ):
                try:
                    pairs = [(float(temperature), float(shift)) for temperature, shift in scalings]
                except (TypeError, OverflowError):
                    raise ValueError("scalings must be numbers") from None
                return cls(labels, pairs, unit)
        raise ValueError("it needs labels, scalings and unit")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "labels": list(self.labels),
            "scalings": [list(pair) for pair in self.scalings],
            "unit": self.unit,
        }

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
