"""The scalar mix against Peters et al. (2018), eq. 1, written in numpy."""

import numpy as np
import pytest
import torch

from core.layers.scalar_mix import ScalarMix


def _learned(layers, **options):
    mix = ScalarMix(layers, **options)
    with torch.no_grad():
        mix.scalars.copy_(torch.randn(layers))
        mix.gamma.fill_(1.7)
    return mix


def _states(layers=3, shape=(2, 5, 4)):
    return [torch.randn(shape) for _ in range(layers)]


def _expected(mix, states, normalise=False):
    raw = mix.scalars.detach().numpy()
    share = np.exp(raw) / np.exp(raw).sum()
    total = np.zeros(states[0].shape)
    for weight, state in zip(share, states, strict=True):
        values = state.numpy()
        if normalise:
            centred = values - values.mean(-1, keepdims=True)
            values = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        total += weight * values
    return float(mix.gamma.detach()) * total


@pytest.mark.parametrize("normalise", [False, True])
def test_the_mix_is_equation_1(normalise):
    torch.manual_seed(0)
    mix, states = _learned(3, normalise=normalise), _states()
    assert np.allclose(mix(states).detach().numpy(), _expected(mix, states, normalise), atol=1e-6)


def test_a_fresh_mix_is_the_mean():
    states = _states()
    assert torch.allclose(ScalarMix(3)(states), torch.stack(states).mean(0), atol=1e-6)


def test_no_position_depends_on_another():
    torch.manual_seed(1)
    mix, states = _learned(3, normalise=True), _states()
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], dtype=torch.bool)
    noisy = [torch.where(mask[..., None], state, torch.randn_like(state)) for state in states]
    assert torch.equal(mix(noisy)[mask], mix(states)[mask])


def test_weights_sum_to_one_and_the_penalty_is_least_at_the_mean():
    mix = _learned(4)
    assert float(mix.weights.sum().detach()) == pytest.approx(1.0)
    assert float(mix.penalty().detach()) == pytest.approx(sum(w * w for w in mix.scalars.tolist()), rel=1e-5)
    assert float(ScalarMix(4).penalty().detach()) == 0.0


def test_a_wrong_number_of_layers_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match="3 layers got 2 states"):
        ScalarMix(3)(_states(2))
    with pytest.raises(ValueError, match="at least 1"):
        ScalarMix(0)
