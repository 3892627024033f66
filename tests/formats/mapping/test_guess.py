"""What a file's fields are taken for before a person says so: never an id or a status for the text."""

import json

import pytest

from core.formats import ReadOptions, Source, read_file
from core.formats.framework.source import RawSource
from core.formats.mapping.guess import fields_of, guess, guess_of
from core.formats.mapping.mapping import Mapping

TEXT = "拜登在北京会见记者"
MORE = "他后来去了上海的一所大学"


def guessed(tmp_path, content, name="a.jsonl"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return guess_of(Source(path))


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_spans_under_unknown_names_are_found_by_what_they_hold(tmp_path):
    found = {"von": 0, "bis": 2, "was": "拜登", "art": "PER"}
    first = {"nr": "x-1", "beitrag": TEXT, "zustand": "fertig", "funde": [found]}
    second = {"nr": "x-2", "beitrag": MORE, "zustand": "fertig", "funde": []}
    mapping = guessed(tmp_path, lines(first, second))
    assert (mapping.text, mapping.spans) == ("beitrag", "funde")
    assert (mapping.start, mapping.end, mapping.label, mapping.surface) == ("von", "bis", "art", "was")


@pytest.mark.parametrize(
    "other",
    [
        {"key": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "note": TEXT},
        {"status": "waiting for the second reviewer to agree", "note": TEXT},
        {"url": "https://example.org/a/very/long/address/of/a/page?with=parameters", "note": TEXT},
        {"at": "2026-11-27 03:04:05 Coordinated Universal Time", "note": TEXT},
    ],
)
def test_an_id_a_status_an_address_or_a_date_is_never_the_text(other):
    records = [{**other, "note": f"{TEXT}{number}次"} for number in range(6)]
    assert guess(records).text == "note"
    without = [{name: value for name, value in record.items() if name != "note"} for record in records]
    assert guess(without).text == ""


def test_tokens_and_tags_are_told_by_their_lengths(tmp_path):
    record = {"idx": 3, "w": ["Joe", "met", "Xi"], "chunks": ["a", "b"], "t": ["B-PER", "O", "B-PER"]}
    mapping = guessed(tmp_path, lines(record, record))
    assert (mapping.tokens, mapping.tags) == ("w", ("t",))


def test_wrapped_records_and_lists_inside_one_object_are_found(tmp_path):
    value = {"data": {"body": TEXT}, "annotations": [{"result": [{"b": 3, "e": 5, "k": "LOC"}]}]}
    content = json.dumps({"version": 2, "examples": [value, value]}, ensure_ascii=False, indent=1)
    mapping = guessed(tmp_path, content, "a.json")
    assert (mapping.records, mapping.text, mapping.spans) == ("examples", "data.body", "annotations.0.result")
    assert read_file(tmp_path / "a.json", options=ReadOptions(mapping=mapping)).counts["spans"] == 2


def test_a_column_file_and_a_table_of_tokens_are_recognised(tmp_path):
    block = "Joe\tNNP\tB-PER\nmet\tVB\tO\n"
    mapping = guessed(tmp_path, f"{block}\n{block}", "a.txt")
    assert (mapping.tokens, mapping.tags) == ("column 1", ("column 3",))
    mapping = guessed(tmp_path, "sent_id,word,ner\n1,Joe,B-PER\n1,met,O\n2,Xi,B-PER\n", "a.csv")
    assert (mapping.tokens, mapping.tags, mapping.group) == ("word", ("ner",), "sent_id")


def test_a_column_of_categories_is_a_label_of_the_document():
    records = [{"text": f"{TEXT}{n}", "label": "good" if n % 2 else "bad"} for n in range(6)]
    assert guess(records).labels == ("label",)
    assert guess(records).text == "text"


def test_parquet_is_guessed_as_json_is(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.Table.from_pylist([{"uid": 1, "satz": TEXT, "e": [{"a": 0, "z": 2, "k": "PER"}]}]), path
    )
    mapping = guess_of(RawSource(path))
    assert (mapping.text, mapping.spans, mapping.id) == ("satz", "e", "uid")


def test_fields_have_their_first_distinct_values_as_examples():
    (first, second) = fields_of([{"a": {"b": "x"}, "c": [1]}, {"a": {"b": "x"}}, {"a": {"b": "y" * 200}}])
    assert (first.path, first.kind, first.count, first.examples) == ("a.b", "text", 3, ("x", "y" * 79 + "…"))
    assert (second.path, second.kind, second.examples) == ("c", "list", ("[1]",))


def test_nothing_is_guessed_of_nothing():
    assert guess([]) == Mapping()
    assert guess([{}, {"a": None}]) == Mapping()
