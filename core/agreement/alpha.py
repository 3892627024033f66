"""Krippendorff's α with the nominal metric, on characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.agreement.characters import MISSING, Array, Characters
from core.agreement.result import NO_CHARACTERS, NO_VARIATION, NOTHING_SHARED, Reason
from core.agreement.tallies import Tallies, safe_divide, tally_table


def nominal_alpha(
    characters: Characters, label: str | None = None, annotators: Sequence[int] | None = None
) -> Tallies:
    """``α = 1 − D_o / D_e`` from the coincidences of values within characters.

    Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: a character categorised by
    ``m_u ≥ 2`` people adds ``Σ pairs / (m_u − 1)`` to the coincidences ``o_ck``; ``α = 1 − (n − 1)
    Σ_{c≠k} o_ck / Σ_{c≠k} n_c n_k``. Missing values are left out per character.

    Args:
        annotators: indices of those to include; None for all.
    """
    category, count = characters.of_label(label)
    if annotators is not None:
        category = category[:, list(annotators)]
    raters = (category != MISSING).sum(axis=1)
    pairable = raters > 1
    category, raters = category[pairable], raters[pairable]
    document, length = characters.document[pairable], characters.length[pairable]
    rows, places = np.nonzero(category != MISSING)
    values = category[rows, places]
    # How often each value occurs in its character, once per occurrence: n_uc summed is Σ_c n_uc².
    same = (category[rows] == values[:, None]).sum(axis=1) - 1
    coincident = same * length[rows] / (raters[rows] - 1)
    nothing = np.zeros_like(rows)
    table = tally_table(
        characters.documents,
        (document[rows], nothing, coincident, 1),
        (document[rows], values, length[rows], count),
    )

    def coefficient(totals: Array) -> Array:
        by_value = totals[..., 1:]
        n = by_value.sum(axis=-1)
        observed = n - totals[..., 0]
        expected = n**2 - (by_value**2).sum(axis=-1)
        return 1 - safe_divide((n - 1) * observed, expected)

    return Tallies(table, coefficient, lambda totals: _undefined_reason(totals, pairable.any()))


def _undefined_reason(totals: Array, shared: bool) -> Reason:
    if not shared:
        return NOTHING_SHARED
    return NO_VARIATION if totals[1:].any() else NO_CHARACTERS
