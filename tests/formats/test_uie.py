"""PaddleNLP's UIE: the lines of a text, wherever they stand, are one document."""

import json

import pytest

from core.text import Span

TEXT = "拜登在北京会见记者"


def line(prompt, *results, text=TEXT):
    found = [{"text": text[start:end], "start": start, "end": end} for start, end in results]
    return json.dumps({"content": text, "result_list": found, "prompt": prompt}, ensure_ascii=False) + "\n"


def test_prompts_are_labels_and_negatives_add_nothing(read):
    other = "昆明下雨"
    content = (
        line("人物", (0, 2))
        + line("地点", (0, 2), text=other)
        + line("地点", (3, 5))
        + line("人物", text=other)
    )
    result = read(content, "train.txt")
    assert result.format == "uie"
    first, second = result.documents
    assert (first.text, first.spans) == (TEXT, (Span(0, 2, "人物"), Span(3, 5, "地点")))
    assert (second.text, second.spans) == (other, (Span(0, 2, "地点"),))
    assert first.id != second.id


def test_a_relation_is_left_out_with_a_note_and_a_label_with_de_is_not_one(read):
    result = read(line("拜登的所在地", (3, 5)) + line("会见的人", (7, 9)), "train.jsonl")
    (document,) = result.documents
    assert [span.label for span in document.spans] == []
    assert any("relation" in note for note in result.notes)
    (document,) = read(line("公司的名称", (0, 2)), "train.jsonl").documents
    assert [span.label for span in document.spans] == ["公司的名称"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"result_list": [{"text": "北京", "start": 0, "end": 2}]}, "should read"),
        ({"result_list": [1]}, "list of objects"),
        ({"prompt": 3}, "should be a text"),
        ({"result_list": [{"text": "拜登", "start": None, "end": 2}]}, "whole number"),
    ],
)
def test_a_line_that_does_not_fit_is_refused_with_its_reason(read, changes, reason):
    bad = {"content": "拜登来了", "result_list": [], "prompt": "人物"} | changes
    result = read(json.dumps(bad, ensure_ascii=False) + "\n" + line("人物", (0, 2)), "train.txt", "uie")
    assert [document.text for document in result.documents] == [TEXT]
    (refusal,) = result.refusals
    assert reason in refusal.reason
