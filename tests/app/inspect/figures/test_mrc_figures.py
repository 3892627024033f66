"""What the figures of queries hold, compared with differences taken by hand."""

from __future__ import annotations

import numpy as np
import pytest

from app.inspect.figures.mrc import LONGEST_TITLE, match_change, match_matrix, start_and_end_change
from core.taggers.base.trace import MrcTrace

TOKENS = tuple("岭南市")
BEFORE = MrcTrace(
    ("LOC", "<b>P"),
    ("哪里", "谁"),
    start=np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.2]]),
    end=np.array([[0.0, 0.3, 0.8], [0.5, 0.5, 0.5]]),
    pairs=np.array([[0, 0, 1], [0, 0, 2]]),
    match=np.array([0.25, 0.75]),
    complete=True,
)
AFTER = MrcTrace(
    ("LOC", "<b>P"),
    ("何处<i>", "谁"),
    start=np.array([[0.4, 0.2, 0.0], [0.2, 0.2, 0.2]]),
    end=np.array([[0.0, 0.3, 0.9], [0.5, 0.5, 0.5]]),
    pairs=np.array([[0, 0, 2], [0, 1, 2]]),
    match=np.array([0.5, 0.9]),
    complete=False,
)


def test_starts_and_ends_are_after_minus_before():
    starts, ends = start_and_end_change(BEFORE, AFTER, TOKENS).data
    np.testing.assert_allclose(starts.z, [[-0.5, 0.1, 0.0], [0.0, 0.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(ends.z, [[0.0, 0.0, 0.1], [0.0, 0.0, 0.0]], atol=1e-9)
    assert (starts.zmin, starts.zmax) == (-1, 1), "no change stands in the middle of the colours"
    assert starts.customdata[1][0][0] == "&lt;b&gt;P"


def test_a_match_that_one_side_did_not_score_has_no_difference():
    change = match_change(BEFORE, AFTER, 0, TOKENS).data[0].z
    assert change[0][2] == pytest.approx(-0.25)
    assert np.isnan(np.array(change, dtype=float)).sum() == 8


def test_the_title_is_the_query_as_it_is_asked_and_no_markup():
    assert match_change(BEFORE, AFTER, 0, TOKENS).layout.title.text == "LOC: 何处&lt;i&gt;"
    long = MrcTrace(
        ("LOC",), ("问" * 500,), BEFORE.start[:1], BEFORE.end[:1], BEFORE.pairs, BEFORE.match, True
    )
    assert len(match_matrix(long, 0, TOKENS).layout.title.text) == LONGEST_TITLE + 1


def test_only_queries_that_there_are_can_be_drawn():
    with pytest.raises(IndexError):
        match_change(BEFORE, AFTER, 2, TOKENS)
    with pytest.raises(IndexError):
        match_change(BEFORE, AFTER, -1, TOKENS)
