"""Class vectors made of characters and a small correction."""

import pytest
import torch

from core.layers import cnn_softmax
from core.layers.char_cnn import CharCnn
from core.layers.cnn_softmax import CORRECTION, CnnSoftmax

ROWS = torch.tensor([[1, 2, 0], [3, 4, 0], [1, 2, 3], [1, 2, 0], [4, 4, 4]])


def softmax(correction):
    torch.manual_seed(0)
    layer = CnnSoftmax(CharCnn(5, 3, [(1, 4), (2, 5)], 1, 6), ROWS, 6, correction).double()
    if layer.correction is not None:
        torch.nn.init.normal_(layer.correction)
    return layer


@pytest.mark.parametrize("correction", [0, 2])
def test_scores_are_the_formula(correction):
    layer = softmax(correction)
    hidden = torch.randn(4, 6, dtype=torch.float64)
    target = torch.tensor([0, 4, 2, 2])
    scores = torch.zeros(4, 5, dtype=torch.float64)
    for row, word in enumerate(ROWS):
        vector = layer.cnn(word[None])[0]
        if correction:
            vector = vector + layer.expand.weight @ layer.correction[row]
        scores[:, row] = hidden @ vector
    expected = -scores.log_softmax(1)[range(4), target]
    torch.testing.assert_close(layer.loss(hidden, target), expected)


def test_some_classes_are_those_of_all_even_in_parts_and_out_of_order(monkeypatch):
    layer = softmax(2)
    everything, bias = layer.vectors()
    assert bias is None
    monkeypatch.setattr(cnn_softmax, "_PART", 2)
    rows = torch.tensor([4, 0, 4, 3])
    torch.testing.assert_close(layer.vectors(rows)[0], everything[rows])
    torch.testing.assert_close(layer.vectors()[0], everything)


def test_words_spelt_alike_are_told_apart_by_the_correction_alone():
    vectors, _ = softmax(0).vectors()
    assert torch.equal(vectors[0], vectors[3])
    vectors, _ = softmax(2).vectors()
    assert not torch.allclose(vectors[0], vectors[3])


def test_the_correction_is_the_papers_and_begins_silent():
    layer = CnnSoftmax(CharCnn(5, 3, [(1, 4)], 0, 6), ROWS, 6)
    assert CORRECTION == 128
    assert layer.correction.shape == (5, 128)
    torch.testing.assert_close(layer.vectors()[0], layer.cnn(ROWS))


def test_gradients_reach_characters_and_correction():
    layer = softmax(2)
    layer.loss(torch.randn(4, 6, dtype=torch.float64), torch.tensor([0, 4, 2, 2])).sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())
    assert bool(layer.correction.grad.any())
