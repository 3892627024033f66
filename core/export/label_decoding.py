"""What decoders of scores of labels have alike: the labels and the calibration of each, and both as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

Scalings = Sequence[tuple[float, float]]


class LabelDecoder:
    """The base: names of the labels, and how the probabilities of their spans are calibrated.

    Args:
        labels: names of the K labels. scalings: temperature and shift of the log-odds of each, ``[K, 2]``.

    Raises:
        ValueError: there is no label, or a scaling is missing or out of range.
    """

    def __init__(self, labels: Sequence[str], scalings: Scalings) -> None:
        if not labels or len(scalings) != len(labels):
            raise ValueError(f"{len(labels)} labels need as many scalings, and one of them at least")
        if not all(map(math.isfinite, chain(*scalings))) or any(
            temperature <= 0 for temperature, _ in scalings
        ):
            raise ValueError("a scaling is out of range")
        self.labels, self.scalings = tuple(labels), tuple(scalings)

    @staticmethod
    def read_labels(value: Any) -> tuple[list[str], Scalings]:
        """Labels and scalings of what ``to_json`` returned.

        Raises:
            ValueError: they are missing or malformed.
        """
        match value:
            case {"labels": [*labels], "scalings": [*scalings]} if all(
                isinstance(label, str) for label in labels
            ):
                try:
                    return labels, [(float(temperature), float(shift)) for temperature, shift in scalings]
                except (TypeError, OverflowError):
                    raise ValueError("scalings must be numbers") from None
        raise ValueError("it needs labels and scalings")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"labels": list(self.labels), "scalings": [list(pair) for pair in self.scalings]}
