"""Formats that are known and not read are refused by name, and ordinary text is never taken for one."""

import pytest

from core.formats import FormatError, read_file

KNOWN = {
    "TEI XML": '<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>',
    "HTML": "<!doctype html>\n<html><body>拜登在北京</body></html>",
    "XML": "<root>\n  <sentence id='1'>拜登</sentence>\n</root>\n",
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("ending", [".txt", ".xml", ".conll", ".tsv"])
def test_a_known_format_is_refused_by_name_with_a_way_in(tmp_path, name, ending):
    path = tmp_path / f"data{ending}"
    path.write_text(KNOWN[name], encoding="utf-8")
    with pytest.raises(
        FormatError, match=rf"(?s)data\{ending} is {name}.*which is not read: .+name the format"
    ):
        read_file(path)
    assert read_file(path, "plain").documents, "a person who names the format has their way"


@pytest.mark.parametrize(
    "text",
    [
        "<拜登>在北京\n<记者>没有来\n",
        "<3 this phone\n",
        "a < b and b > c\n",
        "1. 拜登在北京\n2. 会见记者\n",
        "1\t拜登在北京\n2\t会见记者\n",
        "# 标题\n\n正文第一段。\n",
        "## 第一章\n\n拜登在北京。\n",
        "version one of the text\n",
        "## 意图\n- 去[北京](城市)\n",
        "nlu:\n- 一\n- 二\n",
    ],
)
def test_text_is_text(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    assert read_file(path).documents


TABLE = "1\t今天下雨\t天气\n2\t昨天下雪\t天气\n\n3\t他回清河了\t人\n"


def test_a_table_that_no_format_fits_is_not_taken_for_text(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text(TABLE, encoding="utf-8")
    with pytest.raises(FormatError, match=r"data\.txt looks like a table of 3 columns.*plain.*tsv"):
        read_file(path)
    read = read_file(path, "plain")
    assert [document.text for document in read.documents] == [line for line in TABLE.split("\n") if line]


@pytest.mark.parametrize(
    "text",
    [
        "\t今天下雨。\n\t昨天下雪。\n\t明天晴。\n",  # paragraphs that are indented
        "目录\t1\n今天下雨。\n昨天下雪。\n明天晴。\n",  # one line of several
        "今天\t下雨\n昨天\t下雪\n",  # too little to tell
    ],
)
def test_tabs_alone_make_no_table(tmp_path, text):
    path = tmp_path / "data.txt"
    path.write_text(text, encoding="utf-8")
    assert read_file(path).format == "plain"
