"""Rows of labels as the browser sends them."""

import pytest

from app.ui.label_rows import LabelRow, labels_of
from app.ui.server_function import ServerError
from core.text import Label, LabelSet

LABELS = LabelSet([Label("PER", "#0072B2", "1", "people"), Label("地点", "#D55E00", "", "places, 城市")])


def row(name, colour="", hotkey="", description=""):
    return LabelRow(name=name, colour=colour, hotkey=hotkey, description=description)


def test_the_rows_of_labels_are_the_labels_again():
    assert labels_of([LabelRow(**cells) for cells in LABELS.to_json()]) == LABELS


def test_rows_that_nobody_wrote_into_are_skipped_and_a_missing_colour_is_chosen():
    labels = labels_of([row("", "#D55E00", "1"), row(" ORG ", "", "Q")])
    assert [(label.name, label.colour, label.hotkey) for label in labels] == [("ORG", "#0072B2", "q")]


@pytest.mark.parametrize(
    ("wrong", "field", "reason"),
    [
        (row("", "", "", "no name"), "name", "has no name"),
        (row("a\tb"), "name", "Invalid name"),
        (row("FIRST"), "name", "another label FIRST"),
        (row("X", "red"), "colour", "'red' is not a colour"),
        (row("X", "#0072B2; background: url(//evil)"), "colour", "is not a colour"),
        (row("X", "", "ab"), "hotkey", "one letter or digit"),
        (row("X", "", "j"), "hotkey", "other than j and k"),
        (row("X", "", "1"), "hotkey", "FIRST has the key 1 already"),
    ],
)
def test_a_wrong_cell_is_named_by_row_and_field(wrong, field, reason):
    with pytest.raises(ServerError, match=reason) as refused:
        labels_of([row("FIRST", "", "1"), wrong])
    assert refused.value.details == {"row": 1, "field": field}
