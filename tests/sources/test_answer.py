"""What language models answer, and where it is in the text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.sources.language_model.answer import Entity, find_in_text, read_answer
from core.sources.language_model.prompt import answer_of
from core.text import Document, Span, sort_spans

ONE = '{"text": "李明", "label": "PER", "occurrence": 1}'
READ = Entity("李明", "PER", 1, None)


@pytest.mark.parametrize(
    "content",
    [
        f'{{"entities": [{ONE}]}}',
        f'Sure! Here is the JSON:\n```json\n{{"entities": [{ONE}]}}\n```\nAnything else {{ }} I can do?',
        f'{{"entities": [{ONE}, {{"text": "王小',
        f"[{ONE}]",
        f"{ONE}\n",
        f'<think>maybe {{"text": "no", "label": "ORG"}}</think>{{"entities": [{ONE}]}}',
        f'{{"result": {{"entities": [{ONE}]}}}}',
    ],
)
def test_an_entity_is_read_out_of_whatever_surrounds_it(content: str) -> None:
    assert read_answer(content).entities == (READ,)


@pytest.mark.parametrize(
    "content", ["", "No entities.", "{", "{}", "null", '{"entities": "none"}', "[" * 9_000]
)
def test_what_says_nothing_is_not_taken_for_no_entities(content: str) -> None:
    assert not read_answer(content).readable


@pytest.mark.parametrize("content", ['{"entities": []}', '```\n{"entities": []}```', "[]"])
def test_none_is_an_answer(content: str) -> None:
    assert read_answer(content).readable
    assert not read_answer(content).entities


def test_malformed_entities_are_counted() -> None:
    content = '{"entities": [{"text": 3, "label": "PER"}, {"label": "PER"}, {"text": " ", "label": "PER"}]}'
    assert read_answer(content).malformed == 3


def test_occurrences() -> None:
    text = "哈哈哈，李明"

    def found(*entities: tuple[str, str, int | None]) -> tuple[list[tuple[int, int]], dict[str, int]]:
        answer = find_in_text(text, [Entity(*entity, None) for entity in entities], {"PER"})
        return [(span.start, span.end) for span in answer.spans], dict(answer.dropped)

    assert found(("哈", "PER", 3)) == ([(2, 3)], {})
    assert found(("哈", "PER", 9)) == ([(0, 1)], {})
    assert found(("哈", "PER", None), ("哈", "PER", None)) == ([(0, 1), (1, 2)], {})
    assert found(("哈哈", "PER", 2)) == ([(1, 3)], {})
    assert found(("李明", "PER", 1), ("李明", "PER", 1)) == ([(4, 6)], {"said twice": 1})
    assert found(("李 明", "PER", 1), ("李明", "LOC", 1)) == ([], {"not in the text": 1, "unknown label": 1})
    assert found((" 李明\n", "PER", 1)) == ([(4, 6)], {})


@given(st.text('ab {"}\\\n王𠮷', max_size=24), st.data())
def test_an_answer_that_quotes_spans_gives_these_spans(text: str, data: st.DataObject) -> None:
    words = [match.span() for match in re.finditer(r"\S+", text)]
    chosen = data.draw(st.lists(st.sampled_from(words), unique=True)) if words else []
    spans = sort_spans(Span(start, end, data.draw(st.sampled_from("XY"))) for start, end in chosen)
    read = read_answer(f"Well:\n{answer_of(text, spans)}")
    assert read.readable
    found = find_in_text(text, read.entities, {"X", "Y"})
    assert found.spans == spans
    assert not found.dropped
    assert Document("d", text, found.spans)


def test_a_deeply_nested_answer_is_no_crash() -> None:
    assert not read_answer(json.dumps({"a": 1})[:-1] + ', "b": ' + '{"c":' * 20_000).readable
