"""PubTator: titles and abstracts as one text, identifiers as attributes, relations between identifiers."""

import time

import pytest

from core.formats import WriteOptions, by_name, read_file, write_file
from core.text import Document, EntityLink, Span
from tests.formats.samples import SAMPLES

SAMPLE = SAMPLES["pubtator"]
OTHER = "7|t|No mention\n7|a|\n\n"


def naive(content):
    """Text, and (surface, type, identifier) of every mention, by the letter of the format's page."""
    found = []
    for block in content.strip("\n").split("\n\n"):
        lines = block.split("\n")
        text = lines[0].split("|", 2)[2] + "\n" + lines[1].split("|", 2)[2]
        rows = [line.split("\t") for line in lines[2:]]
        mentions = [(text[int(row[1]) : int(row[2])], row[4], row[5]) for row in rows if row[1].isdigit()]
        found.append((text.rstrip("\n"), mentions))
    return found


def test_mentions_identifiers_and_relations_are_read(read):
    result = read(SAMPLE + OTHER, "corpus.txt")
    assert (result.format, result.notes) == ("pubtator", ())
    identified = [
        {span.key: span.link.id for span in document.spans if span.link is not None}
        for document in result.documents
    ]
    assert [
        (one.text, [(one.surface(span), span.label, known[span.key]) for span in one.spans])
        for one, known in zip(result.documents, identified, strict=True)
    ] == naive(SAMPLE + OTHER)
    first = result.documents[0]
    assert first.id == "100"
    assert first.text == "阿司匹林与头痛\nAspirin 😀 helps."
    assert first.meta["relations"] == [{"type": "CID", "from": [0, 4, "Chemical"], "to": [5, 7, "Disease"]}]


def test_what_was_read_is_written_as_it_was(read, tmp_path):
    documents = read(SAMPLE + OTHER).documents
    assert write_file(documents, tmp_path / "out.pubtator") == {}
    assert (tmp_path / "out.pubtator").read_text(encoding="utf-8") == SAMPLE + OTHER


def test_files_without_blank_lines_and_of_utf16_offsets_are_read(read):
    content = "".join(f"{n}|t|😀 aspirin\n{n}|a|and more\n{n}\t3\t10\taspirin\tDrug\n" for n in range(4))
    result = read(content)
    assert [one.surface(one.spans[0]) for one in result.documents] == ["aspirin"] * 4
    assert "UTF-16" in result.notes[0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("100\t0\t99\tx\tDrug\tD1", "0-99 does not lie in the text"),
        ("100\t0\t2\t头痛\tDrug\tD1", "should read '头痛' but the text there is '阿司'"),
        ("100\t0\t2\t阿司", "line 3: a mention should have a type"),
        ("100\t0\t2\t阿司\t ", "a label should be a text"),
        ("101\t0\t2\t阿司\tDrug", "is neither a mention nor a relation of document '100'"),
        ("just words", "line 3: 'just words' is neither"),
    ],
)
def test_a_document_with_a_bad_line_is_refused_and_the_others_come_in(read, row, reason):
    result = read(f"100|t|阿司匹林\n100|a|x\n{row}\n\n{OTHER}")
    assert [document.id for document in result.documents] == ["7"]
    (refusal,) = result.refusals
    assert refusal.line == 1
    assert reason in refusal.reason
    assert row in refusal.raw


def test_lines_before_any_title_are_refused(read):
    result = read(f"9\t0\t1\tx\tDrug\n\n{OTHER}", format="pubtator")
    assert "line 1: a document should begin with its title" in result.refusals[0].reason
    assert len(result.documents) == 1


def test_what_cannot_be_kept_is_told(read):
    content = (
        "1|t|ovarian and breast cancer\n1|a|\n1\t3\t3\t\tDisease\tD0\n"
        "1\t0\t25\tovarian and breast cancer\tDisease\tD1|D2\tovarian cancer|breast cancer\n"
        "1\tCID\tD1\tD9\n1\tBind\tD1\tD2\tNovel\n"
    )
    result = read(content)
    (document,) = result.documents
    assert [document.surface(span) for span in document.spans] == ["ovarian and breast cancer"]
    assert [one["type"] for one in document.meta["relations"]] == ["Bind"]
    for words in ("without characters", "behind the identifier", "joins no mentions", "behind the relation"):
        assert any(words in note for note in result.notes), words


def test_relations_that_would_come_back_otherwise_are_counted():
    link = EntityLink("DA")
    spans = (Span(0, 1, "A", link=link), Span(1, 2, "B"), Span(2, 3, "A", link=link))
    ties = [{"type": "x", "from": [2, 3, "A"], "to": [0, 1, "A"]}, {"type": "y", "from": [1, 2, "B"],
            "to": [0, 1, "A"]}]  # fmt: skip
    document = Document("1", "甲乙丙", spans, {"relations": ties})
    _, lost = by_name("pubtator").render(document, WriteOptions())
    assert lost == {"relations": 2}
    mixed = {"attributes": [{"name": "sure", "value": "1", "span": [0, 1, "A"]}]}
    _, lost = by_name("pubtator").render(Document("1", "甲", (Span(0, 1, "A"),), mixed), WriteOptions())
    assert lost == {"meta": 1}


def test_ids_with_bars_come_back(tmp_path):
    corpus = [Document(name, "甲\n乙") for name in ("a|b", "a%7Cb", "\ufeffx", "1\t2")]
    assert write_file(corpus, tmp_path / "a.pubtator") == {}
    assert [one.id for one in read_file(tmp_path / "a.pubtator").documents] == [one.id for one in corpus]


def test_thousands_of_documents_take_seconds(read):
    block = "{0}|t|" + "字" * 100 + "\n{0}|a|" + "词" * 99 + "\n"
    block += "".join(f"{{0}}\t{at}\t{at + 2}\t字字\tX\tD{at}\n" for at in (0, 9, 20, 40)) + "\n"
    content = "".join(block.format(number) for number in range(2000))
    begun = time.process_time()
    assert len(read(content).documents) == 2000
    assert time.process_time() - begun < 5
