"""GLiNER: spans by the numbers of their first and last token."""

import json
import re

import pytest

from core.formats import by_name

ENGLISH = {
    "tokenized_text": ["Ada", "Lovelace", "wrote", "to", "Charles", "Babbage", "in", "London", "."],
    "ner": [[0, 1, "person"], [4, 5, "person"], [4, 7, "letter"], [7, 7, "place"]],
}
CHINESE = {"tokenized_text": list("许清在昆明养蜂"), "ner": [[0, 1, "人名"], [3, 4, "地名"]]}


def naive(record):
    """The tokens of every span, and its label, by the documentation alone."""
    return [(record["tokenized_text"][first : last + 1], label) for first, last, label in record["ner"]]


def as_lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.mark.parametrize("written", ["array", "lines"])
def test_ends_are_inclusive(read, written):
    records = [ENGLISH, CHINESE]
    content = json.dumps(records, ensure_ascii=False, indent=1) if written == "array" else as_lines(*records)
    result = read(content, "train.json")
    assert (result.format, result.refusals) == ("gliner", ())
    english, chinese = result.documents
    assert english.text == "Ada Lovelace wrote to Charles Babbage in London."
    assert [(english.surface(span).split(" "), span.label) for span in english.spans] == naive(ENGLISH)
    assert chinese.text == "许清在昆明养蜂"
    assert [(list(chinese.surface(span)), span.label) for span in chinese.spans] == naive(CHINESE)


def test_it_is_written_as_it_is_read_and_the_text_comes_back_exactly(read):
    (document,) = read(as_lines(ENGLISH)).documents
    record, lost = by_name("gliner").element(document, None)
    assert {name: record[name] for name in ENGLISH} == ENGLISH
    assert set(lost) == set()
    spaced = "  Ada\n\nLovelace  "
    (document,) = read(
        as_lines({"id": "a", "text": spaced, "tokenized_text": ["Ada", "Lovelace"], "ner": [[0, 1, "P"]]})
    ).documents
    assert document.text == spaced
    assert [document.surface(span) for span in document.spans] == ["Ada\n\nLovelace"]
    record, _ = by_name("gliner").element(document, None)
    assert record["tokenized_text"] == ["Ada", "Lovelace"]  # blanks are no tokens


def test_a_token_without_characters_counts_and_a_span_of_it_is_left_out_with_a_note(read):
    result = read(
        as_lines({"tokenized_text": ["a", "", "b"], "ner": [[1, 1, "X"], [1, 2, "Y"]], "ner_labels": ["X"]})
    )
    (document,) = result.documents
    assert [(document.surface(span), span.label) for span in document.spans] == [("b", "Y")]
    assert any("line 1" in note and "'X'" in note for note in result.notes)
    assert document.meta["ner_labels"] == ["X"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ner": [[0, 7, "X"]]}, "end before 7"),
        ({"ner": [[-1, 0, "X"]]}, "does not lie in the record"),
        ({"ner": [[2, 1, "X"]]}, "does not lie in the record"),
        ({"ner": [[0, "b", "X"]]}, "whole number"),
        ({"ner": [[0, 1]]}, r"\[start, end, label\]"),
        ({"ner": [[0, 1, ""]]}, "a label should be"),
        ({"ner": {"a": 1}}, r"\[start, end, label\]"),
        ({"tokenized_text": ["a", 1]}, "list of texts"),
        ({"tokenized_text": ["\ud800"] + ["b"] * 6}, "surrogate"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(read, changes, reason):
    content = as_lines(ENGLISH) + json.dumps(CHINESE | changes) + "\n"
    result = read(content, "train.json", "gliner")
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert re.search(reason, refusal.reason)
