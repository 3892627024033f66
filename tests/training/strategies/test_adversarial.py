"""FGM and PGD against the papers' formulas, worked out by hand on a copy of the tagger."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from core.training.run.errors import TrainingError
from core.training.strategies import pgd as pgd_module
from core.training.strategies.fgm import FGM
from core.training.strategies.perturbation import norm, perturbed, project, rescaled, rows_rescaled
from core.training.strategies.pgd import PGD
from tests.training.strategies.conftest import gradients, step_of


def gradient_at(tagger, documents, shift) -> dict[str, torch.Tensor]:
    """The gradient of a copy whose embeddings are moved by ``shift``."""
    moved = copy.deepcopy(tagger)
    with torch.no_grad():
        moved.embedding.weight += shift
    moved.zero_grad()
    moved.loss(moved.collate(documents)).backward()
    return gradients(moved)


def test_fgm_adds_the_gradient_where_the_embeddings_hurt_most(exact, context, documents):
    tagger = exact()
    before = tagger.embedding.weight.detach().clone()
    step = step_of(tagger, documents[:4])
    clean = gradients(tagger)
    FGM(context(tagger, fgm=0.7)).after_backward(step)
    g = clean["embedding.weight"]
    attacked = gradient_at(tagger, documents[:4], 0.7 * g / (g**2).sum().sqrt())
    for name, gradient in gradients(tagger).items():
        torch.testing.assert_close(gradient, clean[name] + attacked[name], rtol=1e-10, atol=1e-12)
    assert torch.equal(tagger.embedding.weight, before)


def test_pgd_climbs_and_stays_in_the_ball(exact, context, documents):
    tagger = exact()
    before = tagger.embedding.weight.detach().clone()
    alpha, radius = 0.4, 0.9  # the third step leaves the ball and is brought back
    step = step_of(tagger, documents[:4])
    clean = gradients(tagger)
    PGD(context(tagger, pgd_steps=3, pgd_step_length=alpha, pgd_radius=radius)).after_backward(step)
    r = torch.zeros_like(before)
    for _ in range(3):
        g = gradient_at(tagger, documents[:4], r)["embedding.weight"]
        r = r + alpha * g / g.norm()
        if r.norm() > radius:
            r = radius * r / r.norm()
    assert r.norm() == pytest.approx(radius)
    attacked = gradient_at(tagger, documents[:4], r)
    for name, gradient in gradients(tagger).items():
        torch.testing.assert_close(gradient, clean[name] + attacked[name], rtol=1e-9, atol=1e-11)
    assert torch.equal(tagger.embedding.weight, before)


def test_no_disturbance_of_pgd_is_outside_its_ball(exact, context, documents, monkeypatch):
    seen = []

    def watched(weights, perturbation):
        seen.append(float(norm(perturbation)))
        return perturbed(weights, perturbation)

    monkeypatch.setattr(pgd_module, "perturbed", watched)
    tagger = exact()
    PGD(context(tagger, pgd_steps=5, pgd_step_length=1.0, pgd_radius=0.5)).after_backward(
        step_of(tagger, documents[:4])
    )
    assert len(seen) == 5
    assert max(seen) <= 0.5 * (1 + 1e-12)


def test_one_step_of_pgd_within_a_wide_ball_is_fgm(exact, context, documents):
    found = []
    for strategy, settings in (
        (FGM, {"fgm": 0.6}),
        (PGD, {"pgd_steps": 1, "pgd_step_length": 0.6, "pgd_radius": 9.0}),
    ):
        tagger = exact()
        strategy(context(tagger, **settings)).after_backward(step_of(tagger, documents[:4]))
        found.append(gradients(tagger))
    for name in found[0]:
        torch.testing.assert_close(found[0][name], found[1][name], rtol=1e-12, atol=0)


def test_an_attack_sees_the_whole_step_however_it_is_cut(exact, context, documents):
    found = []
    for cut in ([documents[:12]], [documents[:5], documents[5:11], documents[11:12]]):
        tagger = exact()
        step = step_of(tagger, *cut)
        FGM(context(tagger, fgm=1.0)).after_backward(step)
        PGD(context(tagger, pgd_steps=2)).after_backward(step)
        found.append(gradients(tagger))
    for name in found[0]:
        torch.testing.assert_close(found[0][name], found[1][name], rtol=1e-9, atol=1e-12)


def test_pgd_after_fgm_starts_from_the_clean_gradient(exact, context, documents):
    alone, both = exact(), exact()
    PGD(context(alone, pgd_steps=2)).after_backward(step_of(alone, documents[:4]))
    step = step_of(both, documents[:4])
    clean = gradients(both)
    FGM(context(both, fgm=1.0)).after_backward(step)
    with_fgm = gradients(both)
    PGD(context(both, pgd_steps=2)).after_backward(step)
    for name, gradient in gradients(both).items():
        expected = with_fgm[name] + gradients(alone)[name] - clean[name]
        torch.testing.assert_close(gradient, expected, rtol=1e-9, atol=1e-11)


def test_embeddings_are_restored_when_a_pass_fails(exact):
    tagger = exact()
    before = tagger.embedding.weight.detach().clone()
    with pytest.raises(ZeroDivisionError), perturbed([tagger.embedding.weight], [torch.ones_like(before)]):
        raise ZeroDivisionError
    assert torch.equal(tagger.embedding.weight, before)


def test_frozen_embeddings_are_left_alone_and_none_at_all_is_an_error(exact, context, documents):
    tagger = exact()
    tagger.embedding.weight.requires_grad_(False)
    step = step_of(tagger, documents[:4])
    clean = tagger.emission.weight.grad.clone()
    FGM(context(tagger, fgm=1.0)).after_backward(step)
    assert torch.equal(tagger.emission.weight.grad, clean)
    tagger.embedding = nn.Identity()
    with pytest.raises(TrainingError, match=r"FGM perturbs embeddings.*has none"):
        FGM(context(tagger, fgm=1.0)).after_backward(step)


PARTS = st.lists(
    st.lists(st.floats(-50, 50, allow_nan=False), min_size=2, max_size=2), min_size=1, max_size=4
).map(lambda rows: [torch.tensor(rows, dtype=torch.float64), torch.tensor(rows[:1], dtype=torch.float64)])


@given(PARTS, st.floats(0.01, 10))
def test_scaling_and_projecting_measure_all_tables_together(parts, size):
    whole = torch.cat([part.flatten() for part in parts])
    assert float(norm(parts)) == pytest.approx(float(whole.norm()))
    if whole.norm() > 1e-6:
        assert float(norm(rescaled(parts, size))) == pytest.approx(size)
    near = project(parts, size)
    assert float(norm(near)) <= size * (1 + 1e-9)
    if whole.norm() <= size:
        assert all(torch.equal(a, b) for a, b in zip(near, parts, strict=True))


def test_a_direction_of_length_zero_stays_zero():
    zero = [torch.zeros(2, 3)]
    for scaled in (rescaled(zero, 1.0), project(zero, 1.0), rows_rescaled(zero, 1.0)):
        assert torch.equal(scaled[0], zero[0])


def test_a_probe_has_its_length_per_row_that_is_moved():
    rows = torch.tensor([[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]])
    scaled = rows_rescaled([rows], 0.5)[0]
    assert float((scaled**2).sum(1)[[0, 2]].mean().sqrt()) == pytest.approx(0.5)
    assert not scaled[1].any()
