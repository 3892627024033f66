"""W2NER: entities as lists of token numbers, with gaps where they are discontinuous."""

import json

import pytest

from core.formats import by_name

ENGLISH = {
    "sentence": ["severe", "joint", ",", "shoulder", "and", "upper", "body", "pain"],
    "ner": [
        {"index": [0, 1, 7], "type": "ADR"},
        {"index": [5, 6, 7], "type": "ADR"},
        {"index": [3, 7], "type": "ADR"},
    ],
}
CHINESE = {
    "sentence": list("许清左右膝痛"),
    "ner": [{"index": [0, 1], "type": "人名"}, {"index": [2, 4, 5], "type": "症状"}],
    "word": [[0, 1], [2], [3], [4], [5]],
}


def naive(record):
    """The tokens of every entity, by the documentation alone."""
    return sorted(
        ([record["sentence"][number] for number in item["index"]], item["type"]) for item in record["ner"]
    )


def told(document):
    """The tokens of spans and of discontinuous spans; a gap of the text ends a part."""
    words = [([document.surface(span)], span.label) for span in document.spans]
    for item in document.meta.get("discontinuous", ()):
        words.append(([document.text[start:end] for start, end in item["parts"]], item["label"]))
    split = str.split if " " in document.text else list
    return sorted(([token for part in parts for token in split(part)], label) for parts, label in words)


def test_entities_are_those_of_a_naive_reading_and_come_back(read):
    records = [ENGLISH, CHINESE]
    result = read(json.dumps(records, ensure_ascii=False), "train.json")
    assert (result.format, result.refusals) == ("w2ner", ())
    assert [told(document) for document in result.documents] == [naive(record) for record in records]
    assert result.documents[1].meta["discontinuous"] == [{"parts": [[2, 3], [4, 6]], "label": "症状"}]
    for document, record in zip(result.documents, records, strict=True):
        written, lost = by_name("w2ner").element(document, None)
        assert (written["sentence"], naive(written), lost) == (record["sentence"], naive(record), {})


def test_a_gap_of_blanks_comes_back(read):
    record = {"text": "a b", "sentence": ["a", " ", "b"], "ner": [{"index": [0, 2], "type": "X"}]}
    (document,) = read(json.dumps(record), "train.json").documents
    assert document.meta["discontinuous"] == [{"parts": [[0, 1], [2, 3]], "label": "X"}]
    written, _ = by_name("w2ner").element(document, None)
    assert written["sentence"] == ["a", " ", "b"]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"index": [0, 8], "type": "X"}, "does not lie in the record"),
        ({"index": [0, 0], "type": "X"}, "names a token twice"),
        ({"index": 3, "type": "X"}, "list of token numbers"),
        ({"index": [0, None], "type": "X"}, "whole number"),
        ({"index": [0]}, "a label should be"),
        (3, "list of objects"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, item, reason):
    content = f"[{json.dumps(CHINESE)},\n{json.dumps(ENGLISH | {'ner': [item]})}]"
    result = read(content, "train.json", "w2ner")
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason


def test_an_entity_without_tokens_is_left_out_with_a_note(read):
    result = read(json.dumps([CHINESE | {"ner": [{"index": [], "type": "空"}]}]), "train.json")
    assert result.documents[0].spans == ()
    assert any("空" in note for note in result.notes)
