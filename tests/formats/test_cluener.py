"""CLUENER: inclusive ends, every one checked against its surface."""

import json

import pytest

from core.formats import WriteOptions, by_name
from core.text import Document, Span

TEXT = "拜登在北京会见记者，拜登未作声"


def line(label, text=TEXT, **more):
    return json.dumps({"text": text, "label": label, **more}, ensure_ascii=False) + "\n"


def test_ends_are_inclusive_and_one_surface_may_stand_in_several_places(read):
    result = read(
        line({"name": {"拜登": [[0, 1], [10, 11]]}, "address": {"北京": [[3, 4]]}}, id=5), "dev.json"
    )
    assert result.format == "cluener"
    (document,) = result.documents
    assert document.id == "5"
    assert document.spans == (Span(0, 2, "name"), Span(3, 5, "address"), Span(10, 12, "name"))


@pytest.mark.parametrize(
    ("text", "pair", "reading"),
    [
        ("在北京", [1, 2], None),
        ("在北京", [1, 3], "code points, end exclusive"),
        ("😀在北京", [3, 4], "UTF-16 units, end inclusive"),
        ("😀在北京", [3, 5], "UTF-16 units, end exclusive"),
    ],
)
def test_pairs_that_fit_only_otherwise_are_read_so_and_noted(read, text, pair, reading):
    result = read(line({"address": {"北京": [pair]}}, text))
    assert [d.surface(d.spans[0]) for d in result.documents] == ["北京"]
    assert (reading is None) == (result.notes == ())
    assert reading is None or reading in result.notes[0]


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ({"name": {"拜登": [[1, 2]]}}, "should read '拜登' but the text there is '登在'"),
        ({"name": {"拜登": [[0, 99]]}}, "should read '拜登'"),
        ({"name": {"未作声": [[12, 99]]}}, "name 12-99 (end inclusive) should read '未作声'"),
        ({"name": {"拜登": [[-2, -1]]}}, "should read '拜登' but the text there is ''"),
        ({"name": {"拜登": [[0]]}}, "pairs [first, last]"),
        ({"name": {"拜登": 3}}, "list of pairs"),
        ({"name": {"拜登": [["a", 1]]}}, "whole number"),
        ({"name": ["拜登"]}, "surfaces and their pairs"),
        ([], "an object of labels"),
    ],
)
def test_a_pair_that_fits_no_reading_refuses_its_record(read, label, reason):
    result = read(line(label) + line({}), "dev.json", "cluener")
    assert len(result.documents) == 1
    assert (result.refusals[0].line, reason in result.refusals[0].reason) == (1, True), result.refusals


def test_nested_and_crossing_spans_go_out_with_inclusive_ends():
    document = Document("3", "北京大学", (Span(0, 4, "ORG"), Span(0, 2, "LOC"), Span(1, 3, "ORG")), {"a": 1})
    content, lost = by_name("cluener").render(document, WriteOptions())
    assert json.loads(content) == {
        "id": 3,
        "text": "北京大学",
        "label": {"ORG": {"北京大学": [[0, 3]], "京大": [[1, 2]]}, "LOC": {"北京": [[0, 1]]}},
    }
    assert lost == {"meta": 1}
