"""VAT against the definition: its direction by double backward, its gradient by hand."""

import random
from dataclasses import replace

import pytest
import torch
from torch.func import functional_call

from core.text import Document
from core.training.strategies.vat import VAT
from tests.training.strategies.conftest import gradients, step_of

UNLABELLED = [Document(f"u{i}", f"赵悦昨天离开{place}了") for i, place in enumerate(("青岛", "兰州", "大理"))]


class Scores(torch.nn.Module):
    """The logits of a tagger as a function of its weights."""

    def __init__(self, tagger) -> None:
        super().__init__()
        self.tagger = tagger

    def forward(self, batch):
        return self.tagger.token_scores(batch).logits


def divergence(tagger, batch, shift):
    """``KL(p(y | e) ‖ p(y | e + shift))``, token by token, mean over sentences."""
    module = Scores(tagger)
    weights = dict(module.named_parameters())
    p = module(batch).detach().softmax(-1)
    moved = {**weights, "tagger.embedding.weight": weights["tagger.embedding.weight"] + shift}
    q = functional_call(module, moved, (batch,)).softmax(-1)
    total = torch.zeros((), dtype=p.dtype)
    for row, document in enumerate(batch.documents):
        for column in range(len(document.text)):
            total = total + (p[row, column] * (p[row, column].log() - q[row, column].log())).sum()
    return total / len(batch.documents)


def drawn_direction(shape, seed=1, epoch=0):
    """The first direction of the first step, as the seed draws it."""
    chance = random.Random(f"vat {seed} {epoch}")
    noise = torch.Generator().manual_seed(chance.getrandbits(60))
    return torch.randn(shape, generator=noise).double()


def steepest(tagger, batch, direction, power_steps):
    """The direction by power iteration with the Hessian of the divergence itself, by double backward."""
    for _ in range(power_steps):
        shift = torch.zeros_like(direction, requires_grad=True)
        (slope,) = torch.autograd.grad(divergence(tagger, batch, shift), shift, create_graph=True)
        (direction,) = torch.autograd.grad((slope * (direction / direction.norm())).sum(), shift)
    return direction / direction.norm()


@pytest.mark.parametrize("power_steps", [1, 3])
def test_the_gradient_is_that_of_the_divergence_along_its_steepest_direction(
    exact, context, documents, power_steps
):
    tagger = exact()
    batch = tagger.collate(documents[:3])
    before = tagger.embedding.weight.detach().clone()
    step = step_of(tagger, documents[:3])
    clean = gradients(tagger)
    vat = VAT(context(tagger, vat=0.5, vat_radius=0.8, vat_probe=1e-4, vat_power_steps=power_steps))
    vat.begin_epoch(0)
    vat.after_backward(step)
    assert torch.equal(tagger.embedding.weight, before)
    added = {name: value - clean[name] for name, value in gradients(tagger).items()}

    tagger.zero_grad()
    direction = steepest(tagger, batch, drawn_direction(before.shape), power_steps)
    (0.5 * divergence(tagger, batch, 0.8 * direction)).backward()
    for name, expected in gradients(tagger).items():
        torch.testing.assert_close(added[name], expected, rtol=1e-2, atol=1e-3 * float(expected.abs().max()))


def test_unlabelled_documents_count_as_much_as_labelled_ones(exact, context, documents):
    """The same texts, told apart as labelled and unlabelled, give the gradient of all of them together."""
    found = []
    texts = [document.with_spans(()) for document in documents[:6]]
    for labelled, unlabelled, cut in ((6, [], [documents[:6]]), (4, texts[4:], [documents[:4]])):
        tagger = exact()
        step = step_of(tagger, *cut)
        clean = gradients(tagger)
        vat = VAT(context(tagger, unlabelled=unlabelled, vat=1.0))
        vat.begin_epoch(0)
        assert step.total == labelled
        vat.after_backward(step)
        found.append({name: value - clean[name] for name, value in gradients(tagger).items()})
    for name, value in found[0].items():
        torch.testing.assert_close(found[1][name], value, rtol=1e-6, atol=1e-9)


def test_it_draws_unlabelled_documents_by_seed_and_epoch(exact, context, documents):
    tagger = exact()
    drawn = []

    def batches_of(found):
        drawn.append([document.id for document in found])
        yield tagger.collate(found)

    given = context(tagger, unlabelled=UNLABELLED * 4, vat=1.0, vat_unlabelled=2, seed=3)
    vat = VAT(replace(given, batches_of=batches_of))
    for epoch in (0, 1, 0):
        vat.begin_epoch(epoch)
        vat.after_backward(step_of(tagger, documents[:4]))
    assert [len(ids) for ids in drawn] == [2, 2, 2]
    assert drawn[0] == drawn[2] != drawn[1]


def test_dropout_alone_is_no_divergence_and_draws_nothing_from_the_training(exact, context, documents):
    tagger = exact(dropout=0.4)
    step = step_of(tagger, documents[:4])
    clean = gradients(tagger)
    random_state = torch.get_rng_state()
    vat = VAT(context(tagger, vat=1.0, vat_radius=1e-6))
    vat.begin_epoch(0)
    vat.after_backward(step)
    assert torch.equal(torch.get_rng_state(), random_state)
    for name, gradient in gradients(tagger).items():
        # Two passes with different dropout would be far apart even without a perturbation.
        torch.testing.assert_close(gradient, clean[name], rtol=0, atol=1e-4)
