"""Estimates of the share of positives, on Gaussians whose share is known."""

import numpy as np
import pytest
import torch
from torch import nn

from core.learning.pu.prior import elkan_noto, estimates, from_recall


def answers_on_held_out(prior, labelled, chance):
    """p(s = 1 | x) of new positives, by a classifier of labelled against unlabelled on two Gaussians."""
    count = 20_000
    positive = chance.random(count) < prior
    x = np.where(positive, 3.0, -3.0) + chance.normal(0, 1, count)
    s = positive & (chance.random(count) < labelled)
    inputs = torch.tensor(np.stack([x, x * x, x**3 / 10], 1), dtype=torch.float32)
    target = torch.tensor(s, dtype=torch.float32)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    half = count // 2
    for _ in range(300):
        optimiser.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs[:half])[:, 0], target[:half])
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        held_out = inputs[half:][torch.tensor(s[half:])]
        return float(s.mean()), model(held_out)[:, 0].sigmoid().numpy()


@pytest.mark.parametrize(("prior", "labelled"), [(0.2, 0.3), (0.5, 0.5), (0.1, 0.8)])
def test_elkan_and_notos_estimate_comes_near_the_truth(prior, labelled):
    share, answers = answers_on_held_out(prior, labelled, np.random.default_rng(1))
    assert elkan_noto(share, answers) == pytest.approx(prior, rel=0.15)
    assert share < 0.85 * prior, "what is labelled alone would say too little"


def test_the_prior_is_never_less_than_what_is_labelled_nor_all():
    assert elkan_noto(0.2, [1.0, 1.0]) == 0.2
    assert elkan_noto(0.2, [1e-9]) == 0.9
    assert elkan_noto(0.95, [1e-9]) == 0.95


@pytest.mark.parametrize(("share", "answers"), [(0.0, [0.5]), (1.0, [0.5]), (0.3, [])])
def test_nothing_to_estimate_from_is_refused(share, answers):
    with pytest.raises(ValueError, match="between 0 and 1"):
        elkan_noto(share, answers)


def test_a_known_recall_gives_the_prior_by_counting():
    """Of 1000 characters 60 are labelled, 48 rightly; 80 are positive."""
    assert from_recall(60 / 1000, recall=48 / 80, precision=48 / 60) == pytest.approx(80 / 1000)
    assert from_recall(0.5, recall=0.1) == 0.9


@pytest.mark.parametrize(("recall", "precision"), [(0.0, 1.0), (1.2, 1.0), (0.5, 0.0)])
def test_a_recall_that_is_none_is_refused(recall, precision):
    with pytest.raises(ValueError, match="recall and precision"):
        from_recall(0.1, recall, precision)


def test_a_type_without_held_out_words_takes_the_others_mean():
    found = estimates({"PER": 0.1, "LOC": 0.02}, {"PER": [0.5, 0.5]})
    assert found == {"PER": pytest.approx(0.2), "LOC": pytest.approx(0.04)}
