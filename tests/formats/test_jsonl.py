"""Native JSONL, and JSONL of anybody else with a text in it."""

import json

import pytest

from core.formats import FormatError, WriteOptions, by_name, read_file, to_record, write_file
from core.text import Document, Span

SPAN = {"start": 0, "end": 2, "label": "PER", "text": "拜登"}


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_the_native_form_holds_everything(tmp_path):
    document = Document(
        "a", "拜登😀在北京", (Span(0, 2, "PER", 0.75), Span(0, 6, "EVENT")), {"tokens": [[0, 6]]}
    )
    assert to_record(document) == {
        "id": "a",
        "text": "拜登😀在北京",
        "spans": [{**SPAN, "score": 0.75}, {"start": 0, "end": 6, "label": "EVENT", "text": "拜登😀在北京"}],
        "meta": {"tokens": [[0, 6]]},
    }
    assert write_file([document], tmp_path / "a.jsonl") == {}
    assert read_file(tmp_path / "a.jsonl").documents == (document,)


@pytest.mark.parametrize(
    ("records", "texts", "note"),
    [
        ([{"text": "一"}, {"text": "二", "id": 9}], ["一", "二"], None),
        ([{"content": "一", "url": "u"}], ["一"], "'content'"),
        ([{"key": "k", "评论": "好用，下次再买"}], ["好用，下次再买"], "'评论'"),
    ],
)
def test_the_text_field_is_found_by_name_or_by_length(read, records, texts, note):
    result = read(lines(*records), "reviews.jsonl")
    assert result.format == "jsonl"
    assert [document.text for document in result.documents] == texts
    assert (note is None and result.notes == ()) or note in result.notes[0]


def test_a_named_text_field_wins_and_the_rest_goes_to_meta(read):
    (document,) = read(lines({"text": "no", "body": "yes", "n": 1}), "a.jsonl", text_column="body").documents
    assert (document.text, document.meta) == ("yes", {"text": "no", "n": 1})


def test_prodigy_spans_are_read_and_the_hashes_kept(one, read):
    spans = [{"start": 0, "end": 2, "token_start": 0, "token_end": 0, "label": "PER"}]
    content = lines({"text": "拜登在", "spans": spans, "answer": "accept", "_input_hash": 1})
    assert one(content, "prodigy.jsonl") == ("拜登在", [("拜登", "PER")])
    assert read(content).documents[0].meta == {"_input_hash": 1}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{oops", "not JSON: a field name in double quotes is missing (column 2)"),
        ("[1]", "must be an object"),
        ("7", "must be an object"),
        ("[" * 100_000, "not JSON that can be read: it is nested too deeply"),
        ("1" * 5000, "a number has too many digits"),
        ('{"text": null}', "should be a text, but it is null"),
        ('{"txt": "a"}', "there is no field 'text'; the fields are 'txt'"),
        ('{"text": "a\\ud800"}', "half a surrogate pair"),
        (lines({"text": "拜登", "spans": 3}), "'spans' should be a list"),
        (lines({"text": "拜登", "spans": ["x"]}), "a span should be an object"),
        (lines({"text": "拜登", "spans": [{**SPAN, "end": 3}]}), "ends after the text"),
        (lines({"text": "拜登", "spans": [{**SPAN, "start": 2}]}), "2-2 does not lie in the text"),
        (lines({"text": "登拜", "spans": [SPAN]}), "should read '拜登' but the text there is '登拜'"),
        (lines({"text": "拜登", "spans": [{**SPAN, "label": ""}]}), "label"),
        (lines({"text": "拜登", "spans": [{**SPAN, "score": 2}]}), "from 0 to 1"),
        (lines({"text": "拜登", "spans": [{**SPAN, "score": "high"}]}), "from 0 to 1"),
    ],
)
def test_a_bad_record_is_refused_by_line_and_can_be_mended(read, tmp_path, bad, reason):
    good = lines({"text": "拜登", "spans": [SPAN]})
    result = read(good + "\n" + bad.rstrip("\n") + "\n" + good, "a.jsonl", "jsonl")
    assert len(result.documents) == 2
    (refusal,) = result.refusals
    assert refusal.line == 3
    assert refusal.reason.isprintable()
    if reason != "ends after the text":
        assert reason in refusal.reason
    result.write_refused(tmp_path / "mend.jsonl")
    assert (tmp_path / "mend.jsonl").read_text("utf-8").rstrip("\n") == bad.rstrip("\n")


def test_labels_become_one_line_without_outer_blanks(one):
    content = lines({"text": "拜登", "spans": [{**SPAN, "label": " head\nof state "}]})
    assert one(content, "a.jsonl") == ("拜登", [("拜登", "head of state")])


def test_a_line_of_a_megabyte_is_one_document(read):
    text = "新闻" * 350_000
    result = read(
        lines({"text": text, "spans": [{"start": 700_000 - 2, "end": 700_000, "label": "X"}]}), "a.jsonl"
    )
    assert len(result.documents[0].text) == 700_000
    assert (
        json.loads(by_name("jsonl").render(result.documents[0], WriteOptions())[0])["spans"][0]["text"]
        == "新闻"
    )


def test_an_id_or_a_status_is_not_taken_for_the_text(read):
    records = [{"key": f"3f2504e0-4f89-11d3-9a0c-{n:012d}", "status": "waiting for review"} for n in range(6)]
    content = "".join(json.dumps(record) + "\n" for record in records)
    with pytest.raises(FormatError, match="other than ids and categories"):
        read(content, "data.jsonl")
    assert len(read(content, "data.jsonl", text_column="key").documents) == 6
