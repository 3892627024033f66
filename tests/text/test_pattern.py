"""People's regular expressions: what they find, and what hostile ones cannot do."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Span
from core.text.pattern import LONGEST_PATTERN, MOST_MATCHES, PatternError, check_pattern, find

TEXT = "合同编号HT-2041，另见HT-77。电话13800001111。"


def surfaces(pattern, text=TEXT, seconds=1.0):
    return [text[span.start : span.end] for span in find(pattern, "ID", text, seconds=seconds).spans]


def test_the_whole_match_is_the_span():
    found = find(r"HT-\d+", "ID", TEXT, seconds=1.0)
    assert [span.label for span in found.spans] == ["ID", "ID"]
    assert surfaces(r"HT-\d+") == ["HT-2041", "HT-77"]
    assert (found.cut, found.timed_out) == (False, False)


def test_the_first_group_is_the_span_where_there_is_one():
    assert surfaces(r"电话(\d+)") == ["13800001111"]
    assert surfaces(r"(?:电话)(\d{3})(\d+)") == ["138"]


def test_the_group_entity_comes_before_the_first():
    assert surfaces(r"(编号)(?P<entity>HT-\d+)") == ["HT-2041"]


def test_empty_matches_and_groups_that_take_no_part_are_no_spans():
    assert surfaces(r"x*") == []
    assert surfaces(r"(Q)?HT") == []
    assert surfaces(r"HT()-") == []


def test_offsets_are_code_points():
    text = "😀𠮷HT-1é"
    (span,) = find(r"HT-\d", "ID", text, seconds=1.0).spans
    assert (span.start, span.end) == (2, 6)


def test_a_span_found_twice_is_listed_once():
    assert surfaces(r"(?=(HT-77))[H一]") == ["HT-77"]
    assert surfaces(r"(?=.?(HT-77)).") == ["HT-77"]


def test_many_matches_are_cut():
    found = find(".", "ID", "字" * (MOST_MATCHES + 1), seconds=5.0)
    assert len(found.spans) == MOST_MATCHES
    assert found.cut
    assert not find(".", "ID", "字" * MOST_MATCHES, seconds=5.0).cut


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("(ab", 3), ("a**", 2), ("[a", 2), ("*a", 0), ("a)", 1), (r"\p{Nope}", 8), ("(?P<e", 5), ("[z-a]", 4)],
)
def test_a_bad_pattern_is_refused_with_its_place(pattern, position):
    with pytest.raises(PatternError) as caught:
        check_pattern(pattern)
    assert caught.value.position == position
    assert f"character {position + 1} of the pattern" in str(caught.value)


@pytest.mark.parametrize(
    "pattern", ["", None, 7, ["a"], "a" * (LONGEST_PATTERN + 1), "a{99999999999}", "\ud800", "(?:" * 160]
)
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(PatternError):
        check_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("((a{1,900}){1,900}){1,900}b", "a" * 3000),
        (r"(\w+\s?)*$", "a " * 2000 + "!"),
        ("(?:(?R))", "aa"),
        ("(?e)(?:abcdefghijkl){e<=8}", "xyzw" * 5000),
    ],
)
def test_a_pattern_that_would_run_for_ever_is_stopped(pattern, text):
    start = time.process_time()
    assert find(pattern, "ID", text, seconds=0.2).timed_out
    assert time.process_time() - start < 5.0


@given(st.text(max_size=20), st.text(max_size=40))
def test_any_text_is_refused_or_gives_spans_of_the_text(pattern, text):
    try:
        found = find(pattern, "ID", text, seconds=0.2)
    except PatternError:
        return
    assert all(0 <= span.start < span.end <= len(text) for span in found.spans)


@pytest.mark.parametrize(
    "pattern",
    [
        "(((a{100}){100}){100}){100}", "((ab){1000}){1000}", "a{1000000}", "((a{100,}){100,}){100,200}",
        "(?x)((a{ 1000 }){ 1 000 })", "((a+) {1000}){1000}", "(?:(?:a?){1000}){1000}",
        "a{99999999999999999999}",
        "(?:a?){400}a{400}",
    ],
)  # fmt: skip
def test_a_pattern_that_would_fill_the_memory_before_it_searches_is_refused(pattern):
    began = time.process_time()
    with pytest.raises(PatternError, match="repeats too often"):
        find(pattern, "X", "a", seconds=0.1)
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?", "2026-11-22 10:11:28"),
        (r"\d{6}(?:19|20)\d{9}[\dX]", "11010519491231002X"),
        (r"(?:[\u4e00-\u9fff]{1,50}，){1,20}", "张伟，王芳，"),
        ("(?:.{0,5000}){0,5000}", "张伟"),
        ("张{2}", "张张"),
    ],
)
def test_the_counts_that_people_write_are_taken(pattern, text):
    assert find(pattern, "X", text, seconds=1).spans == (Span(0, len(text), "X"),)
