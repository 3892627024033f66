"""What became of each predicted span, case by case."""

import pytest

from core.inspection.what_if.alignment import Alignment
from core.inspection.what_if.edit_effects import Effect, effects
from core.text import Span

PER = Span(0, 3, "PER", 0.9)


def kinds(changes):
    return [(c.kind, c.before and c.before.key, c.after and c.after.key) for c in changes]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([], ("lost", (0, 3, "PER"), None)),
        ([Span(0, 3, "PER", 0.5)], ("kept", (0, 3, "PER"), (0, 3, "PER"))),
        ([Span(0, 3, "LOC")], ("label", (0, 3, "PER"), (0, 3, "LOC"))),
        ([Span(1, 3, "PER")], ("boundary", (0, 3, "PER"), (1, 3, "PER"))),
    ],
)
def test_one_span_and_what_became_of_it(after, expected):
    assert kinds(effects([PER], after)) == [expected]


def test_another_label_and_another_extent_is_one_lost_and_one_new():
    found = kinds(effects([PER], [Span(1, 3, "LOC")]))
    assert found == [("lost", (0, 3, "PER"), None), ("new", None, (1, 3, "LOC"))]


def test_the_boundary_goes_to_the_one_that_overlaps_most_and_each_is_matched_once():
    before = [Span(0, 4, "ORG"), Span(2, 6, "ORG")]
    after = [Span(0, 3, "ORG"), Span(3, 6, "ORG")]
    assert kinds(effects(before, after)) == [
        ("boundary", (0, 4, "ORG"), (0, 3, "ORG")),
        ("boundary", (2, 6, "ORG"), (3, 6, "ORG")),
    ]
    assert kinds(effects(before, after[:1])) == [
        ("boundary", (0, 4, "ORG"), (0, 3, "ORG")),
        ("lost", (2, 6, "ORG"), None),
    ]


def test_nested_spans_of_one_place_are_told_apart_by_their_labels():
    before = [Span(0, 4, "ORG"), Span(0, 2, "LOC")]
    after = [Span(0, 4, "ORG"), Span(0, 2, "PER")]
    assert kinds(effects(before, after)) == [
        ("kept", (0, 4, "ORG"), (0, 4, "ORG")),
        ("label", (0, 2, "LOC"), (0, 2, "PER")),
    ]


def test_an_edit_shifts_spans_without_changing_them_and_deletes_those_of_deleted_text():
    before, after = "林知远去岭南市", "今天，林知远去"
    changes = effects([PER, Span(4, 7, "LOC")], [Span(3, 6, "PER", 0.6)], Alignment.between(before, after))
    assert kinds(changes)[0] == ("kept", (0, 3, "PER"), (3, 6, "PER"))
    assert changes[0].change == pytest.approx(-0.3)
    assert changes[1].kind == "deleted"
    gone = effects([PER], [], Alignment.between(before, "去岭南市"))
    assert kinds(gone) == [("deleted", (0, 3, "PER"), None)]
    assert gone[0].place is None


def test_only_what_can_be_told_is_noticed():
    def kept(score):
        return Effect("kept", PER, Span(0, 3, "PER", score))

    assert [kept(score).is_noticed for score in (0.9, 0.904, 0.896, 0.91, 0.59, None)] == [
        False, False, False, True, True, False,
    ]  # fmt: skip
    assert Effect("lost", PER, None).is_noticed
    assert Effect("lost", PER, None).change is None


def test_spans_that_come_to_stand_at_one_place_count_once():
    alignment = Alignment.between("青禾大学的大学城", "大学城")
    told = effects([Span(0, 4, "ORG"), Span(5, 8, "ORG")], [Span(0, 3, "ORG")], alignment)
    assert [effect.kind for effect in told] == ["deleted", "kept"]
    both = effects(
        [Span(0, 2, "LOC"), Span(0, 3, "LOC")], [Span(0, 2, "LOC")], Alignment.between("岭南市", "岭南")
    )
    assert kinds(both) == [("kept", (0, 2, "LOC"), (0, 2, "LOC"))]
