"""GATE's JSON, and displaCy's manual input beside it."""

import json
from dataclasses import replace

import pytest

from core.formats import by_name

TEXT = "Ada 😀 met Babbage in London."


def utf16(text, start, end):
    """The text between two offsets in UTF-16 units, as Java has them."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


RECORD = {
    "text": TEXT,
    "entities": {
        "Location": [{"indices": [22, 28], "kind": "city", "rule": 7}],
        "Person": [{"indices": [0, 3], "gender": "female"}, {"indices": [11, 18]}],
        "Sentence": [],
    },
}


def test_indices_are_utf16_units(read):
    result = read(json.dumps(RECORD, ensure_ascii=False, indent=1), "doc.json")
    assert (result.format, result.refusals) == ("gate_json", ())
    (document,) = result.documents
    wanted = {
        (utf16(TEXT, *item["indices"]), label)
        for label, items in RECORD["entities"].items()
        for item in items
    }
    assert {(document.surface(span), span.label) for span in document.spans} == wanted
    assert wanted == {("Ada", "Person"), ("Babbage", "Person"), ("London", "Location")}
    assert any("features of 1" in note for note in result.notes)
    line, lost = by_name("gate_json").render(document, None)
    assert json.loads(line)["entities"] == {
        "Location": [{"indices": [22, 28], "kind": "city"}],
        "Person": [{"indices": [0, 3], "gender": "female"}, {"indices": [11, 18]}],
    }
    assert lost == {}
    assert read(line, "again.jsonl", "gate_json").documents[0].meta == document.meta


def test_attributes_that_would_not_come_back_are_counted(read):
    (document,) = read(json.dumps(RECORD), "doc.json").documents
    malformed = replace(document, meta={"attributes": ["none"]})
    assert by_name("gate_json").render(malformed, None)[1] == {"meta": 1}
    for changed in ({"name": "indices"}, {"text": "a name in a resource"}):
        first, second = document.meta["attributes"]
        meta = {**document.meta, "attributes": [first | changed, second]}
        line, lost = by_name("gate_json").render(replace(document, meta=meta), None)
        assert lost == {"meta": 1}
        assert [set(item) for item in json.loads(line)["entities"]["Person"]] == [{"indices"}, {"indices"}]


def test_chinese_and_an_annotation_without_characters(read):
    record = {"text": "许清在昆明", "entities": {"人名": [{"indices": [0, 2]}, {"indices": [3, 3]}]}}
    result = read(json.dumps(record, ensure_ascii=False) + "\n", "doc.jsonl")
    (document,) = result.documents
    assert [(document.surface(span), span.label) for span in document.spans] == [("许清", "人名")]
    assert any("without characters" in note for note in result.notes)


@pytest.mark.parametrize(
    ("entities", "reason"),
    [
        ({"X": [{"indices": [0, 99]}]}, "does not lie in the text"),
        ({"X": [{"indices": [4, 5]}]}, "inside a surrogate pair"),
        ({"X": [{"indices": [4]}]}, "[start, end]"),
        ({"X": [{"indices": ["a", 5]}]}, "whole number"),
        ({"X": [3]}, "list of objects"),
        ([1], "an object of lists"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, entities, reason):
    content = json.dumps(RECORD) + "\n" + json.dumps({"text": TEXT, "entities": entities}) + "\n"
    result = read(content, "doc.jsonl", "gate_json")
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason


@pytest.mark.parametrize("wrap", [lambda item: item, lambda item: [item]], ids=["one", "a list"])
def test_what_displacy_draws_is_read_by_entities(read, wrap):
    manual = {
        "text": TEXT,
        "ents": [{"start": 0, "end": 3, "label": "PERSON"}, {"start": 5, "end": 5, "label": "X"}],
        "title": None,
    }
    result = read(json.dumps(wrap(manual), ensure_ascii=False, indent=1), "doc.json")
    assert (result.format, result.refusals) == ("entities", ())
    (document,) = result.documents
    assert [(document.surface(span), span.label) for span in document.spans] == [("Ada", "PERSON")]
