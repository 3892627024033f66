"""The bidirectional recurrent network against torch's own on packed sentences."""

from __future__ import annotations

import pytest
import torch

from core.layers.recurrent.birnn import CELLS, BiRnn

WIDTH, HIDDEN = 5, 4


def sentences(lengths, longest):
    torch.manual_seed(0)
    x = torch.randn(len(lengths), longest, WIDTH, requires_grad=True)
    return x, torch.arange(longest) < torch.tensor(lengths)[:, None]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("lengths", [(7, 3, 1, 5), (2,), (4, 4), (6, 0, 2), (0, 0)])
def test_padded_sentences_have_the_states_and_gradients_of_packed_ones(cell, layers, lengths):
    x, mask = sentences(lengths, 7)
    network = BiRnn(WIDTH, HIDDEN, layers, cell=cell)
    weights = torch.randn(len(lengths), 7, 2 * HIDDEN) * mask[..., None]
    found = []
    for states in (network(x, mask), network.packed(x, mask.sum(1)) * mask[..., None]):
        network.zero_grad()
        x.grad = None
        (states * weights).sum().backward()
        grads = [parameter.grad.clone() for parameter in network.parameters()]
        found.append([states.detach(), x.grad.clone(), *grads])
    for ours, packed in zip(*found, strict=True):
        torch.testing.assert_close(ours, packed, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
def test_padding_changes_nothing(training):
    x, mask = sentences((4, 2), 4)
    longer, longer_mask = torch.cat([x, torch.full((2, 3, WIDTH), 9.0)], dim=1), sentences((4, 2), 7)[1]
    network = BiRnn(WIDTH, HIDDEN, 2).train(training)
    torch.testing.assert_close(network(longer, longer_mask)[:, :4], network(x, mask))
    assert not network(longer, longer_mask)[:, 4:].any()


def test_nothing_to_read():
    network = BiRnn(WIDTH, HIDDEN)
    assert network(torch.zeros(2, 0, WIDTH), torch.zeros(2, 0, dtype=torch.bool)).shape == (2, 0, 2 * HIDDEN)
    assert network(torch.zeros(0, 3, WIDTH), torch.zeros(0, 3, dtype=torch.bool)).shape == (0, 3, 2 * HIDDEN)


def test_dropout_lies_between_the_layers_in_training_only():
    x, mask = sentences((6, 6), 6)
    network = BiRnn(WIDTH, HIDDEN, 2, dropout=0.5)
    assert not torch.equal(network(x, mask), network(x, mask))
    network.eval()
    assert torch.equal(network(x, mask), network(x, mask))
    torch.testing.assert_close(network(x, mask), network.packed(x, mask.sum(1)))
    alone = BiRnn(WIDTH, HIDDEN, 1, dropout=0.5)
    assert torch.equal(alone(x, mask), alone(x, mask))
