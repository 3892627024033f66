"""HIPE: the literal coarse layer and the nested one inside it; other layers are counted."""

import pytest

from core.formats import FormatError, read_file, write_file
from core.text import Document, Span
from tests.formats.samples import HIPE_COLUMNS

HEADER = "\t".join(HIPE_COLUMNS) + "\n"


def row(token, coarse="O", nested="O", misc="_", **others):
    cells = dict.fromkeys(HIPE_COLUMNS, "_") | {"TOKEN": token, "NE-COARSE-LIT": coarse, "NE-NESTED": nested}
    return "\t".join((cells | {"MISC": misc} | others).values()) + "\n"


CONTENT = (
    HEADER
    + "# hipe2022:document_id = courier-1801-a\n# hipe2022:date = 1801-05-02\n"
    + row("#", misc="NoSpaceAfter")
    + row("Port", "B-loc", misc="EndOfLine")
    + row("of", "I-loc")
    + row("Genoa", "I-loc", "B-loc.adm.town", "NoSpaceAfter|EndOfSentence", **{"NEL-LIT": "Q1"})
    + row(".")
    + "\n# hipe2022:document_id = courier-1801-b\n"
    + row("陈", "B-pers", misc="NoSpaceAfter", **{"NE-FINE-LIT": "B-pers.ind"})
    + row("禾", "I-pers", misc="NoSpaceAfter", **{"NE-FINE-LIT": "I-pers.ind"})
    + row("会", misc="NoSpaceAfter")
    + row("昆明", "B-loc", **{"NE-COARSE-METO": "B-org", "NEL-LIT": "Q2", "NEL-METO": "Q3"})
)


def by_hand(content):
    """Surfaces (blanks left out) and labels of one column, by splitting lines and nothing else."""
    for column in (1, 6):
        surface = label = ""
        for line in [*content.splitlines(), "\tO" * 9]:
            cells = line.split("\t")
            if len(cells) < 10:
                continue
            if surface and cells[column][:1] != "I":
                yield surface, label
                surface = ""
            if cells[column][:1] in ("B", "I"):
                surface += cells[0]
                label = cells[column][2:].split(".")[0]


@pytest.mark.parametrize("name", ["HIPE-train.tsv", "train.txt", "train.conll", "train.data"])
def test_literal_and_nested_spans_over_the_text_as_it_was_printed(read, name):
    result = read(CONTENT, name)
    assert result.format == "hipe"
    first, second = result.documents
    assert (first.id, first.text) == ("courier-1801-a", "#Port of Genoa.")
    assert first.spans == (Span(1, 14, "loc"), Span(9, 14, "loc"))
    assert first.meta["date"] == "1801-05-02"
    assert (second.id, second.text) == ("courier-1801-b", "陈禾会昆明")
    found = sorted((d.surface(s).replace(" ", ""), s.label) for d in result.documents for s in d.spans)
    assert found == sorted(by_hand(CONTENT))
    assert [span.link and span.link.id for span in second.spans] == [None, "Q2"]


def test_what_is_left_out_is_counted_by_column(read):
    (note,) = [note for note in read(CONTENT, "a.tsv").notes if "left out" in note]
    for told in ("1 in NE-COARSE-METO", "1 in NE-FINE-LIT", "1 in NEL-METO"):
        assert told in note


def test_fewer_columns_are_found_by_name_and_blank_lines_part_documents_without_ids(read):
    content = "TOKEN\tNE-COARSE-METO\tNE-COARSE-LIT\nGenoa\tO\tB-loc\n\nParis\tO\tB-loc\nfell\tO\t_\n"
    first, second = read(content, "a.tsv").documents
    assert (first.text, second.text) == ("Genoa", "Paris fell")
    assert second.spans == (Span(0, 5, "loc"),)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("Genoa\tB-loc\n", "should be 10"),
        (row(" ", "O"), "its word not empty"),
        (row("Genoa", "loc"), "'loc' is not a tag"),
        (row("Genoa", "B-loc", "X-loc"), "'X-loc' is not a tag"),
    ],
)
def test_a_row_that_does_not_fit_refuses_its_document_by_line(read, tmp_path, bad, reason):
    content = f"{HEADER}# document_id = a\n{row('In')}{bad}\n# document_id = b\n{row('Paris', 'B-loc')}"
    result = read(content, "a.tsv")
    assert [document.id for document in result.documents] == ["b"]
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert "line 4" in refusal.reason
    assert reason in refusal.reason
    result.write_refused(tmp_path / "refused.tsv")
    again = read_file(tmp_path / "refused.tsv")
    assert (again.format, len(again.refusals)) == ("hipe", 1)


def test_an_orphan_is_repaired_and_told_by_line(read):
    result = read(HEADER + row("In") + row("Paris", "I-loc"), "a.tsv")
    assert result.documents[0].spans == (Span(3, 8, "loc"),)
    assert result.counts["repaired"] == 1
    assert any("line 3: I-loc" in note for note in result.notes)


def test_another_first_row_is_refused_by_name(read):
    with pytest.raises(FormatError, match="the first row should name the columns"):
        read("Paris\tB-loc\n", "a.tsv", "hipe")


def test_one_level_inside_others_is_written_and_deeper_ones_are_counted(tmp_path):
    spans = (Span(0, 5, "a"), Span(0, 3, "b"), Span(0, 2, "c"), Span(3, 5, "d.e"), Span(4, 6, "f"))
    lost = write_file([Document("1", "陈禾在昆明。", spans)], tmp_path / "a.tsv", "hipe")
    assert lost == {"nested_spans": 1, "crossing_spans": 1, "labels": 1}
    (back,) = read_file(tmp_path / "a.tsv").documents
    assert back.text == "陈禾在昆明。"
    assert set(back.spans) == {Span(0, 5, "a"), Span(0, 3, "b"), Span(3, 5, "d_e")}
