"""The figures of MRC queries, on the data they carry."""

import numpy as np

from app.inspect.figures.mrc import LONGEST_TITLE, boundary_heatmaps, match_heatmap
from core.inspection.sentence.mrc_view import BoundariesView, MatchView

TOKENS = tuple("岭南市")
STARTS = np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.2]])
ENDS = np.array([[0.0, 0.3, 0.8], [0.5, 0.5, 0.5]])
MATCH = np.array([[np.nan, 0.2, np.nan]] * 3)


def test_starts_stand_above_ends_with_a_row_for_every_label():
    starts, ends = boundary_heatmaps(BoundariesView(("LOC", "<b>P"), TOKENS, STARTS, ENDS, False)).data
    np.testing.assert_array_equal(starts.z, STARTS)
    np.testing.assert_array_equal(ends.z, ENDS)
    assert (starts.zmin, starts.zmax) == (0, 1)
    assert starts.customdata[1][0].tolist() == ["&lt;b&gt;P", "岭"]
    assert "+" not in starts.hovertemplate


def test_of_a_change_no_change_is_the_middle_of_the_colours_and_the_hover_has_a_sign():
    for figure in (
        boundary_heatmaps(BoundariesView(("LOC", "P"), TOKENS, STARTS, ENDS, True)),
        match_heatmap(MatchView("LOC", "何处", TOKENS, MATCH, True)),
    ):
        assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
        assert "%{z:+.3f}" in figure.data[0].hovertemplate


def test_a_match_is_a_matrix_under_its_query_and_no_markup():
    figure = match_heatmap(MatchView("LOC", "何处<i>", TOKENS, MATCH, False))
    np.testing.assert_array_equal(np.asarray(figure.data[0].z, dtype=float), MATCH)
    assert figure.layout.title.text == "LOC: 何处&lt;i&gt;"
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis.autorange) == ("first character", "reversed")


def test_a_query_as_long_as_a_guideline_is_shortened():
    figure = match_heatmap(MatchView("LOC", "问" * 500, TOKENS, MATCH, False))
    assert len(figure.layout.title.text) == LONGEST_TITLE + 1
