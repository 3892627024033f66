"""What changed between two runs, and who was right."""

from dataclasses import dataclass

import numpy as np
import pytest

from core.inspection.corpus.comparison import count_tables, outcome, side_changes
from core.inspection.corpus.span_changes import by_label, count_by_kind, grouped, span_changes
from core.text import Document, Span, sort_spans
from core.text.scoring import score_documents

TEXT = "周敏出任岭南钢厂副厂长"
PER, ORG, TITLE = Span(0, 2, "PER"), Span(4, 8, "ORG"), Span(8, 11, "TITLE")


@dataclass
class Case:
    document_id: int
    document: Document
    gold: tuple[Span, ...] | None
    predicted: tuple[tuple[Span, ...], ...]


def case(base, other, gold=None, number=1, text=TEXT):
    said = (sort_spans(base), sort_spans(other))
    return Case(number, Document(str(number), text, gold or ()), None if gold is None else tuple(gold), said)


def told(base, other):
    return [
        (change.kind, change.before and change.before.key, change.after and change.after.key)
        for change in span_changes(base, other)
    ]


def test_the_same_spans_are_no_change_whatever_their_scores():
    assert told([PER, ORG], [ORG, Span(0, 2, "PER", 0.3)]) == []


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        ([], [PER], ("new", None, (0, 2, "PER"))),
        ([PER], [], ("lost", (0, 2, "PER"), None)),
        ([ORG], [Span(4, 6, "ORG")], ("boundary", (4, 8, "ORG"), (4, 6, "ORG"))),
        ([ORG], [Span(4, 8, "LOC")], ("label", (4, 8, "ORG"), (4, 8, "LOC"))),
    ],
)
def test_a_change_has_one_of_four_kinds(base, other, expected):
    assert told(base, other) == [expected]


def test_another_extent_with_another_label_is_one_lost_and_one_new():
    assert {kind for kind, *_ in told([ORG], [Span(4, 6, "LOC")])} == {"lost", "new"}


def test_a_span_is_matched_once_with_the_best_overlap_and_same_extents_first():
    base = [Span(0, 6, "ORG")]
    assert told(base, [Span(0, 2, "ORG"), Span(2, 6, "ORG")]) == [
        ("new", None, (0, 2, "ORG")),
        ("boundary", (0, 6, "ORG"), (2, 6, "ORG")),
    ]
    assert ("label", (0, 6, "ORG"), (0, 6, "LOC")) in told(base, [Span(0, 6, "LOC"), Span(0, 5, "ORG")])


def test_adjacent_spans_are_no_moved_boundary():
    assert {kind for kind, *_ in told([Span(0, 2, "ORG")], [Span(2, 4, "ORG")])} == {"lost", "new"}


def test_equal_changes_are_one_group_the_most_frequent_first_with_the_places():
    groups = grouped([
        case([PER, ORG], [PER, Span(4, 6, "ORG")], number=7),
        case([ORG], [Span(4, 6, "ORG")], number=8),
        case([TITLE], [], number=9),
    ])  # fmt: skip
    first, second = groups
    assert (first.kind, first.before, first.after) == ("boundary", ("ORG", "岭南钢厂"), ("ORG", "岭南"))
    assert (first.count, first.documents, first.example.before) == (2, (7, 8), ORG)
    assert (second.kind, second.before, second.after) == ("lost", ("TITLE", "副厂长"), None)
    assert count_by_kind(groups) == {"new": 0, "lost": 1, "boundary": 2, "label": 0}


def test_groups_of_the_same_kind_and_labels_can_be_joined_over_their_surfaces():
    text = "岭南与青禾与江北"
    first, second, third = (Span(at, at + 2, "LOC") for at in (0, 3, 6))
    groups = grouped([
        case([], [second, third], number=4, text=text),
        case([], [first], number=3, text=text),
        case([first], [], number=5, text=text),
        case([], [third], number=6, text=text),
    ])  # fmt: skip
    assert [(group.count, group.after) for group in groups[:1]] == [(2, ("LOC", "江北"))]
    new, lost = by_label(groups)
    assert (new.kind, new.count, new.after, new.documents) == ("new", 4, ("LOC", ""), (3, 4, 6))
    assert new.example.after == first, "the example stands in the first document"
    assert (lost.kind, lost.count, lost.before, lost.after) == ("lost", 1, ("LOC", ""), None)


def test_a_document_with_two_equal_changes_is_listed_once():
    text = "岭南和岭南"
    both = [Span(0, 2, "LOC"), Span(3, 5, "LOC")]
    (group,) = grouped([case([], both, text=text)])
    assert (group.count, group.documents) == (2, (1,))


@pytest.mark.parametrize(
    ("base", "other", "gold", "expected"),
    [
        ([PER], [PER], [ORG], "same"),
        ([PER], [], None, "no_gold"),
        ([PER], [], [PER], "base_right"),
        ([PER], [PER, ORG], [PER, ORG], "other_right"),
        ([PER], [ORG], [PER, ORG], "both_wrong"),
        ([PER], [], [], "other_right"),
    ],
)
def test_a_run_is_right_about_a_document_when_all_its_spans_are_gold_and_none_is_missing(
    base, other, gold, expected
):
    assert outcome(case(base, other, gold)) == expected


@pytest.mark.parametrize(
    ("base", "other", "gold", "expected"),
    [
        ([PER], [], [PER], [("right_to_wrong", "PER")]),
        ([], [PER], [PER], [("wrong_to_right", "PER")]),
        ([PER], [], [], [("wrong_to_right", "PER")]),
        ([], [PER], [], [("right_to_wrong", "PER")]),
        ([Span(0, 1, "PER")], [PER], [PER], [("wrong_to_right", "PER")]),
        ([ORG], [Span(4, 8, "LOC")], [Span(4, 8, "LOC")], [("wrong_to_right", "LOC")]),
        ([ORG], [Span(4, 8, "LOC")], [ORG], [("right_to_wrong", "ORG")]),
        ([Span(4, 6, "ORG")], [Span(5, 8, "ORG")], [ORG], [("wrong_to_wrong", "ORG")]),
        ([PER], [PER], [ORG], []),
        ([PER], [], None, []),
    ],
)
def test_a_changed_span_is_on_one_of_three_sides(base, other, gold, expected):
    assert [(one.side, one.label) for one in side_changes(case(base, other, gold))] == expected


def test_two_gold_spans_of_which_each_run_found_one_are_two_changes():
    outer, inner = Span(4, 11, "ORG"), Span(4, 8, "ORG")
    sides = side_changes(case([outer], [inner], [outer, inner]))
    assert sorted(one.side for one in sides) == ["right_to_wrong", "wrong_to_right"]


def test_the_sides_add_up_to_the_difference_in_errors():
    """Missed plus false spans, counted from the definition, fall by what the changes say."""
    generator = np.random.default_rng(4)
    pool = [Span(a, b, label) for a in range(6) for b in range(a + 1, 7) for label in ("A", "B")]
    for _ in range(200):
        base, other, gold = (
            [pool[at] for at in generator.choice(len(pool), generator.integers(0, 5), replace=False)]
            for _ in range(3)
        )
        sides = side_changes(case(base, other, gold))
        errors = [len({s.key for s in said} ^ {s.key for s in gold}) for said in (base, other)]
        worse = sum(_errors(one.change, gold)[1] - _errors(one.change, gold)[0] for one in sides)
        assert errors[1] - errors[0] == worse
        for one in sides:
            before, after = _errors(one.change, gold)
            assert (one.side == "wrong_to_wrong") == (before > 0 and after > 0)


def _errors(change, gold):
    """Wrong spans and missed gold among those the change touches, under either run."""
    spans = [span for span in (change.before, change.after) if span is not None]
    keys = {span.key for span in gold}
    wanted = {span.key for span in spans if span.key in keys}
    before = {change.before.key} if change.before else set()
    after = {change.after.key} if change.after else set()
    return len(before ^ wanted), len(after ^ wanted)


def test_the_tables_hold_the_counts_of_the_one_scorer():
    cases = [
        case([PER, ORG], [PER], [PER, ORG, TITLE], 1),
        case([Span(4, 8, "LOC")], [ORG], [ORG], 2),
        case([PER], [PER], None, 3),
        case([], [TITLE], [], 4),
        case([PER, ORG], [PER], [PER, ORG, TITLE], 5),
    ]
    whole, by_label = count_tables(cases, 2)
    labelled = [one for one in cases if one.gold is not None]
    assert whole.documents == 4
    assert len(whole.rows) == 3, "two documents count the same"
    assert sorted(by_label) == ["LOC", "ORG", "PER", "TITLE"]
    for run in (0, 1):
        scores = score_documents(
            [one.document for one in labelled],
            [one.document.with_spans(one.predicted[run]) for one in labelled],
        )
        expected = {"": scores.micro, **scores.per_label}
        for label, table in {"": whole, **by_label}.items():
            assert table.documents == 4, "a document without the label is drawn too"
            found = table.totals[run].tolist()
            score = expected.get(label)
            assert found == ([score.correct, score.predicted, score.gold] if score else [0, 0, 0])


def test_outside_annotated_regions_no_run_is_right_or_wrong():
    annotated = {"annotated_regions": [[0, 4]]}

    def partly(base, other):
        return Case(1, Document("1", TEXT, (PER,), annotated), (PER,), (sort_spans(base), sort_spans(other)))

    more = partly([PER], [PER, ORG])
    assert (outcome(more), side_changes(more)) == ("no_gold", [])
    whole, by_label_ = count_tables([more], 2)
    assert whole.rows.tolist() == [[[1, 1, 1], [1, 1, 1]]]
    assert set(by_label_) == {"PER"}
    fewer = partly([PER, TITLE], [ORG])
    assert outcome(fewer) == "base_right"
    assert [(one.side, one.label) for one in side_changes(fewer)] == [("right_to_wrong", "PER")]
