"""R-Transformer, its local RNN and RealFormer's residual attention against loops over positions."""

import numpy as np
import pytest
import torch

from core.layers.r_transformer import RTransformer
from core.layers.recurrent.local_rnn import LocalRnn
from core.layers.transformer import Transformer


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_state(rnn, inputs):
    """The last state of torch's GRU over the rows of ``inputs``, from its documented equations."""
    w_in, w_hid, b_in, b_hid = (p.detach().numpy() for p in rnn.parameters())
    size = w_hid.shape[1]
    state = np.zeros(size)
    for x in inputs:
        from_x, from_state = w_in @ x + b_in, w_hid @ state + b_hid
        reset = sigmoid(from_x[:size] + from_state[:size])
        update = sigmoid(from_x[size : 2 * size] + from_state[size : 2 * size])
        new = np.tanh(from_x[2 * size :] + reset * from_state[2 * size :])
        state = (1 - update) * new + update * state
    return state


def naive_local(local, x):
    filled = np.concatenate([np.zeros((local.window - 1, x.shape[1])), x])
    return np.stack([gru_state(local.rnn, filled[t : t + local.window]) for t in range(len(x))])


def naive_norm(norm, x):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + norm.eps)
    return scaled * norm.weight.detach().numpy() + norm.bias.detach().numpy()


def linear(layer, x):
    return x @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()


def naive_transformer_layer(layer, x, before):
    """(states, scores): scores get those of the layer below added before the softmax (He et al.)."""
    attention, (length, hidden) = layer.attention, x.shape
    size = hidden // attention.heads
    query, key, value = np.split(linear(attention.query_key_value, x), 3, axis=1)
    joined, scores = np.zeros_like(x), np.zeros((attention.heads, length, length))
    for head in range(attention.heads):
        own = slice(head * size, (head + 1) * size)
        for i in range(length):
            for j in range(length):
                scores[head, i, j] = query[i, own] @ key[j, own] / np.sqrt(size) + before[head, i, j]
            share = np.exp(scores[head, i]) / np.exp(scores[head, i]).sum()
            joined[i, own] = sum(share[j] * value[j, own] for j in range(length))
    x = naive_norm(layer.attention_norm, x + linear(attention.output, joined))
    inner = np.maximum(linear(layer.ffn[0], x), 0)
    return naive_norm(layer.ffn_norm, x + linear(layer.ffn[3], inner)), scores


@pytest.mark.parametrize("window", [1, 3, 9])
def test_the_local_rnn_reads_the_window_that_ends_at_each_position(window):
    torch.manual_seed(0)
    local = LocalRnn(4, window).double()
    x = torch.randn(2, 5, 4, dtype=torch.float64)
    with torch.no_grad():
        states = local(x)
    for row in range(2):
        np.testing.assert_allclose(states[row].numpy(), naive_local(local, x[row].numpy()), atol=1e-10)


@pytest.mark.parametrize("residual_attention", [False, True])
def test_r_transformer_is_local_rnn_then_attention_then_feed_forward(residual_attention):
    torch.manual_seed(1)
    model = RTransformer(5, 6, layers=2, heads=2, window=3, residual_attention=residual_attention).double()
    x = torch.randn(1, 4, 5, dtype=torch.float64)
    with torch.no_grad():
        found = model(x, torch.ones(1, 4, dtype=torch.bool))[0].numpy()
    states, before = linear(model.projection, x[0].numpy()), np.zeros((2, 4, 4))
    for layer in model.layers:
        states = naive_norm(layer.local_norm, states + naive_local(layer.local, states))
        states, scores = naive_transformer_layer(layer.above, states, before)
        before = scores if residual_attention else np.zeros_like(scores)
    np.testing.assert_allclose(found, states, atol=1e-9)


@pytest.mark.parametrize("residual_attention", [False, True])
def test_realformer_adds_the_scores_of_every_layer_below(residual_attention):
    torch.manual_seed(2)
    model = Transformer(5, 6, layers=3, heads=2, residual_attention=residual_attention).double().eval()
    x = torch.randn(1, 4, 5, dtype=torch.float64)
    with torch.no_grad():
        found = model(x, torch.ones(1, 4, dtype=torch.bool))[0].numpy()
        # The layers are under test here, not the positions: what enters the first is taken from the model.
        entered = []
        model.layers[0].register_forward_pre_hook(lambda _, args: entered.append(args[0]))
        model(x, torch.ones(1, 4, dtype=torch.bool))
    states, before = entered[0][0].numpy(), np.zeros((2, 4, 4))
    for layer in model.layers:
        states, scores = naive_transformer_layer(layer, states, before)
        before = scores if residual_attention else np.zeros_like(scores)
    np.testing.assert_allclose(found, states, atol=1e-9)


@torch.no_grad()
def test_padding_changes_nothing_and_stays_zero():
    torch.manual_seed(3)
    model = RTransformer(5, 8, layers=2, heads=2).eval()
    x = torch.randn(3, 6, 5)
    mask = torch.arange(6) < torch.tensor([6, 2, 0])[:, None]
    together = model(x, mask)
    assert torch.allclose(together[1, :2], model(x[1:2, :2], mask[1:2, :2])[0], atol=1e-6)
    assert not together[~mask].any()


def test_gradients_reach_every_parameter():
    model = RTransformer(5, 8, layers=2, heads=2, dropout=0.1)
    model(torch.randn(2, 4, 5), torch.ones(2, 4, dtype=torch.bool)).pow(2).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())


def test_a_window_holds_a_position():
    with pytest.raises(ValueError, match="at least 1"):
        LocalRnn(4, 0)
