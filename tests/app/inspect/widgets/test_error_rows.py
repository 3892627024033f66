"""What the list of errors is given: excerpts with marks in their own offsets."""

import json

from app.inspect.widgets.error_rows import CONTEXT, CUT, Row, excerpt, rows_value
from core.text import Document, LabelSet, Span

TEXT = "".join(chr(0x4E00 + at) for at in range(200))


def test_an_excerpt_cuts_both_sides_and_moves_its_marks():
    span = Span(90, 95, "PER", 0.75)
    found = excerpt(7, Document("d", TEXT), (90, 95), [("tagger", span), ("person", span)])
    assert (found.document, found.at, found.name) == (7, 90, "d")
    assert found.text == CUT + TEXT[90 - CONTEXT : 95 + CONTEXT] + CUT
    tagger, person = found.marks
    assert found.text[tagger["start"] : tagger["end"]] == TEXT[90:95]
    assert (tagger["score"], person["score"]) == (0.75, None)  # what people said has no confidence


def test_an_excerpt_at_the_ends_of_a_text_is_not_cut():
    document = Document("d", "周敏来了")
    found = excerpt(1, document, (0, 2), [("person", Span(0, 2, "PER"))])
    assert found.text == "周敏来了"
    assert found.marks[0]["start"] == 0


def test_marks_that_reach_beyond_the_excerpt_are_cut_with_it_and_others_left_out():
    marks = [("person", Span(10, 95, "A")), ("person", Span(0, 20, "B"))]
    (mark,) = excerpt(1, Document("d", TEXT), (90, 95), marks).marks
    assert (mark["label"], mark["start"]) == ("A", len(CUT))


def test_a_place_without_a_label_bears_a_name_of_its_own():
    (mark,) = excerpt(1, Document("d", "周敏来了"), (0, 2), [("place", Span(0, 2, "x"))], named="none").marks
    assert (mark["label"], mark["source"]) == ("none", "place")


def test_a_row_is_plain_data_in_the_language_of_the_person():
    hostile = "<img src=x onerror=alert(1)>${1}{{x}}`"
    document = Document("d", hostile)
    sentence = excerpt(3, document, (0, 4), [("person", Span(0, 4, "PER"))], note="n")
    value = rows_value(
        [Row("漏标", (("PER", hostile[:4]), ("", "")), (sentence,))], "t", LabelSet().extended(["PER"]), "zh"
    )
    assert json.loads(json.dumps(value)) == value
    (row,) = value["rows"]
    assert row["sentences"][0]["text"] == hostile[: 4 + CONTEXT] + (CUT if len(hostile) > 4 + CONTEXT else "")
    assert (row["sentences"][0]["document"], row["sentences"][0]["at"]) == (3, 0)
    assert value["words"]["open"] == "在“标注”页打开"
    assert value["colours"].keys() == {"PER"}
