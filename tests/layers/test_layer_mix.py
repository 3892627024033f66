"""Joining layers against the definitions, position by position in numpy."""

import numpy as np
import pytest
import torch

from core.layers.layer_mix import DYNAMIC_WIDTH, MIXES, LayerMix

STATES = [torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(index)) for index in range(5)]
PLAIN = {
    "last": lambda rows: rows[-1],
    "sum": lambda rows: np.sum(rows, 0),
    "mean": lambda rows: np.mean(rows, 0),
}
PLAIN["max"] = lambda rows: np.max(rows, 0)


@pytest.mark.parametrize("how", PLAIN)
@pytest.mark.parametrize(("first", "last"), [(0, -1), (2, 3), (-2, -1), (1, 1), (-9, 4)])
def test_plain_mixes_take_the_range_element_by_element(how, first, last):
    mixed = LayerMix(how, 5, 4, first, last)(STATES)
    low = max(first if first >= 0 else 5 + first, 0)
    high = last if last >= 0 else 5 + last
    expected = PLAIN[how](np.stack([state.numpy() for state in STATES[low : high + 1]]))
    np.testing.assert_allclose(mixed.hidden.numpy(), expected, atol=1e-6)
    assert mixed.weights is None


def test_the_scalar_mix_is_equation_1_over_the_range():
    mix = LayerMix("scalar_mix", 5, 4, 1, 3)
    with torch.no_grad():
        mix.mix.scalars.copy_(torch.tensor([0.3, -1.0, 2.0]))
        mix.mix.gamma.fill_(0.5)
    share = np.exp([0.3, -1.0, 2.0])
    share /= share.sum()
    mixed = mix(STATES)
    expected = 0.5 * sum(weight * STATES[1 + index].numpy() for index, weight in enumerate(share))
    np.testing.assert_allclose(mixed.hidden.detach().numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(mixed.weights.detach().numpy(), share, atol=1e-6)
    assert mixed.gamma.item() == 0.5


@torch.no_grad()
def test_the_dynamic_mix_weighs_every_position_by_itself():
    torch.manual_seed(0)
    mix = LayerMix("dynamic", 5, 4, 3, 4)
    fresh = mix(STATES)
    np.testing.assert_allclose(fresh.weights.numpy(), 0.5)
    for parameter in mix.parameters():
        parameter.normal_()
    mixed = mix(STATES)
    weight, bias = (value.numpy() for value in (mix.mix.output.weight, mix.mix.output.bias))
    for row in range(2):
        for position in range(3):
            total = np.zeros(4)
            for index, score in enumerate(mix.mix.scores):
                state = STATES[3 + index][row, position].numpy()
                alpha = float(score.weight.numpy()[0] @ state + score.bias.numpy()[0])
                assert float(mixed.weights[row, position, index]) == pytest.approx(alpha, abs=1e-5)
                total += alpha * state
            np.testing.assert_allclose(mixed.hidden[row, position].numpy(), weight @ total + bias, atol=1e-4)
    assert mix.width == mixed.hidden.shape[-1] == DYNAMIC_WIDTH


@pytest.mark.parametrize("how", MIXES)
def test_gradients_reach_the_chosen_states_alone(how):
    states = [state.clone().requires_grad_() for state in STATES]
    mix = LayerMix(how, 5, 4, 2, 3)
    mix(states).hidden.pow(2).sum().backward()
    reached = {number for number, state in enumerate(states) if state.grad is not None and state.grad.any()}
    assert reached == ({3} if how == "last" else {2, 3})
    assert all(parameter.grad is not None for parameter in mix.parameters())


@pytest.mark.parametrize(("first", "last"), [(5, -1), (3, 2), (0, 5), (0, -6)])
def test_a_range_without_layers_is_refused(first, last):
    with pytest.raises(ValueError, match="0 to 4"):
        LayerMix("mean", 5, 4, first, last)


def test_an_unknown_mix_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'median'.*scalar_mix"):
        LayerMix("median", 5, 4)
