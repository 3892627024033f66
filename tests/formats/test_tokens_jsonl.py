"""Tokens and tags as Hugging Face writes them to JSONL."""

import json

import pytest

from core.formats import FormatError
from core.text import Span


def as_lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_tags_are_spans_of_the_joined_tokens(read):
    record = {
        "id": "0",
        "tokens": ["EU", "rejects", "German", "call", "."],
        "ner_tags": ["B-ORG", "O", "B-MISC", "O", "O"],
    }
    result = read(as_lines(record), "train.jsonl")
    assert result.format == "tokens_jsonl"
    (document,) = result.documents
    assert (document.id, document.text) == ("0", "EU rejects German call.")
    assert document.spans == (Span(0, 2, "ORG"), Span(11, 17, "MISC"))


def test_a_text_that_the_tokens_fit_is_taken(read):
    record = {
        "text": "EU  rejects",
        "words": ["EU", "rejects"],
        "tags": ["B-ORG", "O"],
        "pos": ["NNP", "VBZ"],
    }
    (document,) = read(as_lines(record), "train.jsonl").documents
    assert (document.text, document.spans) == ("EU  rejects", (Span(0, 2, "ORG"),))
    assert document.meta["pos"] == ["NNP", "VBZ"]


def test_numbers_are_refused_because_nobody_knows_what_they_mean(read):
    record = {"id": "0", "tokens": ["EU", "rejects"], "ner_tags": [3, 0]}
    with pytest.raises(FormatError, match="does not say what they stand for"):
        read(as_lines(record), "train.jsonl")


def test_a_row_with_too_few_tags_is_refused_alone(read):
    good = {"tokens": ["拜", "登"], "ner_tags": ["B-PER", "I-PER"]}
    result = read(
        as_lines(good, {"tokens": ["拜", "登"], "ner_tags": ["B-PER"]}, good), "train.jsonl", "tokens_jsonl"
    )
    assert len(result.documents) == 2
    assert [refusal.line for refusal in result.refusals] == [2]
