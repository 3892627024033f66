"""The character CNN against loops over filters and positions."""

import pytest
import torch

from core.layers.char_cnn import CharCnn

FILTERS = [(1, 2), (3, 4)]


def naive(cnn, rows, activation):
    """Every filter at every position, one product after the other; highways and projection as they are."""
    tokens = []
    for row in rows.tolist():
        numbers = []
        for convolution in cnn.convolutions:
            for weight, bias in zip(convolution.weight, convolution.bias, strict=True):
                width = weight.shape[1]
                sums = []
                for start in range(len(row) - width + 1):
                    total = bias
                    for offset in range(width):
                        total = total + cnn.embedding.weight[row[start + offset]] @ weight[:, offset]
                    sums.append(total)
                numbers.append(activation(max(sums)))
        tokens.append(torch.stack(numbers))
    x = cnn.highway(torch.stack(tokens))
    return x if cnn.projection is None else x @ cnn.projection.weight.T + cnn.projection.bias


@pytest.mark.parametrize("kind", ["relu", "tanh"])
@pytest.mark.parametrize("output", [5, 6], ids=["projected", "of the filters' number"])
def test_values_and_gradients_are_those_of_the_loops(kind, output):
    torch.manual_seed(0)
    cnn = CharCnn(9, 3, FILTERS, 2, output, kind).double()
    assert (cnn.projection is None) == (output == 6)
    rows = torch.randint(9, (4, 6))
    activation = {"relu": lambda x: x.clamp(min=0), "tanh": torch.tanh}[kind]
    wanted = list(cnn.parameters())
    torch.testing.assert_close(cnn(rows), naive(cnn, rows, activation))
    got = torch.autograd.grad(cnn(rows).square().sum(), wanted)
    true = torch.autograd.grad(naive(cnn, rows, activation).square().sum(), wanted)
    for one, other in zip(got, true, strict=True):
        torch.testing.assert_close(one, other)


def test_the_widest_filter_is_told():
    cnn = CharCnn(9, 3, FILTERS, 0, 6)
    assert cnn.widest == 3
    assert cnn(torch.zeros(2, 3, dtype=torch.long)).shape == (2, 6)
