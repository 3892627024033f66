"""The likelihood of partial labels against the sum over every allowed path, and its gradient."""

import pytest
import torch

from core.layers import CRF
from tests.layers.crf.crf_oracle import all_paths, mask_of, steep_crf

LENGTHS = [4, 1, 0, 3]
TAGS = 3


@pytest.fixture(params=[1.0, 30.0, 900.0], ids=["mild scores", "steep scores", "beyond the scaled recursion"])
def setting(request):
    crf = steep_crf(TAGS)
    emissions = request.param * torch.randn(len(LENGTHS), max(LENGTHS), TAGS).double()
    allowed = torch.rand(emissions.shape) < 0.5
    allowed.scatter_(2, torch.randint(TAGS, (*allowed.shape[:2], 1)), True)
    return crf, emissions.requires_grad_(), allowed, mask_of(LENGTHS)


def by_definition(crf, emissions, allowed, row):
    """Log of the allowed paths' share in all paths, differentiable."""
    scored = all_paths(crf, emissions[row], LENGTHS[row])
    fits = [path for path in scored if all(allowed[row, t, tag] for t, tag in enumerate(path))]
    some = torch.stack([scored[path] for path in fits]).logsumexp(0)
    return some - torch.stack(list(scored.values())).logsumexp(0)


def test_value_and_gradients_sum_the_allowed_paths(setting):
    crf, emissions, allowed, mask = setting
    given = crf.partial_log_likelihood(emissions, allowed, mask)
    expected = torch.stack([by_definition(crf, emissions, allowed, row) for row in range(len(LENGTHS))])
    torch.testing.assert_close(given, expected, rtol=1e-10, atol=1e-10)
    weights = torch.tensor([1.0, -2.0, 3.0, 0.5]).double()
    inputs = [emissions, *crf.parameters()]
    ours = torch.autograd.grad((given * weights).sum(), inputs)
    theirs = torch.autograd.grad((expected * weights).sum(), inputs)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9)


def test_all_allowed_is_certain_and_teaches_nothing(setting):
    crf, emissions, allowed, mask = setting
    likelihood = crf.partial_log_likelihood(emissions, torch.ones_like(allowed), mask)
    assert likelihood.tolist() == [0.0] * len(LENGTHS)
    for gradient in torch.autograd.grad(likelihood.sum(), [emissions, *crf.parameters()]):
        torch.testing.assert_close(gradient, torch.zeros_like(gradient), rtol=0, atol=1e-12)


def test_one_tag_each_is_the_full_likelihood(setting):
    crf, emissions, _, mask = setting
    tags = torch.randint(TAGS, mask.shape)
    allowed = torch.nn.functional.one_hot(tags, TAGS).bool()
    inputs = [emissions, *crf.parameters()]
    partial, full = (
        crf.partial_log_likelihood(emissions, allowed, mask),
        crf.log_likelihood(emissions, tags, mask),
    )
    torch.testing.assert_close(partial, full, rtol=1e-10, atol=1e-10)
    for one, other in zip(
        torch.autograd.grad(partial.sum(), inputs), torch.autograd.grad(full.sum(), inputs), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9)


def test_what_stands_at_padding_is_not_read(setting):
    crf, emissions, allowed, mask = setting
    expected = crf.partial_log_likelihood(emissions, allowed, mask)
    emissions = emissions.detach().masked_fill(~mask[..., None], float("nan")).requires_grad_()
    given = crf.partial_log_likelihood(emissions, allowed & mask[..., None], mask)
    assert torch.equal(given, expected)
    given.sum().backward()
    assert not emissions.grad[~mask].any()
    assert emissions.grad.isfinite().all()


def test_a_token_allowed_nothing_is_refused_by_place(setting):
    crf, emissions, allowed, mask = setting
    allowed[3, 2] = False
    with pytest.raises(ValueError, match="token 2 of sentence 3 is allowed no tag"):
        crf.partial_log_likelihood(emissions, allowed, mask)


def test_a_wrong_shape_is_refused_with_both(setting):
    crf, emissions, allowed, mask = setting
    with pytest.raises(ValueError, match=r"allowed must be \[4, 4, 3\].* got \[4, 4\]"):
        crf.partial_log_likelihood(emissions, allowed[..., 0], mask)


def test_batches_without_tokens():
    crf = CRF(TAGS)
    for shape in [(2, 0, TAGS), (0, 3, TAGS)]:
        allowed = torch.ones(shape, dtype=torch.bool)
        assert crf.partial_log_likelihood(torch.zeros(shape), allowed, allowed[..., 0]).shape == shape[:1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_lowered_emissions_are_summed_in_full_precision(dtype):
    crf = steep_crf(TAGS).float()
    emissions = torch.randn(4, 60, TAGS).to(dtype).requires_grad_()
    allowed = torch.rand(emissions.shape) < 0.5
    allowed[..., 0] = True
    mask = mask_of([60, 1, 0, 33])
    given = crf.partial_log_likelihood(emissions, allowed, mask)
    exact = crf.partial_log_likelihood(emissions.detach().double(), allowed, mask)
    assert given.dtype == torch.float32
    torch.testing.assert_close(given.double(), exact, rtol=1e-6, atol=1e-4)
    given.sum().backward()
    assert emissions.grad.dtype == dtype
    assert emissions.grad.isfinite().all()


def test_a_model_learns_what_partial_labels_tell():
    """Every third token labelled, by a rule the emissions can follow: the others come out right too."""
    torch.manual_seed(0)
    gold = torch.randint(TAGS, (30, 9))
    features = torch.nn.functional.one_hot(gold, TAGS).float() + 0.1 * torch.randn(30, 9, TAGS)
    allowed = torch.ones(30, 9, TAGS, dtype=torch.bool)
    allowed[:, ::3] = torch.nn.functional.one_hot(gold[:, ::3], TAGS).bool()
    mask = torch.ones(30, 9, dtype=torch.bool)
    linear, crf = torch.nn.Linear(TAGS, TAGS), CRF(TAGS)
    optimiser = torch.optim.Adam([*linear.parameters(), *crf.parameters()], lr=0.1)
    for _ in range(40):
        optimiser.zero_grad()
        (-crf.partial_log_likelihood(linear(features), allowed, mask).mean()).backward()
        optimiser.step()
    found = torch.tensor(crf.decode(linear(features), mask))
    assert (found == gold).float().mean() > 0.98
