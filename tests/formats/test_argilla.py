"""Argilla 2: responses are spans, suggestions where there are none."""

import json

import pytest

from core.formats import by_name
from core.text import Document, Span

TEXT = "拜登在北京会见记者"
PER = {"start": 0, "end": 2, "label": "PER"}
LOC = {"start": 3, "end": 5, "label": "LOC"}
USER = "7b5f1a52-0000-4000-8000-000000000000"


def nested(responses=None, suggestions=None, **more):
    record = {
        "id": "r1",
        "_server_id": "0f",
        "status": "completed",
        "fields": {"text": TEXT},
        "metadata": {"source": "news"},
        "responses": responses or {},
        "suggestions": suggestions or {},
        "vectors": {"v": [0.1]},
    }
    return record | more


def flat(**more):
    return {
        "id": "r1", "_server_id": "0f", "status": "completed", "text": TEXT, "source": "news",
        "span.responses": None, "span.responses.users": None, "span.responses.status": None,
        "span.suggestion": None, "span.suggestion.agent": None, "span.suggestion.score": None,
    } | more  # fmt: skip


def told(document):
    return [(document.surface(span), span.label, span.score) for span in document.spans]


def as_array(*records):
    return json.dumps(list(records), ensure_ascii=False)


@pytest.mark.parametrize(
    "record",
    [
        nested({"span": [{"value": [PER, LOC], "user_id": USER}]}),
        nested({"span": [{"value": [PER, LOC], "user_id": USER}]}, {"span": {"value": [PER], "agent": "m"}}),
        flat(**{"span.responses": [[PER, LOC]], "span.responses.users": [USER]}),
        flat(**{"span.responses": [[PER, LOC]], "span.suggestion": [PER]}),
    ],
    ids=["nested", "nested, with a suggestion", "flat", "flat, with a suggestion"],
)
@pytest.mark.parametrize("written", ["array", "lines"])
def test_responses_are_spans(read, record, written):
    content = as_array(record) if written == "array" else json.dumps(record, ensure_ascii=False) + "\n"
    result = read(content, "export.json")
    assert (result.format, result.refusals, result.notes) == ("argilla", (), ())
    (document,) = result.documents
    assert (document.id, document.text) == ("r1", TEXT)
    assert told(document) == [("拜登", "PER", None), ("北京", "LOC", None)]
    assert "0f" not in json.dumps(dict(document.meta))
    assert "news" in json.dumps(dict(document.meta))


@pytest.mark.parametrize(
    "record",
    [
        nested(None, {"span": {"value": [PER, LOC], "score": [0.9, 0.5], "agent": "m"}}),
        flat(**{"span.suggestion": [PER, LOC], "span.suggestion.score": [0.9, 0.5]}),
        nested(None, {"span": {"value": [PER | {"score": 0.9}, LOC | {"score": 0.5}], "score": None}}),
        flat(**{"span.suggestion": [PER | {"score": None}, LOC], "span.suggestion.score": [0.9, 0.5]}),
    ],
    ids=["nested", "flat", "a score of each span", "an empty score"],
)
def test_suggestions_are_read_with_a_note_where_there_are_no_responses(read, record):
    result = read(as_array(record), "export.json")
    assert told(result.documents[0]) == [("拜登", "PER", 0.9), ("北京", "LOC", 0.5)]
    assert any("suggestions only" in note for note in result.notes)


def test_the_first_submitted_response_is_read_and_others_are_told(read):
    record = flat(
        **{
            "span.responses": [[PER], [LOC], [PER, LOC]],
            "span.responses.status": ["discarded", "draft", "submitted"],
        }
    )
    result = read(as_array(record))
    assert [label for _, label, _ in told(result.documents[0])] == ["PER", "LOC"]
    assert any("responses that differ" in note for note in result.notes)


def test_answers_to_other_questions_become_further_fields(read):
    record = nested(
        {"topic": [{"value": "politics", "user_id": USER}], "span": [{"value": [], "user_id": USER}]}
    )
    (document,) = read(as_array(record)).documents
    assert document.spans == ()
    assert document.meta["topic"] == "politics"


def test_the_text_is_no_id_and_no_status_and_another_name_will_do(read):
    record = nested({"span": [{"value": [PER], "user_id": USER}]}, fields={"query": TEXT})
    assert read(as_array(record)).documents[0].text == TEXT
    lone = {"id": "r1", "status": "completed", "span.responses": [[PER]]}
    (refusal,) = read(as_array(lone), "a.json", "argilla").refusals
    assert "there is no field 'text'" in refusal.reason
    two = nested(fields={"query": TEXT, "answer": "x"})
    (refusal,) = read(as_array(two), "a.json", "argilla").refusals
    assert "choose the text column" in refusal.reason
    assert read(as_array(two), "a.json", "argilla", text_column="query").documents[0].text == TEXT


def test_spans_are_written_as_a_suggestion(read):
    document = Document("d", TEXT, (Span(0, 2, "PER", 0.25), Span(3, 5, "LOC", 0.5)))
    record, lost = by_name("argilla").element(document, None)
    assert record["suggestions"]["span"] == {"value": [PER, LOC], "score": [0.25, 0.5]}
    assert lost == {}
    half = document.with_spans([Span(0, 2, "PER", 0.25), Span(3, 5, "LOC")])
    assert by_name("argilla").element(half, None)[1] == {"scores": 1}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (nested({"span": [{"value": [PER | {"end": 20}]}]}), "does not lie in the text"),
        (nested({"span": [{"value": [PER | {"text": "北京"}]}]}), "should read"),
        (nested({"span": [{"value": [{"start": 0, "end": 2}]}]}), "should be a list of spans"),
        (nested({"span": [{"value": [PER | {"start": "a"}]}]}), "whole number"),
        (nested({"span": [3]}), "list of objects"),
        (nested({"span": 3}), "list of objects"),
        (nested(responses=[1]), "an object by question"),
        (flat(**{"span.responses": 3}), "should be a list"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, record, reason):
    good = nested({"span": [{"value": [PER]}]})
    content = f"[{json.dumps(good)},\n{json.dumps(record)}]"
    result = read(content, "export.json", "argilla")
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert reason in refusal.reason


def test_a_span_without_characters_is_left_out_with_a_note(read):
    result = read(as_array(nested({"span": [{"value": [PER, PER | {"end": 0}]}]})))
    assert len(result.documents[0].spans) == 1
    assert any("without characters" in note for note in result.notes)
