"""Which characters run together in words, and where a word may begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon.word_boundary import has_spaced, is_spaced, on_boundary


@pytest.mark.parametrize("character", "aZ9éßжΩא١हＡ９")
def test_letters_and_digits_of_scripts_with_blanks_run_together(character):
    assert is_spaced(character)


@pytest.mark.parametrize("character", "中𠮷かカ한ไ😀 -_.，（\n")
def test_han_kana_hangul_thai_signs_and_blanks_do_not(character):
    assert not is_spaced(character)


@given(st.text(max_size=20))
def test_the_quick_look_misses_no_letter(text):
    assert has_spaced(text) or not any(map(is_spaced, text))


@given(st.text("中a1 ", min_size=1, max_size=12), st.data())
def test_a_place_is_refused_only_where_letters_adjoin_an_edge(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    padded = f" {text} "
    left = padded[start : start + 2]
    right = padded[end : end + 2]
    cut = any(all(character in "a1" for character in pair) for pair in (left, right))
    assert on_boundary(text, start, end) is not cut
