"""The panel of span scores, over a stand-in trace, and its figure."""

import numpy as np
import pytest

from app.inspect.figures.span_scores import span_heatmap
from app.inspect.panel import Look
from app.inspect.sentence import span_scores
from core.inspection.sentence.span_scores_view import span_scores_view
from core.taggers.base.calibration import UNCHANGED, Scaling
from core.taggers.base.trace import SpanTrace, Trace
from core.text import Span

TEXT = "陈<b>市"


@pytest.fixture
def opened(session):
    """A look at a text with two likely spans of LOC, one of them predicted."""
    probabilities = np.full((2, 5, 5), np.nan, dtype=np.float32)
    for start in range(5):
        probabilities[:, start, : 5 - start] = 0.1
    probabilities[0, 0, 3] = 0.95
    probabilities[0, 0, 4] = 0.6
    spans = (Span(0, 4, "LOC", 0.95),)
    scores = SpanTrace(("LOC", "PER"), probabilities, (0.5, 0.3), (Scaling(1.5), UNCHANGED))
    trace = Trace(TEXT, tuple(TEXT), spans, "span", span_scores=scores)
    session.memory["inspect"] = look = Look("span-0001", trace, focus=spans[0])
    return look


def test_it_is_there_for_span_scores_alone(opened):
    assert span_scores.has(opened.trace)
    assert not span_scores.has(Trace(TEXT, tuple(TEXT), (), "flat"))


def test_it_begins_with_the_label_of_the_span_in_focus(session, opened):
    shown = span_scores.draw(session, opened)
    assert (shown["label"]["choices"], shown["label"]["value"]) == ([("LOC", 0), ("PER", 1)], 0)
    assert shown["figure"].data[0].z[0][3] == pytest.approx(0.95)
    assert "1.50" in shown["note"]
    assert "50%" in shown["note"]
    sure = SpanTrace(("LOC",), np.empty((1, 0, 0), dtype=np.float32), (0.5,), (UNCHANGED,))
    plain = Look("span-0001", Trace("", (), (), "span", span_scores=sure))
    assert "not calibrated" in span_scores.draw(session, plain)["note"]
    person = Look(opened.run, opened.trace, focus=Span(1, 2, "PER"))
    assert span_scores.draw(session, person)["label"]["value"] == 1
    unknown = Look(opened.run, opened.trace, focus=Span(1, 2, "ORG"))
    assert span_scores.draw(session, unknown)["label"]["value"] == 0, "the likeliest span is a LOC"


def test_another_label_is_drawn_and_one_there_is_not_changes_nothing(session, opened):
    drawn = span_scores.choose(session, 1)
    assert drawn["figure"].data[0].z[0][3] == pytest.approx(0.1)
    assert "30%" in drawn["note"]
    for odd in (2, -1, None):
        assert span_scores.choose(session, odd) == {}
    session.memory["inspect"] = Look("flat-0001", Trace(TEXT, tuple(TEXT), (), "flat"))
    assert span_scores.choose(session, 0) == {}


def test_a_text_without_a_character_has_an_empty_matrix(session):
    scores = SpanTrace(("LOC",), np.empty((1, 0, 0), dtype=np.float32), (0.5,), (UNCHANGED,))
    shown = span_scores.draw(session, Look("span-0001", Trace("", (), (), "span", span_scores=scores)))
    assert shown["label"]["value"] == 0
    assert shown["figure"].data[0].z.shape == (0, 0)


def test_a_cell_names_its_span_without_markup_and_marks_say_what_was_chosen(opened):
    figure = span_heatmap(span_scores_view(opened.trace, 0))
    heatmap, predicted, displaced = figure.data
    assert heatmap.customdata[0][3] == "陈&lt;b&gt;"
    assert "%{customdata}" in heatmap.hovertemplate
    assert (list(predicted.x), list(predicted.y)) == ([3], [0])
    assert (list(displaced.x), list(displaced.y)) == ([4], [0])
    assert figure.layout.yaxis.range == (4.5, -0.5)
    assert len(span_heatmap(span_scores_view(opened.trace, 1)).data) == 1
