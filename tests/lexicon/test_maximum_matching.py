"""Maximum matching against its definition: longest word first, over all segmentations there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon.maximum_matching import DIRECTIONS, segment

LENGTHS = st.integers(0, 9)


@st.composite
def texts(draw):
    """A length and some words' extents inside it, single characters among them."""
    length = draw(LENGTHS)
    if not length:
        return 0, []
    starts = st.integers(0, length - 1)
    extent = starts.flatmap(lambda start: st.tuples(st.just(start), st.integers(start + 1, length)))
    return length, draw(st.lists(extent, max_size=10))


def segmentations(start, length, words):
    """Every way to cut the text into words and single characters."""
    if start == length:
        return [[]]
    ends = {end for first, end in words if first == start} | {start + 1}
    return [[(start, end), *rest] for end in ends for rest in segmentations(end, length, words)]


def forward(length, words):
    """Longest word first from the left: the segmentation whose first segment is longest, then its second."""
    return max(segmentations(0, length, words), key=lambda cut: [end - start for start, end in cut])


def backward(length, words):
    return max(segmentations(0, length, words), key=lambda cut: [end - start for start, end in reversed(cut)])


def bidirectional(length, words):
    found = [backward(length, words), forward(length, words)]
    return min(found, key=lambda cut: (len(cut), sum(end - start == 1 for start, end in cut)))


DEFINITIONS = {"forward": forward, "backward": backward, "bidirectional": bidirectional}


def test_every_direction_has_a_definition():
    assert set(DEFINITIONS) == set(DIRECTIONS)


@pytest.mark.parametrize("direction", DIRECTIONS)
@given(texts())
def test_it_is_the_longest_word_first(direction, case):
    length, words = case
    assert segment(length, words, direction) == DEFINITIONS[direction](length, words)


def extents(text, *words):
    return [
        (start, start + len(word))
        for word in words
        for start in range(len(text))
        if text[start:].startswith(word)
    ]


def spelt(text, cut):
    return [text[start:end] for start, end in cut]


def test_the_two_directions_part_where_words_overlap():
    text = "研究生命起源"
    words = extents(text, "研究", "研究生", "生命", "起源")
    assert spelt(text, segment(6, words, "forward")) == ["研究生", "命", "起源"]
    assert spelt(text, segment(6, words, "backward")) == ["研究", "生命", "起源"]
    assert spelt(text, segment(6, words)) == ["研究", "生命", "起源"]


def test_fewer_segments_come_before_fewer_single_characters():
    # Forward abc|de|f|g, backward a|bcd|efg: three segments win, though one of them is single in both.
    words = [(0, 3), (3, 5), (1, 4), (4, 7)]
    assert segment(7, words, "forward") == [(0, 3), (3, 5), (5, 6), (6, 7)]
    assert segment(7, words) == [(0, 1), (1, 4), (4, 7)]


def test_forward_wins_by_single_characters_alone():
    # Forward ab|cd, backward a|bcd: as many segments, but only one way has no single character.
    words = [(0, 2), (2, 4), (1, 4)]
    assert segment(4, words, "backward") == [(0, 1), (1, 4)]
    assert segment(4, words) == [(0, 2), (2, 4)]


def test_a_text_without_words_falls_into_characters():
    assert segment(3, []) == [(0, 1), (1, 2), (2, 3)]
    assert segment(0, []) == []


def test_a_thousand_characters_of_one_word_take_no_time():
    length = 1000
    words = [(start, start + size) for start in range(length) for size in (2, 3) if start + size <= length]
    assert len(segment(length, words)) == 334
