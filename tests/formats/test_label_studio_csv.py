"""Label Studio's CSV: regions in cells are spans, and the file is not taken for a table of texts."""

import csv
import io
import json

import pytest

from tests.formats.samples import LABEL_STUDIO_CSV, SPANS, TEXT


def table(rows, delimiter=","):
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=delimiter).writerows(rows)
    return target.getvalue()


def region(text, start, end, *labels):
    return {"start": start, "end": end, "text": text[start:end], "labels": list(labels)}


def test_regions_are_spans_and_other_columns_are_kept(read):
    result = read(LABEL_STUDIO_CSV, "export.csv")
    assert (result.format, result.refusals) == ("label_studio_csv", ())
    first, second = result.documents
    assert (first.id, first.text) == ("1", TEXT)
    assert [span.key for span in first.spans] == SPANS
    assert first.meta == {"annotator": "2", "annotated_at": "2026-11-01T08:00:00Z", "mood": "good"}
    assert (second.id, second.text, second.spans) == ("2", "It rains, again.", ())


@pytest.mark.parametrize(("delimiter", "name"), [(",", "a.csv"), ("\t", "a.tsv"), ("\t", "a.txt")])
def test_every_control_and_any_name_of_the_text_is_read(read, delimiter, name):
    text = '😀 "Joe", met\nXi'
    content = table(
        [
            ["id", "article", "people", "places", "annotator"],
            ["1", text, json.dumps([region(text, 3, 6, "PER", "US")]), "", "a@b.cn"],
            ["2", "北京", "", json.dumps([region("北京", 0, 2, "LOC")], ensure_ascii=False), ""],
        ],
        delimiter,
    )
    result = read(content, name)
    assert result.format == "label_studio_csv"
    found = [[(one.surface(span), span.label) for span in one.spans] for one in result.documents]
    assert found == [[("Joe", "PER"), ("Joe", "US")], [("北京", "LOC")]]
    assert [one.text for one in result.documents] == [text, "北京"]


def test_an_export_without_any_region_is_known_by_its_columns(read):
    rows = [["annotation_id", "annotator", "created_at", "id", "lead_time", "text", "updated_at"]]
    assert read(table([*rows, ["1", "", "", "5", "", "甲", ""]]), "a.csv").format == "label_studio_csv"
    assert read("id,text\n1,甲\n", "a.csv").format == "csv"
    assert read('id,text,note\n1,甲,"[{""a"": 1}]"\n', "a.csv").format == "csv"


def test_all_controls_of_json_min_are_read(read):
    record = {"id": 1, "text": TEXT, "a": [region(TEXT, 0, 2, "PER")], "b": [region(TEXT, 3, 5, "LOC")]}
    (document,) = read(json.dumps([record]), "a.json").documents
    assert [span.key for span in document.spans] == SPANS
    assert document.meta == {}


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('[{"start": 0, "end": 2', "not JSON"),
        (json.dumps([{"start": 0, "end": 99, "text": "拜登", "labels": ["X"]}]), "does not lie in the text"),
        (json.dumps([{"start": 0, "end": 2, "text": "北京", "labels": ["X"]}]), "should read"),
        (
            json.dumps([{"start": "x", "end": 2, "labels": ["X"]}]),
            "a region's start should be a whole number",
        ),
    ],
)
def test_a_bad_row_is_refused_with_its_line_and_can_be_mended(read, tmp_path, cell, reason):
    good = ["2", TEXT, json.dumps([region(TEXT, 3, 5, "LOC")])]
    result = read(table([["id", "text", "label"], good, ["1", TEXT, cell]]), "a.csv")
    assert [document.id for document in result.documents] == ["2"]
    (refusal,) = result.refusals
    assert (refusal.line, reason in refusal.reason) == (3, True)
    result.write_refused(tmp_path / "mend.csv")
    assert (tmp_path / "mend.csv").read_text(encoding="utf-8").startswith("id,text,label\n1,")


def test_a_row_with_too_many_cells_is_refused(read):
    result = read(LABEL_STUDIO_CSV + "1,2,3,4,5,6,7,8,9,10\n", "a.csv")
    assert "the row has 10 cells and the header has 9" in result.refusals[0].reason
