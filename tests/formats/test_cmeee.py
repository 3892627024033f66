"""CMeEE's text: bars between a text and its spans, ends inclusive."""

import pytest

from core.formats import WriteOptions, by_name, read_file
from core.text import Document, Span

LINE = "头痛三天，服用布洛芬|||0    1    sym|||7    9    dru|||\n"


def test_ends_are_inclusive(read):
    result = read(LINE, "train_data.txt")
    assert result.format == "cmeee"
    (document,) = result.documents
    assert (document.id, document.text) == ("train_data-1", "头痛三天，服用布洛芬")
    assert [(document.surface(span), span.label) for span in document.spans] == [
        ("头痛", "sym"),
        ("布洛芬", "dru"),
    ]


def test_spans_may_lie_in_others_and_a_text_may_have_none(read):
    result = read("肺炎球菌肺炎|||0    5    dis|||0    3    mic|||4    5    dis|||\r\n无明显不适|||\r\n")
    assert [span.key for span in result.documents[0].spans] == [(0, 6, "dis"), (0, 4, "mic"), (4, 6, "dis")]
    assert result.documents[1].spans == ()
    assert result.format == "cmeee"


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        ("3    2    sym", "span sym 3-2 (end inclusive) ends before it begins"),
        ("0    99    sym", "0-99 does not lie in the text, which has 2 characters"),
        ("0    1", "expected first, last and label between bars, got '0    1'"),
        ("a    1    sym", "expected first, last and label"),
        ("-1    1    sym", "expected first, last and label"),
        ("0    9999999999    sym", "expected first, last and label"),
    ],
)
def test_a_line_with_a_span_that_cannot_be_is_refused_with_its_number(read, entity, reason):
    result = read(LINE + f"头痛|||{entity}|||\n" + LINE, format="cmeee")
    assert len(result.documents) == 2
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason
    assert refusal.raw == f"头痛|||{entity}|||\n"


def test_a_span_is_written_with_its_last_character():
    document = Document("1", "肺炎球菌", (Span(0, 4, "mic"), Span(0, 1, "bod")))
    assert by_name("cmeee").render(document, WriteOptions()) == (
        "肺炎球菌|||0    3    mic|||0    0    bod|||\n",
        {"ids": 1},
    )


@pytest.mark.parametrize("text", ["甲|||乙", "甲|", "甲\r\n乙"])
def test_bars_and_breaks_that_would_end_a_field_are_replaced_and_counted(read, text):
    document = Document("1", text, (Span(0, 1, "a|"),))
    line, lost = by_name("cmeee").render(document, WriteOptions())
    assert lost == {"ids": 1, "texts": 1, "labels": 1}
    (back,) = read(line, format="cmeee").documents
    assert back.text != text
    assert len(back.text) == len(text)
    assert back.spans == (Span(0, 1, "a\uff5c"),)


def test_the_published_corpus_is_read(shared_data):
    result = read_file(shared_data / "cmeee" / "val_data.txt")
    assert result.format == "cmeee"
    assert result.refusals == ()
    assert (len(result.documents), sum(len(d.spans) for d in result.documents)) == (5000, 20300)
    assert sum(len(d.text) for d in result.documents) == 270_417


def test_a_label_that_would_vanish_is_written_as_another(read):
    document = Document("1", "甲", (Span(0, 1, "\0"), Span(0, 1, " b ")))
    line, lost = by_name("cmeee").render(document, WriteOptions())
    assert lost == {"ids": 1, "labels": 2}
    assert {span.label for span in read(line, format="cmeee").documents[0].spans} == {"_", "b"}
