"""``python -m core similar`` and ``key-sentences``."""

import json

import pytest

from tests.retrieval.test_sentence_graph import ALIKE, text_of

ROWS = (
    {
        "id": "a",
        "text": "昨天下雨。林晚晴在清河大学教书。",
        "spans": [{"start": 9, "end": 13, "label": "ORG"}],
    },
    {"id": "b", "text": "星野机器人公司在青岚市。", "spans": []},
    {"id": "c", "text": "<b>清河</b>😀", "spans": []},
)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + "\n", encoding="utf-8")
    return path


def test_the_sentences_that_share_most_come_first_with_their_spans(core, corpus):
    answer = core("similar", "--text", corpus, "--query", "清河大学的教授")
    assert answer.status == 0
    first, second = answer.lines
    assert (first["document"], first["start"], first["text"]) == ("a", 5, "林晚晴在清河大学教书。")
    assert first["spans"] == [[4, 8, "ORG"]]
    assert second["document"] == "c"
    assert first["score"] > second["score"] > 0
    assert len(core("similar", "--text", corpus, "--query", "清河大学", "--count", "1").lines) == 1


@pytest.mark.parametrize("query", ["，。！", "😀", "", "   "])
def test_a_query_of_marks_alone_is_bad_input(core, corpus, query):
    answer = core("similar", "--text", corpus, "--query", query)
    assert answer.status == 2
    assert "no letter or digit" in answer.err


@pytest.mark.parametrize("query", ["鑫淼", "清", "x" * 10_000])
def test_a_query_that_shares_nothing_says_so(core, corpus, query):
    answer = core("similar", "--text", corpus, "--query", query)
    assert (answer.status, answer.out) == (0, "")
    assert "no sentence shares anything" in answer.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["similar", "--text", "nowhere.jsonl", "--query", "清河"], "there is no file"),
        (["key-sentences", "--text", "nowhere.txt"], "there is no file"),
        (["similar", "--text", "{corpus}", "--query", "清河", "--count", "0"], "--count 0"),
        (["key-sentences", "--text", "{corpus}", "--count", "9999"], "--count 9999"),
        (["key-sentences", "--text", "{binary}"], "no UTF-8 text"),
    ],
)
def test_bad_input_is_said_in_one_line(core, corpus, tmp_path, words, message):
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    named = [word.format(corpus=corpus, binary=tmp_path / "b.txt") for word in words]
    answer = core(*named)
    assert answer.status == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_a_text_file_is_one_text_with_its_key_sentences(core, tmp_path):
    path = tmp_path / "report.txt"
    text = text_of(24)
    path.write_text(text, encoding="utf-8")
    rows = core("key-sentences", "--text", path).lines
    assert len(rows) == 3
    for row in rows:
        assert row["document"] == "report.txt"
        assert text[row["start"] : row["end"]] == row["text"]
        assert row["text"].startswith(ALIKE)
        assert row["rank"] > 1
    assert len(core("key-sentences", "--text", path, "--count", "6").lines) == 6


def test_of_other_files_every_document_is_a_text_and_short_ones_have_none(core, corpus):
    answer = core("key-sentences", "--text", corpus)
    assert (answer.status, answer.out) == (0, "")
    assert "read as a whole" in answer.err
