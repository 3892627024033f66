"""Two directions that do not see each other, with a residual between layers."""

import pytest
import torch
from torch import nn

from core.layers.recurrent.bilstmp import BACKWARD, FORWARD, BiLstmp, flip

LENGTHS = torch.tensor([4, 0, 3])
MASK = torch.arange(4) < LENGTHS[:, None]


def stack(**options) -> BiLstmp:
    torch.manual_seed(0)
    layer = BiLstmp(3, 5, 2, **options).double().eval()
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


def tokens():
    torch.manual_seed(1)
    return torch.randn(3, 4, 3, dtype=torch.float64)


def both(x):
    return torch.stack([x, flip(x, LENGTHS)])


def exchanged(layer: BiLstmp) -> BiLstmp:
    """The same stack with the weights of its two directions exchanged."""
    other = stack()
    other.load_state_dict({name: value.flip(0) for name, value in layer.state_dict().items()})
    return other


def test_backwards_is_forwards_over_the_reversed_text_with_exchanged_weights():
    layer, x = stack(), tokens()
    normal = layer(both(x), MASK).layers
    mirrored = exchanged(layer)(both(flip(x, LENGTHS)), MASK).layers
    for one, other in zip(normal, mirrored, strict=True):
        torch.testing.assert_close(one[FORWARD], other[BACKWARD])
        torch.testing.assert_close(one[BACKWARD], other[FORWARD])


@pytest.mark.parametrize("skip", [True, False])
def test_the_second_layer_reads_the_first_and_adds_it(skip):
    layer = stack(skip=skip)
    x = both(tokens())
    first, second = layer(x, MASK).layers
    below, _ = layer.lstms[0](x, MASK)
    above, _ = layer.lstms[1](below, MASK)
    torch.testing.assert_close(first, below)
    torch.testing.assert_close(second, above + below if skip else above)


def test_the_forward_direction_does_not_see_what_comes():
    layer, x = stack(), tokens()
    changed = x.clone()
    changed[:, 2] += 1.0
    before, after = (layer(both(value), MASK).layers[-1] for value in (x, changed))
    assert torch.equal(before[FORWARD, 0, :2], after[FORWARD, 0, :2])
    assert not torch.equal(before[FORWARD, 0, 2], after[FORWARD, 0, 2])
    # The backward direction has read the third of four tokens in its second step.
    assert torch.equal(before[BACKWARD, 0, :1], after[BACKWARD, 0, :1])
    assert not torch.equal(before[BACKWARD, 0, 1], after[BACKWARD, 0, 1])


def test_carried_states_make_pieces_the_whole():
    layer = stack()
    x = torch.randn(2, 3, 6, 3, dtype=torch.float64)
    whole = layer(x).layers
    states, pieces = None, []
    for piece in x.split(2, dim=2):
        said = layer(piece, states=states)
        states = said.states
        pieces.append(said.layers)
    for number, layers in enumerate(whole):
        torch.testing.assert_close(torch.cat([piece[number] for piece in pieces], dim=2), layers)


def test_rows_are_turned_around_within_their_own_length():
    x = torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7], [8, 9, 10, 11]])
    turned = flip(x, torch.tensor([3, 4, 0]))
    assert turned.tolist() == [[3, 2, 1, 0], [7, 6, 5, 4], [8, 9, 10, 11]]
    assert torch.equal(flip(turned, torch.tensor([3, 4, 0])), x)
