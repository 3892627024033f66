"""LexiconNER: a word, its tag and a number in each row."""

import pytest

from core.formats import FormatError, WriteOptions, by_name
from core.text import Document, Span

CONTENT = (
    "-DOCSTART- O 0\n\nMona B-PER 1\nLisa I-PER 0\nhangs O 0\nin O 0\nParis B-LOC 1\n. O 0\n\n"
    "陈 B-PER 0\n禾 I-PER 0\n走 O 0\n"
)


@pytest.mark.parametrize("name", ["train.PER.txt", "train.conll", "train.data"])
@pytest.mark.parametrize("separator", [" ", "\t"])
def test_the_tag_is_read_and_the_number_left_out(read, name, separator):
    result = read(CONTENT.replace(" ", separator), name)
    assert result.format == "lexicon_ner"
    first, second = result.documents
    assert (first.text, first.spans) == (
        "Mona Lisa hangs in Paris.", (Span(0, 9, "PER"), Span(19, 24, "LOC"))
    )  # fmt: skip
    assert (second.text, second.spans) == ("陈禾走", (Span(0, 2, "PER"),))
    assert any("number" in note for note in result.notes)


def test_tags_that_are_numbers_are_refused_and_not_taken_for_text(read):
    with pytest.raises(FormatError, match="does not say what they stand for"):
        read("Mona 1 1\nLisa 1 0\nhangs 0 0\n\nParis 3 1\n. 0 0\n", "train.txt")


@pytest.mark.parametrize(
    ("row", "reason"), [("Lisa I-PER", "a word, a tag and a number"), ("Lisa X 0", "is not a tag")]
)
def test_a_row_that_does_not_fit_refuses_its_sentence_by_line(read, row, reason):
    result = read(f"Mona B-PER 1\n{row}\n\nParis B-LOC 1\n", "train.txt", "lexicon_ner")
    assert [document.text for document in result.documents] == ["Paris"]
    (refusal,) = result.refusals
    assert "line 2" in refusal.reason
    assert reason in refusal.reason
    assert refusal.raw == f"Mona B-PER 1\n{row}\n"


@pytest.mark.parametrize(
    "content", ["北京 1 2\n昆明 3 4\n", "1 2 3\n4 5 6\n\n7 8 9\n", "He won 3\nShe won 4\n"]
)
def test_rows_of_numbers_are_not_taken_for_it(read, content):
    assert read(content, "a.txt").format == "plain"


def test_a_word_is_written_with_its_tag_and_no_dictionary():
    chunk, lost = by_name("lexicon_ner").render(Document("1", "陈禾走", (Span(0, 2, "PER"),)), WriteOptions())
    assert chunk == "陈 B-PER 0\n禾 I-PER 0\n走 O 0\n\n"
    assert lost == {"ids": 1}
