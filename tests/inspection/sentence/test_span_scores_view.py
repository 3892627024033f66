"""The view of span scores against the trace it is made from."""

import numpy as np
import pytest

from core.inspection.sentence.span_scores_view import LONGEST, shortened, span_scores_view
from core.taggers.base.calibration import UNCHANGED
from core.taggers.base.trace import SpanTrace, Trace
from core.text import Span

TEXT = "岭南市政府"


def trace_of(spans=()):
    """Probabilities of LOC and ORG for spans of at most three characters; none starts at 市."""
    probabilities = np.full((2, 5, 3), 0.1, dtype=np.float32)
    probabilities[:, 3:, 2] = probabilities[:, 4, 1] = probabilities[:, 2] = np.nan
    probabilities[0, 0, 2] = 0.9
    probabilities[0, 0, 1] = 0.7
    probabilities[1, 3, 1] = 0.6
    scores = SpanTrace(("LOC", "ORG"), probabilities, (0.5, 0.5), (UNCHANGED, UNCHANGED))
    return Trace(TEXT, tuple(TEXT), tuple(spans), "span", span_scores=scores)


def test_a_matrix_has_every_span_that_was_scored_in_the_row_of_its_start():
    view = span_scores_view(trace_of(), 0)
    assert (view.label, view.tokens, view.probabilities.shape) == ("LOC", tuple(TEXT), (5, 5))
    scored = {tuple(place) for place in np.argwhere(~np.isnan(view.probabilities)).tolist()}
    assert scored == {(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (3, 3), (3, 4), (4, 4)}
    assert view.probabilities[0, 2] == pytest.approx(0.9)
    assert (view.texts[0, 2], view.texts[3, 4], view.texts[2, 0]) == ("岭南市", "政府", "")


def test_predicted_spans_and_those_they_displaced_are_told_apart():
    view = span_scores_view(trace_of([Span(0, 3, "LOC", 0.9), Span(3, 5, "ORG", 0.6)]), 0)
    assert view.predicted.tolist() == [[0, 2]]
    assert view.beaten.tolist() == [[0, 1]]
    assert span_scores_view(trace_of(), 1).beaten.tolist() == [[3, 4]]
    assert span_scores_view(trace_of(), 1).predicted.shape == (0, 2)


def test_the_middle_of_a_long_span_is_left_out():
    assert shortened("一" * LONGEST) == "一" * LONGEST
    assert shortened("甲" + "一" * LONGEST + "乙") == "甲一一一一…一一一一乙"


@pytest.mark.parametrize("label", [-1, 2])
def test_only_labels_that_there_are_have_a_view(label):
    with pytest.raises(IndexError, match=f"label {label} of 2"):
        span_scores_view(trace_of(), label)
