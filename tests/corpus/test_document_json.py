"""Documents in = documents out, whatever is in them."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from core.corpus.document_json import document_from_json, document_to_json, read_documents, write_documents
from core.corpus.errors import CorpusError
from core.text import Document, OffsetError, Span
from tests.corpus.strategies import corpora


@given(corpora)
@settings(deadline=None)
def test_documents_come_back_as_they_were_written(given_documents):
    with TemporaryDirectory() as folder, patch("os.fsync"):  # hundreds of files on a busy disk
        path = Path(folder) / "d.jsonl"
        write_documents(path, given_documents)
        assert list(read_documents(path)) == given_documents
        lines = path.read_bytes().split(b"\n")
    assert len(lines) == len(given_documents) + 1, "one line a document, whatever line ends a text holds"


def test_the_form_on_disk_is_what_other_programs_read(tmp_path):
    document = Document("a", "𠮷野家", (Span(0, 2, "ORG", 0.25), Span(0, 1, "X")), {"k": [1, None]})
    write_documents(tmp_path / "d.jsonl", [document])
    assert json.loads((tmp_path / "d.jsonl").read_text(encoding="utf-8")) == {
        "id": "a",
        "text": "𠮷野家",
        "spans": [
            {"start": 0, "end": 2, "label": "ORG", "score": 0.25},
            {"start": 0, "end": 1, "label": "X"},
        ],
        "meta": {"k": [1, None]},
    }


def test_a_surface_beside_a_span_is_checked():
    value = document_to_json(Document("a", "青禾市", (Span(0, 2, "LOC"),)))
    value["spans"][0]["text"] = "青禾"
    assert document_from_json(value).spans == (Span(0, 2, "LOC"),)
    value["spans"][0]["text"] = "禾市"
    with pytest.raises(OffsetError, match="禾市"):
        document_from_json(value)


def test_an_id_may_be_a_number_and_meta_and_scores_may_be_absent():
    assert document_from_json({"id": 7, "text": "a"}) == Document("7", "a")
    assert document_from_json({"id": 7, "text": "a", "meta": None}) == Document("7", "a")


@pytest.mark.parametrize(
    "line",
    ["[1, 2]", "[]", "{", '{"id": "x"}', '{"id": 1}', '{"text": "x"}', '{"id": null, "text": "x"}',
     '{"id": 1, "text": "x", "meta": [1]}', '{"id": 1, "text": "x", "spans": {}}',
     '{"id": 1, "text": "x", "spans": [{}]}', '{"id": 1, "text": "x", "spans": [[0, 1, "L"]]}',
     '{"id": 1, "text": "x", "spans": [{"start": "0", "end": 1, "label": "L"}]}',
     '{"id": 1, "text": "x", "spans": [{"start": 0, "end": 0.5, "label": "L"}]}',
     '{"id": 1, "text": "x", "spans": [{"start": 0, "end": 1, "label": 3}]}',
     '{"id": 1, "text": "x", "spans": [{"start": 0, "end": 1, "label": "L", "score": "high"}]}',
     '{"id": "x", "text": "a", "spans": [{"start": 0, "end": 9, "label": "L"}]}',
     '{"id": "x", "text": "ab", "spans": [{"start": 0, "end": 1, "label": "L", "text": "b"}]}',
     '{"id": "x", "text": "a", "meta": ' + "[" * 100_000 + "]" * 100_000 + "}",
     b'{"id": "x", "text": "\xff"}'],
)  # fmt: skip
def test_a_damaged_line_is_named(tmp_path, line):
    path = tmp_path / "train.jsonl"
    content = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(b'{"id": "ok", "text": "a", "spans": []}\n\n' + content + b"\n")
    with pytest.raises(CorpusError, match=r"train\.jsonl, line 3"):
        list(read_documents(path))
