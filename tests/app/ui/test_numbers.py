"""Percentages are written one way, here and in the scripts, which take the same cases."""

import json
from pathlib import Path

from app.ui.numbers import percent, points, share, whole_percent

CASES = json.loads((Path(__file__).parents[2] / "scripts" / "percent.json").read_text(encoding="utf-8"))


def test_a_score_has_one_decimal():
    assert [percent(value) for value, _ in CASES["percent"]] == [written for _, written in CASES["percent"]]


def test_a_share_has_two_digits_and_is_all_or_nothing_only_where_it_is():
    assert [share(*values) for values, _ in CASES["share"]] == [written for _, written in CASES["share"]]


def test_progress_is_complete_only_at_its_end():
    assert [whole_percent(*values) for values, _ in CASES["whole"]] == [
        written for _, written in CASES["whole"]
    ]


def test_a_difference_is_rounded_as_a_score_is_and_has_its_sign():
    assert [points(value) for value in (0.1225, -0.1225, 0.0004, -0.0004, 0)] == [
        "+12.3", "−12.3", "0.0", "0.0", "0.0",
    ]  # fmt: skip
