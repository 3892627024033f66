"""The answer to why a span was found, as data for the page."""

from app.ui.widgets.reasons import Reason, Tinted, reasons_value, reasons_view
from core.text import Span

HOSTILE = "<img src=x onerror=alert(1)>${1}{{x}}`"


def test_a_row_keeps_its_words_and_numbers():
    row = Reason("without the word 岭南", "lost", "−0.31", 0.31, broken=True)
    value = reasons_value("岭南市 LOC 0.62", [row], note="how")
    assert value["rows"] == [
        {"what": "without the word 岭南", "outcome": "lost", "change": "−0.31", "worth": 0.31, "broken": True}
    ]
    assert (value["question"], value["note"], value["sentence"]) == ("岭南市 LOC 0.62", "how", "")


def test_a_sentence_is_drawn_only_with_a_worth_for_its_characters():
    span = Span(1, 2, "X")
    assert reasons_value("q", sentence="ab", span=span)["sentence"] == ""
    value = reasons_value("q", sentence="ab", span=span, worth=[0.123456, -1], words=[Tinted("ab", 0.5)])
    assert (value["sentence"], value["worth"]) == ("ab", [0.1235, -1.0])
    assert (value["start"], value["end"]) == (1, 2)
    assert value["words"] == [{"text": "ab", "worth": 0.5}]


def test_texts_of_people_are_data_and_no_part_of_a_template():
    view = reasons_view("reasons")
    assert "${" not in view.html_template
    assert "{{" not in view.html_template
    value = reasons_value(HOSTILE, sentence=HOSTILE, span=Span(0, 1, HOSTILE), worth=[0.0] * len(HOSTILE))
    assert value["question"] == value["sentence"] == HOSTILE
