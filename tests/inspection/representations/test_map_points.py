"""Points of a map: every span or character once, with what people and the run say of it."""

from __future__ import annotations

from types import SimpleNamespace

from core.inspection.representations.map_points import character_points, span_points
from core.text import Document, Span


def labelled(text, gold, predicted, number=7):
    document = Document("a", text, tuple(gold))
    return SimpleNamespace(document_id=number, document=document, split="dev", predicted=predicted)


PER, LOC = Span(0, 2, "PER"), Span(3, 6, "LOC")


def told(points):
    return [(p.start, p.end, p.gold, p.predicted, p.kind) for p in points]


def test_spans_that_stand_for_one_another_are_one_point():
    one = labelled("陈禾在岭南市工作", [PER, LOC], (Span(3, 5, "LOC"), Span(6, 8, "ORG")))
    points = list(span_points([one]))
    assert told(points) == [
        (0, 2, "PER", None, "missed"),
        (3, 6, "LOC", "LOC", "boundary"),
        (6, 8, None, "ORG", "spurious"),
    ]
    assert {(point.document_id, point.text) for point in points} == {(7, "陈禾在岭南市工作")}


def test_a_character_is_judged_by_the_outermost_span_over_it_and_blanks_are_no_points():
    gold = [Span(0, 4, "ORG"), Span(0, 2, "LOC")]
    one = labelled("岭南大学 好人", gold, (Span(0, 2, "ORG"), Span(2, 4, "LOC"), Span(5, 6, "PER")))
    assert told(character_points([one])) == [
        (0, 1, "ORG", "ORG", "correct"),
        (1, 2, "ORG", "ORG", "correct"),
        (2, 3, "ORG", "LOC", "label"),
        (3, 4, "ORG", "LOC", "label"),
        (5, 6, None, "PER", "spurious"),
        (6, 7, None, None, "correct"),
    ]


def test_a_document_that_the_run_has_not_read_was_missed_altogether():
    one = labelled("陈禾在", [PER], None)
    assert [point.kind for point in span_points([one])] == ["missed"]
    assert [point.kind for point in character_points([one])] == ["missed", "missed", "correct"]
