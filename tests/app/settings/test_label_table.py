"""The table of labels and back."""

from __future__ import annotations

import pytest

from app.services.errors import AppError
from app.settings.label_table import labels_of, rows_of
from core.text import Label, LabelSet

LABELS = LabelSet([Label("PER", "#0072B2", "1", "people"), Label("地点", "#D55E00", "", "places, 城市")])


def test_rows_spell_the_labels_they_came_from():
    assert labels_of(rows_of(LABELS)) == LABELS


def test_empty_rows_are_skipped_and_a_missing_colour_is_chosen():
    labels = labels_of([["", None, float("nan"), ""], ["ORG", "", "Q", None], []])
    assert [(label.name, label.colour, label.hotkey) for label in labels] == [("ORG", "#0072B2", "q")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (["", "#0072B2", "", "no name"], "Row 1"),
        (["a\tb", "", "", ""], "Row 1"),
        (["X", "red", "", ""], "'red' is not a colour"),
        (["X", "#0072B2; background: url(//evil)", "", ""], "is not a colour"),
        (["X", "", "ab", ""], "one letter or digit"),
        (["X", "", "j", ""], "other than j and k"),
    ],
)
def test_a_row_that_is_no_label_is_named(row, reason):
    with pytest.raises(AppError, match=reason):
        labels_of([row])


@pytest.mark.parametrize("second", [["PER", "", "2", ""], ["LOC", "", "1", ""]])
def test_two_rows_with_one_name_or_one_key_are_refused(second):
    with pytest.raises(ValueError, match="PER"):
        labels_of([["PER", "", "1", ""], second])
