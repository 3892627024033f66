"""Where spans go when a text is edited, each case written out by hand, and what holds for every edit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.inspection.what_if.alignment import Alignment
from core.text import Span

TEXT = "林知远先生出任青禾大学校长。"
PERSON, SCHOOL = Span(0, 3, "PER", 0.9), Span(7, 11, "ORG")


def surface_after(after, span):
    """The characters that ``span`` of TEXT stands over in ``after``."""
    moved = Alignment.between(TEXT, after).moved(span)
    return None if moved is None else after[moved.start : moved.end]


@pytest.mark.parametrize(
    ("after", "person", "school"),
    [
        (TEXT, "林知远", "青禾大学"),
        ("🙂" + TEXT, "林知远", "青禾大学"),
        ("昨日，林知远先生出任青禾大学校长。", "林知远", "青禾大学"),
        ("林知远先生出任🙂青禾大学校长。", "林知远", "青禾大学"),
        ("林知远先生出任青禾大学的校长。", "林知远", "青禾大学"),
        ("林知远先生出任青禾大学校长", "林知远", "青禾大学"),
        ("林 知 远先生出任青禾大学校长。", "林 知 远", "青禾大学"),
        ("周若水先生出任青禾大学校长。", "周若水", "青禾大学"),
        ("欧阳若水先生出任青禾大学校长。", "欧阳若水", "青禾大学"),
        ("周林先生出任青禾大学校长。", "周林", "青禾大学"),
        ("林知远先生出任大学城校长。", "林知远", "大学城"),
        ("林知远先生出任校长。", "林知远", None),
        ("林知先生出任青禾校长。", "林知", "青禾"),
        ("林知遠先生出任青禾大學校長。", "林知遠", "青禾大學"),
        ("", None, None),
    ],
)
def test_a_span_stays_over_its_characters_or_over_what_replaced_them(after, person, school):
    assert surface_after(after, PERSON) == person
    assert surface_after(after, SCHOOL) == school


def test_label_and_score_go_along():
    moved = Alignment.between(TEXT, "啊" + TEXT).moved(PERSON)
    assert moved == Span(1, 4, "PER", 0.9)


letters = st.text("abc", max_size=12)


@given(letters, letters)
def test_stretches_cover_both_texts_and_kept_ones_read_the_same(before, after):
    stretches = Alignment.between(before, after).stretches
    assert "".join(before[s.start : s.end] for s in stretches) == before
    assert "".join(after[s.new_start : s.new_end] for s in stretches) == after
    assert all(before[s.start : s.end] == after[s.new_start : s.new_end] for s in stretches if s.kept)


@given(letters, letters, letters, letters.filter(bool))
def test_what_stands_beside_a_single_edit_does_not_move_off_its_characters(head, old, new, word):
    before, after = word + "|" + old + "|" + head, word + "|" + new + "|" + head
    alignment = Alignment.between(before, after)
    assert alignment.moved(Span(0, len(word), "X")) == Span(0, len(word), "X")
    if head:
        moved = alignment.moved(Span(len(before) - len(head), len(before), "X"))
        assert moved == Span(len(after) - len(head), len(after), "X")
