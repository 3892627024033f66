"""The residual wrapper against ``F(x) = f(x) + W x``."""

import pytest
import torch
from torch import nn

from core.layers.cnn import Cnn
from core.layers.r_transformer import RTransformer
from core.layers.recurrent.birnn import BiRnn
from core.layers.residual import Residual
from core.layers.transformer import Transformer

MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]], dtype=torch.bool)
X = torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(0))


class Double(nn.Module):
    """f(x) = 2 x, or its first columns."""

    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x, mask):
        return 2 * x[..., : self.width]


def test_equal_widths_add_the_input_itself():
    wrapped = Residual(Double(6), 6)
    assert not list(wrapped.parameters())
    assert torch.equal(wrapped(X, MASK), 3 * X * MASK[..., None])


def test_unequal_widths_add_a_linear_map_of_it():
    torch.manual_seed(0)
    wrapped = Residual(Double(4), 6)
    weight = wrapped.shortcut.weight
    for row, position in MASK.nonzero().tolist():
        x = X[row, position]
        assert torch.allclose(wrapped(X, MASK)[row, position], 2 * x[:4] + weight @ x, atol=1e-6)
    assert wrapped.width == 4


def test_concat_lays_the_input_beside():
    wrapped = Residual(Double(4), 6, "concat")
    assert wrapped.width == 10
    assert torch.equal(wrapped(X, MASK), torch.cat([2 * X[..., :4], X], dim=-1) * MASK[..., None])


def test_none_is_the_layer_alone():
    assert torch.equal(Residual(Double(6), 6, "none")(X, MASK), 2 * X * MASK[..., None])


@pytest.mark.parametrize("how", ["add", "concat", "none"])
@pytest.mark.parametrize(
    "top",
    [
        lambda: BiRnn(6, 3),
        lambda: BiRnn(6, 5, cell="gru"),
        lambda: Cnn(6, 6),
        lambda: Transformer(6, 8, heads=2),
        lambda: RTransformer(6, 8, heads=2),
    ],
)
def test_it_wraps_every_layer_and_padding_stays_out(top, how):
    torch.manual_seed(1)
    wrapped = Residual(top(), 6, how).eval()
    out = wrapped(X, MASK)
    assert out.shape == (2, 4, wrapped.width)
    assert not out[1, 2:].any()
    assert torch.allclose(out[1, :2], wrapped(X[1:, :2], MASK[1:, :2])[0], atol=1e-6)


def test_an_unknown_mode_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'multiply'.*concat"):
        Residual(Double(6), 6, "multiply")
