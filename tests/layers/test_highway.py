"""Highway layers against the equation."""

import torch

from core.layers.highway import Highway


def naive(layer, x):
    for transform, gate in zip(layer.transforms, layer.gates, strict=True):
        share = 1 / (1 + torch.exp(-(x @ gate.weight.T + gate.bias)))
        changed = (x @ transform.weight.T + transform.bias).clamp(min=0)
        x = share * changed + (1 - share) * x
    return x


def test_values_and_gradients_are_those_of_the_equation():
    torch.manual_seed(0)
    layer = Highway(4, 3).double()
    x = torch.randn(2, 5, 4, dtype=torch.float64).requires_grad_()
    wanted = [x, *layer.parameters()]
    torch.testing.assert_close(layer(x), naive(layer, x))
    got = torch.autograd.grad(layer(x).square().sum(), wanted)
    true = torch.autograd.grad(naive(layer, x).square().sum(), wanted)
    for one, other in zip(got, true, strict=True):
        torch.testing.assert_close(one, other)


def test_a_fresh_one_lets_most_of_its_input_pass():
    torch.manual_seed(0)
    x = torch.randn(100, 8)
    assert (Highway(8, 1)(x) - x).abs().mean() < 0.3 * x.abs().mean()


def test_no_layers_change_nothing():
    x = torch.randn(3, 4)
    assert torch.equal(Highway(4, 0)(x), x)
