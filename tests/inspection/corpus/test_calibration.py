"""The expected calibration error by hand, and against the sums of the paper written out."""

import math
import random

import numpy as np
import pytest

from core.inspection.corpus.calibration import calibration


def test_the_error_of_five_spans_by_hand():
    # (0.9, 1.0]: 0.95 right, 0.97 wrong, so mean 0.96, half right. (0.5, 0.6]: 0.6 right.
    # (0.1, 0.2]: 0.2 and 0.12, both wrong.
    found = calibration([0.95, 0.97, 0.6, 0.2, 0.12], [True, False, True, False, False])
    assert found.counts.tolist() == [0, 2, 0, 0, 0, 1, 0, 0, 0, 2]
    assert found.accuracy[[1, 5, 9]].tolist() == [0.0, 1.0, 0.5]
    assert found.confidence[[1, 5, 9]] == pytest.approx([0.16, 0.6, 0.96])
    assert found.ece == pytest.approx((2 * 0.16 + 1 * 0.4 + 2 * 0.46) / 5)


def naive(confidences, correct, bins):
    total = 0.0
    for m in range(1, bins + 1):
        low, high = (m - 1) / bins, m / bins
        inside = [i for i, c in enumerate(confidences) if low < c <= high or (m == 1 and c == 0)]
        if inside:
            accuracy = sum(correct[i] for i in inside) / len(inside)
            confidence = sum(confidences[i] for i in inside) / len(inside)
            total += len(inside) / len(confidences) * abs(accuracy - confidence)
    return total


@pytest.mark.parametrize("bins", [1, 7, 10, 15])
def test_the_error_is_the_papers_sum(bins):
    dice = random.Random(bins)
    confidences = [dice.random() for _ in range(300)]
    correct = [dice.random() < c**2 for c in confidences]
    assert calibration(confidences, correct, bins).ece == pytest.approx(naive(confidences, correct, bins))


def test_a_bin_holds_its_upper_edge_and_the_first_one_zero():
    found = calibration([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [True] * 11)
    assert found.bins.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_an_empty_bin_has_no_accuracy_and_nothing_at_all_no_error():
    found = calibration([0.95], [True])
    assert math.isnan(found.accuracy[0])
    assert np.isnan(found.confidence[:9]).all()
    assert calibration([], []).ece is None


@pytest.mark.parametrize("wrong", [-0.01, 1.01, float("nan"), float("inf")])
def test_what_is_no_confidence_is_refused(wrong):
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        calibration([0.5, wrong], [True, True])


def test_lengths_and_bins_are_checked():
    with pytest.raises(ValueError, match="2 confidences but 1 verdicts"):
        calibration([0.5, 0.5], [True])
    with pytest.raises(ValueError, match="at least 1 bin"):
        calibration([0.5], [True], 0)


def test_the_bin_of_a_confidence_says_how_often_its_predictions_are_right():
    found = calibration([0.95, 0.99, 0.91, 0.35], [True, True, False, False])
    high = found.bin_of(0.93)
    assert (high.low, high.high, high.count) == (pytest.approx(0.9), 1.0, 3)
    assert high.accuracy == pytest.approx(2 / 3)
    assert found.bin_of(1.0) == high
    assert found.bin_of(0.9).count == 0, "bins exclude their lower edge"
    assert found.bin_of(0.9).accuracy is None
    assert found.bin_of(0.0).low == 0.0
