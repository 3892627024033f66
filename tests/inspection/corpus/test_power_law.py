"""The fitted learning curve: exact on a power law, honest about scatter, silent with too few points."""

import numpy as np
import pytest

from core.inspection.corpus.power_law import fit


def test_a_true_power_law_is_found_again():
    sizes = [50, 100, 200, 400, 800]
    law = fit(sizes, [1 - 2.0 * n**-0.4 for n in sizes])
    assert (law.scale, law.slope) == (pytest.approx(2.0), pytest.approx(0.4))
    assert law.slope_interval == pytest.approx((0.4, 0.4))
    assert law.rises
    assert law.f1(1600) == pytest.approx((1 - 2.0 * 1600**-0.4,) * 3)


def test_nineteen_of_twenty_new_points_lie_in_the_prediction_interval():
    draw = np.random.default_rng(0)
    sizes, hits = np.array([20, 40, 80, 160, 320, 640]), 0
    for _ in range(500):
        errors = 1.5 * sizes**-0.3 * np.exp(draw.normal(0, 0.1, len(sizes)))
        law = fit(sizes.tolist(), (1 - errors).tolist())
        new = 1 - 1.5 * 1280**-0.3 * np.exp(draw.normal(0, 0.1))
        _, low, high = law.f1(1280)
        hits += low <= new <= high
    assert 0.92 < hits / 500 < 0.98


def test_scores_that_do_not_rise_are_not_said_to():
    assert not fit([10, 20, 40, 80], [0.5, 0.4, 0.55, 0.45]).rises


@pytest.mark.parametrize("sizes", [[], [10], [10, 20], [10, 10, 20, 20]])
def test_fewer_than_three_sizes_are_no_curve(sizes):
    assert fit(sizes, [0.5] * len(sizes)) is None


def test_a_perfect_score_and_bad_input():
    assert fit([10, 20, 40], [0.9, 0.95, 1.0]).f1(80)[0] <= 1
    with pytest.raises(ValueError, match="2 sizes but 1 scores"):
        fit([1, 2], [0.5])
    with pytest.raises(ValueError, match="one document or more"):
        fit([0, 1, 2], [0.1, 0.2, 0.3])
