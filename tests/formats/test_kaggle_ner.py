"""Kaggle's NER data set: CSV with the sentence on its first row, not always UTF-8."""

import csv
import io

import pytest

from core.formats import FormatError, read_file, write_file
from core.text import Document, Span

HEADER = "Sentence #,Word,POS,Tag\n"
CONTENT = HEADER + (
    "Sentence: 1,Mona,NNP,B-per\n,Lisa,NNP,I-per\n,\"\"\"\",``,O\n,hangs,VBZ,O\n,\",\",\",\",O\n,in,IN,O\n"
    ",Paris,NNP,B-geo\n,.,.,O\nSentence: 2,陈,NR,B-per\n,禾,NR,I-per\n,走,VV,O\n"
)  # fmt: skip


@pytest.mark.parametrize("name", ["ner_dataset.csv", "ner.txt", "ner.data"])
def test_a_sentence_lasts_until_the_next_is_named(read, name):
    result = read(CONTENT, name)
    assert result.format == "kaggle_ner"
    first, second = result.documents
    rows = list(csv.reader(io.StringIO(CONTENT)))[1:]
    assert first.text.replace(" ", "") == "".join(row[1] for row in rows[:8])
    assert [(first.surface(s), s.label) for s in first.spans] == [("Mona Lisa", "per"), ("Paris", "geo")]
    assert (second.text, second.spans) == ("陈禾走", (Span(0, 2, "per"),))


def test_a_sentence_may_be_named_on_every_row_and_columns_may_be_others(read):
    content = "id,Sentence #,Word,Tag\n0,S1,Mona,B-per\n1,S1,left,O\n2,S2,Paris,B-geo\n"
    assert [document.text for document in read(content, "a.csv").documents] == ["Mona left", "Paris"]


def test_sentences_of_one_row_are_told_apart(read):
    content = HEADER + "Sentence: 1,Mona,NNP,B-per\nSentence: 2,Paris,NNP,B-geo\nSentence: 3,Oui,UH,O\n"
    assert [document.text for document in read(content, "a.csv").documents] == ["Mona", "Paris", "Oui"]


def test_latin_1_is_read_as_it_is_and_said(read):
    words = "".join(f",word{n},NN,O\n" for n in range(30))
    content = (HEADER + "Sentence: 1,Orléans,NNP,B-geo\n" + words).encode("latin-1")
    result = read(content, "ner_dataset.csv")
    (document,) = result.documents
    assert document.surface(document.spans[0]) == "Orléans"
    assert any("1252" in note for note in result.notes)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",Lisa,NNP", "should be 4"),
        (",,NNP,O", "its word not empty"),
        (',"Lisa,NNP,O', "should be 4"),
        (",Lisa,NNP,X", "is not a tag"),
    ],
)
def test_a_row_that_does_not_fit_refuses_its_sentence_by_line(read, row, reason):
    content = f"{HEADER}Sentence: 1,Mona,NNP,B-per\n{row}\nSentence: 2,Paris,NNP,B-geo\n"
    result = read(content, "a.csv")
    assert [document.text for document in result.documents] == ["Paris"]
    (refusal,) = result.refusals
    assert "line 3" in refusal.reason
    assert reason in refusal.reason
    assert refusal.raw == f"Sentence: 1,Mona,NNP,B-per\n{row}\n"
    assert result.refused_header == HEADER


def test_a_file_without_the_columns_is_refused_by_name(read):
    with pytest.raises(FormatError, match=r"a\.csv: the first row should name the columns"):
        read("id,text\n1,今天\n", "a.csv", "kaggle_ner")


def test_it_is_written_as_pandas_reads_it(tmp_path):
    documents = [
        Document("a", 'Mona said "no", twice', (Span(0, 4, "per"),)),
        Document("b\n1", "陈禾", (Span(0, 2, "per"),)),
    ]
    assert write_file(documents, tmp_path / "a.csv", "kaggle_ner")["ids"] == 2
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    names = [row["Sentence #"] for row in rows]
    assert [name for name in names if name] == ["Sentence: a", "Sentence: b%0A1"]
    assert [row["Tag"] for row in rows if row["Tag"] != "O"] == ["B-per", "B-per", "I-per"]


def test_no_word_that_is_written_calls_anything_in_a_spreadsheet_and_every_text_comes_back(tmp_path):
    words = [
        "=cmd|'/C'!A0",
        "+HYPERLINK(1)",
        "@SUM(1)",
        "＝X(1)",
        "'=X(1)",
        "-5",
        "=",
        "-tis",
        "'tis",
        "x=f(1)",
    ]
    text, at, tokens = " ".join(words), 0, []
    for word in words:
        tokens.append([at, at + len(word)])
        at += len(word) + 1
    path = tmp_path / "a.csv"
    write_file([Document("1", text, (), {"tokens": tokens})], path, "kaggle_ner")
    with path.open(encoding="utf-8", newline="") as file:
        written = [row[1] for row in csv.reader(file)][1:]
    called = {"'=cmd|'/C'!A0", "'+HYPERLINK(1)", "'@SUM(1)", "'＝X(1)", "''=X(1)"}
    assert written == [*sorted(called, key=written.index), "-5", "=", "-tis", "'tis", "x=f(1)"]
    (document,) = read_file(path).documents
    assert document.text.replace(" ", "") == text.replace(" ", "")  # blanks between words are not written


def test_an_apostrophe_before_a_word_of_others_is_text(read):
    (document,) = read(HEADER + "Sentence: 1,'=X(1),NNP,O\n", "a.csv").documents
    assert document.text == "'=X(1)"
