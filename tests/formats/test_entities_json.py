"""Text with a list of entities, in the forms in which people have it."""

import json

import pytest

from core.formats import by_name
from core.text import Document, Span

TEXT = "拜登在北京会见记者"
SPANS = (Span(0, 2, "PER"), Span(3, 5, "LOC"))


def as_lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.mark.parametrize(
    "record",
    [
        {
            "text": TEXT,
            "entities": [{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 5, "label": "LOC"}],
        },
        {"sentence": TEXT, "entities": [[0, 2, "PER"], [3, 5, "LOC"]]},
        {"text": TEXT, "entities": [["PER", 0, 2], ["LOC", 3, 5]]},
        {"text": TEXT, "entities": [[0, 2, "PER", "拜登"], [3, 5, "LOC", "北京"]]},
        {
            "text": TEXT,
            "entities": [
                {"begin": "0", "end": "2", "type": "PER", "text": "拜登"},
                {"begin": "3", "end": "5", "type": "LOC", "text": "北京"},
            ],
        },
        {
            "text": TEXT,
            "ents": [{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 5, "label": "LOC"}],
        },
        {
            "text": TEXT,
            "denotations": [
                {"id": "T1", "span": {"begin": 0, "end": 2}, "obj": "PER"},
                {"id": "T2", "span": {"begin": 3, "end": 5}, "obj": "LOC"},
            ],
        },
        {
            "content": TEXT,
            "annotation": [
                {"label": ["PER"], "points": [{"start": 0, "end": 1, "text": "拜登"}]},
                {"label": ["LOC"], "points": [{"start": 3, "end": 4, "text": "北京"}]},
            ],
            "extras": None,
        },
        {
            "document": TEXT,
            "annotation": [
                {"start": 0, "end": 2, "label": "PER", "text": "拜登"},
                {"start": 3, "end": 5, "label": "LOC", "text": "北京"},
            ],
        },
        {"text": TEXT, "annotation": [["PER", 0, 2], ["LOC", 3, 5]], "status": "Validated"},
        {
            "text": TEXT,
            "label": [
                {"position": [0, 2], "category": "PER", "mention": "拜登"},
                {"position": [3, 5], "category": "LOC", "mention": "北京"},
            ],
        },
    ],
    ids=lambda record: "-".join(record),
)
@pytest.mark.parametrize("written", ["line", "array", "spread"])
def test_a_list_of_entities_is_read_whatever_its_names(read, record, written):
    content = {
        "line": as_lines(record),
        "array": json.dumps([record], ensure_ascii=False),
        "spread": json.dumps(record, ensure_ascii=False, indent=2),
    }[written]
    result = read(content, "data.json")
    assert (result.format, result.refusals) == ("entities", ())
    (document,) = result.documents
    assert (document.text, document.spans) == (TEXT, SPANS)


def test_surfaces_show_that_ends_are_inclusive(read):
    record = {
        "text": TEXT,
        "entities": [
            {"start": 0, "end": 1, "type": "PER", "entity": "拜登"},
            {"start": 3, "end": 4, "type": "LOC", "entity": "北京"},
        ],
    }
    result = read(as_lines(*[record] * 5), "data.jsonl")
    assert all(document.spans == SPANS for document in result.documents)
    assert any("end inclusive" in note for note in result.notes)


def test_an_entity_without_characters_is_dropped_with_a_note_and_the_document_stays(read):
    entities = [{"start": 3, "end": 3, "label": "LOC"}, {"start": 0, "end": 2, "label": "PER"}]
    result = read(as_lines({"text": TEXT, "entities": entities}), "data.jsonl")
    assert result.documents[0].spans == SPANS[:1]
    assert any("without characters" in note for note in result.notes)


def test_relations_name_entities_by_id_and_other_fields_are_kept(read):
    record = {
        "id": 7,
        "text": TEXT,
        "entities": [
            {"id": 1, "start": 0, "end": 2, "label": "PER"},
            {"id": 2, "start": 3, "end": 5, "label": "LOC"},
        ],
        "relations": [{"from_id": 1, "to_id": 2, "type": "visits"}, {"from_id": 1, "to_id": 9, "type": "x"}],
        "source": "news",
    }
    result = read(as_lines(record), "data.jsonl", "entities")
    (document,) = result.documents
    assert document.id == "7"
    assert document.meta["source"] == "news"
    ((relation),) = document.meta["relations"]
    assert relation["type"] == "visits"
    assert any("does not have" in note for note in result.notes)


@pytest.mark.parametrize(
    ("entities", "reason"),
    [
        ("PER", "should be a list of entities"),
        ([{"label": "PER"}], "should have a start, an end and a label"),
        ([{"start": 0, "end": 99, "label": "PER"}], "does not lie in the text"),
        ([{"start": 0, "end": 2, "label": "PER", "text": "北京"}], "should read"),
        ([{"start": True, "end": 2, "label": "PER"}], "whole number"),
        ([[0, 2]], "should have a start"),
        ([{"start": 0, "end": 2, "label": {"a": 1}}], "label"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_alone(read, entities, reason):
    good = {"text": TEXT, "entities": [[0, 2, "PER"]]}
    result = read(as_lines(good, {"text": TEXT, "entities": entities}, good), "data.jsonl", "entities")
    assert len(result.documents) == 2
    (refusal,) = result.refusals
    assert (refusal.line, reason in refusal.reason) == (2, True), refusal.reason


def test_what_is_written_says_what_it_cannot_hold():
    document = Document("1", TEXT, (Span(0, 2, "PER", 0.5),), {"source": "news"})
    chunk, lost = by_name("entities").render(document, None)
    assert json.loads(chunk)["entities"] == [
        {"start": 0, "end": 2, "label": "PER", "text": "拜登", "score": 0.5}
    ]
    assert lost == {"meta": 1}


def test_fields_that_look_like_labels_and_are_not_read_are_named(read):
    record = {"text": TEXT, "entities": {"PER": "拜登"}, "responses": [{"value": 1}]}
    result = read(as_lines(record), "data.jsonl")
    assert result.format == "jsonl"
    for name in ("entities", "responses"):
        assert any(f"'{name}' looks like labels" in note for note in result.notes)
