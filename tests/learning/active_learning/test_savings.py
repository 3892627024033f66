"""What an order saves, worked out by hand."""

import pytest

from core.learning.active_learning.savings import needed, savings
from core.learning.active_learning.simulation import Point


def point(strategy, documents, f1, seed=1, characters=None):
    return Point(strategy, seed, documents, characters or 10 * documents, 2 * documents, f1, 1.0, 0.1)


def test_the_amount_lies_on_the_line_between_two_points():
    curve = [point("mnlp", 100, 0.5), point("mnlp", 200, 0.7), point("mnlp", 300, 0.9)]
    assert needed(curve, 0.8, "documents") == pytest.approx(250)
    assert needed(curve, 0.6, "characters") == pytest.approx(1500)
    assert needed(curve, 0.9, "spans") == pytest.approx(600)


def test_the_first_crossing_counts_and_what_is_never_reached_is_none():
    curve = [
        point("mnlp", 100, 0.5),
        point("mnlp", 200, 0.8),
        point("mnlp", 300, 0.7),
        point("mnlp", 400, 0.9),
    ]
    assert needed(curve, 0.8, "documents") == pytest.approx(200)
    assert needed(curve, 0.95, "documents") is None
    assert needed(curve, 0.4, "documents") == 100, "already there"
    assert needed([], 0.4, "documents") is None


def test_means_over_the_seeds_are_compared_with_chance():
    points = [
        point("full", 1000, 1.0), point("full", 1000, 0.8, seed=2),
        point("random", 100, 0.5), point("random", 300, 0.9),
        point("random", 100, 0.5, seed=2), point("random", 500, 0.75, seed=2),
        point("mnlp", 100, 0.9), point("mnlp", 100, 0.6, seed=2), point("mnlp", 200, 0.75, seed=2),
    ]  # fmt: skip
    found = {(saving.strategy, saving.unit): saving for saving in savings(points, [0.9], 400)}
    chance, own = found["random", "documents"], found["mnlp", "documents"]
    # 90% is 0.9 with the first seed and 0.72 with the second, 22 / 25 of the way from 0.5 to 0.75
    assert chance.needed == pytest.approx((300 + 100 + 400 * 22 / 25) / 2)
    assert chance.ratio == 1.0
    assert own.needed == pytest.approx((100 + 180) / 2), "0.72 is 12 / 15 of the way from 0.6 to 0.75"
    assert own.ratio == pytest.approx(140 / 376)
    assert found["mnlp", "characters"].ratio == pytest.approx(1400 / 3760)


def test_a_strategy_is_compared_with_chance_over_its_own_seeds_only():
    points = [
        point("full", 1000, 1.0), point("full", 1000, 1.0, seed=2),
        point("random", 400, 1.0), point("random", 800, 1.0, seed=2), point("mnlp", 200, 1.0),
    ]  # fmt: skip
    found = {saving.strategy: saving for saving in savings(points, [0.9], 400) if saving.unit == "documents"}
    assert found["mnlp"].ratio == pytest.approx(0.5), "not 200 of 600"
    assert found["random"].needed == pytest.approx(600)


def test_where_one_seed_never_got_there_no_mean_is_made_up():
    points = [
        point("full", 1000, 1.0), point("full", 1000, 1.0, seed=2),
        point("random", 400, 1.0), point("random", 400, 0.5, seed=2),
    ]  # fmt: skip
    saving = savings(points, [0.9], 400)[0]
    assert (saving.needed, saving.ratio, saving.seeds, saving.reached) == (None, None, 2, 1)


def test_points_survive_json():
    before = Point("mnlp", 1, 2, 3, 4, 0.5, 6.0, 7.0, (8, 9))
    assert Point.from_json(before.to_json()) == before


def test_a_curve_that_broke_off_says_nothing_of_what_it_did_not_reach():
    points = [
        point("full", 1000, 1.0), point("full", 1000, 1.0, seed=2),
        point("random", 400, 1.0), point("random", 400, 1.0, seed=2),
        point("mnlp", 200, 0.95), point("mnlp", 100, 0.5, seed=2),
    ]  # fmt: skip
    found = {(s.strategy, s.share): s for s in savings(points, [0.4, 0.9], 400) if s.unit == "documents"}
    assert (found["mnlp", 0.9].needed, found["mnlp", 0.9].seeds) == (200, 1)
    assert found["mnlp", 0.9].ratio == pytest.approx(0.5)
    assert (found["mnlp", 0.4].needed, found["mnlp", 0.4].seeds) == (150, 2), "this both have reached"
