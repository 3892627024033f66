"""The Compare page's figures, checked on the data they draw."""

import numpy as np
import pytest

from app.compare.figures import difference_intervals, score_intervals, side_bars
from core.inspection.corpus.significance import Measurement

RUNS = ("demo", "<b>flat</b>")


@pytest.fixture
def measured():
    """Two runs, all labels and one; F1 of the second 4 points above the first, the interval around it."""
    scores = np.array([[0.5, 0.5, 0.50], [0.6, 0.5, 0.54]])
    intervals = np.stack([scores - 0.10, scores + 0.05], axis=-1)
    differences = scores - scores[:1]
    spread = np.stack([differences - 0.02, differences + 0.01], axis=-1)
    one = Measurement(np.ones((2, 3)), scores, intervals, differences, spread, np.ones((2, 3)), 9)
    return {"all labels": one, "LOC<i>": one}


def test_every_run_has_a_dot_a_line_on_its_interval_in_percent(measured):
    base, other = score_intervals(measured, RUNS).data
    assert list(base.x) == [50.0, 50.0]
    assert list(other.x) == pytest.approx([54.0, 54.0])
    np.testing.assert_allclose(other.error_x.array, [5.0, 5.0])
    np.testing.assert_allclose(other.error_x.arrayminus, [10.0, 10.0])
    assert base.y[0] < 0 < other.y[0] < base.y[1], "dots of one line stand apart and in their line"
    assert other.text[0] == "44.0 – 59.0"


def test_differences_leave_the_base_out_and_mark_zero(measured):
    figure = difference_intervals(measured, RUNS)
    (other,) = figure.data
    np.testing.assert_allclose(other.x, [4.0, 4.0])
    np.testing.assert_allclose(other.error_x.arrayminus, [2.0, 2.0])
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (0, 0)


def test_names_are_drawn_as_text_and_not_as_markup(measured):
    figure = score_intervals(measured, RUNS)
    assert figure.data[1].name == "&lt;b&gt;flat&lt;/b&gt;"
    assert figure.layout.yaxis.ticktext == ("all labels", "LOC&lt;i&gt;")
    assert "<b>" not in difference_intervals(measured, RUNS[::-1]).layout.xaxis.title.text


def test_the_figure_grows_with_its_lines(measured):
    longer = {str(place): measured["all labels"] for place in range(30)}
    assert score_intervals(longer, RUNS).layout.height > 2 * score_intervals(measured, RUNS).layout.height


def test_sides_are_stacked_by_label_and_a_bar_says_which_it_is():
    counts = {"ORG": {"right_to_wrong": 3, "wrong_to_right": 1}, "PER": {"wrong_to_wrong": 2}}
    figure = side_bars(counts, "zh")
    assert [bar.name for bar in figure.data] == ["对 → 错", "错 → 对", "错 → 另一种错"]
    assert [list(bar.x) for bar in figure.data] == [[3, 0], [1, 0], [0, 2]]
    assert list(figure.data[1].customdata[0]) == [0, "wrong_to_right"]
    assert figure.layout.barmode == "stack"
