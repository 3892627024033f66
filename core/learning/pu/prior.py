"""The class prior: the share of a type among all characters, estimated from incomplete labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

MOST = 0.9  # no type covers nearly a whole text; a larger estimate comes from too little data


def elkan_noto(labelled_share: float, answers: ArrayLike) -> float:
    """The prior from a classifier of labelled against unlabelled: ``p(s = 1) / c``.

    ``c = p(s = 1 | y = 1)`` is the classifier's mean probability on held-out positives, the estimator e1 of
    Elkan and Noto, "Learning Classifiers from Only Positive and Unlabeled Data", KDD 2008, section 2. It
    assumes that the labelled examples are a random sample of the positives.

    Args:
        labelled_share: p(s = 1), of all examples. answers: p(s = 1 | x) of held-out positives, ``[n]``.

    Raises:
        ValueError: no answers, or the share is not between 0 and 1.
    """
    given = np.asarray(answers, dtype=np.float64)
    if not given.size or not 0 < labelled_share < 1:
        raise ValueError(f"needs held-out positives and a share between 0 and 1, got {labelled_share}")
    c = float(given.mean())
    # Labelled examples are positive, so the prior is at least their share.
    return min(max(labelled_share / max(c, 1e-12), labelled_share), max(MOST, labelled_share))


def from_recall(labelled_share: float, recall: float, precision: float = 1.0) -> float:
    """The prior from known recall and precision of the labels: ``p(s = 1) * precision / recall``.

    Of N characters, ``N p(s = 1) precision`` are labelled correctly, a share ``recall`` of all positives.

    Raises:
        ValueError: recall or precision is outside ]0, 1].
    """
    if not 0 < recall <= 1 or not 0 < precision <= 1:
        raise ValueError(f"recall and precision lie above 0 and at most at 1, got {recall} and {precision}")
    return min(labelled_share * precision / recall, max(MOST, labelled_share))


def estimates(shares: Mapping[str, float], answers: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """`elkan_noto` for every type; types without held-out positives use the mean ``c`` over all types.

    Raises:
        ValueError: no type has held-out positives.
    """
    pooled = [answer for of_label in answers.values() for answer in of_label]
    return {label: elkan_noto(share, answers.get(label) or pooled) for label, share in shares.items()}
