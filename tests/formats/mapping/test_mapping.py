"""A mapping as JSON, as a file and on the command line, and what is refused of it."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.formats import FormatError
from core.formats.mapping.field_path import path_of, steps_of, value_at, without
from core.formats.mapping.mapping import Mapping, mapping_argument

NAMES = st.text(min_size=1, max_size=6)
STEPS = st.lists(NAMES, min_size=1, max_size=3)
PATHS = STEPS.map(path_of)


@given(STEPS)
def test_a_path_has_the_steps_it_was_made_of(steps):
    assert steps_of(path_of(steps)) == steps


@given(STEPS, st.integers())
def test_a_value_is_found_where_it_was_put_and_gone_when_it_is_taken_out(steps, value):
    record = value
    for step in reversed(steps):
        record = {step: record}
    whole = json.dumps(record)
    assert value_at(record, path_of(steps)) == value
    assert without(record, [path_of(steps)]) == {}
    assert json.dumps(record) == whole  # the record of the file is left alone


@given(PATHS, PATHS, st.lists(PATHS, max_size=3), PATHS)
@example("\\\\", "0", ["\\\\", "0"], "a,\\\\+")  # names that end in a backslash
def test_a_mapping_is_read_as_it_was_written(text, spans, tags, label):
    mapping = Mapping(text=text, spans=spans, tags=tuple(tags), label=label)
    assert Mapping.from_json(json.loads(json.dumps(mapping.to_json()))) == mapping
    assert Mapping.parse(str(mapping)) == mapping


def test_the_command_line_takes_a_mapping_or_the_file_of_one(tmp_path):
    expected = Mapping(text="body", spans="ents", tags=("ner", "inner"))
    assert mapping_argument("text=body,spans=ents,tags=ner+inner") == expected
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps({"text": "body", "spans": "ents", "tags": ["ner", "inner"]}))
    assert mapping_argument(str(file)) == expected


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("body", "no part of a mapping"),
        ("text=", "no part of a mapping"),
        ("text=a,text=b", "names 'text' twice"),
        ("txt=body", "has no field 'txt'; it has text, tokens"),
        ("spans=ents", "neither a text nor tokens"),
        ("text=body,start=from", "not the list of spans"),
        ("text=body,offsets=bits", "'bits' is no offset convention"),
        ("missing.json", "cannot read missing.json"),
    ],
)
def test_a_mapping_that_is_wrong_says_what_and_what_to_write(written, said):
    with pytest.raises(FormatError, match="(?s)" + said):
        mapping_argument(written)


@pytest.mark.parametrize("content", ["{", "[]", '{"text": 3}', '{"text": "a", "tags": [3]}', "[" * 100_000])
def test_a_file_that_is_no_mapping_is_refused_by_its_name(tmp_path, content):
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(FormatError, match=r"m\.json"):
        mapping_argument(str(tmp_path / "m.json"))
