"""The figures of the Errors tab: their data, not their pixels."""

import numpy as np
import pytest

from app.i18n import text
from app.inspect.figures.calibration import reliability
from app.inspect.figures.errors import boundary_errors, label_confusion, scores_by
from core.inspection.corpus.calibration import calibration
from core.inspection.corpus.errors import BOUNDARIES
from core.text.scoring import Score

COUNTS = np.array([[7, 1, 2], [0, 5, 0], [3, 0, 0]])


def test_the_confusion_names_both_axes_and_what_stands_for_nothing():
    figure = label_confusion(COUNTS, ["PER", "LOC"])
    assert np.asarray(figure.data[0].z).tolist() == COUNTS.tolist()
    assert list(figure.data[0].text[0]) == ["7", "1", "2"]
    assert list(figure.data[0].text[1]) == ["", "5", ""]
    assert figure.layout.xaxis.title.text == "predicted"
    assert figure.layout.yaxis.title.text == "gold"
    assert figure.layout.xaxis.ticktext == ("PER", "LOC", "nothing<br>(missed)")
    assert figure.layout.yaxis.ticktext == ("PER", "LOC", "nothing (spurious)")
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.data[0].customdata[0][2] == "PER → nothing (missed)"


def test_without_the_diagonal_the_scale_is_that_of_the_mistakes():
    figure = label_confusion(COUNTS, ["PER", "LOC"], hide_diagonal=True)
    assert [figure.data[0].z[at][at] for at in range(3)] == [None, None, 0]
    assert figure.data[0].zmax == 3
    assert label_confusion(COUNTS, ["PER", "LOC"]).data[0].zmax == 7


def test_a_labels_name_is_no_markup():
    figure = label_confusion(np.ones((2, 2), dtype=int), ["<b>A"])
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;A"
    assert figure.data[0].customdata[0][0] == "&lt;b&gt;A → &lt;b&gt;A"


def test_boundaries_are_split_by_side_and_by_label():
    figure = boundary_errors([(at, 2 * at) for at in range(len(BOUNDARIES))], "zh")
    right, wrong = figure.data
    assert list(right.x) == list(range(8))
    assert list(wrong.x) == list(range(0, 16, 2))
    assert list(right.y) == list(range(8))
    assert figure.layout.yaxis.ticktext[:2] == ("左边偏短", "左边偏长")
    assert len(set(figure.layout.yaxis.ticktext)) == 8
    assert wrong.marker.pattern.shape != right.marker.pattern.shape


def test_a_bin_shows_recall_precision_and_f1_in_percent_and_how_many_spans():
    scores = [Score(4, 5, 2), Score(0, 3, 0), Score(2, 0, 0), Score(0, 0, 0)]
    figure = scores_by(scores, ["0", "1", "<2", "3"], "times")
    recall, precision, f1 = figure.data
    assert list(recall.y) == [50.0, None, 0.0, None]
    assert list(precision.y) == [40.0, 0.0, None, None]
    assert list(f1.y) == [pytest.approx(100 * 4 / 9), 0.0, 0.0, None]
    assert figure.layout.xaxis.ticktext == ("0<br>4", "1<br>0", "&lt;2<br>2", "3<br>0")
    assert recall.customdata[0] == "gold: 2 of 4"
    assert precision.customdata[0] == "predicted: 2 of 5"
    assert figure.layout.xaxis.title.text == text("{axis} (below: gold spans)", axis="times")


def test_reliability_shows_only_bins_with_spans_and_where_they_are():
    curve = calibration([0.95, 0.97, 0.6, 0.2, 0.12], [True, False, True, False, False])
    perfect, line, bars = reliability(curve).data
    assert (list(perfect.x), list(perfect.y)) == ([0, 1], [0, 1])
    assert list(line.customdata) == list(bars.customdata) == [1, 5, 9]
    assert list(line.x) == pytest.approx([0.16, 0.6, 0.96])
    assert list(line.y) == [0.0, 1.0, 0.5]
    assert list(bars.y) == [2, 1, 2]
    assert list(bars.x) == pytest.approx([0.15, 0.55, 0.95])
    assert not any(np.isnan(value) for value in (*line.x, *line.y))


def test_few_spans_have_whole_ticks():
    assert boundary_errors([(1, 0), *[(0, 0)] * 7]).layout.xaxis.dtick == 1
    assert boundary_errors([(2, 1), *[(0, 0)] * 7]).layout.xaxis.range == (0, 1.05 * 3)
    assert boundary_errors([(40, 2), *[(0, 0)] * 7]).layout.xaxis.dtick is None


def test_a_run_without_a_mistake_is_a_sentence_and_no_empty_chart():
    none_wrong = boundary_errors([(0, 0)] * 8, "zh")
    assert (len(none_wrong.data), none_wrong.layout.annotations[0].text) == (0, "没有边界错误。")
    perfect = np.diag([3, 2, 0])
    hidden = label_confusion(perfect, ["PER", "LOC"], hide_diagonal=True)
    assert len(hidden.data) == 0
    assert "there is nothing off the diagonal" in hidden.layout.annotations[0].text
    assert label_confusion(perfect, ["PER", "LOC"]).data[0].zmax == 3
