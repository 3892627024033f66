"""The LSTMP against its equations, one number at a time, and against torch's own."""

import pytest
import torch
from torch import nn

from core.layers.recurrent.lstmp import Lstmp, LstmpState

GROUPS, BATCH, LENGTH, WIDTH, CELLS, OUT = 2, 3, 5, 4, 6, 3
LENGTHS = [5, 0, 2]


def lstmp(**options) -> Lstmp:
    torch.manual_seed(0)
    layer = Lstmp(WIDTH, CELLS, OUT, GROUPS, **options).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


def inputs(groups=GROUPS):
    torch.manual_seed(1)
    return torch.randn(groups, BATCH, LENGTH, WIDTH, dtype=torch.float64)


def mask_of(lengths):
    return torch.arange(LENGTH) < torch.tensor(lengths)[:, None]


def by_steps(layer, x, lengths, state=None, clip=(float("inf"), float("inf"))):
    """The equations of section 2 (Sak et al. 2014) without peepholes, step by step, sentence by sentence."""
    outputs = torch.zeros(*x.shape[:3], OUT, dtype=x.dtype)
    lasts, cells = [], []
    for group in range(x.shape[0]):
        for row in range(x.shape[1]):
            r = torch.zeros(OUT, dtype=x.dtype) if state is None else state.output[group, row]
            c = torch.zeros(CELLS, dtype=x.dtype) if state is None else state.cell[group, row]
            for t in range(lengths[row]):
                z = x[group, row, t] @ layer.weight_input[group] + r @ layer.weight_recurrent[group]
                i, f, o, g = (z + layer.bias[group]).split(CELLS)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                c = c.clamp(-clip[0], clip[0])
                r = (torch.sigmoid(o) * torch.tanh(c)) @ layer.weight_projection[group]
                r = r.clamp(-clip[1], clip[1])
                outputs[group, row, t] = r
            lasts.append(r)
            cells.append(c)
    shape = x.shape[:2]
    return outputs, LstmpState(torch.stack(lasts).unflatten(0, shape), torch.stack(cells).unflatten(0, shape))


def start():
    torch.manual_seed(2)
    kinds = [
        torch.randn(GROUPS, BATCH, width, dtype=torch.float64).requires_grad_() for width in (OUT, CELLS)
    ]
    return LstmpState(*kinds)


@pytest.mark.parametrize("lengths", [[LENGTH] * BATCH, LENGTHS], ids=["full", "of unequal length"])
@pytest.mark.parametrize("clip", [(0.0, 0.0), (0.7, 0.0), (0.0, 0.9), (0.7, 0.9)])
def test_values_and_gradients_are_those_of_the_equations(clip, lengths):
    layer = lstmp(cell_clip=clip[0], projection_clip=clip[1])
    x, state = inputs().requires_grad_(), start()
    wanted = [*layer.parameters(), x, *state]
    outputs, last = layer(x, mask_of(lengths), state)
    bounds = [bound or float("inf") for bound in clip]
    expected, expected_last = by_steps(layer, x, lengths, state, bounds)
    for got, true in [
        (outputs, expected),
        (last.output, expected_last.output),
        (last.cell, expected_last.cell),
    ]:
        torch.testing.assert_close(got, true)
    torch.manual_seed(3)
    weights = [torch.randn_like(value) for value in (outputs, *last)]

    def gradients(values):
        total = sum((value * weight).sum() for value, weight in zip(values, weights, strict=True))
        return torch.autograd.grad(total, wanted)

    for got, true in zip(gradients((outputs, *last)), gradients((expected, *expected_last)), strict=True):
        torch.testing.assert_close(got, true)
    if any(clip):
        free, _ = by_steps(layer, x, lengths, state)
        assert not torch.allclose(free, expected), "nothing was clipped, so nothing was tested"


def test_without_clipping_it_is_torchs_lstm():
    layer = lstmp()
    ours_in_torchs_order = [0, 1, 3, 2]  # i, f, o, g to torch's i, f, g, o
    x = inputs()
    outputs, last = layer(x)
    for group in range(GROUPS):
        theirs = nn.LSTM(WIDTH, CELLS, batch_first=True, proj_size=OUT).double()

        def turned(weight):
            return torch.cat([weight.chunk(4, dim=-1)[k] for k in ours_in_torchs_order], dim=-1)

        with torch.no_grad():
            theirs.weight_ih_l0.copy_(turned(layer.weight_input[group]).T)
            theirs.weight_hh_l0.copy_(turned(layer.weight_recurrent[group]).T)
            theirs.bias_ih_l0.copy_(turned(layer.bias[group]))
            theirs.bias_hh_l0.zero_()
            theirs.weight_hr_l0.copy_(layer.weight_projection[group].T)
        expected, (output, cell) = theirs(x[group])
        torch.testing.assert_close(outputs[group], expected)
        torch.testing.assert_close(last.output[group], output[0])
        torch.testing.assert_close(last.cell[group], cell[0])


def test_padding_is_neither_read_nor_written():
    layer = lstmp(cell_clip=1.0, projection_clip=1.0)
    x, other = inputs(), inputs()
    mask = mask_of(LENGTHS)
    other[:, ~mask] = torch.randn_like(other[:, ~mask])
    (outputs, last), (again, last_again) = layer(x, mask), layer(other, mask)
    assert torch.equal(outputs, again)
    assert torch.equal(last.cell, last_again.cell)
    assert not outputs[:, ~mask].any()
    assert not last.output[:, 1].any(), "an empty row stays where it began"


def test_two_halves_with_the_state_carried_are_the_whole():
    layer = lstmp(cell_clip=1.0, projection_clip=1.0)
    x = inputs()
    whole, end = layer(x)
    first, state = layer(x[:, :, :2])
    second, last = layer(x[:, :, 2:], state=state)
    torch.testing.assert_close(torch.cat([first, second], dim=2), whole)
    torch.testing.assert_close(last.cell, end.cell)


def test_without_gradients_the_values_are_the_same():
    layer = lstmp(cell_clip=1.0, projection_clip=1.0)
    x, mask = inputs(), mask_of(LENGTHS)
    outputs, last = layer(x, mask)
    with torch.no_grad():
        again, last_again = layer(x, mask)
    assert torch.equal(outputs, again)
    assert torch.equal(last.cell, last_again.cell)


def test_no_steps_at_all():
    layer = lstmp()
    state = start()
    outputs, last = layer(inputs()[:, :, :0], state=state)
    assert outputs.shape == (GROUPS, BATCH, 0, OUT)
    assert torch.equal(last.cell, state.cell)


def test_half_precision_around_it_does_not_reach_the_cells():
    layer = lstmp().float()
    x = inputs().float()
    expected, _ = layer(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        outputs, _ = layer(x)
        outputs.sum().backward()
    assert outputs.dtype == torch.float32
    torch.testing.assert_close(outputs, expected)


def test_a_fresh_layer_begins_by_remembering():
    layer = Lstmp(2, 3, 2)
    assert layer.bias.view(4, 3).tolist() == [[0.0] * 3, [1.0] * 3, [0.0] * 3, [0.0] * 3]
