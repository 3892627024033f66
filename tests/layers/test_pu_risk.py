"""The risks of PU learning, against the papers' sums written out, and on a problem whose truth is known."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import norm
from torch import nn

from core.layers.pu_risk import ESTIMATORS, logistic_loss, mean_absolute_loss, pu_risk

PRIOR = 0.3


def naive(positive, unlabelled, prior, estimator, m=0.3, beta=0.0):
    """Value of the risk, term by term, from the definitions in the papers."""

    def loss(z, y):
        if estimator == "upu":
            return math.log1p(math.exp(-y * z))
        probability = 1 / (1 + math.exp(-z))
        return abs((1 if y > 0 else 0) - probability)

    r_p_plus = sum(loss(z, +1) for z in positive) / len(positive)
    r_p_minus = sum(loss(z, -1) for z in positive) / len(positive)
    r_u_minus = sum(loss(z, -1) for z in unlabelled) / len(unlabelled)
    negative = r_u_minus - prior * r_p_minus
    if estimator != "upu":
        negative = max(negative, -beta)
    return (m if estimator == "bnpu" else prior) * r_p_plus + negative


def samples(positive, unlabelled):
    scores = torch.tensor([*positive, *unlabelled], dtype=torch.float64)[:, None]
    chosen = torch.zeros_like(scores, dtype=torch.bool)
    chosen[: len(positive)] = True
    return scores, chosen, ~chosen


@pytest.mark.parametrize("estimator", sorted(ESTIMATORS))
@pytest.mark.parametrize("prior", [0.05, 0.5, 0.95])
def test_the_risk_is_the_papers_sum(estimator, prior):
    chance = np.random.default_rng(3)
    for _ in range(20):
        positive, unlabelled = chance.normal(1, 2, 7).tolist(), chance.normal(-1, 2, 11).tolist()
        scores, p, u = samples(positive, unlabelled)
        risk = pu_risk(
            scores, p, u, torch.tensor([prior], dtype=torch.float64), estimator=estimator, m=0.7, beta=0.01
        )
        assert risk.objective.item() == pytest.approx(
            naive(positive, unlabelled, prior, estimator, m=0.7, beta=0.01), rel=1e-9
        )


def test_the_published_weight_of_positives_is_0_3():
    scores, p, u = samples([0.3, -1.0], [0.2, 0.1, -3.0])
    risk = pu_risk(scores, p, u, torch.tensor([PRIOR], dtype=torch.float64))
    assert risk.objective.item() == pytest.approx(naive([0.3, -1.0], [0.2, 0.1, -3.0], PRIOR, "bnpu", m=0.3))


def test_where_the_negative_part_is_below_its_bound_the_step_goes_up_its_gradient():
    scores, p, u = samples([-4.0, 5.0, 6.0], [-5.0, -6.0])
    scores.requires_grad_()
    prior = torch.tensor([0.6], dtype=torch.float64)
    risk = pu_risk(scores, p, u, prior, estimator="nnpu", beta=0.0, gamma=0.5)
    assert risk.negative.item() < 0
    (step,) = torch.autograd.grad(risk.objective.sum(), scores)
    negative = torch.sigmoid(scores[3:]).mean() - 0.6 * torch.sigmoid(scores[:3]).mean()
    (up,) = torch.autograd.grad(-0.5 * negative, scores)
    torch.testing.assert_close(step, up)


def test_within_beta_of_its_bound_the_step_is_the_ordinary_one():
    scores, p, u = samples([-4.0, 5.0, 6.0], [-5.0, -6.0])
    scores.requires_grad_()
    prior = torch.tensor([0.6], dtype=torch.float64)
    held = pu_risk(scores, p, u, prior, estimator="nnpu", beta=1.0)
    (step,) = torch.autograd.grad(held.objective.sum(), scores)
    risk = 0.6 * torch.sigmoid(-scores[:3]).mean() + (
        torch.sigmoid(scores[3:]).mean() - 0.6 * torch.sigmoid(scores[:3]).mean()
    )
    (plain,) = torch.autograd.grad(risk, scores)
    torch.testing.assert_close(step, plain)


def test_the_losses_have_the_symmetry_the_estimators_rest_on():
    z = torch.linspace(-8, 8, 33, dtype=torch.float64)
    torch.testing.assert_close(logistic_loss(z) - logistic_loss(-z), -z)
    torch.testing.assert_close(mean_absolute_loss(z) + mean_absolute_loss(-z), torch.ones_like(z))


def test_classifiers_stand_side_by_side_as_if_each_were_alone():
    chance = torch.Generator().manual_seed(1)
    scores = torch.randn(30, 3, generator=chance)
    positive = torch.rand(30, 3, generator=chance) < 0.3
    prior = torch.tensor([0.1, 0.4, 0.7])
    together = pu_risk(scores, positive, ~positive, prior).objective
    for k in range(3):
        own = slice(k, k + 1)
        alone = pu_risk(scores[:, own], positive[:, own], ~positive[:, own], prior[own]).objective
        torch.testing.assert_close(together[own], alone)


def test_a_classifier_without_a_positive_example_learns_nothing_from_the_batch():
    scores = torch.randn(5, 2, requires_grad=True)
    positive = torch.zeros(5, 2, dtype=torch.bool)
    positive[0, 0] = True
    risk = pu_risk(scores, positive, ~positive, torch.tensor([0.2, 0.2]))
    risk.objective.sum().backward()
    assert risk.objective[1] == 0
    assert not scores.grad[:, 1].any()
    assert scores.grad[:, 0].any()


@pytest.mark.parametrize("prior", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_a_prior_of_nothing_or_all_is_refused(prior):
    scores, p, u = samples([1.0], [0.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        pu_risk(scores, p, u, torch.tensor([prior], dtype=torch.float64))


def test_an_unbiased_risk_has_the_expectation_of_the_true_one():
    """Over many small samples the mean of uPU is the risk with every label known."""
    chance = np.random.default_rng(0)
    prior = torch.tensor([PRIOR], dtype=torch.float64)
    estimated = []
    for _ in range(4000):
        scores, p, u = samples(chance.normal(1, 1, 5), gaussians(chance, 8)[0])
        estimated.append(pu_risk(scores, p, u, prior, estimator="upu").objective.item())
    points = chance.normal(0, 1, 400_000)
    plus, minus = (np.log1p(np.exp(-y * (points + y))).mean() for y in (1, -1))
    truth = PRIOR * plus + (1 - PRIOR) * minus
    assert np.mean(estimated) == pytest.approx(truth, abs=4 * np.std(estimated) / math.sqrt(4000))


# Two Gaussians of standard deviation 1 around +1 and -1: positive with probability PRIOR.
BAYES = -0.5 * math.log(PRIOR / (1 - PRIOR))  # where the log-odds 2x + log(pi / (1 - pi)) are 0


def gaussians(chance, count):
    """Points of the mixture, and which are positive."""
    positive = chance.random(count) < PRIOR
    return np.where(positive, 1.0, -1.0) + chance.normal(0, 1, count), positive


def error_of(threshold):
    """Chance of a wrong answer of "positive above this threshold", exactly."""
    return PRIOR * norm.cdf(threshold - 1) + (1 - PRIOR) * norm.sf(threshold + 1)


def learned_threshold(estimator, chance, prior=PRIOR):
    """Where a linear classifier trained on positives and unlabelled points changes its mind."""
    points = np.concatenate([chance.normal(1, 1, 2000), gaussians(chance, 8000)[0]])
    x = torch.tensor(points, dtype=torch.float32)[:, None]
    positive = torch.zeros(len(x), 1, dtype=torch.bool)
    positive[:2000] = True
    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    optimiser = torch.optim.Adam(model.parameters(), 0.05)
    for _ in range(400):
        optimiser.zero_grad()
        scores = model(x)
        if estimator == "unlabelled as negative":
            loss = nn.functional.binary_cross_entropy_with_logits(scores, positive.float())
        else:
            # bnpu with m = pi weighs the classes as the truth does
            loss = pu_risk(
                scores, positive, ~positive, torch.tensor([prior]), estimator=estimator, m=prior
            ).objective.sum()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        return float(-model.bias / model.weight.squeeze())


@pytest.mark.parametrize("estimator", sorted(ESTIMATORS))
def test_pu_learning_comes_close_to_the_bayes_classifier(estimator):
    best = error_of(BAYES)
    assert best < error_of(BAYES + 0.05)
    assert best < error_of(BAYES - 0.05)
    found = learned_threshold(estimator, np.random.default_rng(5))
    assert error_of(found) < best + 0.01


def test_taking_the_unlabelled_for_negative_does_not():
    found = learned_threshold("unlabelled as negative", np.random.default_rng(5))
    assert error_of(found) > error_of(BAYES) + 0.03
