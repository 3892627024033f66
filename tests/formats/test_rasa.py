"""Rasa's training data in its three forms: an example is a document, its intent a further field."""

import json
from dataclasses import replace

import pytest

from core.formats import by_name

YAML = """version: "3.1"

# all that people may ask
nlu:
- intent: book_flight
  examples: |
    - fly to [Berlin](city) on [Monday](day)
    - 从[昆明]{"entity": "city", "role": "from"}飞[NYC](city:New York)
    - no entity here

- synonym: credit
  examples: |
    - credit card account
- lookup: city
  examples: |
    - Berlin
- regex: zip
  examples: |
    - \\d{6}
- intent: "faq/ask_name"  # a sub-intent
  metadata:
    sentiment: neutral
  examples:
  - text: |
      what is [Ada][{"entity": "name"}, {"entity": "person"}] called
    metadata:
      sentiment: positive
      text: nothing to read
  - text: who are you

rules:
- rule: greet
  steps:
  - intent: greet
"""
MARKDOWN = """<!-- written by hand -->
## intent:book_flight
- fly to [Berlin](city) on [Monday](day)
* 从[昆明]{"entity": "city", "role": "from"}飞[NYC](city:New York)
- no entity here

## synonym:credit
- credit card account

## regex:zip
- \\d{6}

## intent:faq/ask_name
- what is [Ada][{"entity": "name"}, {"entity": "person"}] called
- who are you
"""
BOOK = [
    ("book_flight", "fly to Berlin on Monday", [("Berlin", "city"), ("Monday", "day")]),
    ("book_flight", "从昆明飞NYC", [("昆明", "city"), ("NYC", "city")]),
    ("book_flight", "no entity here", []),
    ("faq/ask_name", "what is Ada called", [("Ada", "name"), ("Ada", "person")]),
    ("faq/ask_name", "who are you", []),
]


def told(documents):
    return [
        (one.meta.get("intent"), one.text, [(one.surface(span), span.label) for span in one.spans])
        for one in documents
    ]


@pytest.mark.parametrize("content", [YAML, MARKDOWN], ids=["YAML", "Markdown"])
@pytest.mark.parametrize("name", ["nlu.yml", "nlu.md", "nlu.txt"])
@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_every_example_is_a_document(read, content, name, breaks):
    result = read(content.replace("\n", breaks), name)
    assert (result.format, result.refusals) == ("rasa", ())
    assert told(result.documents) == BOOK
    assert result.documents[1].meta["attributes"] == [
        {"name": "role", "value": "from", "span": [1, 3, "city"]},
        {"name": "value", "value": "New York", "span": [4, 7, "city"]},
    ]


def test_the_yaml_says_the_same_to_a_parser_of_yaml(read):
    yaml = pytest.importorskip("yaml")
    wanted = []
    for item in yaml.safe_load(YAML)["nlu"]:
        if "intent" in item:
            given = item["examples"]
            texts = given.split("\n") if isinstance(given, str) else [one["text"] for one in given]
            wanted += [(item["intent"], text.removeprefix("- ").strip()) for text in texts if text]
    documents = read(YAML).documents
    assert [one.meta["intent"] for one in documents] == [intent for intent, _ in wanted]
    for document, (_, marked) in zip(documents, wanted, strict=True):
        for surface in [document.surface(span) for span in document.spans]:
            assert f"[{surface}]" in marked
        assert len(document.text) <= len(marked)


def test_the_oldest_form_is_json_and_is_written(read):
    examples = [
        {
            "text": "fly to Berlin",
            "intent": "book_flight",
            "entities": [{"start": 7, "end": 13, "value": "berlin", "entity": "city", "role": "to"}],
        },
        {"text": "从昆明", "intent": "book_flight", "entities": [{"start": 1, "end": 1, "entity": "x"}]},
        {"text": "two", "entities": [{"start": 0, "end": 3, "value": 2, "entity": "number"}]},
    ]
    data = {
        "rasa_nlu_data": {"common_examples": examples, "regex_features": [], "entity_synonyms": [{"a": 1}]}
    }
    for indent in (None, 2):
        result = read(json.dumps(data, ensure_ascii=False, indent=indent), "data.json")
        assert (result.format, result.refusals) == ("rasa", ())
        assert told(result.documents) == [
            ("book_flight", "fly to Berlin", [("Berlin", "city")]),
            ("book_flight", "从昆明", []),
            (None, "two", [("two", "number")]),
        ]
        assert any("without characters" in note for note in result.notes)
        assert any("value of an entity left out" in note for note in result.notes)
    document = result.documents[0]
    assert by_name("rasa").element(document, None) == (examples[0], {"ids": 1})
    surface = [document.meta["attributes"][0] | {"value": "Berlin"}]  # which is read as no attribute
    record, lost = by_name("rasa").element(
        replace(document, meta=document.meta | {"attributes": surface}), None
    )
    assert record["entities"] == [{"start": 7, "end": 13, "value": "Berlin", "entity": "city"}]
    assert lost == {"ids": 1, "meta": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- to [Berlin]{entity: city}", "not JSON"),
        ('- to [Berlin]{"value": "x"}', "a label should be"),
        ("to [Berlin](city)", "should begin with a hyphen"),
    ],
)
@pytest.mark.parametrize("form", ["YAML", "Markdown"])
def test_an_example_that_does_not_fit_is_refused_with_its_line(read, tmp_path, line, reason, form):
    if form == "YAML":
        content = f"nlu:\n- intent: go\n  examples: |\n    - to [Rome](city)\n    {line}\n    - home\n"
    else:
        content = f"## intent:go\n\n\n- to [Rome](city)\n{line}\n- home\n"
    result = read(content, "nlu.txt")
    assert [document.text for document in result.documents] == ["to Rome", "home"]
    (refusal,) = result.refusals
    assert refusal.line == 5
    assert reason in refusal.reason
    result.write_refused(tmp_path / "again.md")
    assert read((tmp_path / "again.md").read_bytes(), "again.md").format == "rasa"


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        ({"text": "a", "entities": [{"start": 0, "end": 9, "entity": "x"}]}, "does not lie in the text"),
        ({"text": "a", "entities": [{"start": 0, "entity": "x"}]}, "whole number"),
        ({"text": "a", "entities": [{"start": 0, "end": 1}]}, "a label should be"),
        ({"text": "a", "entities": 3}, "list of objects"),
        ({"intent": "x"}, "no field 'text'"),
        (3, "should be an object"),
    ],
)
def test_a_json_example_that_does_not_fit_is_refused_with_its_line(read, tmp_path, example, reason):
    content = f'{{"rasa_nlu_data": {{"common_examples": [\n{{"text": "b"}},\n{json.dumps(example)}\n]}}}}'
    result = read(content, "data.json")
    assert [document.text for document in result.documents] == ["b"]
    (refusal,) = result.refusals
    assert refusal.line == 3
    assert reason in refusal.reason
    result.write_refused(tmp_path / "again.json")
    assert len(read((tmp_path / "again.json").read_bytes(), "again.json").refusals) == 1


def test_a_form_of_yaml_that_is_not_documented_is_refused(read):
    result = read("nlu:\n- intent: go\n  examples: [a, b]\n- intent: x\n  examples: |\n    - c\n", "nlu.yml")
    assert [document.text for document in result.documents] == ["c"]
    (refusal,) = result.refusals
    assert refusal.line == 3
    assert "a block" in refusal.reason


def test_a_text_of_several_lines_is_one_example_and_an_intent_may_have_none(read):
    content = "nlu:\n- intent: none\n  examples:\n- intent: go\n  examples:\n"
    content += "    - text: |\n        one\n        [two](n)\n"
    (document,) = read(content, "nlu.yml").documents
    assert (document.text, document.meta["intent"]) == ("one\ntwo", "go")
    assert [document.surface(span) for span in document.spans] == ["two"]


@pytest.mark.parametrize("content", ["<!---->" * 5000, "# a\n" * 5000, "[a](" * 5000, "[a]{" * 5000])
def test_what_only_begins_like_it_takes_no_time(read, content):
    assert read(content, "notes.txt").format == "plain"
    assert read(
        f"## intent:a\n- {content}\n" if content[0] == "[" else f"## intent:a\n{content}\n- b\n"
    ).documents
