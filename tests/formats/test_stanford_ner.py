"""Stanford NER: labels without prefixes, so that neighbours of one label are one span."""

from itertools import groupby

import pytest

from core.formats import FormatError, WriteOptions, by_name, read_file, write_file
from core.text import Document, Span

ENGLISH = (
    "Mona\tPERSON\nLisa\tPERSON\nhangs\tO\nin\tO\nParis\tLOCATION\n.\tO\n\n"
    "The\tO\nLouvre\tORGANIZATION\nowns\tO\nit\tO\n.\tO\n"
)
CHINESE = "陈\tPERSON\n禾\tPERSON\n在\tO\n昆\tLOCATION\n明\tLOCATION\n写\tO\n书\tO\n\n他\tO\n走\tO\n了\tO\n"


def runs(content):
    """Surfaces without blanks and labels: runs of equal labels, an oracle that knows no offsets."""
    for sentence in content.split("\n\n"):
        pairs = [line.split("\t") for line in sentence.splitlines()]
        for label, group in groupby(pairs, key=lambda pair: pair[1]):
            if label != "O":
                yield "".join(token for token, _ in group), label


@pytest.mark.parametrize("content", [ENGLISH, CHINESE])
@pytest.mark.parametrize("name", ["train.tsv", "train.txt", "train.conll", "train.data"])
def test_runs_of_a_label_are_spans(read, content, name):
    result = read(content, name)
    assert result.format == "stanford_ner"
    found = [(d.surface(s).replace(" ", ""), s.label) for d in result.documents for s in d.spans]
    assert found == list(runs(content))
    assert result.counts["repaired"] == 0
    assert any("no prefixes" in note for note in result.notes)


def test_words_are_joined_as_in_other_column_files(read):
    first, second = read(ENGLISH, "train.tsv").documents
    assert (first.text, first.spans) == (
        "Mona Lisa hangs in Paris.", (Span(0, 9, "PERSON"), Span(19, 24, "LOCATION"))
    )  # fmt: skip
    assert second.text == "The Louvre owns it."


def test_a_row_without_a_label_refuses_its_sentence_by_line(read):
    result = read(ENGLISH + "\nNo\nlabel\tO\n\nthe\tO\nend\tO\n", "train.tsv", "stanford_ner")
    assert [document.text for document in result.documents][2:] == ["the end"]
    (refusal,) = result.refusals
    assert (refusal.line, refusal.raw) == (14, "No\nlabel\tO\n")
    assert "line 14" in refusal.reason


def test_labels_that_are_numbers_are_refused(read):
    with pytest.raises(FormatError, match="does not say what they stand for"):
        read("陈\t1\n禾\t1\n在\t0\n", "train.tsv", "stanford_ner")


@pytest.mark.parametrize(
    "content",
    ["陈\tO\n禾\tO\n", "陈\tB-PER\n禾\tI-PER\n在\tO\n", "a\tb\nO\tc\n"],
    ids=["no label", "prefixes", "letters"],
)
def test_other_files_are_not_taken_for_it(read, content):
    assert read(content, "a.txt").format != "stanford_ner"


def test_a_word_list_is_not_taken_for_it(read):
    with pytest.raises(FormatError, match="looks like a table of 2 columns"):
        read("北京\tLOC\n昆明\tLOC\n陈禾\tPER\n", "a.txt")


def test_neighbours_of_a_label_are_counted_as_joined_and_come_back_as_one(tmp_path):
    document = Document("1", "陈禾李青周", (Span(0, 2, "A"), Span(2, 4, "A"), Span(4, 5, "B")))
    lost = write_file([document], tmp_path / "a.tsv", "stanford_ner")
    assert lost == {"joined_spans": 2, "ids": 1}
    (back,) = read_file(tmp_path / "a.tsv", "stanford_ner").documents
    assert back.spans == (Span(0, 4, "A"), Span(4, 5, "B"))


@pytest.mark.parametrize("label", ["O", "B-x", "7"])
def test_a_label_that_would_be_read_as_something_else_is_written_differently(tmp_path, label):
    lost = write_file([Document("1", "陈禾", (Span(0, 1, label),))], tmp_path / "a.tsv", "stanford_ner")
    assert lost["labels"] == 1
    (back,) = read_file(tmp_path / "a.tsv", "stanford_ner").documents
    assert back.spans == (Span(0, 1, f"_{label}"),)


def test_what_is_written_is_what_stanford_reads():
    document = Document("1", "Mona Lisa hangs.", (Span(0, 9, "PERSON"),))
    chunk, _ = by_name("stanford_ner").render(document, WriteOptions())
    assert chunk == "Mona\tPERSON\nLisa\tPERSON\nhangs\tO\n.\tO\n\n"
