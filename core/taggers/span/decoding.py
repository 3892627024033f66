"""Which spans above the threshold are predicted: all, those that overlap as is allowed, or a flat choice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from core.text import Span, sort_spans

# How two spans overlap: one inside the other, both one stretch, or one begins inside the other.
INSIDE, SAME, CROSSING = 0, 1, 2
# Most spans considered per character of a text, by score: a tagger that diverged finds spans everywhere.
MOST_PER_CHARACTER = 4


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


def as_seen(candidates: Sequence[Candidate], seen: Callable[[int, int, int], bool]) -> list[Candidate]:
    """By decreasing weight, each unless it overlaps one taken before as no training spans of their labels do.

    Args:
        seen: whether training spans with two labels, given by index, overlap in a way; see `overlap`.
    """

    def unseen(one: Candidate, other: Candidate) -> bool:
        how = overlap(one, other)
        return how is not None and not seen(how, one.label, other.label)

    return _greedy(candidates, unseen)


def overlap(one: Candidate | Span, other: Candidate | Span) -> int | None:
    """How two spans overlap if ``one`` is the outer or the left one; None if it is not, or if they do not."""
    if (one.start, one.end) == (other.start, other.end):
        return SAME
    if one.start <= other.start and other.end <= one.end:
        return INSIDE
    return CROSSING if one.start < other.start < one.end < other.end else None


def overlaps_in(spans: Iterable[Span]) -> set[tuple[int, str, str]]:
    """How spans of a text overlap, with their labels; the outer or the left one first."""
    found = set()
    for one, other in combinations(sort_spans(spans), 2):
        for first, second in ((one, other), (other, one)):
            how = overlap(first, second)
            if how is not None:
                found.add((how, first.label, second.label))
    return found


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


def choice(
    decoding: str, seen: Callable[[int, int, int], bool]
) -> Callable[[Sequence[Candidate]], list[Candidate]]:
    """What chooses among candidates: a decoding of `DECODINGS`, or any other word for `as_seen`.

    Args:
        seen: as for `as_seen`.
    """
    return DECODINGS.get(decoding) or partial(as_seen, seen=seen)


# What needs no more than the candidates.
DECODINGS: dict[str, Callable[[Sequence[Candidate]], list[Candidate]]] = {
    "nested": nested,
    "no_crossing": without_crossing,
    "flat": flat,
    "flat_greedy": flat_greedy,
}
SEEN = "learned"
SIDE_BY_SIDE = ("flat", "flat_greedy")
