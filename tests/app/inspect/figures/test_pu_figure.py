"""The figure of a PU tagger's classifiers."""

import numpy as np

from app.inspect.figures.pu import type_heatmap
from core.inspection.sentence.pu_view import PuView

ANSWERS = np.array([[0.9, 0.9, 0.2, 0.4], [0.1, 0.1, 0.6, 0.45]], dtype=np.float32)
PU = PuView(
    tuple("林晓去了"),
    ("PER", "<b>LOC"),
    ANSWERS,
    np.array([0, 0, 1, -1]),
    np.array([1, 2]),
    np.array([0.1, 0.2]),
    0.5,
)


def test_rings_stand_where_a_type_was_chosen():
    heatmap, rings = type_heatmap(PU).data
    np.testing.assert_array_equal(heatmap.z, ANSWERS)
    assert list(zip(rings.x, rings.y, strict=True)) == [(0, 0), (1, 0), (2, 1)]


def test_lines_stand_between_words_only():
    figure = type_heatmap(PU)
    assert [shape.x0 for shape in figure.layout.shapes] == [1.5, 2.5]


def test_a_type_with_markup_in_its_name_is_drawn_as_text():
    figure = type_heatmap(PU)
    assert figure.layout.yaxis.ticktext == ("PER", "&lt;b&gt;LOC")


def test_an_empty_sentence_has_an_empty_figure():
    nothing = np.zeros(0, dtype=int)
    empty = PuView((), ("PER",), np.zeros((1, 0)), nothing, nothing, np.array([0.1]), 0.5)
    assert not type_heatmap(empty).layout.shapes
