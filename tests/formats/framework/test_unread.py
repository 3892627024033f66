"""Formats that are known and not read are refused by name, and ordinary text is never taken for one."""

from __future__ import annotations

import pytest

from core.formats import FormatError, read_file

KNOWN = {
    "TEI XML": '<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>',
    "HTML": "<!doctype html>\n<html><body>拜登在北京</body></html>",
    "XML": "<root>\n  <sentence id='1'>拜登</sentence>\n</root>\n",
    "CoNLL-2012": "#begin document (bc/cctv); part 000\nbc/cctv 0 0 In IN (TOP* - - - - * -\n",
    "CoNLL-U": "# sent_id = 1\n# text = EU rejects\n1\tEU\tEU\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n",
    "Rasa": 'version: "3.1"\nnlu:\n- intent: greet\n  examples: |\n    - hey [Berlin](city)\n',
    "HIPE": "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tMISC\nEU\tB-org\tO\tB-org\t_\n",
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
    ],
)
def test_text_is_text(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    assert read_file(path).documents
