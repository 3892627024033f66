"""Words of a batch sorted by length."""

import pytest

from core.layers.flat.word_lengths import WordLengths

WORDS = [[(0, 2), (1, 2), (3, 4)], [], [(0, 3), (0, 1)]]


def test_words_stand_by_length_with_their_places_in_the_flattened_batch():
    lengths = WordLengths.of_words(WORDS, 5, 4)
    assert lengths.index.tolist() == [1, 2, 4, 0, 3]
    assert lengths.first.tolist() == [1, 3, 10, 0, 10]
    assert lengths.last.tolist() == [2, 4, 11, 2, 13]
    assert [lengths.of_length(length) for length in (2, 3, 4)] == [slice(0, 3), slice(3, 4), slice(4, 5)]


def test_lengths_without_words_are_empty():
    lengths = WordLengths.of_words([[(1, 3)]], 4, 5)
    counts = [lengths.of_length(length) for length in (2, 3, 4, 5)]
    assert [part.stop - part.start for part in counts] == [0, 1, 0, 0]
    assert WordLengths.of_words([[], []], 0, 2).of_length(2) == slice(0, 0)


@pytest.mark.parametrize("word", [(2, 2), (3, 2), (-1, 1), (3, 5), (0, 4)])
def test_a_word_that_is_none_is_refused(word):
    with pytest.raises(ValueError, match=f"from {word[0]} to {word[1]}"):
        WordLengths.of_words([[word]], 5, 4)


def test_moving_them_keeps_the_lengths():
    moved = WordLengths.of_words(WORDS, 5, 4).to("meta")
    assert moved.first.is_meta
    assert moved.length_at == (0, 3, 4, 5)
