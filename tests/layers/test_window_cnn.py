"""The window CNN does what a loop over windows does, and padding is no part of it."""

import pytest
import torch

from core.layers.window_cnn import WindowCnn


def by_hand(layer, x, reach):
    """Filters placed one by one over one sentence ``[T, D]``."""
    weight, bias = layer.convolution.weight, layer.convolution.bias
    half = weight.shape[2] // 2
    length = len(x)
    placed = []
    for at in range(length):
        total = bias.clone()
        for offset in range(-half, half + 1):
            if 0 <= at + offset < length:
                total = total + weight[:, :, offset + half] @ x[at + offset]
        placed.append(torch.tanh(total))
    return torch.stack(
        [torch.stack(placed[max(0, at - reach) : at + reach + 1]).amax(0) for at in range(length)]
    )


@pytest.mark.parametrize("reach", [0, 1, 2])
def test_it_keeps_the_most_of_every_filter_around_a_character(reach):
    torch.manual_seed(0)
    layer = WindowCnn(4, 6, radius=reach)
    x = torch.randn(3, 7, 4)
    lengths = [7, 3, 1]
    mask = torch.arange(7) < torch.tensor(lengths)[:, None]
    found = layer(x, mask)
    for row, length in enumerate(lengths):
        torch.testing.assert_close(found[row, :length], by_hand(layer, x[row, :length], reach))
        assert not found[row, length:].any()


def test_an_even_filter_has_no_centre():
    with pytest.raises(ValueError, match="odd"):
        WindowCnn(4, 6, kernel=2)
