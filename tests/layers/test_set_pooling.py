"""Pooled word sets against the equations of SoftLexicon in plain loops."""

import numpy as np
import pytest
import torch

from core.layers.set_pooling import SetPooling


def naive(pooling, vectors, counts, slots, positions):
    """v(S) = 4/Z sum z(w) e(w) for every set of every position, NONE once in empty sets: ``[P, 4, D]``."""
    found = np.zeros((positions, 4, vectors.shape[1]))
    none = pooling.none.detach().numpy()
    for position in range(positions):
        sets = [
            [
                (float(counts[e]), vectors[e].numpy())
                for e in range(len(slots))
                if slots[e] == 4 * position + s
            ]
            or [(1.0, none)]
            for s in range(4)
        ]
        total = sum(z for members in sets for z, _ in members)
        for s, members in enumerate(sets):
            if total:
                found[position, s] = 4 / total * sum(z * vector for z, vector in members)
    return found


@pytest.mark.parametrize("entries", [0, 1, 30])
@torch.no_grad()
def test_it_is_the_papers_weighted_sum(entries):
    torch.manual_seed(entries)
    pooling = SetPooling(3).double()
    vectors = torch.randn(entries, 3, dtype=torch.float64)
    counts = torch.randint(0, 4, (entries,)).double()
    slots = torch.randint(0, 20, (entries,))
    found = pooling(vectors, counts, slots, 5)
    expected = naive(pooling, vectors, counts, slots, 5).reshape(5, 12)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


def test_the_weights_of_a_position_sum_to_four():
    counts, slots = torch.tensor([7.0, 2.0, 1.0]), torch.tensor([0, 0, 6])
    weights, nothing = SetPooling.weights(counts, slots, 2)
    assert weights[:2].sum() + nothing[0].sum() == pytest.approx(4.0)
    assert weights.tolist() == pytest.approx([28 / 12, 8 / 12, 1.0])
    assert nothing[0].tolist() == pytest.approx([0.0, 1 / 3, 1 / 3, 1 / 3])


def test_four_full_sets_without_counts_say_nothing():
    weights, nothing = SetPooling.weights(torch.zeros(4), torch.arange(4), 1)
    assert weights.tolist() == [0.0] * 4
    assert nothing.tolist() == [[0.0] * 4]


def test_words_and_none_learn():
    pooling, vectors = SetPooling(3), torch.randn(2, 3, requires_grad=True)
    pooling(vectors, torch.tensor([1.0, 3.0]), torch.tensor([0, 4]), 2).pow(2).sum().backward()
    assert pooling.none.grad.any()
    assert vectors.grad.any(dim=1).all()
