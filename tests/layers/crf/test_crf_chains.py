"""Forward-backward on probabilities and on logarithms, and the choice between them."""

import pytest
import torch

from core.layers import TagConstraints
from core.layers.crf import forward_backward as chains
from core.layers.crf.log_chain import LogChain
from core.layers.crf.scaled_chain import ScaledChain
from tests.layers.crf.crf_oracle import all_paths, bio, bioes, mask_of, probabilities, steep_crf

LENGTHS = [5, 1, 0, 3, 2]


def chain_of(crf, emissions, constraints):
    return (emissions, mask_of(LENGTHS), *crf._scores(constraints))


@pytest.mark.parametrize(("tags", "rules"), [(3, None), (3, bio), (5, bioes), (1, None)])
def test_both_recursions_agree(tags, rules):
    crf = steep_crf(tags)
    with torch.no_grad():
        given = chain_of(crf, 3 * torch.randn(5, 5, tags).double(), rules and rules())
        scaled, logs = ScaledChain(*given), LogChain(*given)
        mask = given[1]
        for name in ("log_alpha", "log_beta"):
            one, other = getattr(scaled, name)(), getattr(logs, name)()
            torch.testing.assert_close(one[mask], other[mask], rtol=1e-11, atol=1e-11)
        torch.testing.assert_close(scaled.log_partition(), logs.log_partition(), rtol=1e-12, atol=1e-12)
        weights = torch.tensor([1.0, 2.0, 3.0, -1.0, 0.5]).double()
        for one, other in zip(scaled.gradients(weights), logs.gradients(weights), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("scale", [1.0, 900.0], ids=["scaled", "in logs"])
@pytest.mark.parametrize(("tags", "rules"), [(3, bio), (5, bioes)])
def test_the_partition_of_legal_paths_and_its_gradients(tags, rules, scale):
    crf = steep_crf(tags)
    emissions = (scale * torch.randn(5, 5, tags).double()).requires_grad_()
    given = crf.log_partition(emissions, mask_of(LENGTHS), rules())
    expected = torch.stack(
        [
            torch.stack(list(all_paths(crf, emissions[row], length, rules()).values())).logsumexp(0)
            for row, length in enumerate(LENGTHS)
        ]
    )
    torch.testing.assert_close(given, expected, rtol=1e-12, atol=1e-12)
    inputs = [emissions, *crf.parameters()]
    ours, theirs = (torch.autograd.grad(values.sum(), inputs) for values in (given, expected))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-10)


@pytest.fixture
def no_logs(monkeypatch):
    def refuse(*chain):
        raise AssertionError("went through logarithms")

    monkeypatch.setattr(chains, "LogChain", refuse)


@pytest.mark.parametrize("rules", [None, bioes])
def test_scores_of_everyday_are_summed_without_logarithms(no_logs, rules):
    crf = steep_crf(5)
    crf.marginals(10 * torch.randn(5, 5, 5).double(), mask_of(LENGTHS), rules and rules())


def test_partial_labels_are_summed_without_logarithms(no_logs):
    crf = steep_crf(3)
    allowed = torch.eye(3, dtype=torch.bool)[torch.randint(3, (5, 5))]
    crf.partial_log_likelihood(10 * torch.randn(5, 5, 3).double(), allowed, mask_of(LENGTHS))


@pytest.mark.parametrize("loss", [20.0, 150.0, 400.0])
def test_a_tag_two_losing_steps_away_is_not_lost(loss):
    """Tag 0 wins everywhere, only 2 may end, and the way there leads through 1: e^-800 at its steepest."""
    legal = torch.tensor([[True, True, False], [False, False, True], [True, False, True]])
    rules = TagConstraints(legal, torch.tensor([True] * 3), torch.tensor([False, False, True]))
    crf = steep_crf(3)
    emissions = torch.tensor([0.0, -loss, -loss]).double().expand(1, 6, 3)
    mask = mask_of([6])
    shares = probabilities(crf, emissions[0], 6, rules)
    expected = torch.zeros(6, 3).double()
    for path, share in shares.items():
        expected[range(6), list(path)] += share
    torch.testing.assert_close(crf.marginals(emissions, mask, rules)[0], expected, rtol=1e-9, atol=1e-12)


def test_tags_that_never_meet_are_summed_in_logs():
    """Two ways that cannot be left; the one ahead by e^2000 turns out not to be allowed to end."""
    length = 40
    never = torch.full((2, 2), float("-inf")).double().fill_diagonal_(0.0)
    emissions = torch.zeros(1, length, 2).double()
    emissions[..., 0] = 50.0
    start, end = torch.zeros(2).double(), torch.tensor([float("-inf"), 0.0]).double()
    alpha, beta, partition = chains.forward_backward(emissions, mask_of([length]), never, start, end)
    assert partition.tolist() == [0.0]
    assert (alpha + beta)[0, :, 1].tolist() == [0.0] * length


@pytest.mark.parametrize("rules", [None, bioes])
@pytest.mark.parametrize("spread", [0.0, 5.0, 60.0, 120.0, 190.0])
def test_what_is_not_normalised_at_every_step_is_not_lost(spread, rules):
    """One tag is behind by the whole spread everywhere, another at every second step."""
    crf = steep_crf(5)
    emissions = torch.zeros(2, 61, 5).double()
    emissions[:, :, 2] = -spread
    emissions[:, ::2, 4] = -spread
    with torch.no_grad():
        given = (emissions, mask_of([61, 30]), *crf._scores(rules and rules()))
        stride = chains._stride(*given)
        assert stride or spread > 120.0
        if not stride:
            return
        scaled, logs = ScaledChain(*given, stride), LogChain(*given)
        mask = given[1]
        for name in ("log_alpha", "log_beta"):
            one, other = getattr(scaled, name)(), getattr(logs, name)()
            torch.testing.assert_close(one[mask], other[mask], rtol=1e-11, atol=1e-9)
        torch.testing.assert_close(scaled.log_partition(), logs.log_partition(), rtol=1e-12, atol=1e-9)
        weights = torch.ones(2).double()
        for one, other in zip(scaled.gradients(weights), logs.gradients(weights), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9)


def test_everyday_scores_are_normalised_at_few_steps():
    crf = steep_crf(5)
    with torch.no_grad():
        assert chains._stride(*chain_of(crf, torch.randn(5, 5, 5).double(), None)) == 8


def test_steep_scores_in_single_precision_keep_their_shares():
    """A sum of 300 scores of a thousand has no digit left in float32 that a probability could live on."""
    torch.manual_seed(0)
    crf = steep_crf(4)
    emissions = 1000 * torch.randn(1, 300, 4)
    emissions[0, 100:200] = 2000.0  # here the tags are as good as one another
    mask = mask_of([300])
    single, double = crf.float().marginals(emissions, mask), crf.double().marginals(emissions.double(), mask)
    torch.testing.assert_close(single.double(), double, rtol=0, atol=1e-5)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers_do_not_pass_for_safe(bad):
    crf = steep_crf(3)
    emissions = torch.zeros(5, 5, 3).double()
    emissions[0, 0, 0] = bad
    with torch.no_grad():
        assert not chains._stride(*chain_of(crf, emissions, None))
        assert chains._stride(*chain_of(crf, emissions.masked_fill(~emissions.isfinite(), 0.0), None))


@pytest.mark.parametrize("batch", [1, 2])
def test_nothing_writes_into_what_it_was_given(batch):
    crf = steep_crf(3)
    emissions, mask = torch.randn(batch, 5, 3).double(), torch.ones(batch, 5, dtype=torch.bool)
    before = emissions.clone()
    crf.log_likelihood(emissions, mask.long(), mask).sum().backward()
    crf.marginals(emissions, mask)
    crf.decode(emissions, mask)
    crf.best_paths(emissions, mask, 3)
    crf.partial_log_likelihood(emissions, torch.ones_like(emissions, dtype=torch.bool), mask)
    assert torch.equal(emissions, before)
