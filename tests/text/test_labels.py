"""Label sets: names and keys are distinct, order is kept, colours and keys are given out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import LABEL_COLOURS, Label, LabelSet, UnknownLabelError
from core.text.labels import HOTKEYS

NAMES = st.lists(st.sampled_from([f"L{number}" for number in range(60)]), max_size=50)


@given(NAMES, NAMES)
def test_names_keep_their_order_and_first_come_gets_a_key_of_its_own(first, second):
    labels = LabelSet().extended(first).extended(second)
    assert labels.names == tuple(dict.fromkeys(first + second))
    keys = [label.hotkey for label in labels]
    assert keys == [*HOTKEYS, *[""] * 60][: len(keys)]
    assert [label.colour for label in labels] == [
        LABEL_COLOURS[n % len(LABEL_COLOURS)] for n in range(len(keys))
    ]


@given(NAMES)
def test_labels_survive_json(names):
    labels = LabelSet().extended(names)
    assert LabelSet.from_json(labels.to_json()) == labels


def test_json_may_hold_names_only():
    (label,) = LabelSet.from_json([{"name": "PER"}])
    assert label == Label("PER", LABEL_COLOURS[0], "", "")


def test_twelve_colours_are_twelve_and_no_key_moves_between_documents():
    assert len(set(LABEL_COLOURS)) == 12
    assert len(set(HOTKEYS)) == len(HOTKEYS)
    assert not set(HOTKEYS) & set("jk")


@pytest.mark.parametrize("name", ["", " PER", "PER ", "a\tb", "a\nb"])
def test_a_name_is_a_line_without_outer_blanks(name):
    with pytest.raises(ValueError, match="non-empty line without outer blanks"):
        Label(name)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([Label("A"), Label("A")], "'A' is listed twice"),
        ([Label("A", hotkey="1"), Label("B", hotkey="1")], "'A' and 'B' share the key '1'"),
    ],
)
def test_names_and_keys_are_distinct(labels, reason):
    with pytest.raises(ValueError, match=reason):
        LabelSet(labels)


def test_labels_without_a_key_do_not_share_one():
    assert len(LabelSet([Label("A"), Label("B")])) == 2


def test_an_unknown_label_names_those_there_are():
    labels = LabelSet().extended(["PER", "LOC"])
    assert "PER" in labels
    assert labels["LOC"].hotkey == "2"
    with pytest.raises(UnknownLabelError, match="label 'ORG' is not a label of this project: PER, LOC"):
        labels["ORG"]
    with pytest.raises(UnknownLabelError, match="none yet"):
        LabelSet()["ORG"]
