"""What a search brought, beside what more labels promise."""

import pytest

from core.jobs.curve_points import CurvePoint
from core.jobs.search_advice import advice
from core.learning.search.trials import Trial


def trials(*scores):
    """One every ten seconds."""
    return [
        Trial(n, "flat", {}, {}, state="finished", f1=f1, ended=10.0 * (n + 1)) for n, f1 in enumerate(scores)
    ]


def curve(*points):
    return [CurvePoint("flat-0001", 1.0, size, size, f1, "dev", 1.0) for size, f1 in points]


STEEP = curve((50, 0.5), (100, 0.6), (200, 0.68), (400, 0.744))
LEVEL = curve((50, 0.7), (100, 0.69), (200, 0.71), (400, 0.7))


@pytest.mark.parametrize(
    ("scores", "points", "expected"),
    [
        ((0.7, 0.72, 0.72, 0.721), STEEP, "0.1 points. More labels promise more than a longer search"),
        ((0.7, 0.72, 0.72, 0.721), STEEP, "800 documents instead of 400 would add 5.1 points"),
        ((0.5, 0.5, 0.72, 0.8), STEEP, "A longer search may still bring more"),
        ((0.5, 0.5, 0.72, 0.8), LEVEL, "does not show that more labels help"),
        ((0.5, 0.5, 0.72, 0.8), [], "needs three sizes"),
        ((0.5, 0.5, 0.72, 0.8), STEEP[:2], "needs three sizes"),
    ],
)
def test_the_larger_gain_is_named(scores, points, expected):
    assert expected in str(advice(trials(*scores), 40.0, points))


def test_before_half_of_the_time_nothing_is_said():
    assert advice(trials(0.5), 15.0, STEEP) is None
    assert advice([], 15.0, STEEP) is None
