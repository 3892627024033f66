"""What a CRF nearly said, and what decided: its best paths, and a span against the best path without it.

All of it follows from the scores in a `CrfTrace`; nothing needs the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.layers.crf.constrained_viterbi import best_path_with, best_path_without
from core.layers.crf.k_best import ScoredPath, k_best_paths
from core.taggers.base.trace import CrfTrace
from core.text import Span
from core.text.tag_schemes import SCHEMES, decode

MATTERS = 0.01  # probability from which on a tag matters somewhere in the sentence
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PathReading:
    """A tag path and what it says.

    Args:
        tags: rows of ``CrfTrace.tags``, ``[T]``. spans: what they spell.
        score: log-score. probability: its share among all legal paths.
    """

    tags: tuple[int, ...]
    spans: tuple[Span, ...]
    score: float
    probability: float


@dataclass(frozen=True, slots=True)
class Term:
    """What one place adds to the gap between two paths.

    Args:
        kind: an ``emission`` at a character, a ``transition`` into it, or the ``start`` or ``end``.
        position: the character; of a transition, the one after it.
        taken, other: the tags there on either path: one, or of a transition two.
        value: score of the first path's minus that of the other's.
    """

    kind: Literal["emission", "transition", "start", "end"]
    position: int
    taken: tuple[str, ...]
    other: tuple[str, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Contest:
    """The best path that holds a span against the best one that does not.

    Args:
        span: the span. held, other: the two paths.
        terms: where they differ, largest first; they sum to ``gap``.
    """

    span: Span
    held: PathReading
    other: PathReading
    terms: tuple[Term, ...]

    @property
    def gap(self) -> float:
        """How far the span is ahead; below 0 where the CRF chose against it."""
        return self.held.score - self.other.score


def best_readings(crf: CrfTrace, count: int = 5) -> list[PathReading]:
    """The ``count`` best legal paths, best first; fewer where there are no more."""
    if not len(crf.emissions):
        return []
    emissions, transitions, start, end = _scores(crf)
    lengths = np.array([len(emissions)])
    found = k_best_paths(emissions[None], lengths, transitions, start, end, count)[0]
    return _readings(crf, found)


def contest(crf: CrfTrace, span: Span) -> Contest | None:
    """What decided for or against ``span``; None where all legal paths hold it, or none does.

    A path holds a span when it spells it exactly: in the schemes with ends, by one stretch of tags.
    """
    row = {tag: number for number, tag in enumerate(crf.tags)}
    wanted = SCHEMES[crf.scheme].segment(len(span), span.label)
    if not all(tag in row for tag in wanted):
        return None
    stretch = [row[tag] for tag in wanted]
    held = best_path_with(*_scores(crf), span.start, stretch)
    other = best_path_without(*_scores(crf), span.start, stretch)
    if held is None or other is None:
        return None
    first, second = _readings(crf, [held, other])
    return Contest(span, first, second, tuple(deciding_terms(crf, first.tags, second.tags)))


def deciding_terms(crf: CrfTrace, taken: tuple[int, ...], other: tuple[int, ...]) -> list[Term]:
    """The emissions and transitions that set two paths apart, largest absolute value first.

    Terms of zero are left out; the sum of all is the gap of the two scores.
    """
    emissions = np.asarray(crf.emissions, dtype=np.float64)
    steps = crf.steps()
    terms = []
    edges = ((-1, *taken, len(crf.tags)), (-1, *other, len(crf.tags)))
    for place in range(len(taken) + 1):
        pairs = [(path[place] + 1, path[place + 1]) for path in edges]
        value = float(steps[pairs[0]] - steps[pairs[1]])
        terms.append(_step(crf, place, len(taken), pairs, value))
        if place < len(taken):
            first, second = taken[place], other[place]
            value = float(emissions[place, first] - emissions[place, second])
            terms.append(Term("emission", place, (crf.tags[first],), (crf.tags[second],), value))
    return sorted((term for term in terms if term.value), key=lambda term: -abs(term.value))


def tags_that_matter(crf: CrfTrace, least: float = MATTERS) -> list[int]:
    """Rows of the tags that are likely somewhere, of those on the best path, and of ``O``, in their order."""
    likely = np.flatnonzero(np.max(crf.marginals, axis=0, initial=0.0) >= least)
    return sorted({0, *likely.tolist(), *np.asarray(crf.path).tolist()})


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
    """Emissions, transitions, start and end in float64; minus infinity where decoding may not go."""
    steps = crf.steps()
    if crf.allowed is not None:
        steps = np.where(crf.allowed, steps, -np.inf)
    return np.asarray(crf.emissions, dtype=np.float64), steps[1:, :-1], steps[0, :-1], steps[1:, -1]


def _readings(crf: CrfTrace, paths: list[ScoredPath]) -> list[PathReading]:
    partition = _log_partition(*_scores(crf))
    return [
        PathReading(
            tuple(path.tags),
            tuple(decode([crf.tags[tag] for tag in path.tags], crf.scheme, "discard")),
            path.score,
            float(np.exp(min(path.score - partition, 0.0))),
        )
        for path in paths
    ]


def _log_partition(emissions: Floats, transitions: Floats, start: Floats, end: Floats) -> float:
    """Log of the summed exponentiated scores of all legal paths."""
    reached = start + emissions[0]
    for emitted in emissions[1:]:
        reached = np.logaddexp.reduce(reached[:, None] + transitions, axis=0) + emitted
    return float(np.logaddexp.reduce(reached + end))
