"""Cohen's and Fleiss' κ on characters."""

from __future__ import annotations

import numpy as np

from core.agreement.characters import MISSING, Array, Characters
from core.agreement.result import NO_CHARACTERS, NO_VARIATION, NOTHING_SHARED, Reason
from core.agreement.tallies import Tallies, safe_divide, tally_table


def cohen_kappa(characters: Characters, first: int, second: int, label: str | None = None) -> Tallies:
    """Two annotators: ``κ = (p_o − p_e) / (1 − p_e)``, ``p_e`` from each annotator's own distribution.

    Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960),
    equation 1. Over the documents that both annotated; tokens are characters.
    """
    category, count = characters.of_label(label)
    both = (category[:, first] != MISSING) & (category[:, second] != MISSING)
    document, length = characters.document[both], characters.length[both]
    ones, others = category[both, first], category[both, second]
    nothing = np.zeros_like(document)
    table = tally_table(
        characters.documents,
        (document, nothing, np.where(ones == others, length, 0), 1),
        (document, nothing, length, 1),
        (document, ones, length, count),
        (document, others, length, count),
    )

    def coefficient(totals: Array) -> Array:
        agreed, size = totals[..., 0], totals[..., 1]
        shares, other_shares = totals[..., 2 : 2 + count], totals[..., 2 + count :]
        # Multiplied by n², so that no share is safe_divide before it is known that there are characters.
        chance = (shares * other_shares).sum(axis=-1)
        return safe_divide(size * agreed - chance, size**2 - chance)

    return Tallies(table, coefficient, lambda totals: _undefined_reason(totals[1], both.any()))


def fleiss_kappa(characters: Characters, label: str | None = None) -> Tallies:
    """Any number of annotators: ``κ = (P̄ − P̄_e) / (1 − P̄_e)``, ``P̄_e`` from the pooled distribution.

    Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76 (1971), equations
    3 to 7. There every subject has the same number n of ratings. Documents here may have been annotated by
    different numbers of people: a character with ``n_i`` of them has ``P_i = Σ_j n_ij (n_ij − 1) /
    (n_i (n_i − 1))``, and ``p_j = Σ_i n_ij / Σ_i n_i``; with n the same everywhere that is Fleiss' formula.
    """
    category, count = characters.of_label(label)
    raters = (category != MISSING).sum(axis=1)
    rated = raters > 1
    category, raters = category[rated], raters[rated]
    document, length = characters.document[rated], characters.length[rated]
    times = np.stack([(category == value).sum(axis=1) for value in _used(category)], axis=1)
    agreed = (times * (times - 1)).sum(axis=1) / np.maximum(1, raters * (raters - 1))
    nothing = np.zeros_like(document)
    rows, places = np.nonzero(category != MISSING)
    table = tally_table(
        characters.documents,
        (document, nothing, agreed * length, 1),
        (document, nothing, length, 1),
        (document[rows], category[rows, places], length[rows], count),
    )

    def coefficient(totals: Array) -> Array:
        observed = safe_divide(totals[..., 0], totals[..., 1])
        ratings = totals[..., 2:]
        shares = safe_divide(ratings, ratings.sum(axis=-1, keepdims=True))
        chance = (shares**2).sum(axis=-1)
        return safe_divide(observed - chance, 1 - chance)

    return Tallies(table, coefficient, lambda totals: _undefined_reason(totals[1], rated.any()))


def _used(category: Array) -> Array:
    """The categories in use; at least one."""
    used = np.unique(category[category != MISSING])
    return used if len(used) else np.zeros(1, dtype=np.int64)


def _undefined_reason(characters: float, shared: bool) -> Reason:
    if not shared:
        return NOTHING_SHARED
    return NO_VARIATION if characters else NO_CHARACTERS
