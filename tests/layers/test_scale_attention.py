"""Scale attention against its formula, character by character."""

import torch

from core.layers.scale_attention import ScaleAttention


def test_layers_are_weighed_by_the_sums_of_their_features():
    torch.manual_seed(0)
    attention = ScaleAttention(3).double()
    layers = torch.randn(2, 4, 3, 5, dtype=torch.float64)
    joined, weights = attention(layers)
    for b in range(2):
        for t in range(4):
            sums = torch.stack([layers[b, t, scale].sum() for scale in range(3)])
            inner = torch.tanh(attention.inner.weight @ sums + attention.inner.bias)
            outer = torch.tanh(attention.outer.weight @ inner + attention.outer.bias)
            expected = outer.exp() / outer.exp().sum()
            torch.testing.assert_close(weights[b, t], expected)
            torch.testing.assert_close(joined[b, t], expected @ layers[b, t])


def test_dropout_acts_in_training_only():
    attention, layers = ScaleAttention(3, dropout=0.5), torch.randn(1, 50, 3, 5)
    attention.eval()
    assert torch.equal(attention(layers)[1], attention(layers)[1])
    attention.train()
    assert not torch.equal(attention(layers)[1], attention(layers)[1])
