"""Risk estimators for binary classifiers trained on positive and unlabelled examples, without negatives.

With the share pi of positives among all examples, the risk on negatives is that on the unlabelled minus that
of the positives among them: ``R_u^- - pi R_p^-`` (du Plessis et al., "Analysis of Learning from Positive and
Unlabeled Data", NIPS 2014, eq. 2). Several classifiers are computed at once, one per column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Estimator:
    """How a risk is estimated.

    Args:
        loss: of scores ``z`` for the positive class; for the negative class it is ``loss(-z)``.
        bounded_below: whether the negative part, never below 0 in a true risk, is clipped at 0.
        prior_weighted: whether the weight of the positives is pi; otherwise it is ``m``.
    """

    loss: Callable[[Tensor], Tensor]
    bounded_below: bool
    prior_weighted: bool


def logistic_loss(z: Tensor) -> Tensor:
    """``log(1 + exp(-z))``: convex, and ``l(z) - l(-z) = -z`` (du Plessis et al., ICML 2015, section 3)."""
    return functional.softplus(-z)


def mean_absolute_loss(z: Tensor) -> Tensor:
    """``|1 - sigmoid(z)|``, between 0 and 1: the MAE of Peng et al. 2019, section 3.3.

    It is also the sigmoid loss ``sigmoid(-z)`` that Kiryo et al. 2017 train with.
    """
    return torch.sigmoid(-z)


ESTIMATORS: dict[str, Estimator] = {
    # Convex Formulation for Learning from Positive and Unlabeled Data, ICML 2015.
    "upu": Estimator(logistic_loss, bounded_below=False, prior_weighted=True),
    # Positive-Unlabeled Learning with Non-Negative Risk Estimator, NIPS 2017, eq. 6 and algorithm 1.
    "nnpu": Estimator(mean_absolute_loss, bounded_below=True, prior_weighted=True),
    # Distantly Supervised Named Entity Recognition using Positive-Unlabeled Learning, ACL 2019, section 3.
    "bnpu": Estimator(mean_absolute_loss, bounded_below=True, prior_weighted=False),
}


@dataclass(frozen=True, slots=True)
class PuRisk:
    """The risk of each of K classifiers, ``[K]``; 0 for one without a positive example.

    Args:
        objective: what to minimise: its value is the risk, its gradient the one to follow.
        positive: ``R_p^+`` unweighted. negative: ``R_u^- - pi R_p^-``, which may be below 0.
    """

    objective: Tensor
    positive: Tensor
    negative: Tensor


def pu_risk(
    scores: Tensor,
    positive: Tensor,
    unlabelled: Tensor,
    prior: Tensor,
    *,
    estimator: str = "bnpu",
    m: float = 0.3,
    beta: float = 0.0,
    gamma: float = 1.0,
) -> PuRisk:
    """The risks of K classifiers, each from a sample of positive and one of unlabelled examples.

    If the estimator is ``bounded_below`` and the negative part is below ``-beta``, the step instead ascends
    its gradient, scaled by ``gamma``, which undoes overfitting (Kiryo et al. 2017, algorithm 1).

    Args:
        scores: ``[N, K]``, above 0 for positive. positive, unlabelled: which examples are in the samples,
            ``[N, K]``; the unlabelled are a sample of all examples, positive ones too.
        prior: pi of each, ``[K]``. m: weight of positives in ``bnpu``. beta: 0 or more. gamma: above 0.

    Raises:
        ValueError: a prior is not between 0 and 1, both excluded.
    """
    if not bool(((prior > 0) & (prior < 1)).all()):
        raise ValueError(f"a class prior lies between 0 and 1, both excluded, got {prior.tolist()}")
    chosen = ESTIMATORS[estimator]
    for_positive = _mean(chosen.loss(scores), positive)
    as_negative = chosen.loss(-scores)
    negative = _mean(as_negative, unlabelled) - prior * _mean(as_negative, positive)
    weighted = for_positive * (prior if chosen.prior_weighted else m)
    risk = weighted + negative
    if chosen.bounded_below:
        kept = weighted + negative.clamp(min=-beta)
        # The value is the risk held at its bound; the gradient is that of algorithm 1.
        step = torch.where(negative < -beta, -gamma * negative, risk)
        risk = kept.detach() + step - step.detach()
    # Without a positive example the correction is missing, and the rest would only teach negatives.
    has_examples = positive.any(0) & unlabelled.any(0)
    return PuRisk(torch.where(has_examples, risk, risk.new_zeros(())), for_positive, negative)


def _mean(losses: Tensor, sample: Tensor) -> Tensor:
    """Mean over the examples of a sample, ``[K]``; 0 where there are none."""
    chosen = torch.where(sample, losses, losses.new_zeros(()))
    return chosen.sum(0) / sample.sum(0).clamp(min=1)
