"""The probability that a span must exceed, as held-out documents would have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.taggers.base.calibration import Calibration, log_odds
from core.taggers.span.decoding import Candidate

# From where F1 is looked for. The best threshold of calibrated probabilities is half the F1 that it reaches
# (Lipton, Elkan and Naryanaswamy, ECML 2014, theorem 1), so never above 0.5.
THRESHOLDS = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15)
FEWEST = 100  # gold spans from which the best of so few is not chance


class HeldOut(NamedTuple):
    """A labelled document that was not trained on.

    Args:
        candidates: what may be predicted of it; their weights are raw scores. right: the start, the end and
            the index of the label of each gold span.
    """

    candidates: Sequence[Candidate]
    right: frozenset[tuple[int, int, int]]


def best_threshold(
    documents: Sequence[HeldOut],
    calibration: Calibration,
    labels: Sequence[str],
    choose: Callable[[Sequence[Candidate]], list[Candidate]],
) -> float:
    """The calibrated probability above which predicted spans have the best micro F1.

    Returns:
        one of ``THRESHOLDS``, the highest of equals; 0 where the spans whose score is above 0 are no worse,
        or there are fewer than ``FEWEST`` gold spans.
    """
    wanted = sum(len(document.right) for document in documents)
    if wanted < FEWEST:
        return 0.0
    scalings = [calibration.of(label) for label in labels]

    def f1(above: Callable[[Candidate], float]) -> float:
        hits = found = 0
        for document in documents:
            weighed = [each._replace(weight=above(each)) for each in document.candidates]
            spans = choose([each for each in weighed if each.weight > 0])
            hits += sum((each.start, each.end, each.label) in document.right for each in spans)
            found += len(spans)
        return 2 * hits / (found + wanted)

    def reached(threshold: float) -> float:
        least = log_odds(threshold)
        return f1(lambda each: scalings[each.label].scaled(each.weight) - least)

    best, most = 0.0, f1(lambda each: each.weight)
    for threshold in THRESHOLDS:
        now = reached(threshold)
        if now > most:
            best, most = threshold, now
    return best
