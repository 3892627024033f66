"""BERT-MRC: the questions of a context become one document again, ends inclusive."""

import json

from core.formats import read_file, write_file
from core.text import Document, Span


def query(context, label, spans, number="0.1", **more):
    return {
        "context": context,
        "query": f"find {label}",
        "start_position": [start for start, _ in spans],
        "end_position": [end for _, end in spans],
        "entity_label": label,
        "impossible": not spans,
        "qas_id": number,
        **more,
    }


def test_questions_of_one_context_are_one_document_and_words_keep_their_blanks(read):
    records = [
        query("拜 登 在 北 京", "PER", [(0, 1)], "0.1", span_position=["0;1"]),
        query("拜 登 在 北 京", "LOC", [(3, 4), (0, 4)], "0.2"),
        query("拜 登 在 北 京", "ORG", [], "0.3"),
        query("拜 登 在 北 京", "PER", [], "1.1"),
        query("Joe Biden came", "PER", [(0, 1)], "2.1"),
    ]
    result = read(json.dumps(records, ensure_ascii=False), "mrc-ner.train")
    assert result.format == "bert_mrc"
    first, second, third = result.documents
    assert (first.text, [s.key for s in first.spans]) == (
        "拜登在北京", [(0, 5, "LOC"), (0, 2, "PER"), (3, 5, "LOC")],
    )  # fmt: skip
    assert (second.text, second.spans) == ("拜登在北京", ())
    assert (third.text, third.surface(third.spans[0])) == ("Joe Biden came", "Joe Biden")


def test_a_bad_question_is_refused_alone(read):
    records = [query("拜 登", "PER", [(0, 1)]), query("拜 登", "LOC", [(1, 7)]), query("", "X", [])]
    result = read(json.dumps(records), "a.json")
    assert [d.spans for d in result.documents] == [(Span(0, 2, "PER"),)]
    assert "tokens 1-7 do not lie in the context" in result.refusals[0].reason
    assert "the context is empty" in result.refusals[1].reason


def test_every_document_is_asked_for_every_label(tmp_path):
    corpus = [Document("1", "拜登", (Span(0, 2, "PER"),)), Document("2", "北京", (Span(0, 2, "LOC"),))]
    assert write_file(corpus, tmp_path / "a.json", "bert_mrc") == {"ids": 2}
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert [(r["qas_id"], r["entity_label"], r["impossible"]) for r in written] == [
        ("0.1", "PER", False), ("0.2", "LOC", True), ("1.1", "PER", True), ("1.2", "LOC", False),
    ]  # fmt: skip
    assert [d.spans for d in read_file(tmp_path / "a.json").documents] == [d.spans for d in corpus]
