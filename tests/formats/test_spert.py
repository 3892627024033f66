"""SpERT: entities by token numbers with exclusive ends, and relations by entity numbers."""

import json

import pytest

from core.formats import by_name

ENGLISH = {
    "tokens": ["Marie", "Curie", "was", "born", "in", "Warsaw", "."],
    "entities": [{"type": "Peop", "start": 0, "end": 2}, {"type": "Loc", "start": 5, "end": 6}],
    "relations": [{"type": "Born_In", "head": 0, "tail": 1}],
    "orig_id": 42,
}
CHINESE = {
    "tokens": list("许清住在昆明"),
    "entities": [{"type": "人名", "start": 0, "end": 2}, {"type": "地名", "start": 4, "end": 6}],
    "relations": [{"type": "住", "head": 0, "tail": 1}, {"type": "有", "head": 1, "tail": 0}],
    "orig_id": 43,
}


def naive(record):
    """Surfaces without blanks, and the relations between them, by the documentation alone."""
    surfaces = ["".join(record["tokens"][item["start"] : item["end"]]) for item in record["entities"]]
    relations = [
        (item["type"], surfaces[item["head"]], surfaces[item["tail"]]) for item in record["relations"]
    ]
    return surfaces, relations


def told(document):
    def bare(start, end):
        return document.text[start:end].replace(" ", "")

    surfaces = [bare(span.start, span.end) for span in document.spans]
    return surfaces, [
        (item["type"], bare(*item["from"][:2]), bare(*item["to"][:2])) for item in document.meta["relations"]
    ]


def test_entities_and_relations_are_those_of_a_naive_reading_and_come_back(read):
    records = [ENGLISH, CHINESE]
    result = read(json.dumps(records, ensure_ascii=False), "train.json")
    assert (result.format, result.refusals) == ("spert", ())
    assert [document.id for document in result.documents] == ["42", "43"]
    assert [told(document) for document in result.documents] == [naive(record) for record in records]
    for document, record in zip(result.documents, records, strict=True):
        written, lost = by_name("spert").element(document, None)
        assert {name: written[name] for name in record} == record
        assert lost == {}


def test_an_entity_without_characters_goes_with_its_relations_and_the_others_keep_theirs(read):
    record = {
        "tokens": ["a", "b"],
        "entities": [
            {"type": "X", "start": 1, "end": 1},
            {"type": "Y", "start": 0, "end": 1},
            {"type": "Z", "start": 1, "end": 2},
        ],
        "relations": [{"type": "r", "head": 1, "tail": 2}, {"type": "s", "head": 0, "tail": 1}],
    }
    result = read(json.dumps(record), "train.json")
    (document,) = result.documents
    assert told(document) == (["a", "b"], [("r", "a", "b")])
    assert any("'X'" in note for note in result.notes)
    assert any("'s'" in note for note in result.notes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"entities": [{"type": "X", "start": 0, "end": 8}]}, "does not lie in the record"),
        ({"entities": [{"type": "X", "start": 2, "end": 1}]}, "does not lie in the record"),
        ({"entities": [{"type": "X", "start": 0}]}, "whole number"),
        ({"entities": [{"start": 0, "end": 1}]}, "a label should be"),
        ({"entities": [3]}, "list of objects"),
        ({"relations": [{"type": "r", "head": 0, "tail": 2}]}, "names entity 2"),
        ({"relations": [{"type": "r", "head": 0}]}, "an entity's number should be"),
        ({"relations": [{"head": 0, "tail": 1}]}, "a label should be"),
        ({"tokens": "许清"}, "list of texts"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, changes, reason):
    content = f"[{json.dumps(ENGLISH)},\n{json.dumps(CHINESE | changes)}]"
    result = read(content, "train.json", "spert")
    assert [document.id for document in result.documents] == ["42"]
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason


def test_tokens_beside_a_text_whose_entities_have_offsets_are_not_taken_for_it(read):
    record = {
        "text": "Ada met Bo",
        "tokens": ["Ada", "met", "Bo"],
        "entities": [{"type": "P", "start": 8, "end": 10}],
    }
    result = read(json.dumps(record), "data.json")
    assert result.format == "entities"
    assert [result.documents[0].surface(span) for span in result.documents[0].spans] == ["Bo"]
