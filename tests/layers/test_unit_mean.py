"""Units of positions answer with their mean."""

import torch

from core.layers.unit_mean import unit_mean, unit_shares

UNITS = torch.tensor([[0, 0, 1, 2, 2, 2], [0, 1, 1, 1, 4, 5]])


def test_every_position_gets_the_mean_of_its_unit():
    scores = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    found = unit_mean(scores, UNITS)
    for row in range(2):
        for at in range(6):
            own = [scores[row, other] for other in range(6) if UNITS[row, other] == UNITS[row, at]]
            torch.testing.assert_close(found[row, at], torch.stack(own).mean(0))


def test_the_shares_of_a_unit_add_up_to_one():
    shares = unit_shares(UNITS)
    torch.testing.assert_close(shares[0], torch.tensor([1 / 2, 1 / 2, 1, 1 / 3, 1 / 3, 1 / 3]))
    torch.testing.assert_close(shares[1].sum(), torch.tensor(4.0))


def test_the_gradient_is_shared_alike_within_a_unit():
    scores = torch.zeros(1, 3, 1, requires_grad=True)
    unit_mean(scores, torch.tensor([[0, 0, 1]]))[0, 0, 0].backward()
    assert scores.grad.flatten().tolist() == [0.5, 0.5, 0.0]


def test_no_position_at_all_is_legal():
    assert unit_mean(torch.zeros(2, 0, 3), torch.zeros(2, 0, dtype=torch.long)).shape == (2, 0, 3)
