"""Agreement as span F1: one annotator's spans scored against another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.reliability_data import ReliabilityData
from core.agreement.result import NO_UNITS, NOTHING_SHARED, Reason
from core.agreement.tallies import Array, Tallies, safe_divide, tally_table
from core.text import Span

Extent = tuple[int, int]  # start and end


@dataclass(frozen=True, slots=True)
class SpanMatches:
    """Counts of matching spans for every pair of annotators, by document and label.

    Args:
        cells: ``[N, 6]``: document, index of the pair in ``data.pairs``, index of the label in
            ``data.labels``, exact matches, overlapping matches, spans of both.
        met: ``[M, 2]``: document and index of a pair that annotated it.
        labels: as in the data. documents: number of shared ones.
    """

    cells: Array
    met: Array
    labels: tuple[str, ...]
    documents: int

    @classmethod
    def of(cls, data: ReliabilityData) -> SpanMatches:
        """Match the spans of the shared documents, once for all measures."""
        numbers = {label: place for place, label in enumerate(data.labels)}
        cells: list[tuple[int, int, int, int, int, int]] = []
        met: list[tuple[int, int]] = []
        for document_place, document in enumerate(data.shared):
            extents = {name: by_label(spans) for name, spans in document.versions.items()}
            for pair_place, (first, second) in enumerate(data.pairs):
                ones, others = extents.get(data.annotators[first]), extents.get(data.annotators[second])
                if ones is None or others is None:
                    continue
                met.append((document_place, pair_place))
                for label in ones.keys() | others.keys():
                    left, right = ones.get(label, []), others.get(label, [])
                    exact, count = len(set(left) & set(right)), len(left) + len(right)
                    relaxed = overlapping(left, right)
                    cells.append((document_place, pair_place, numbers[label], exact, relaxed, count))
        return cls(
            np.array(cells, dtype=np.int64).reshape(-1, 6),
            np.array(met, dtype=np.int64).reshape(-1, 2),
            data.labels,
            len(data.shared),
        )


def span_f1(
    matches: SpanMatches, pairs: Iterable[int], label: str | None = None, *, relaxed: bool = False
) -> Tallies:
    """F1 over exact ``(start, end, label)``, or over spans of one label that overlap.

    ``2 m / (n_1 + n_2)`` with m matched spans: F1 does not depend on which annotator is the reference, and
    chance-corrected agreement approaches it when most of a text is outside every span (Hripcsak and
    Rothschild, Agreement, the F-measure, and reliability in information retrieval, JAMIA 2005). Several pairs
    are micro-averaged.

    Args:
        pairs: indices into the data's pairs. label: restricts the spans; None for all.
        relaxed: two spans match if they share a character and the label; by one-to-one maximum matching, so
            that one long span cannot match several short ones.
    """
    chosen = list(pairs)
    cells = matches.cells[np.isin(matches.cells[:, 1], chosen)]
    if label is not None:
        number = matches.labels.index(label) if label in matches.labels else -1
        cells = cells[cells[:, 2] == number]
    met = matches.met[np.isin(matches.met[:, 1], chosen)]
    nothing = np.zeros(len(cells), dtype=np.int64)
    table = tally_table(
        matches.documents,
        (cells[:, 0], nothing, cells[:, 4 if relaxed else 3], 1),
        (cells[:, 0], nothing, cells[:, 5], 1),
        (met[:, 0], np.zeros(len(met), dtype=np.int64), np.ones(len(met)), 1),
    )
    return Tallies(table, _f1, _undefined_reason)


def by_label(spans: Iterable[Span]) -> dict[str, list[Extent]]:
    """Extents by label."""
    extents: dict[str, list[Extent]] = {}
    for span in spans:
        extents.setdefault(span.label, []).append((span.start, span.end))
    return extents


def overlapping(left: Sequence[Extent], right: Sequence[Extent]) -> int:
    """The size of a maximum one-to-one matching of overlapping extents."""
    if len(left) == 1 == len(right):
        return int(left[0][0] < right[0][1] and right[0][0] < left[0][1])
    edges = _overlaps(left, right) if left and right else []
    rows, columns = {row for row, _ in edges}, {column for _, column in edges}
    if len(rows) == len(edges) or len(columns) == len(edges):
        # One side has at most one partner each, so the matching covers all of the other side.
        return min(len(rows), len(columns))
    from scipy import sparse
    from scipy.sparse.csgraph import maximum_bipartite_matching

    present = np.ones(len(edges), dtype=np.int8)
    graph = sparse.csr_matrix((present, np.array(edges).T), (len(left), len(right)))
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())


def _overlaps(left: Sequence[Extent], right: Sequence[Extent]) -> list[tuple[int, int]]:
    """Indices of all pairs of overlapping extents, by a sweep over both."""
    marks = sorted(
        [(start, 0, place, end) for place, (start, end) in enumerate(left)]
        + [(start, 1, place, end) for place, (start, end) in enumerate(right)]
    )
    open_: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    edges = []
    for start, side, place, end in marks:
        other = open_[1 - side]
        other[:] = [(stop, at) for stop, at in other if stop > start]
        edges += [(place, at) if side == 0 else (at, place) for _, at in other]
        open_[side].append((end, place))
    return edges


def _f1(totals: Array) -> Array:
    return safe_divide(2 * totals[..., 0], totals[..., 1])


def _undefined_reason(totals: Array) -> Reason:
    return NO_UNITS if totals[2] else NOTHING_SHARED
