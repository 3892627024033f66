"""The best paths of a CRF, and the margin of the best path with a span over the best one without it.

Computed from the scores in a `CrfTrace`, without the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.inspection.sentence.crf_scores import step_scores
from core.layers.crf.constrained_viterbi import best_path_with, best_path_without
from core.layers.crf.k_best import ScoredPath, k_best_paths
from core.taggers.base.trace import CrfTrace
from core.text import Span, SpanKey
from core.text.tag_schemes import SCHEMES, decode
from core.text.units import Units

Floats = NDArray[np.float64]
SEARCHED = 24  # best paths among which rivals are looked for


@dataclass(frozen=True, slots=True)
class TagPath:
    """A tag path, its spans, and its differences from another path.

    Args:
        tags: rows of ``CrfTrace.tags``, ``[T]``. spans: decoded from the tags.
        score: log-score. probability: among all legal paths.
        gained, lost: the spans that only this path has, and those that only the other one has.
        differing: the units at which the tags differ.
    """

    tags: tuple[int, ...]
    spans: tuple[Span, ...]
    score: float
    probability: float
    gained: tuple[Span, ...] = ()
    lost: tuple[Span, ...] = ()
    differing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the margin between two paths.

    Args:
        kind: an ``emission`` at a unit, a ``transition`` into it, or the ``start`` or ``end``.
        position: the unit; for a transition, the second one.
        held, other: the tags of the two paths: one each, or two for a transition.
        value: score of the first path minus that of the other.
    """

    kind: Literal["emission", "transition", "start", "end"]
    position: int
    held: tuple[str, ...]
    other: tuple[str, ...]
    value: float


@dataclass(frozen=True, slots=True)
class PathMargin:
    """The margin of the best path with a span over the best one without it.

    Args:
        span: the span. held: the path with it. other: the path without it, compared with ``held``.
        terms: the differing terms, largest absolute value first; they sum to ``margin``.
    """

    span: Span
    held: TagPath
    other: TagPath
    terms: tuple[Term, ...]

    @property
    def margin(self) -> float:
        """Score of the path with the span minus that without it; negative if the CRF rejects the span."""
        return self.held.score - self.other.score

    @property
    def leading(self) -> Term:
        """The term that contributes most to the margin, in its direction."""
        sign = 1 if self.margin >= 0 else -1
        return max(self.terms, key=lambda term: sign * term.value)

    @property
    def is_decisive(self) -> bool:
        """Whether the leading term is at least half of the margin, and not more than all of it.

        It can be more where other terms speak against the span.
        """
        return self.margin / 2 <= self.leading.value <= self.margin


@dataclass(frozen=True, slots=True)
class CrfPaths:
    """What the CRF panel shows besides scores.

    Args:
        best: the best legal paths, best first, each compared with the first.
        margin: of the span in question; None without a span, or if all or no legal paths have it.
    """

    best: tuple[TagPath, ...]
    margin: PathMargin | None


def crf_paths(
    crf: CrfTrace, span: Span | None = None, count: int = 5, units: Units | None = None
) -> CrfPaths:
    """Up to ``count`` best legal paths, and the margin of ``span``.

    A path has a span if its tags decode to exactly this span.

    Args:
        units: what of the text was tagged; None for characters. Spans are those of the text.
    """
    if not len(crf.emissions):
        return CrfPaths((), None)
    scores = _scores(crf)
    place = _counted(span, units)
    stretch = None if place is None else _stretch(crf, place)
    lengths = np.array([len(crf.emissions)])
    best = k_best_paths(scores[0][None], lengths, *scores[1:], count)[0]
    held = other = None
    if place is not None and stretch is not None:
        held = best_path_with(*scores, place.start, stretch)
        other = best_path_without(*scores, place.start, stretch)
    rivals = [held, other] if held is not None and other is not None else []
    terms = tuple(deciding_terms(crf, rivals[0].tags, rivals[1].tags)) if rivals else ()
    # The best paths are compared with the first of them, the rivals with the one that has the span.
    references = [0] * len(best) + [len(best)] * len(rivals)
    partition = _log_partition(*scores)
    paths = _compared(crf, [*best, *rivals], references, partition, units)
    if span is None or not rivals:
        return CrfPaths(paths, None)
    with_span, without = paths[-2:]
    return CrfPaths(paths[:-2], PathMargin(span, with_span, without, terms))


def rivals(crf: CrfTrace, span: Span, count: int = 3, units: Units | None = None) -> tuple[TagPath, ...]:
    """The best legal path with ``span``, then up to ``count`` best ones without it, compared with the first.

    Of paths that have the same spans at ``span`` only the best is given: they are different readings of it.
    Empty if all or no legal paths have ``span``.

    Args:
        units: as for ``crf_paths``.
    """
    place = _counted(span, units)
    stretch = _stretch(crf, place) if place is not None and place.end <= len(crf.emissions) else None
    if stretch is None or place is None:
        return ()
    scores = _scores(crf)
    held = best_path_with(*scores, place.start, stretch)
    other = best_path_without(*scores, place.start, stretch)
    if held is None or other is None:
        return ()
    lengths = np.array([len(crf.emissions)])
    readings: dict[frozenset[SpanKey], ScoredPath] = {}
    for path in (other, *k_best_paths(scores[0][None], lengths, *scores[1:], SEARCHED)[0]):
        spans = decode([crf.tags[tag] for tag in path.tags], crf.scheme, "discard")
        if place.key not in {found.key for found in spans}:
            readings.setdefault(frozenset(found.key for found in spans if found.overlaps(place)), path)
    best = sorted(readings.values(), key=lambda path: -path.score)[:count]
    return _compared(crf, [held, *best], [0] * (1 + len(best)), _log_partition(*scores), units)


def deciding_terms(crf: CrfTrace, held: Sequence[int], other: Sequence[int]) -> list[Term]:
    """The emissions and transitions in which two paths differ, largest absolute value first.

    Zero terms are left out; the terms sum to the difference of the scores.
    """
    emissions = np.asarray(crf.emissions, dtype=np.float64)
    steps = step_scores(crf)
    terms = []
    edges = ((-1, *held, len(crf.tags)), (-1, *other, len(crf.tags)))
    for place in range(len(held) + 1):
        pairs = [(path[place] + 1, path[place + 1]) for path in edges]
        value = float(steps[pairs[0]] - steps[pairs[1]])
        terms.append(_step(crf, place, len(held), pairs, value))
        if place < len(held):
            first, second = held[place], other[place]
            value = float(emissions[place, first] - emissions[place, second])
            terms.append(Term("emission", place, (crf.tags[first],), (crf.tags[second],), value))
    return sorted((term for term in terms if term.value), key=lambda term: -abs(term.value))


def _counted(span: Span | None, units: Units | None) -> Span | None:
    """A span of the text counted in units; None without one, or if it does not end with a unit."""
    return span if span is None or units is None else units.exactly(span)


def _stretch(crf: CrfTrace, span: Span) -> list[int] | None:
    """Rows of the tags of a span; None if the CRF lacks one of them."""
    row = {tag: number for number, tag in enumerate(crf.tags)}
    spelling = SCHEMES[crf.scheme].segment(len(span), span.label)
    return [row[tag] for tag in spelling] if all(tag in row for tag in spelling) else None


def _step(crf: CrfTrace, place: int, length: int, pairs: list[tuple[int, int]], value: float) -> Term:
    """The term of the step into ``place``, or out of the last character."""
    names = [[*crf.tags, ""][to] for _, to in pairs]
    before = [["", *crf.tags][origin] for origin, _ in pairs]
    if place == 0:
        return Term("start", 0, (names[0],), (names[1],), value)
    if place == length:
        return Term("end", place - 1, (before[0],), (before[1],), value)
    return Term("transition", place, (before[0], names[0]), (before[1], names[1]), value)


def _scores(crf: CrfTrace) -> tuple[Floats, Floats, Floats, Floats]:
    """Emissions, transitions, start and end in float64; minus infinity if decoding forbids them."""
    steps = step_scores(crf)
    if crf.allowed is not None:
        steps = np.where(crf.allowed, steps, -np.inf)
    return np.asarray(crf.emissions, dtype=np.float64), steps[1:, :-1], steps[0, :-1], steps[1:, -1]


def _compared(
    crf: CrfTrace,
    paths: Sequence[ScoredPath],
    references: Sequence[int],
    partition: float,
    units: Units | None,
) -> tuple[TagPath, ...]:
    """Scored paths with their spans, each compared with the path whose index is in ``references``."""
    read = [decode([crf.tags[tag] for tag in path.tags], crf.scheme, "discard") for path in paths]
    spelt = [tuple(spans if units is None else map(units.in_text, spans)) for spans in read]
    return tuple(
        TagPath(
            tuple(path.tags),
            spans,
            path.score,
            float(np.exp(min(path.score - partition, 0.0))),
            tuple(span for span in spans if span not in spelt[reference]),
            tuple(span for span in spelt[reference] if span not in spans),
            tuple(place for place, tag in enumerate(path.tags) if tag != paths[reference].tags[place]),
        )
        for path, spans, reference in zip(paths, spelt, references, strict=True)
    )


def _log_partition(emissions: Floats, transitions: Floats, start: Floats, end: Floats) -> float:
    """Log of the summed exponentiated scores of all legal paths."""
    reached = start + emissions[0]
    for emitted in emissions[1:]:
        reached = np.logaddexp.reduce(reached[:, None] + transitions, axis=0) + emitted
    return float(np.logaddexp.reduce(reached + end))
