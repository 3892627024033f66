"""The table over (a, b, d) holds exactly the fused encodings of the four distances."""

import math

import pytest
import torch

from core.layers import RelativePositions, sinusoids


def test_sinusoids_are_sines_then_cosines_of_tensor2tensors_frequencies():
    row = sinusoids(torch.tensor([-3.0], dtype=torch.float64), 6)[0]
    frequencies = [1.0, math.exp(-math.log(10000) / 2), 1e-4]
    expected = [math.sin(-3 * f) for f in frequencies] + [math.cos(-3 * f) for f in frequencies]
    torch.testing.assert_close(row, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_odd_and_tiny_widths_end_in_a_zero_and_stay_finite(width):
    rows = sinusoids(torch.arange(-2.0, 3.0), width)
    assert rows.shape == (5, width)
    assert rows.isfinite().all()
    assert width % 2 == 0 or not rows[:, -1].any()


@pytest.mark.parametrize("four_distances", [True, False])
def test_rows_are_the_encodings_of_their_distances(four_distances):
    torch.manual_seed(0)
    positions = RelativePositions(8, four_distances=four_distances).double()
    queries, keys, reach = (0, 1, 5), (0, 2, 3), 4
    rows = positions.rows(queries, keys, reach)
    assert rows.shape == (3, 3, 9, 8)
    for i, a in enumerate(queries):
        for j, b in enumerate(keys):
            for e in range(9):
                d = reach - e
                distances = [d, d - b, d + a, d + a - b] if four_distances else [d, d + a - b]
                p = sinusoids(torch.tensor(distances, dtype=torch.float64), 8).flatten()
                expected = torch.relu(positions.fusion(p))
                torch.testing.assert_close(rows[i, j, e], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("four_distances", [True, False])
def test_pairs_agree_with_rows(four_distances):
    torch.manual_seed(0)
    positions = RelativePositions(8, four_distances=four_distances).double()
    rows = positions.rows((0, 6), (0, 2), 3)
    terms = positions.distance_terms(9)
    a, b, d = torch.tensor([6, 0, 6]), torch.tensor([2, 2, 0]), torch.tensor([-3, 1, 3])
    pairs = positions.pairs(terms, d, a, b)
    expected = torch.stack([rows[1, 1, 6], rows[0, 1, 2], rows[1, 0, 0]])
    torch.testing.assert_close(pairs, expected, rtol=1e-12, atol=1e-13)


def test_gradcheck_of_the_rows():
    torch.manual_seed(0)
    positions = RelativePositions(4).double()
    weight, bias = positions.fusion.weight.detach(), positions.fusion.bias.detach()

    def rows(weight, bias):
        state = {"fusion.weight": weight, "fusion.bias": bias}
        return torch.func.functional_call(_Rows(positions), {f"of.{k}": v for k, v in state.items()}, ())

    assert torch.autograd.gradcheck(rows, (weight.requires_grad_(), bias.requires_grad_()), fast_mode=True)


class _Rows(torch.nn.Module):
    def __init__(self, of: RelativePositions) -> None:
        super().__init__()
        self.of = of

    def forward(self):
        return self.of.rows((0, 2), (0, 3), 3)
