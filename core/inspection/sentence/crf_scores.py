"""The scores and marginals of a CRF for the tags shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.taggers.base.trace import Array, CrfTrace, Integers, Trace
from core.text.units import UnitName

MATTERS = 0.01  # minimum probability of a tag to be shown
START, END = "START", "END"


@dataclass(frozen=True, slots=True)
class CrfScores:
    """Scores of ``K`` tags; rows of ``steps`` are START and the tags, columns the tags and END.

    Args:
        tokens: ``[T]``. unit: what they are. tags: names, ``[K]``.
        emissions, marginals: ``[K, T]``.
        path: row of the best path's tag at every token, ``[T]``; -1 if that tag is not shown.
        steps: ``[1 + K, K + 1]``, transition scores from row to column; NaN from START to END, which does not
            occur. forbidden: transitions that decoding forbids. taken: those of the best path.
        learned: whether there are transitions; with a softmax head there are none, and all scores are 0.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    emissions: Array
    marginals: Array
    path: Integers
    steps: Array
    forbidden: NDArray[np.bool_]
    taken: NDArray[np.bool_]
    learned: bool
    unit: UnitName = "character"


def crf_scores(trace: Trace, only_likely: bool = False) -> CrfScores:
    """The scores of a trace with a CRF.

    Args:
        only_likely: leave out tags that are not `likely_tags`.
    """
    crf = trace.crf
    assert crf is not None
    shown = likely_tags(crf) if only_likely else list(range(len(crf.tags)))
    cells = np.ix_([0, *(tag + 1 for tag in shown)], [*shown, len(crf.tags)])
    steps = step_scores(crf)
    allowed = np.ones(steps.shape, dtype=bool) if crf.allowed is None else crf.allowed
    row = np.full(len(crf.tags), -1)
    row[shown] = np.arange(len(shown))
    path = np.asarray(crf.path, dtype=np.int64)
    return CrfScores(
        trace.tokens,
        tuple(crf.tags[tag] for tag in shown),
        np.asarray(crf.emissions).T[shown],
        np.asarray(crf.marginals).T[shown],
        row[path],
        steps[cells],
        (~allowed & ~np.isnan(steps))[cells],
        _taken(path, len(crf.tags))[cells],
        crf.learned,
        trace.places.name,
    )


def step_scores(crf: CrfTrace) -> NDArray[np.float64]:
    """Scores of all steps, ``[1 + K, K + 1]``: rows START and the tags, columns the tags and END."""
    count = len(crf.tags)
    scores = np.full((count + 1, count + 1), np.nan)
    scores[0, :count] = crf.start
    scores[1:, :count] = crf.transitions
    scores[1:, count] = crf.end
    return scores


def likely_tags(crf: CrfTrace) -> list[int]:
    """Rows of tags with a marginal of at least ``MATTERS`` or on the best path, and of ``O``, in order."""
    likely = np.flatnonzero(np.max(crf.marginals, axis=0, initial=0.0) >= MATTERS)
    return sorted({0, *likely.tolist(), *np.asarray(crf.path).tolist()})


def _taken(path: Integers, tags: int) -> NDArray[np.bool_]:
    """The transitions of a path, in the layout of `step_scores`."""
    taken = np.zeros((tags + 1, tags + 1), dtype=bool)
    if len(path):
        taken[[0, *(path + 1)], [*path, tags]] = True
    return taken
