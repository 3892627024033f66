"""CoNLL-2003 with four columns and IOB1, CoNLL-2002 with two."""

from core.formats import WriteOptions, by_name
from core.text import Document, Span
from tests.formats.samples import SAMPLES


def test_four_columns_with_iob1_are_read(read):
    content = SAMPLES["conll2003"] + "A NNP I-NP I-LOC\nB NNP I-NP B-LOC\nC NNP I-NP I-LOC\n\n"
    result = read(content)
    assert result.format == "conll2003"
    first, second = result.documents
    assert [(first.surface(s), s.label) for s in first.spans] == [("U.N.", "ORG"), ("Ekeus", "PER")]
    assert [second.surface(s) for s in second.spans] == ["A", "B C"]
    assert any("IOB1" in note for note in result.notes)


def test_b_is_written_only_between_spans_of_one_label_that_touch():
    spans = (Span(0, 1, "X"), Span(1, 2, "X"), Span(2, 3, "Y"), Span(4, 5, "X"))
    document = Document("1", "甲乙丙丁戊", spans)
    content, lost = by_name("conll2003").render(document, WriteOptions())
    assert [row.split(" ")[-1] for row in content.split()] or True
    assert content == ("甲 -X- -X- I-X\n乙 -X- -X- B-X\n丙 -X- -X- I-Y\n丁 -X- -X- O\n戊 -X- -X- I-X\n\n")
    assert lost == {"ids": 1}
    assert by_name("conll2003").header(WriteOptions()) == "-DOCSTART- -X- -X- O\n\n"


def test_two_columns_between_blanks_are_conll_2002(read):
    result = read(SAMPLES["conll2002"])
    assert (result.format, result.documents[0].text) == ("conll2002", "El presidente Aznar viaja a París")
    content, _ = by_name("conll2002").render(result.documents[0], WriteOptions())
    assert content == SAMPLES["conll2002"]
