"""The trie of very large lists finds what a search over all substrings finds, and what daachorse does."""

import random

import pytest
from daachorse import CharwiseDoubleArrayAhoCorasick
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry, Lexicon, LexiconError, automaton
from core.lexicon.automaton import Automaton
from core.lexicon.hashed_trie import HashedTrie

# Other work shares the processors: no example has a deadline.
ALPHABET = "北京大学 aB😀𠮷\0\U0010ffff"
WORDS = st.lists(st.text(ALPHABET, max_size=5), max_size=20)


def places(finder: Automaton, text: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end, _ in sorted(finder.find_overlapping(text))]


def brute_force(words: list[str], text: str) -> list[tuple[int, int]]:
    known = {word for word in words if len(word) > 1}
    ends = range(2, len(text) + 1)
    return [(a, b) for a in range(len(text)) for b in ends if b - a > 1 and text[a:b] in known]


@given(WORDS, st.text(ALPHABET, max_size=40))
def test_it_finds_what_a_search_over_all_substrings_finds(words, text):
    found = HashedTrie(words).find_overlapping(text)
    assert [place[:2] for place in found] == brute_force(words, text)


@given(
    st.lists(st.text("北京大学aB😀", min_size=2, max_size=5), min_size=1, max_size=30),
    st.text("北京大学aB😀"),
)
def test_it_finds_what_daachorse_finds(words, text):
    assert places(HashedTrie(words), text) == places(
        CharwiseDoubleArrayAhoCorasick(list(dict.fromkeys(words))), text
    )


def test_a_table_that_grew_many_times_holds_every_word():
    chance = random.Random(5)
    words = [
        "".join(chr(0x4E00 + chance.randrange(300)) for _ in range(chance.randint(2, 6)))
        for _ in range(30_000)
    ]
    finder = HashedTrie(words)
    for word in words[::7]:
        assert (0, len(word), 0) in finder.find_overlapping(word)
    text = "".join(words[:2_000])
    other = CharwiseDoubleArrayAhoCorasick(sorted(set(words)))
    assert places(finder, text) == places(other, text)


def test_words_inside_words_are_all_found_though_there_are_more_than_characters():
    words = ["甲" * length for length in range(2, 101)]
    found = HashedTrie(words).find_overlapping("甲" * 300)
    assert len(found) == sum(300 - length + 1 for length in range(2, 101))
    assert found == sorted(found)


def test_a_word_of_ten_thousand_characters_and_one_with_blanks_are_found():
    long = "长" * 9_999 + "词"
    finder = HashedTrie([long, "New York"])
    assert finder.find_overlapping(f"a{long}New York") == [(1, 10_001, 0), (10_001, 10_009, 0)]
    assert finder.find_overlapping(long[1:]) == []


@pytest.mark.parametrize("text", ["\ud800北京", "北\udc00京", "北京\udc00"])
def test_half_a_surrogate_pair_is_an_unknown_character(text):
    assert places(HashedTrie(["北京"]), text) == brute_force(["北京"], text)


def test_no_words_and_no_text_find_nothing():
    assert HashedTrie([]).find_overlapping("北京") == []
    assert HashedTrie(["北京", "京"]).find_overlapping("") == []


WORD = st.text("北京大学人民 aB", min_size=1, max_size=4).map(str.strip).filter(bool)


@given(
    st.lists(WORD, max_size=12),
    st.lists(WORD, max_size=6),
    st.lists(WORD, max_size=6),
    st.text("北京大学人民 aB", max_size=30),
)
def test_a_large_lexicon_matches_as_a_small_one_does(base, added, removed, text):
    small = Lexicon(base).with_words(added).without_words(removed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "HASHED_FROM", 1)
        large = Lexicon(base).with_words(added).without_words(removed)
        assert large.match(text) == small.match(text)


def test_a_large_lexicon_leaves_nothing_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(automaton, "CACHED_FROM", 1)
    monkeypatch.setattr(automaton, "HASHED_FROM", 1)
    found = automaton.build_cached(["北京"], lambda: pytest.fail("needs no hash"), tmp_path)
    assert found.find_overlapping("北京") == [(0, 2, 0)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "bad", ["", " 北京", "北京 ", "北\t京", "北\n京", "北\u2028京", "北\0京", "\ud800", "长" * 101]
)
def test_bare_words_are_checked_as_entries_are(bad):
    with pytest.raises(LexiconError) as alone:
        Entry(bad)
    with pytest.raises(LexiconError) as among:
        Lexicon(["上海", bad, "广州"])
    assert str(among.value) == str(alone.value)


@given(st.lists(st.text("北京\t\n\r\x85 a\u3000", max_size=3), max_size=5))
def test_words_checked_together_are_those_that_pass_alone(words):
    try:
        expected = list(dict.fromkeys(Entry(word).word for word in words))
    except LexiconError:
        with pytest.raises(LexiconError):
            Lexicon(words)
    else:
        assert [entry.word for entry in Lexicon(words)] == expected
