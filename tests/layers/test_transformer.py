"""The Transformer encoder against Vaswani et al. (2017) in plain loops, and against torch's own layer."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from core.layers.transformer import SelfAttention, Transformer, TransformerLayer


def masks(*lengths):
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def naive_attention(attention, x, length, before=None):
    """Section 3.2 for one sentence: (states, scores, weights), heads first."""
    hidden = x.shape[-1]
    size = hidden // attention.heads
    query, key, value = attention.query_key_value(x).split(hidden, dim=-1)
    scores = np.zeros((attention.heads, len(x), len(x)))
    weights, out = np.zeros_like(scores), np.zeros((len(x), hidden))
    for head in range(attention.heads):
        own = slice(head * size, (head + 1) * size)
        for i in range(len(x)):
            for j in range(len(x)):
                scores[head, i, j] = float(query[i, own] @ key[j, own]) / math.sqrt(size)
                if before is not None:
                    scores[head, i, j] += float(before[head, i, j])
            total = sum(math.exp(scores[head, i, j]) for j in range(length))
            for j in range(length):
                weights[head, i, j] = math.exp(scores[head, i, j]) / total
                out[i, own] += weights[head, i, j] * value[j, own].numpy()
    return attention.output(torch.from_numpy(out)).numpy(), scores, weights


@pytest.mark.parametrize("residual", [False, True])
@torch.no_grad()
def test_attention_is_the_papers(residual):
    torch.manual_seed(0)
    attention = SelfAttention(12, 3).double()
    x, mask = torch.randn(2, 5, 12, dtype=torch.float64), masks(5, 3)
    before = torch.randn(2, 3, 5, 5, dtype=torch.float64) if residual else None
    found = attention(x, mask, before)
    for row, length in enumerate((5, 3)):
        expected = naive_attention(attention, x[row], length, before[row] if residual else None)
        for mine, naive in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine[row].numpy(), naive, atol=1e-10)


@torch.no_grad()
def test_a_layer_is_torchs_own():
    torch.manual_seed(1)
    mine, theirs = TransformerLayer(12, 3, 20), nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True)
    mine.attention.query_key_value.load_state_dict(
        {"weight": theirs.self_attn.in_proj_weight, "bias": theirs.self_attn.in_proj_bias}
    )
    mine.attention.output.load_state_dict(theirs.self_attn.out_proj.state_dict())
    mine.ffn[0].load_state_dict(theirs.linear1.state_dict())
    mine.ffn[3].load_state_dict(theirs.linear2.state_dict())
    mine.attention_norm.load_state_dict(theirs.norm1.state_dict())
    mine.ffn_norm.load_state_dict(theirs.norm2.state_dict())
    x, mask = torch.randn(2, 6, 12), masks(6, 4)
    expected = theirs.train()(x, src_key_padding_mask=~mask)
    assert torch.allclose(mine(x, mask)[0][mask], expected[mask], atol=1e-5)


@torch.no_grad()
def test_residual_attention_hands_scores_upwards():
    torch.manual_seed(2)
    encoder = Transformer(5, 12, layers=2, heads=3, residual_attention=True).eval()
    x, mask = torch.randn(1, 4, 5), masks(4)
    seen = []
    with_scores = encoder(x, mask, seen)
    encoder.residual_attention = False
    without = []
    plain = encoder(x, mask, without)
    assert torch.equal(seen[0], without[0])
    assert not torch.allclose(seen[1], without[1])
    assert not torch.allclose(with_scores, plain)


@torch.no_grad()
def test_padding_changes_nothing_and_stays_zero():
    torch.manual_seed(3)
    encoder = Transformer(5, 12, layers=2, heads=3).eval()
    x = torch.randn(3, 6, 5)
    together = encoder(x, masks(6, 2, 0))
    assert torch.allclose(together[1, :2], encoder(x[1:2, :2], masks(2))[0], atol=1e-6)
    assert not together[1, 2:].any()
    assert not together[2].any()


def test_where_a_character_stands_is_seen():
    encoder = Transformer(5, 12, heads=3).eval()
    same = torch.randn(1, 1, 5).expand(1, 4, 5)
    states = encoder(same, masks(4))[0]
    assert not torch.allclose(states[0], states[3], atol=1e-3)


def test_gradients_reach_every_parameter_even_beside_an_empty_sentence():
    encoder = Transformer(5, 12, layers=2, heads=3)
    encoder(torch.randn(2, 4, 5), masks(4, 0)).pow(2).sum().backward()
    for name, parameter in encoder.named_parameters():
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="hidden=10 and heads=3"):
        SelfAttention(10, 3)
