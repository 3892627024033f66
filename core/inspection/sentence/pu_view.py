"""The predictions of a tagger with one binary classifier per entity type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.taggers.base.trace import Array, Integers, Trace


@dataclass(frozen=True, slots=True)
class PuView:
    """What the PU panel shows of a trace.

    Args:
        tokens: ``[T]``. labels: the types, ``[K]``.
        probabilities: of each type at every character, ``[K, T]``.
        chosen: the type of every character, ``[T]``, -1 for none.
        edges: last characters of words that are classified as a unit.
        priors: share of characters of each type assumed in training, ``[K]``.
        bound: the probability threshold of a type.
    """

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    probabilities: Array
    chosen: Integers
    edges: Integers
    priors: Array
    bound: float


def pu_view(trace: Trace) -> PuView:
    """The view of a trace with PU classifiers."""
    pu = trace.pu
    assert pu is not None
    edges = np.flatnonzero(np.diff(pu.units))
    return PuView(trace.tokens, pu.labels, pu.probabilities, pu.chosen, edges, pu.priors, pu.bound)
