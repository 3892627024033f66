"""Where a figure would have empty axes, a sentence stands, and its lines fit a phone."""

import numpy as np
import pytest

from app.dictionary.figures import coverage_bars, match_bars
from app.inspect.figures.errors import boundary_errors, label_confusion, scores_by
from app.inspect.figures.probing import probe_curves
from app.train.figures.best import search_curve
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.training_curves import training_curves
from core.text.scoring import Score

NOTHING = Score(0, 0, 0)
PROBED = {"run": "a", "task": "entity", "place": 0, "layer": "0", "accuracy": 0.5, "baseline": 0.4}
EMPTY = {
    "training_curves": lambda language: training_curves({"an imported model": []}, language),
    "search_curve": lambda language: search_curve([], 0.0, language),
    "coverage_bars": lambda language: coverage_bars({}, language),
    "match_bars": lambda language: match_bars({}, language),
    "label_confusion": lambda language: label_confusion(np.zeros((2, 2), int), ["PER"], language),
    "scores_by": lambda language: scores_by([NOTHING], ["short"], "length", language),
    "boundary_errors": lambda language: boundary_errors([(0, 0)] * 8, language),
    "probe_curves": lambda language: probe_curves([PROBED], "control", language),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", EMPTY)
def test_a_figure_without_data_says_so_instead_of_drawing_axes(name, language):
    figure = EMPTY[name](language)
    assert not figure.data
    assert figure.layout.xaxis.visible is figure.layout.yaxis.visible is False
    (said,) = figure.layout.annotations
    assert all(len(line) <= (46 if language == "en" else 23) for line in said.text.split("<br>"))
    assert any("\u4e00" <= character <= "\u9fff" for character in said.text) == (language == "zh")


def test_a_long_sentence_has_the_lines_it_needs():
    figure = sentence_alone("word " * 30)
    lines = figure.layout.annotations[0].text.split("<br>")
    assert " ".join(lines) == ("word " * 30).strip()
    assert figure.layout.height >= 18 * len(lines)
