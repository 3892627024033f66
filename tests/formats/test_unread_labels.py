"""A field that looks like labels is read, refused or said to be left out, in every JSON shape."""

import json

import pytest

from core.formats import by_name, read_file
from core.formats.framework.errors import FormatError
from tests.formats.samples import SAMPLES

NAMES = ("entities", "spans", "label", "annotations", "ner", "tags")
VALUES = ([{"foo": 1}], {"PER": {"x": "y"}}, "B-PER O O", [["PER", "拜登"]])
SHAPES = [name for name in SAMPLES if by_name(name).label_fields is not None]


def records_of(content):
    try:
        value = json.loads(content)
    except ValueError:
        return [json.loads(line) for line in content.splitlines() if line.strip()]
    return value if isinstance(value, list) else [value]


def test_every_shape_of_json_records_is_swept():
    others = {"spacy_json", "spacy_paragraphs", "rasa", "bioc_json", "cas_json"}  # an object with all records
    json_shapes = {name for name, content in SAMPLES.items() if content.lstrip()[:1] in ("{", "[")}
    assert json_shapes - others == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("field", NAMES)
def test_a_field_that_looks_like_labels_is_never_passed_over_in_silence(tmp_path, name, field):
    plain = read_file(_written(tmp_path, records_of(SAMPLES[name])), name)
    for value in VALUES:
        records = records_of(SAMPLES[name])
        if any(field in record for record in records):
            return  # it is read, as the sample shows
        try:
            result = read_file(_written(tmp_path, [{**record, field: value} for record in records]), name)
        except FormatError:
            continue
        said = any(repr(field) in note for note in result.notes)
        differs = result.counts["spans"] != plain.counts["spans"] or result.refusals != plain.refusals
        assert said or differs, (value, result)


def test_what_is_empty_or_read_is_not_said(tmp_path):
    path = _written(tmp_path, [{"text": "a b", "spans": [], "label": [], "tags": None, "ner": ""}])
    assert not any("looks like labels" in note for note in read_file(path, "jsonl").notes)


def _written(tmp_path, records):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path
