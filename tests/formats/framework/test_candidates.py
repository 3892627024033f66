"""A file that formats fit about equally well is not read by the first of them."""

import json

import pytest

from core.formats import read_file
from core.formats.framework.candidates import UnsureFormat

TEXT = "拜登在北京会见记者"
BOTH = {"text": TEXT, "label": [[0, 2, "PER"], [3, 5, "LOC"]], "spans": []}


@pytest.fixture
def both(tmp_path):
    path = tmp_path / "both.jsonl"
    path.write_text(json.dumps(BOTH, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def test_formats_that_read_something_different_are_named_with_what_they_read(both):
    with pytest.raises(
        UnsureFormat, match=r"jsonl \(1 document, 0 spans\), doccano \(1 document, 2 spans\)"
    ) as told:
        read_file(both)
    assert [candidate.format for candidate in told.value.candidates] == ["jsonl", "doccano"]
    assert told.value.candidates[1].first.text == TEXT
    assert read_file(both, "doccano").counts["spans"] == 2


def test_formats_that_read_the_same_are_no_question(tmp_path):
    path = tmp_path / "same.jsonl"
    record = {"text": TEXT, "label": [[0, 2, "PER"]], "spans": [{"start": 0, "end": 2, "label": "PER"}]}
    path.write_text(json.dumps(record), encoding="utf-8")
    assert read_file(path).format == "jsonl"


def test_a_table_without_names_and_ending_may_be_text_as_well(tmp_path):
    path = tmp_path / "rows.data"
    path.write_text("a,one line of words\nb,and one more of them\nc,the last\n")
    with pytest.raises(UnsureFormat) as told:
        read_file(path)
    assert {candidate.format for candidate in told.value.candidates} == {"csv", "plain"}
