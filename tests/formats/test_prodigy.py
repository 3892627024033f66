"""Prodigy: tasks with answers, tokens, relations; and ner-annotator's pairs."""

import json

import pytest

from core.formats import WriteOptions, by_name
from core.text import Document, Span
from tests.formats.samples import TEXT, lines

PER = {"start": 0, "end": 2, "token_start": 0, "token_end": 1, "label": "PER"}
LOC = {"start": 3, "end": 5, "token_start": 3, "token_end": 4, "label": "LOC"}


def test_a_task_that_was_not_accepted_comes_in_without_its_labels(read):
    result = read(
        lines(*({"text": TEXT, "spans": [PER], "answer": a} for a in ("accept", "reject", "ignore")))
    )
    assert result.format == "prodigy"
    assert [len(document.spans) for document in result.documents] == [1, 0, 0]
    assert len([note for note in result.notes if "labels were left out" in note]) == 2


def test_relations_who_and_when_are_kept(read):
    relation = {"head": 1, "child": 4, "head_span": PER, "child_span": LOC, "label": "met_in"}
    record = {
        "text": TEXT,
        "spans": [PER, LOC],
        "relations": [relation],
        "answer": "accept",
        "meta": {"source": "x"},
    }
    (document,) = read(lines(record | {"_annotator_id": "lin", "_timestamp": 1700000000})).documents
    assert document.meta == {
        "source": "x",
        "annotator": "lin",
        "annotated_at": "1700000000",
        "relations": [{"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}],
    }
    written = json.loads(by_name("prodigy").render(document, WriteOptions())[0])
    assert (written["spans"], written["relations"]) == ([PER, LOC], [relation])
    assert (written["_annotator_id"], written["_timestamp"]) == ("lin", 1700000000)


def test_a_span_that_cuts_a_token_has_no_token_numbers():
    content, lost = by_name("prodigy").render(Document("1", "plays", (Span(0, 4, "V"),)), WriteOptions())
    assert json.loads(content)["spans"] == [{"start": 0, "end": 4, "label": "V"}]
    assert json.loads(content)["tokens"] == [{"text": "plays", "start": 0, "end": 5, "id": 0, "ws": False}]
    assert lost == {}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"classes": ["PER"], "annotations": [[TEXT, {"entities": [[0, 2, "PER"]]}], None]}),
        json.dumps({"annotations": [[TEXT, {"entities": [[0, 2, "PER"]]}]]}, indent=2),
        json.dumps([[TEXT, {"entities": [[0, 2, "PER"]]}]]),
    ],
    ids=["classes first", "annotations alone", "a list of pairs"],
)
def test_ner_annotators_pairs_are_read(read, content):
    result = read(content, "annotations.json")
    assert (result.format, result.refusals) == ("spacy_json", ())
    assert [(d.text, d.spans) for d in result.documents] == [(TEXT, (Span(0, 2, "PER"),))]


def test_a_bad_pair_is_refused_alone(read):
    pairs = [
        [TEXT, {"entities": [[0, 2, "PER"]]}],
        [TEXT, {"entities": [[0, 99, "PER"]]}],
        [TEXT, {"entities": [[1]]}],
    ]
    result = read(json.dumps({"classes": [], "annotations": pairs}), "a.json")
    assert (len(result.documents), len(result.refusals)) == (1, 2)
    assert "0-99 does not lie in the text" in result.refusals[0].reason
