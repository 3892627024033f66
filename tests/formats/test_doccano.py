"""doccano: three shapes of record, two ways of counting, and a note that says which it was."""

import json

import pytest

from core.formats import WriteOptions, by_name, read_file, write_file
from core.text import Document, Span, Utf16Offsets

TEXT = "拜登在北京会见记者"
TRIPLES = [[0, 2, "PER"], [3, 5, "LOC"]]
ENTITIES = [
    {"id": i, "start_offset": s, "end_offset": e, "label": name} for i, (s, e, name) in enumerate(TRIPLES)
]


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.mark.parametrize(
    "record",
    [
        {"id": 1, "text": TEXT, "label": TRIPLES, "Comments": []},
        {"id": 1, "text": TEXT, "labels": TRIPLES},
        {"id": 1, "data": TEXT, "label": TRIPLES},
        {"id": 1, "text": TEXT, "entities": ENTITIES, "relations": []},
    ],
    ids=["label", "labels", "data", "entities"],
)
def test_every_shape_of_record_is_recognised_and_read(read, record):
    result = read(lines(record), "export.jsonl")
    assert result.format == "doccano"
    (document,) = result.documents
    assert (document.id, document.text, dict(document.meta)) == ("1", TEXT, {})
    assert document.spans == (Span(0, 2, "PER"), Span(3, 5, "LOC"))


def test_relations_are_kept_with_what_they_join_and_written_in_the_relation_form(read):
    relation = {"id": 0, "from_id": 0, "to_id": 1, "type": "met_in"}
    (document,) = read(
        lines({"text": TEXT, "entities": ENTITIES, "relations": [relation]}), "export.jsonl"
    ).documents
    assert document.meta["relations"] == [{"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}]
    content, lost = by_name("doccano").render(document, WriteOptions())
    assert (json.loads(content)["entities"], json.loads(content)["relations"]) == (ENTITIES, [relation])
    assert lost == {}


def test_a_relation_to_a_span_that_is_not_there_is_left_out_and_noted(read):
    relation = {"id": 0, "from_id": 0, "to_id": 9, "type": "met_in"}
    result = read(lines({"text": TEXT, "entities": ENTITIES, "relations": [relation]}), "export.jsonl")
    assert "relations" not in result.documents[0].meta
    assert "names a span the record does not have" in " ".join(result.notes)


def test_other_fields_survive_in_meta_and_stand_beside_the_text_again(read):
    (document,) = read(lines({"text": TEXT, "label": [], "source": "news", "Comments": ["ask"]})).documents
    assert document.meta == {"source": "news", "comments": [{"text": "ask"}]}
    record = json.loads(by_name("doccano").render(document, WriteOptions())[0])
    assert (record["source"], record["Comments"]) == ("news", ["ask"])


EMOJI = [
    "😀拜登在北京会见记者",
    "今天 😀😀 拜登 在北京",
    "𠮷野家在北京开业，李雷到场",
    "Go 😀 Joe Biden in Paris",
]
SURFACES = [["拜登", "北京"], ["拜登", "北京"], ["𠮷野家", "北京", "李雷"], ["Joe Biden", "Paris"]]


def _corpus(count):
    records = []
    for text, surfaces in zip(EMOJI, SURFACES, strict=True):
        places = [(text.index(surface), text.index(surface) + len(surface)) for surface in surfaces]
        records.append({"text": text, "label": [[count(text, s), count(text, e), "X"] for s, e in places]})
    return lines({"text": TEXT, "label": TRIPLES}, *records)


@pytest.mark.parametrize(
    ("count", "found"),
    [
        (lambda text, place: place, "code points (found"),
        (lambda text, place: len(text[:place].encode("utf-16-le")) // 2, "UTF-16 units (found"),
    ],
    ids=["code points", "UTF-16"],
)
def test_the_counting_is_found_where_astral_characters_tell_it(read, count, found):
    result = read(_corpus(count), "export.jsonl")
    assert [[d.surface(s) for s in d.spans] for d in result.documents[1:]] == SURFACES
    assert found in " ".join(result.notes)


def test_without_astral_characters_nothing_needs_finding(read):
    notes = " ".join(read(lines({"text": TEXT, "label": TRIPLES})).notes)
    assert "all readings agree" in notes


def test_where_both_readings_fit_the_assumption_is_stated_and_can_be_overruled(read):
    content = lines({"text": "😀拜登在北京", "label": [[2, 3, "X"]]})
    result = read(content)
    assert "code points (assumed" in " ".join(result.notes)
    assert result.documents[0].surface(result.documents[0].spans[0]) == "登"
    overruled = read(content, offsets="utf16").documents[0]
    assert overruled.surface(overruled.spans[0]) == "拜"


def test_an_offset_inside_a_surrogate_pair_is_refused(read):
    result = read(lines({"text": "😀拜登", "label": [[1, 3, "X"]]}), offsets="utf16")
    assert result.documents == ()
    assert "inside a surrogate pair" in result.refusals[0].reason


def test_an_escaped_pair_of_surrogates_is_one_character(one):
    content = '{"text": "\\ud83d\\ude00 \\u62dc\\u767b ok", "label": [[2, 4, "PER"]]}\n'
    assert one(content) == ("😀 拜登 ok", [("拜登", "PER")])


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"text": TEXT, "label": [[3, 99, "LOC"]]}, "3-99 does not lie in the text, which has 9 characters"),
        ({"text": TEXT, "label": [[-1, 2, "LOC"]]}, "does not lie in the text"),
        ({"text": TEXT, "label": [[2, 2, "LOC"]]}, "does not lie in the text"),
        ({"text": TEXT, "label": [[0, "x", "LOC"]]}, "should be a whole number"),
        ({"text": TEXT, "label": [[0, True, "LOC"]]}, "should be a whole number"),
        ({"text": TEXT, "label": [[0, 1]]}, "should be [start, end, label]"),
        ({"text": TEXT, "label": [[0, 1, " "]]}, "not empty"),
        ({"text": TEXT, "label": "PER"}, "should be a list"),
        ({"text": TEXT, "entities": [3]}, "list of objects"),
        ({"text": 5, "label": []}, "should be a text"),
        ({"label": []}, "there is no field 'text' or 'data'"),
    ],
)
def test_a_bad_record_is_refused_by_line_and_the_others_kept(read, record, reason):
    content = lines({"text": TEXT, "label": TRIPLES}) + "\n" + lines(record, {"text": TEXT, "label": []})
    result = read(content, "export.jsonl", "doccano")
    assert len(result.documents) == 2
    (refusal,) = result.refusals
    assert refusal.line == 3
    assert reason in refusal.reason
    assert json.loads(refusal.raw) == record


def test_the_export_counts_code_points_and_says_so_where_it_matters():
    document = Document("7", "😀拜登", (Span(1, 3, "PER", 0.5),))
    content, lost = by_name("doccano").render(document, WriteOptions())
    assert json.loads(content) == {
        "id": 7,
        "text": "😀拜登",
        "label": [[1, 3, "PER"]],
        "offsets": "code points",
    }
    assert lost == {"scores": 1}
    assert Utf16Offsets(document.text).to_utf16(1) == 2  # what a reader that guesses wrong would take


def test_comments_of_ours_and_a_further_field_of_doccanos_name_both_come_back(tmp_path):
    ours = [{"text": "sure?", "user": "lin", "at": 1700000000}]
    document = Document("1", "", (), {"Comments": ["0"], "comments": ours})
    assert write_file([document], tmp_path / "a.jsonl", "doccano") == {}
    (again,) = read_file(tmp_path / "a.jsonl", "doccano").documents
    assert dict(again.meta) == dict(document.meta)
