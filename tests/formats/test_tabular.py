"""CSV and TSV: the text column found, quotes understood, bad rows refused by line."""

import csv

import pytest

from core.formats import FormatError, Reading, read_file, tabular, write_file
from core.text import Document


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t")])
def test_the_named_column_is_the_text_and_the_others_are_meta(read, name, delimiter):
    rows = [["id", "source", "Text"], ["7", "news", '"拜登说""你好"",\n走了"'], ["8", "", "第二行"]]
    result = read("\r\n".join(delimiter.join(row) for row in rows), name)
    assert result.format == name[2:]
    first, second = result.documents
    assert (first.id, first.text, first.meta) == ("7", '拜登说"你好",\n走了', {"source": "news"})
    assert (second.id, second.text, second.meta) == ("8", "第二行", {})


def test_without_names_the_longest_column_is_the_text(read):
    result = read("1,拜登在北京会见记者\n2,会见之后没有声明\n", "a.csv")
    assert [document.text for document in result.documents] == ["拜登在北京会见记者", "会见之后没有声明"]
    assert result.documents[0].meta == {"column 1": "1"}
    assert "column 2" in result.notes[0]


def test_a_column_is_chosen_by_name_and_a_wrong_name_lists_those_there_are(read):
    content = "text,comment\n甲,乙\n"
    assert read(content, "a.csv", text_column="comment").documents[0].text == "乙"
    with pytest.raises(FormatError, match="no column 'body'; there are text, comment"):
        read(content, "a.csv", text_column="body")


def test_the_cells_of_the_first_row_can_be_chosen_from(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id, "text" ,备注\n1,甲,乙\n', encoding="utf-8")
    reading = Reading(path)
    assert reading.format.header_names(reading.source) == ("id", '"text"', "备注")
    path.write_text('"open\n', encoding="utf-8")
    assert reading.format.header_names(reading.source) == ()


def test_a_row_that_is_too_short_is_refused_and_can_be_mended_under_its_header(read, tmp_path):
    result = read("id,text\n1,甲\n2\n3,丙\n", "a.csv")
    assert [document.text for document in result.documents] == ["甲", "丙"]
    assert (result.refusals[0].line, result.refusals[0].raw) == (3, "2\n")
    result.write_refused(tmp_path / "mend.csv")
    assert (tmp_path / "mend.csv").read_text() == "id,text\n2\n"


def test_a_quote_that_is_never_closed_costs_its_own_line_only(read):
    result = read('id,text\n1,甲\n2,"乙\n3,丙\n4,丁\n', "a.csv")
    assert [document.text for document in result.documents] == ["甲", "丙", "丁"]
    assert [(refusal.line, refusal.raw) for refusal in result.refusals] == [(3, '2,"乙\n')]
    assert "the quotes do not match" in result.refusals[0].reason


def test_many_bad_quotes_do_not_take_quadratic_time(read):
    result = read("id,text\n" + '1,"a" b\n' * 2000 + '2,"c\n' * 20_001, "a.csv")
    assert sum(refusal.raw.count("\n") for refusal in result.refusals) == 22_001


def test_a_cell_of_a_megabyte_is_read(read):
    assert len(read("id,text\n1," + "字" * 400_000 + "\n", "a.csv").documents[0].text) == 400_000


def test_what_a_spreadsheet_would_take_for_a_formula_stays_text(tmp_path):
    write_file([Document("1", '=1+1,"x"\n')], tmp_path / "a.csv")
    assert read_file(tmp_path / "a.csv").documents[0].text == '=1+1,"x"\n'


@pytest.mark.parametrize(
    ("costly", "documents", "last"), [(1 << 22, 7, '2,"b\n'), (4, 1, '2,"b\n' + "3,y\n" * 6)]
)
def test_open_quotes_in_a_large_file_are_not_tried_at_every_line(read, monkeypatch, costly, documents, last):
    monkeypatch.setattr(tabular, "_COSTLY", costly)
    monkeypatch.setattr(tabular, "_RETRIES", 3)
    result = read('id,text\n1,"a\n0,x"b\n2,"b\n' + "3,y\n" * 6, "a.csv")
    assert [refused.raw for refused in result.refusals] == ['1,"a\n', last]
    assert len(result.documents) == documents


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_no_cell_that_is_written_is_a_formula_of_a_spreadsheet_and_every_text_comes_back(tmp_path, name):
    texts = ["=1+1", "+49", "-5°", "@SUM(A1)", "\t=1", "\r=1", "＝1", "'=1", "''-", "'quoted'", "a=b", "北京"]
    documents = [Document(f"{text}{at}", text) for at, text in enumerate(texts)]
    path = tmp_path / f"a.{name}"
    assert write_file(documents, path, name) == {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="," if name == "csv" else "\t"):
            assert all(cell[0] not in "=+-@\t\r\n＝＋－＠" for cell in row), row
    result = read_file(path)
    assert [(one.id, one.text) for one in result.documents] == [(one.id, one.text) for one in documents]
    assert any("apostrophe" in note for note in result.notes)


def test_an_apostrophe_in_a_file_of_others_is_text(read):
    (document,) = read("id,text,source\n1,'-tis,web\n", "a.csv").documents
    assert document.text == "'-tis"
