"""SoftLexicon's word counts against the sentence of the paper, read literally."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Lattice, Lexicon
from core.lexicon.word_counts import count_words

ALPHABET = "山西路中"
WORDS = st.lists(st.text(ALPHABET, min_size=1, max_size=4), max_size=8)
TEXTS = st.lists(st.text(ALPHABET, max_size=12), max_size=3)


def counted(texts, lexicon, longest=0):
    return count_words((Lattice.of(text, lexicon, longest) for text in texts), lexicon)


def literally(texts, words, longest):
    """Of every occurrence of every word, whether another occurrence of a word covers it."""
    counts = Counter()
    for text in texts:
        places = [
            (start, end)
            for start in range(len(text))
            for end in range(start + 1, len(text) + 1)
            if text[start:end] in words and (not longest or end - start <= longest)
        ]
        for start, end in places:
            others = [other for other in places if other != (start, end)]
            covered = any(first <= start and end <= last for first, last in others)
            counts[text[start:end]] += 0 if covered else 1
    return counts


@given(TEXTS, WORDS, st.sampled_from([0, 2, 3]))
def test_a_covered_occurrence_is_not_counted(texts, words, longest):
    found = counted(texts, Lexicon(words), longest)
    expected = literally(texts, set(words), longest)
    assert dict(found) == dict(expected)


def test_the_papers_street():
    lexicon = Lexicon(["中山西路", "山西", "西路", "中山", "山"])
    assert counted(["中山西路", "山西在西"], lexicon) == Counter(
        {"中山西路": 1, "山西": 1, "西路": 0, "中山": 0, "山": 0}
    )


def test_without_a_lexicon_nothing_is_counted():
    assert counted(["中山西路"], None) == Counter()
