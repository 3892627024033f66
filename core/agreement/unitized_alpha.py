"""Krippendorff's α_U: agreement on the boundaries of units, per label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.reliability_data import ReliabilityData
from core.agreement.result import NO_CHARACTERS, NO_UNITS, NO_VARIATION, NOTHING_SHARED, Reason
from core.agreement.span_f1 import by_label
from core.agreement.tallies import Array, Tallies, safe_divide, tally_table

if TYPE_CHECKING:
    from scipy import sparse

Extent = tuple[int, int]  # start and end
# Columns of a label's table before the histograms of lengths.
DISAGREEMENT, CONTINUUM, SECTIONS, WITHIN, UNITS, CUBES = range(6)
SUMS = 6


@dataclass(frozen=True, slots=True)
class Units:
    """The units and gaps of all annotators, and the distances between every two annotators' units.

    Args:
        units: ``[N, 4]``: document, annotator, label, length. gaps: ``[G, 4]``, the same of the gaps between
            a label's units.
        apart: ``[P, 5]``: document, first and second annotator, label, Σ δ² of the pair.
        present: ``[D, A]``, who annotated which shared document. length: ``[D]``.
        labels: what the label numbers stand for.
    """

    units: Array
    gaps: Array
    apart: Array
    present: Array
    length: Array
    labels: tuple[str, ...]

    @classmethod
    def of(cls, data: ReliabilityData) -> Units:
        """Compute the units of the shared documents, once for all labels."""
        numbers = {label: place for place, label in enumerate(data.labels)}
        units: list[tuple[int, int, int, int]] = []
        gaps: list[tuple[int, int, int, int]] = []
        apart: list[tuple[int, int, int, int, int]] = []
        for place, document in enumerate(data.shared):
            by_annotator = {}
            for who, name in enumerate(data.annotators):
                if name in document.versions:
                    by_annotator[who] = {
                        numbers[label]: joined(extents)
                        for label, extents in by_label(document.versions[name]).items()
                    }
            for who, by_number in by_annotator.items():
                for number in numbers.values():
                    extents = by_number.get(number, ())
                    units += [(place, who, number, end - start) for start, end in extents]
                    gaps += [(place, who, number, gap) for gap in _gaps(extents, document.length)]
            for first, second in data.pairs:
                if first in by_annotator and second in by_annotator:
                    ones, others = by_annotator[first], by_annotator[second]
                    for number in ones.keys() | others.keys():
                        value = disagreement(ones.get(number, ()), others.get(number, ()))
                        apart.append((place, first, second, number, value))
        return cls(
            np.array(units, dtype=np.int64).reshape(-1, 4),
            np.array(gaps, dtype=np.int64).reshape(-1, 4),
            np.array(apart, dtype=np.int64).reshape(-1, 5),
            np.array(
                [[name in document.versions for name in data.annotators] for document in data.shared],
                dtype=bool,
            ).reshape(len(data.shared), len(data.annotators)),
            np.array([document.length for document in data.shared], dtype=np.int64),
            data.labels,
        )


def unitized_alpha(data: Units, label: str | None = None, annotators: Sequence[int] | None = None) -> Tallies:
    """``α_U = 1 − Σ_c D_oc / Σ_c D_ec`` over the labels c (or one of them).

    Krippendorff, On the reliability of unitizing continuous data, Sociological Methodology 25 (1995), with
    the corrected expected disagreement of his Content Analysis, 2nd edition (2004), section 11.6. With b and
    l the begin and length of a unit, L the length of the continuum and m observers:

        δ² = (b_g − b_h)² + (b_g + l_g − b_h − l_h)²   two overlapping units
        δ² = l_g²                                      a unit wholly in a gap of the other
        D_oc = Σ_i Σ_{j≠i} Σ_g Σ_h δ² / (m (m − 1) L²)
        D_ec = (2 / L) Σ_i Σ_g [(N_c − 1)/3 · (2 l_g³ − 3 l_g² + l_g) + l_g² Σ_gaps,l_h≥l_g (l_h − l_g + 1)]
               / (m L (m L − 1) − Σ_i Σ_g l_g (l_g − 1))

    Several documents form one continuum in which no unit crosses a document boundary, so a gap ends with its
    document. If the number of annotators m differs between documents, D_oc is the mean over the pairs of
    annotators of each document, and ``m L`` becomes the sum of ``m_d L_d``. Overlapping spans of one label
    and annotator are merged into one unit first: the measure has no nesting within a label.

    Args:
        annotators: indices of those to include; None for all.
    """
    people = list(range(data.present.shape[1])) if annotators is None else list(annotators)
    raters = data.present[:, people].sum(axis=1)
    if label is None:
        numbers = list(range(len(data.labels))) or [-1]
    else:
        numbers = [data.labels.index(label) if label in data.labels else -1]
    parts = [_label_part(data, number, people, raters) for number in numbers]
    bounds = np.cumsum([0, *(part.table.shape[1] for part in parts)])

    def coefficient(totals: Array) -> Array:
        each = [
            part.disagreements(totals[..., start:end])
            for part, start, end in zip(parts, bounds[:-1], bounds[1:], strict=True)
        ]
        observed, expected = zip(*each, strict=True)
        return 1 - safe_divide(np.sum(observed, axis=0), np.sum(expected, axis=0))

    def why(totals: Array) -> Reason:
        if not (raters > 1).any():
            return NOTHING_SHARED
        if not totals[CONTINUUM]:
            return NO_CHARACTERS
        return NO_VARIATION if any(totals[start + UNITS] for start in bounds[:-1]) else NO_UNITS

    from scipy import sparse

    return Tallies(sparse.hstack([part.table for part in parts], format="csr"), coefficient, why)


@dataclass(frozen=True, slots=True)
class _LabelPart:
    """The sums of one label; ``widths`` ``[u]`` and ``gaps`` ``[g]`` are the lengths its histograms count."""

    table: sparse.csr_matrix
    widths: Array
    gaps: Array

    def disagreements(self, totals: Array) -> tuple[Array, Array]:
        """D_oc and D_ec from sums ``[..., K]``."""
        continuum, sections = totals[..., CONTINUUM], totals[..., SECTIONS]
        edge = SUMS + len(self.widths)
        units, gaps = totals[..., SUMS:edge], totals[..., edge:]
        # [u, g]: l² times the places a unit of length l finds in a gap.
        places = np.maximum(0, self.gaps[None, :] - self.widths[:, None] + 1) * self.widths[:, None] ** 2
        within = ((units @ places) * gaps).sum(axis=-1)
        overlaps = (totals[..., UNITS] - 1) / 3 * totals[..., CUBES]
        pairs = sections * (sections - 1) - totals[..., WITHIN]
        observed = safe_divide(totals[..., DISAGREEMENT], continuum**2)
        expected = safe_divide(2 * (overlaps + within), continuum * pairs)
        return np.nan_to_num(observed), np.nan_to_num(expected)


def _label_part(data: Units, number: int, people: Sequence[int], raters: Array) -> _LabelPart:
    units, gaps = (
        rows[(rows[:, 2] == number) & np.isin(rows[:, 1], people) & (raters[rows[:, 0]] > 1)]
        for rows in (data.units, data.gaps)
    )
    apart = data.apart[
        (data.apart[:, 3] == number) & np.isin(data.apart[:, 1], people) & np.isin(data.apart[:, 2], people)
    ]
    shared = np.flatnonzero(raters > 1)
    m, length = raters[shared], data.length[shared]
    its = raters[apart[:, 0]]
    size = units[:, 3].astype(float)
    sums = (
        (apart[:, 0], 2 * apart[:, 4] / (its * (its - 1))),
        (shared, length),
        (shared, m * length),
        (units[:, 0], size * (size - 1)),
        (units[:, 0], np.ones(len(units))),
        (units[:, 0], 2 * size**3 - 3 * size**2 + size),
    )
    columns = [(where, np.zeros(len(where), dtype=np.int64), value, 1) for where, value in sums]
    widths, unit_block = _histogram(units)
    gap_widths, gap_block = _histogram(gaps)
    return _LabelPart(tally_table(len(raters), *columns, unit_block, gap_block), widths, gap_widths)


def joined(extents: Sequence[Extent]) -> list[Extent]:
    """The extents in order, with overlapping ones merged; adjacent ones stay separate."""
    units: list[Extent] = []
    for start, end in sorted(extents):
        if units and start < units[-1][1]:
            units[-1] = (units[-1][0], max(units[-1][1], end))
        else:
            units.append((start, end))
    return units


def disagreement(ones: Sequence[Extent], others: Sequence[Extent]) -> int:
    """Σ δ² of two annotators' units of one label, each unordered pair once; both sorted and disjoint."""
    total, met, first = 0, set(), 0
    for start, end in ones:
        while first < len(others) and others[first][1] <= start:
            first += 1
        at = first
        while at < len(others) and others[at][0] < end:
            begin, stop = others[at]
            total += (start - begin) ** 2 + (end - stop) ** 2
            met.add(at)
            at += 1
        if at == first:
            total += (end - start) ** 2
    return total + sum((end - start) ** 2 for at, (start, end) in enumerate(others) if at not in met)


def _gaps(units: Sequence[Extent], length: int) -> list[int]:
    edges = [0, *(edge for unit in units for edge in unit), length]
    return [end - start for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]


def _histogram(rows: Array) -> tuple[Array, tuple[Array, Array, Array, int]]:
    """The distinct lengths, and a block of their counts per document."""
    lengths, column = np.unique(rows[:, 3], return_inverse=True)
    return lengths.astype(float), (rows[:, 0], column.reshape(-1), np.ones(len(rows)), len(lengths))
