"""Predictions under queries and their changes, compared with differences taken by hand."""

import numpy as np
import pytest

from core.inspection.sentence.mrc_view import boundaries_view, match_view
from core.taggers.base.trace import MrcTrace, Trace

TOKENS = tuple("岭南市")


def trace_of(mrc):
    return Trace("岭南市", TOKENS, (), "mrc", mrc=mrc)


BEFORE = trace_of(
    MrcTrace(
        ("LOC", "PER"),
        ("哪里", "谁"),
        start=np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.2]]),
        end=np.array([[0.0, 0.3, 0.8], [0.5, 0.5, 0.5]]),
        pairs=np.array([[0, 0, 1], [0, 0, 2]]),
        match=np.array([0.25, 0.75]),
        complete=True,
    )
)
AFTER = trace_of(
    MrcTrace(
        ("LOC", "PER"),
        ("何处", "谁"),
        start=np.array([[0.4, 0.2, 0.0], [0.2, 0.2, 0.2]]),
        end=np.array([[0.0, 0.3, 0.9], [0.5, 0.5, 0.5]]),
        pairs=np.array([[0, 0, 2], [0, 1, 2]]),
        match=np.array([0.5, 0.9]),
        complete=False,
    )
)


def test_starts_and_ends_are_those_of_every_query():
    view = boundaries_view(BEFORE)
    np.testing.assert_array_equal(view.starts, BEFORE.mrc.start)
    np.testing.assert_array_equal(view.ends, BEFORE.mrc.end)
    assert (view.labels, view.tokens, view.is_change) == (("LOC", "PER"), TOKENS, False)


def test_a_change_is_after_minus_before():
    view = boundaries_view(AFTER, minus=BEFORE)
    np.testing.assert_allclose(view.starts, [[-0.5, 0.1, 0.0], [0.0, 0.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(view.ends, [[0.0, 0.0, 0.1], [0.0, 0.0, 0.0]], atol=1e-9)
    assert view.is_change


def test_a_match_holds_what_was_scored_of_its_query_and_nothing_elsewhere():
    view = match_view(BEFORE, 0)
    assert (view.match[0, 1], view.match[0, 2]) == (0.25, 0.75)
    assert np.isnan(view.match).sum() == 7
    assert (view.label, view.query, view.is_change) == ("LOC", "哪里", False)
    assert np.isnan(match_view(BEFORE, 1).match).all()


def test_a_match_that_one_side_did_not_score_has_no_difference():
    view = match_view(AFTER, 0, minus=BEFORE)
    assert view.match[0, 2] == pytest.approx(-0.25)
    assert np.isnan(view.match).sum() == 8
    assert view.query == "何处"


@pytest.mark.parametrize("query", [2, -1])
@pytest.mark.parametrize("minus", [None, BEFORE])
def test_only_queries_that_there_are_have_a_view(query, minus):
    with pytest.raises(IndexError, match=f"query {query} of 2"):
        match_view(AFTER, query, minus)
