"""Files under a mapping: what we write under any names comes back, and what does not fit is told by row."""

import csv
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import FormatError, ReadOptions, read_file, write_file
from core.formats.mapping.field_path import path_of
from core.formats.mapping.mapping import Mapping
from core.text import Document, Span
from tests.formats.documents import CHARACTERS, documents

NAMES = st.lists(st.text(CHARACTERS, min_size=1, max_size=5), min_size=9, max_size=9, unique=True)
TEXT = "拜登在北京会见记者"


def read(path, **fields):
    return read_file(path, options=ReadOptions(mapping=Mapping(**fields)))


def spans_of(result):
    return [[(doc.surface(span), span.label) for span in doc.spans] for doc in result.documents]


def put(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@given(documents(), NAMES, st.booleans())
def test_flat_jsonl_under_any_field_names_is_read_back_equal(corpus, names, deep):
    text, spans, identifier, split, other, start, end, label, surface = names
    within = ["data"] if deep and "data" not in names else []
    corpus = [Document(d.id, d.text, [Span(*s.key) for s in d.spans], {}) for d in corpus]
    mapping = Mapping(
        text=path_of([*within, text]),
        spans=path_of([*within, spans]),
        id=path_of([*within, identifier]),
        split=path_of([*within, split]),
        start=path_of([start]),
        end=path_of([end]),
        label=path_of([label]),
        surface=path_of([surface]),
    )
    expected = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        with path.open("w", encoding="utf-8") as target:
            for number, document in enumerate(corpus):
                items = [
                    {start: s.start, end: s.end, label: s.label, surface: document.surface(s)}
                    for s in document.spans
                ]
                flat = {text: document.text, spans: items, identifier: document.id, split: "dev"}
                record = {"data": flat} if within else flat
                record[other] = number
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
                expected.append(
                    Document(document.id, document.text, document.spans, {other: number, "split": "dev"})
                )
        if not corpus:
            return
        result = read_file(path, options=ReadOptions(mapping=mapping))
    assert not result.refusals
    # Equal spans of one document are one span.
    assert [d.with_spans(dict.fromkeys(d.spans)) for d in expected] == list(result.documents)


def test_spans_are_objects_or_lists_by_name_or_position(tmp_path):
    path = put(tmp_path, "a.jsonl", json.dumps({"t": TEXT, "s": [["PER", 0, 2], ["LOC", 3, 5]]}))
    result = read(path, text="t", spans="s", label="0", start="1", end="2")
    assert spans_of(result) == [[("拜登", "PER"), ("北京", "LOC")]]
    wrapped = {
        "data": {"body": TEXT},
        "annotations": [{"result": [{"value": {"b": 3, "e": 5, "k": ["LOC"]}}]}],
    }
    path = put(tmp_path, "b.json", json.dumps([wrapped, wrapped]))
    result = read(
        path, text="data.body", spans="annotations.0.result", start="value.b", end="value.e", label="value.k"
    )
    assert spans_of(result) == [[("北京", "LOC")]] * 2


def test_the_fields_of_spans_are_found_where_the_mapping_leaves_them_out(tmp_path):
    record = {"t": TEXT, "s": [{"what": "北京", "from": 3, "until": 5, "kind": "LOC"}]}
    result = read(put(tmp_path, "a.jsonl", json.dumps(record)), text="t", spans="s")
    assert spans_of(result) == [[("北京", "LOC")]]
    record["s"][0]["until"] = 4  # the inclusive end shows by the surface
    result = read(put(tmp_path, "a.jsonl", json.dumps(record)), text="t", spans="s")
    assert spans_of(result) == [[("北京", "LOC")]]
    assert "end inclusive" in " ".join(result.notes)


def test_layers_of_tags_are_nested_spans(tmp_path):
    record = {
        "toks": ["北", "京", "大", "学"],
        "outer": ["B-ORG", "I-ORG", "I-ORG", "I-ORG"],
        "inner": ["B-LOC", "I-LOC", "O", "O"],
    }
    result = read(put(tmp_path, "a.jsonl", json.dumps(record)), tokens="toks", tags=("outer", "inner"))
    assert spans_of(result) == [[("北京大学", "ORG"), ("北京", "LOC")]]


def test_tags_may_stand_for_characters_and_lack_prefixes(tmp_path):
    record = {"t": "北京大学", "tag": ["LOC", "LOC", "O", "O"]}
    assert spans_of(read(put(tmp_path, "a.jsonl", json.dumps(record)), text="t", tags=("tag",))) == [
        [("北京", "LOC")]
    ]


def test_spans_may_number_tokens(tmp_path):
    record = {"toks": ["Joe", "met", "Xi"], "s": [{"a": 2, "z": 2, "k": "PER"}]}
    path = put(tmp_path, "a.jsonl", json.dumps(record))
    result = read(path, tokens="toks", spans="s", start="a", end="z", label="k", offsets="tokens+inclusive")
    assert spans_of(result) == [[("Xi", "PER")]]


@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_column_file_is_read_by_any_of_its_columns(tmp_path, separator):
    rows = [("Joe", "B-PER", "x", "7"), ("met", "O", "x", "7"), ("Xi", "B-PER", "y", "7")]
    block = "".join(separator.join(row) + "\n" for row in rows)
    path = put(tmp_path, "a.txt", f"{block}\n{block}")
    result = read(path, tokens="column 1", tags=("column 2",))
    assert spans_of(result) == [[("Joe", "PER"), ("Xi", "PER")]] * 2
    assert [document.text for document in result.documents] == ["Joe met Xi"] * 2


def test_a_table_has_a_document_a_token_or_a_span_on_each_row(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as target:
        out = csv.writer(target)
        out.writerows(
            [["key", "words here", "found"], ["1", "Joe met Xi", '[[0, 3, "PER"]]'], ["2", "no", "[]"]]
        )
    result = read(path, text="words here", spans="found", start="0", end="1", label="2", id="key")
    assert spans_of(result) == [[("Joe", "PER")], []]
    assert [document.id for document in result.documents] == ["1", "2"]

    path = put(tmp_path, "b.csv", "sent,token,pos,tag\n1,Joe,N,B-PER\n,met,V,O\n2,Xi,N,B-PER\n")
    result = read(path, tokens="token", tags=("tag",), group="sent")
    assert spans_of(result) == [[("Joe", "PER")], [("Xi", "PER")]]

    path = put(
        tmp_path,
        "c.tsv",
        "doc\ttext\tbegin\tend\ttype\n1\tJoe met Xi\t0\t3\tPER\n1\tJoe met Xi\t8\t10\tPER\n",
    )
    result = read(path, text="text", start="begin", end="end", label="type", group="doc")
    assert spans_of(result) == [[("Joe", "PER"), ("Xi", "PER")]]


def test_parquet_is_read_by_any_names_with_the_names_of_its_classes(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    write_file([Document("1", TEXT, (Span(0, 2, "PER"),), {})], path)
    assert spans_of(read(path, tokens="tokens", tags=("ner_tags",))) == [[("拜登", "PER")]]


def test_records_may_lie_in_a_list_inside_one_object(tmp_path):
    path = put(tmp_path, "a.json", json.dumps({"version": 2, "examples": [{"q": TEXT}, {"q": "好"}, "x"]}))
    result = read(path, text="q", records="examples")
    assert [document.text for document in result.documents] == [TEXT, "好"]
    assert "record 3 of 'examples' is no object" in result.refusals[0].reason


def test_document_labels_and_split_are_kept_and_other_fields_too(tmp_path):
    path = put(tmp_path, "a.jsonl", json.dumps({"t": TEXT, "cat": ["a", "b"], "part": "validation", "x": 1}))
    (document,) = read(path, text="t", labels=("cat",), split="part").documents
    assert dict(document.meta) == {"x": 1, "document_labels": ["a", "b"], "split": "dev"}


@pytest.mark.parametrize(
    ("record", "fields", "said"),
    [
        ({"t": 3}, {"text": "t"}, "'t' should be a text, but it is 3"),
        ({"t": TEXT, "s": "none"}, {"text": "t", "spans": "s"}, "'s' should be a list of spans"),
        ({"t": TEXT, "s": [{"b": 0, "e": 2}]}, {"text": "t", "spans": "s", "label": "k"},
         "a span of 's' has no 'k'"),
        ({"t": TEXT, "s": [{"b": 0, "e": 99, "k": "PER"}]}, {"text": "t", "spans": "s"},
         "does not lie in the text"),
        ({"w": ["a", "b"], "g": ["O"]}, {"tokens": "w", "tags": ("g",)}, "'g' has 1 tags for 2 tokens"),
        ({"w": ["a"], "g": [4]}, {"tokens": "w", "tags": ("g",)}, "does not say which tags they stand for"),
        ({"w": ["a", "b"], "g": ["B-X", "huh"]}, {"tokens": "w", "tags": ("g",)}, "'huh' is not a tag"),
        ({"t": "ab", "w": ["a", "c"], "g": ["O", "O"]}, {"text": "t", "tokens": "w", "tags": ("g",)},
         "the token 'c' of 'w' is not where it should be"),
        ({"w": {"a": 1}, "g": ["O"]}, {"tokens": "w", "tags": ("g",)}, "'w' should be a list of texts"),
    ],
)  # fmt: skip
def test_a_record_that_does_not_fit_is_refused_with_its_line_and_field(tmp_path, record, fields, said):
    good = {"t": TEXT, "s": [{"b": 0, "e": 2, "k": "PER"}], "w": ["a"], "g": ["B-X"]}
    path = put(tmp_path, "a.jsonl", json.dumps(good) + "\n" + json.dumps(record) + "\n")
    if "text" in fields and "tags" in fields:
        path = put(
            tmp_path, "a.jsonl", json.dumps({"t": "a", "w": ["a"], "g": ["O"]}) + "\n" + json.dumps(record)
        )
    result = read(path, **fields)
    assert len(result.documents) == 1
    (refusal,) = result.refusals
    assert refusal.line == 2
    assert said in refusal.reason


def test_a_ragged_row_is_told_by_its_line(tmp_path):
    path = put(tmp_path, "a.txt", "a\tO\nb\tO\n\nc\tO\nd\n\ne\tO\n")
    result = read(path, tokens="column 1", tags=("column 2",))
    assert len(result.documents) == 2
    assert "line 5: the row has 1 columns" in result.refusals[0].reason


def test_a_field_that_no_record_has_is_told_with_those_there_are(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"body": "x", "n": 1}\n')
    with pytest.raises(FormatError, match=r"no record has the field 'bdy'; the fields are 'body', 'n'"):
        read(path, text="bdy")
    path = put(tmp_path, "b.jsonl", '{"body": "x y", "s": [{"a": 1, "b": 2}]}\n')
    with pytest.raises(FormatError, match="holds its label"):
        read(path, text="body", spans="s")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"one line only\n"])
def test_what_has_no_fields_cannot_be_mapped(tmp_path, content):
    path = tmp_path / "a.bin"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read(path, text="x")


def test_a_folder_cannot_be_mapped(tmp_path):
    with pytest.raises(FormatError, match="single files can be mapped"):
        read(tmp_path, text="x")
