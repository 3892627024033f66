"""Text cut into words: nothing is lost, whatever the text."""

from itertools import groupby, pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from core.lexicon.segmentation import word_lengths, word_numbers


def test_words_are_cut_as_jieba_does():
    text = "我要买羊绒大衣"
    assert [len(list(own)) for _, own in groupby(word_numbers(text))] == list(word_lengths(text))
    assert word_lengths("大衣") == (2,)
    assert word_lengths("magic 手机") == (5, 1, 2)


@given(st.text(max_size=40))
@example("")
@example("\r\n大衣\t\u3000 \0<b>")
@example("\ud800大衣")
@example("𠮷𠮷野家")
def test_every_character_is_in_one_word(text):
    assert sum(word_lengths(text)) == len(text)
    numbers = word_numbers(text)
    assert len(numbers) == len(text)
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(numbers))
