"""Sentences and windows: ends where a reader sees them, and no character lost."""

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text.segmentation import sentences, windows

TEXTS = st.text(
    st.one_of(st.sampled_from("你好。！？…；，,.!? \n\t\"'”）)abcDr3"), st.characters()), max_size=60
)


def pieces(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["他说：“我走了。”", "她没有回答。", "真的！？", "好……  ", "下一句\n\n", "第三行"],
        ["他走了。", '"你好吗？"', "她问。"],
        ["（见第三章。）", "然后继续。"],
        ["单价为3.5元；不含税。", "详见www.example.com。"],
        ["Dr. Smith paid $3.5 to U.S. Steel. ", "He left. ", '"Why?" she asked. ', "See a?b=c now! ", "OK"],
        ['He said "stop." ', "Then he left at 5 p.m. with J. Doe. ", "It rained... ", "A lot."],
        ["Wait... what? ", "Yes."],
        ["  \n  你好。 ", "再见"],
        ["第一行\r\n", "第二行\u2028", "第三行"],
        ["   "],
        [],
    ],
)
def test_sentences_end_where_a_reader_sees_it(expected):
    assert pieces("".join(expected)) == expected


@given(TEXTS)
@example("\n。 。\n\n\"'。”")
def test_sentences_lie_end_to_end_and_none_but_a_blank_text_is_blank(text):
    found = list(sentences(text))
    assert "".join(text[start:end] for start, end in found) == text
    assert all(before[1] == after[0] for before, after in pairwise(found))
    assert all(text[start:end].strip() for start, end in found) or not text.strip()


@given(TEXTS, st.integers(1, 20))
def test_windows_lie_end_to_end_and_none_is_longer_than_the_limit(text, limit):
    found = windows(text, limit)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(0 < end - start <= limit for start, end in found)


@given(TEXTS, st.integers(1, 20))
def test_a_window_stops_inside_a_sentence_only_when_no_sentence_ends_in_reach(text, limit):
    ends = {end for _, end in sentences(text)}
    for start, end in windows(text, limit):
        assert end in ends or not any(start < place <= start + limit for place in ends)


@given(TEXTS)
def test_a_text_that_fits_is_one_window(text):
    assert windows(text, max(1, len(text))) == ([(0, len(text))] if text else [])


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("甲乙丙。丁戊。己庚", 7, ["甲乙丙。丁戊。", "己庚"]),
        ("甲乙丙，丁戊己庚辛。", 6, ["甲乙丙，", "丁戊己庚辛。"]),
        ("one two three four", 9, ["one two ", "three ", "four"]),
        ("甲乙丙丁戊己庚", 3, ["甲乙丙", "丁戊己", "庚"]),
    ],
    ids=["sentence", "clause", "blank", "hard"],
)
def test_windows_are_cut_at_the_best_place_there_is(text, limit, expected):
    assert [text[start:end] for start, end in windows(text, limit)] == expected


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1 character, got 0"):
        windows("text", 0)


@pytest.mark.parametrize("unit", ["。", '."', "a.", " \n", "，", "x", ". a", '好。"', "?a", "'.'", ". \n"])
def test_a_text_of_any_one_thing_takes_linear_time(unit):
    text = unit * (300_000 // len(unit))
    began = time.process_time()
    assert windows(text, 256)[-1][1] == len(text)
    assert time.process_time() - began < 5
