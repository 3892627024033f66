"""CCKS clinical records: ends are exclusive, a surface is checked."""

import json

import pytest

from core.formats import by_name

TEXT = "因头痛三天就诊，口服布洛芬。"
ENTITIES = [
    {"label_type": "疾病和诊断", "overlap": 0, "start_pos": 1, "end_pos": 3},
    {"label_type": "药物", "overlap": 0, "start_pos": 10, "end_pos": 13},
]


def as_lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def naive(record):
    return [
        (record["originalText"][e["start_pos"] : e["end_pos"]], e["label_type"]) for e in record["entities"]
    ]


@pytest.mark.parametrize("name", ["subtask1.txt", "train.json", "train.jsonl"])
def test_ends_are_exclusive(read, name):
    record = {"originalText": TEXT, "entities": ENTITIES}
    english = {
        "originalText": "He took aspirin.",
        "entities": [{"label_type": "drug", "start_pos": "8", "end_pos": "15"}],
    }
    result = read(as_lines(record, english), name)
    assert (result.format, result.refusals) == ("ccks", ())
    first, second = result.documents
    assert [(first.surface(span), span.label) for span in first.spans] == naive(record)
    assert [second.surface(span) for span in second.spans] == ["aspirin"]


def test_an_entity_with_a_surface_and_no_label_is_labelled_by_its_field(read, one):
    entities = [
        {"drug": "布洛芬", "start_pos": 10, "end_pos": 13},
        {"entity": "头痛", "start_pos": 1, "end_pos": 3},
        {"label_type": "症状", "entity": "头痛", "start_pos": 1, "end_pos": 3},
    ]
    assert one(as_lines({"originalText": TEXT, "entities": entities})) == (
        TEXT,
        [("布洛芬", "drug"), ("头痛", "entity"), ("头痛", "症状")],
    )


def test_an_entity_without_characters_is_left_out_with_a_note(read):
    entities = [*ENTITIES, {"label_type": "药物", "start_pos": 4, "end_pos": 4}]
    result = read(as_lines({"originalText": TEXT, "entities": entities}))
    assert len(result.documents[0].spans) == 2
    assert any("line 1" in note and "without characters" in note for note in result.notes)


def test_it_is_written_as_it_is_read(read):
    (document,) = read(as_lines({"id": "7", "originalText": TEXT, "entities": ENTITIES})).documents
    line, lost = by_name("ccks").render(document, None)
    assert json.loads(line) == {"id": "7", "originalText": TEXT, "entities": ENTITIES}
    assert lost == {}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"entities": [{"label_type": "药物", "start_pos": 10, "end_pos": 19}]}, "does not lie in the text"),
        ({"entities": [{"drug": "阿司匹林", "start_pos": 10, "end_pos": 13}]}, "should read"),
        ({"entities": [{"start_pos": 1, "end_pos": 3}]}, "a label should be"),
        ({"entities": [{"label_type": "药物", "end_pos": 3}]}, "whole number"),
        ({"entities": [1]}, "list of objects"),
        ({"originalText": None}, "should be a text"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, changes, reason):
    good = {"originalText": TEXT, "entities": ENTITIES}
    result = read(as_lines(good, good | changes), "train.txt", "ccks")
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason
