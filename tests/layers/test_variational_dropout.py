"""Dropout that is the same at every step."""

import torch

from core.layers.variational_dropout import VariationalDropout


def test_a_sentence_loses_the_same_numbers_at_every_step_and_keeps_its_mean():
    torch.manual_seed(0)
    layer = VariationalDropout(0.25)
    x = torch.ones(200, 3, 50)
    dropped = layer(x)
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert set(dropped.unique().tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
    assert abs(float(dropped.mean()) - 1.0) < 0.02
    assert not torch.equal(dropped[0], dropped[1])


def test_outside_training_and_without_a_rate_it_does_nothing():
    x = torch.randn(2, 3, 4)
    assert layer_is_quiet(VariationalDropout(0.5).eval(), x)
    assert layer_is_quiet(VariationalDropout(0.0), x)


def layer_is_quiet(layer, x):
    return torch.equal(layer(x), x)
