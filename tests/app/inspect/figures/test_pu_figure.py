"""The figure of a PU tagger's answers."""

from __future__ import annotations

import numpy as np

from app.inspect.figures.pu import answers_by_type
from core.taggers.base.trace import PuTrace

ANSWERS = np.array([[0.9, 0.9, 0.2, 0.4], [0.1, 0.1, 0.6, 0.45]], dtype=np.float32)
PU = PuTrace(("PER", "<b>LOC"), ANSWERS, np.array([0, 0, 1, 2]), np.array([0.1, 0.2]))


def test_rings_stand_where_a_type_passes_the_bound_and_wins():
    heatmap, rings = answers_by_type(PU, tuple("林晓去了")).data
    np.testing.assert_array_equal(heatmap.z, ANSWERS)
    assert list(zip(rings.x, rings.y, strict=True)) == [(0, 0), (1, 0), (2, 1)]


def test_lines_stand_between_words_only():
    figure = answers_by_type(PU, tuple("林晓去了"))
    assert [shape.x0 for shape in figure.layout.shapes] == [1.5, 2.5]


def test_a_type_with_markup_in_its_name_is_drawn_as_text():
    figure = answers_by_type(PU, tuple("林晓去了"))
    assert figure.layout.yaxis.ticktext == ("PER", "&lt;b&gt;LOC")


def test_an_empty_sentence_has_an_empty_figure():
    empty = PuTrace(("PER",), np.zeros((1, 0)), np.zeros(0, dtype=int), np.array([0.1]))
    assert not answers_by_type(empty, ()).layout.shapes
