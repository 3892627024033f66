"""The softmax over a sample stands for the softmax over all classes."""

import itertools

import pytest
import torch

from core.layers import sampled_softmax
from core.layers.candidate_sampling import CandidateSampler, log_uniform
from core.layers.sampled_softmax import SoftmaxTable

CLASSES, WIDTH, TOKENS = 40, 5, 7


@pytest.fixture
def softmax():
    torch.manual_seed(0)
    table = SoftmaxTable(CLASSES, WIDTH).double()
    torch.nn.init.normal_(table.bias)
    return table


@pytest.fixture
def hidden():
    torch.manual_seed(1)
    return torch.randn(TOKENS, WIDTH, dtype=torch.float64).requires_grad_()


TARGET = torch.tensor([0, 3, 39, 3, 7, 1, 20])


def naive(softmax, hidden, target):
    scores = hidden @ softmax.weight.T + softmax.bias
    exponents = scores.exp()
    return torch.stack([-(exponents[n, t] / exponents[n].sum()).log() for n, t in enumerate(target.tolist())])


def test_the_full_loss_is_the_formula(softmax, hidden):
    torch.testing.assert_close(softmax.loss(hidden, TARGET), naive(softmax, hidden, TARGET))


def test_in_parts_without_gradients_the_full_loss_is_the_same(softmax, hidden, monkeypatch):
    monkeypatch.setattr(sampled_softmax, "_SCORES", 2 * CLASSES)
    with torch.no_grad():
        torch.testing.assert_close(softmax.loss(hidden, TARGET), naive(softmax, hidden, TARGET))
        again = softmax.loss(hidden, TARGET, softmax.vectors())
        torch.testing.assert_close(again, naive(softmax, hidden, TARGET))


def test_with_all_classes_sampled_it_is_the_full_softmax_values_and_gradients(softmax, hidden):
    sampler = CandidateSampler(log_uniform(CLASSES), CLASSES)
    got, true = softmax.sampled_loss(hidden, TARGET, sampler), naive(softmax, hidden, TARGET)
    torch.testing.assert_close(got, true)
    wanted = [hidden, softmax.weight, softmax.bias]
    for one, other in zip(
        torch.autograd.grad(got.sum(), wanted), torch.autograd.grad(true.sum(), wanted), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_it_is_the_formula_for_the_classes_that_were_drawn(softmax, hidden, monkeypatch):
    """Jean et al. 2015, eq. 8, with the probability of inclusion for Q, target hits taken out."""
    sampler = CandidateSampler(log_uniform(CLASSES), 10)
    drawn = [0, 2, 3, 20, 33]
    monkeypatch.setattr(sampler, "sample", lambda: torch.tensor(drawn))
    got = softmax.sampled_loss(hidden, TARGET, sampler)
    for n, target in enumerate(TARGET.tolist()):
        looked_at = [target, *(c for c in drawn if c != target)]
        scores = [
            hidden[n] @ softmax.weight[c] + softmax.bias[c] - torch.log(sampler.inclusion[c])
            for c in looked_at
        ]
        expected = torch.stack(scores).logsumexp(0) - scores[0]
        torch.testing.assert_close(got[n], expected, rtol=1e-6, atol=1e-6)


def test_in_expectation_the_sampled_sum_is_the_sum_over_all(softmax, hidden):
    torch.manual_seed(2)
    sampler = CandidateSampler(log_uniform(CLASSES), 12)
    with torch.no_grad():
        exponents = (hidden @ softmax.weight.T + softmax.bias).exp()
        whole = exponents.sum(1)
        sums = torch.stack([(exponents / sampler.inclusion)[:, sampler.sample()].sum(1) for _ in range(6000)])
    error = sums.std(0) / 6000**0.5
    assert bool(((sums.mean(0) - whole).abs() < 4 * error).all())
    assert bool((error < 0.02 * whole).all()), "the average is sharp enough to tell"


def test_the_expected_gradient_vanishes_at_the_true_distribution():
    """Over every sample there is: a model that knows the classes' frequencies learns nothing from samples."""
    frequencies = torch.tensor([0.5, 0.25, 0.125, 0.125], dtype=torch.float64)
    table = SoftmaxTable(4, 1).double()
    torch.nn.init.zeros_(table.weight)
    with torch.no_grad():
        table.bias.copy_(frequencies.log() + 3.0)
    sampler = CandidateSampler(log_uniform(4), 2)
    inclusion = sampler.inclusion.double()
    hidden = torch.ones(4, 1, dtype=torch.float64)
    total = torch.zeros(4, dtype=torch.float64)
    largest = 0.0
    for taken in itertools.product([False, True], repeat=4):
        chosen = torch.tensor(taken)
        probability = torch.where(chosen, inclusion, 1 - inclusion).prod()
        sampler.sample = lambda chosen=chosen: chosen.nonzero()[:, 0]
        losses = table.sampled_loss(hidden, torch.arange(4), sampler)
        (gradient,) = torch.autograd.grad((losses * frequencies).sum(), table.bias)
        total += probability * gradient
        largest = max(largest, float(gradient.abs().max()))
    assert largest > 0.05, "a single sample does pull"
    torch.testing.assert_close(total, torch.zeros(4, dtype=torch.float64), atol=1e-7, rtol=0)
