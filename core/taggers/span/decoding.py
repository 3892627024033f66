"""Which spans above the threshold are predicted: all, those that do not cross, or those side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Candidate(NamedTuple):
    """A span that may be predicted.

    Args:
        start, end: its characters, end exclusive. label: index of its label. weight: how far its score is
            above the threshold, more than 0.
    """

    start: int
    end: int
    label: int
    weight: float


def nested(candidates: Sequence[Candidate]) -> list[Candidate]:
    """All of them: spans may nest, cross, and have several labels."""
    return list(candidates)


def without_crossing(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By decreasing weight, each unless it crosses one taken before (Yu et al. 2020); spans nest."""
    return _greedy(candidates, lambda one, other: one.start < other.start < one.end < other.end)


def flat(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The spans without overlap whose weights have the largest sum.

    Weighted interval scheduling: spans by their end, each either left out or added to the best choice among
    the spans that end before it starts. For n spans in ``O(n log n)``.
    """
    ordered = sorted(candidates, key=lambda each: (each.end, -each.weight, each.start, each.label))
    ends = [each.end for each in ordered]
    best = [0.0]  # sum of the best choice among the first spans
    before = [bisect_right(ends, each.start) for each in ordered]
    for each, number in zip(ordered, before, strict=True):
        best.append(max(best[-1], best[number] + each.weight))
    chosen, at = [], len(ordered)
    while at:
        if best[at] == best[at - 1]:
            at -= 1
        else:
            chosen.append(ordered[at - 1])
            at = before[at - 1]
    return chosen[::-1]


def flat_greedy(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By decreasing weight, each unless it overlaps one taken before (Yu et al. 2020, section 3)."""
    return _greedy(candidates, lambda one, other: one.start <= other.start < one.end)


def _greedy(
    candidates: Sequence[Candidate], refused: Callable[[Candidate, Candidate], bool]
) -> list[Candidate]:
    """By decreasing weight, each that ``refused`` does not hold of with one taken before, in either order."""
    taken: list[Candidate] = []
    for each in sorted(candidates, key=lambda each: (-each.weight, each.start, each.end, each.label)):
        if not any(refused(each, other) or refused(other, each) for other in taken):
            taken.append(each)
    return taken


DECODINGS: dict[str, Callable[[Sequence[Candidate]], list[Candidate]]] = {
    "nested": nested,
    "no_crossing": without_crossing,
    "flat": flat,
    "flat_greedy": flat_greedy,
}
SIDE_BY_SIDE = ("flat", "flat_greedy")
