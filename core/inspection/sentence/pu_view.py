"""The predictions of a tagger with one binary classifier for each entity type."""

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
        chosen: the type of every character, ``[T]``, -1 where it has none.
        edges: characters after which another word, classified as one, begins.
        priors: share of all characters that each type was said to have in training, ``[K]``.
        bound: the probability that a type must exceed.
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
