"""The sampler includes a class as often as it says it does."""

import math

import pytest
import torch

from core.layers.candidate_sampling import CandidateSampler, log_uniform, unigram


def test_log_uniform_is_its_formula_and_sums_to_one():
    shares = log_uniform(50)
    for rank in (0, 1, 49):
        expected = (math.log(rank + 2) - math.log(rank + 1)) / math.log(51)
        assert float(shares[rank]) == pytest.approx(expected)
    assert float(shares.sum()) == pytest.approx(1.0)
    assert torch.equal(shares.sort(descending=True)[0], shares)


def test_unigram_follows_the_counts():
    shares = unigram(torch.tensor([6, 3, 0, 1]))
    torch.testing.assert_close(shares, torch.tensor([6, 3, 1, 1], dtype=torch.float64) / 11)
    flatter = unigram(torch.tensor([16, 1]), power=0.5)
    torch.testing.assert_close(flatter, torch.tensor([0.8, 0.2], dtype=torch.float64))


@pytest.mark.parametrize("shares", [log_uniform(30), unigram(torch.arange(1, 31))], ids=["log", "unigram"])
def test_every_class_is_included_as_often_as_is_said(shares):
    torch.manual_seed(0)
    sampler = CandidateSampler(shares, 10)
    rounds = 4000
    seen = torch.zeros(30)
    sizes = 0
    for _ in range(rounds):
        sampled = sampler.sample()
        assert torch.equal(sampled, sampled.unique()), "distinct"
        seen[sampled] += 1
        sizes += len(sampled)
    said = sampler.inclusion
    deviation = (said * (1 - said) / rounds).sqrt()
    assert bool(((seen / rounds - said).abs() < 5 * deviation + 1e-3).all())
    assert sizes / rounds == pytest.approx(float(said.sum()), rel=0.02)
    assert 10 <= float(said.sum()) < 11, "as few draws as give ten classes on average"


def test_inclusion_is_that_of_drawing_with_replacement():
    """As many draws as give ten of thirty classes on average, each class met with the probability said."""
    torch.manual_seed(0)
    shares = log_uniform(30)
    said = CandidateSampler(shares, 10).inclusion.double()
    draws = [round(float(torch.log1p(-said[c]) / torch.log1p(-shares[c]))) for c in range(30)]
    assert len(set(draws)) == 1
    met = torch.zeros(30, dtype=torch.float64)
    for _ in range(4000):
        met[torch.multinomial(shares, draws[0], replacement=True).unique()] += 1
    torch.testing.assert_close(met / 4000, said, atol=0.04, rtol=0)


def test_classes_are_included_independently():
    torch.manual_seed(0)
    sampler = CandidateSampler(log_uniform(6), 3)
    rounds = torch.zeros(6000, 6)
    for row in rounds:
        row[sampler.sample()] = 1
    covariance = torch.cov(rounds.T)
    off_diagonal = covariance - covariance.diag().diag()
    assert float(off_diagonal.abs().max()) < 0.016


def test_inclusion_is_exact_for_small_probabilities():
    probabilities = torch.tensor([1 - 1e-9, 1e-9, 1e-9], dtype=torch.float64)
    inclusion = CandidateSampler(probabilities, 2).inclusion
    assert float(inclusion.sum()) == pytest.approx(2, rel=1e-6), "half a billion draws"
    assert float(inclusion[1]) == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("samples", [5, 100])
def test_as_many_samples_as_classes_take_all(samples):
    sampler = CandidateSampler(log_uniform(5), samples)
    assert sampler.sample().tolist() == [0, 1, 2, 3, 4]
    assert sampler.inclusion.tolist() == [1.0] * 5


def test_the_last_class_of_many_can_be_drawn():
    torch.manual_seed(0)
    sampler = CandidateSampler(unigram(torch.ones(100_000)), 60_000)
    sampled = sampler.sample()
    assert int(sampled.max()) > 99_900
    assert int(sampled.min()) < 100
    assert len(sampled) == pytest.approx(60_000, rel=0.02)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="positive"):
        CandidateSampler(torch.tensor([1.0, 0.0]), 1)
    with pytest.raises(ValueError, match="at least 1"):
        CandidateSampler(torch.tensor([0.5, 0.5]), 0)
