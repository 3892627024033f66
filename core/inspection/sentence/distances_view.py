"""FLAT's relative distances between the nodes of a lattice, and the encodings made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.runtime.message import ToldValueError
from core.taggers.base.trace import Array, Integers, Trace


@dataclass(frozen=True, slots=True)
class DistancesView:
    """What the distances panel shows of a trace (Li et al. 2020).

    Args:
        nodes: ``[L]``. distances: by name (equations 4 to 7), ``[L, L]`` from row to column.
        kinds: the names of the distances that this tagger uses.
        reach: the largest absolute distance, at least 1.
        norms: length of ``R_ij`` (equation 8), ``[L, L]``.
        sinusoids: ``p(d)`` of every distance from ``-(T - 1)`` to ``T - 1``, ``[2 T - 1, H]``.
    """

    nodes: tuple[str, ...]
    distances: Mapping[str, Integers]
    kinds: tuple[str, ...]
    reach: int
    norms: Array
    sinusoids: Array


def distances_view(trace: Trace) -> DistancesView:
    """The view of a trace with relative distances.

    Raises:
        ValueError: the tagger does not use distances.
    """
    if trace.lattice is None or trace.relative is None:
        raise ToldValueError("the tagger {tagger} does not use relative distances", tagger=repr(trace.tagger))
    distances = trace.lattice.distances()
    reach = max(1, *(int(abs(matrix).max(initial=0)) for matrix in distances.values()))
    relative = trace.relative
    return DistancesView(
        trace.lattice.nodes, distances, relative.kinds, reach, relative.norms, relative.sinusoids
    )
