"""The convolutional encoder against the sum that defines it."""

import numpy as np
import pytest
import torch

from core.layers.cnn import Cnn


def masks(*lengths):
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def naive(encoder, x):
    """One sentence ``[T, width]``: every filter over every neighbourhood, zeros outside the sentence."""
    for layer in encoder.layers:
        weight, bias = layer.weight.numpy(), layer.bias.numpy()
        filters, _, kernel = weight.shape
        out = np.zeros((len(x), filters))
        for i in range(len(x)):
            for f in range(filters):
                total = bias[f]
                for k in range(kernel):
                    j = i + k - kernel // 2
                    if 0 <= j < len(x):
                        total += float(weight[f, :, k] @ x[j])
                out[i, f] = max(total, 0.0)
        x = out
    return x


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("kernel", [1, 3, 5])
@torch.no_grad()
def test_it_is_the_sum_over_neighbours_whatever_the_padding(layers, kernel):
    torch.manual_seed(0)
    encoder = Cnn(4, 6, layers, kernel).double().eval()
    x = torch.randn(3, 7, 4, dtype=torch.float64)
    found = encoder(x, masks(7, 3, 0))
    for row, length in enumerate((7, 3, 0)):
        np.testing.assert_allclose(
            found[row, :length].numpy(), naive(encoder, x[row, :length].numpy()), atol=1e-12
        )
        assert not found[row, length:].any()


def test_its_width_is_the_number_of_filters():
    assert Cnn(4, 6)(torch.randn(1, 2, 4), masks(2)).shape[-1] == Cnn(4, 6).width == 6


def test_an_even_kernel_has_no_centre():
    with pytest.raises(ValueError, match="odd"):
        Cnn(4, 6, kernel=2)
