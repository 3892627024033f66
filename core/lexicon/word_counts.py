"""Counts of lexicon words in text, as in SoftLexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.lexicon.lattice import Lattice
from core.lexicon.lexicon import Lexicon


def count_words(texts: Iterable[str], lexicon: Lexicon | None, longest_word: int = 0) -> Counter[str]:
    """Occurrences of every word outside longer matches (the weights z(w) of Ma et al., ACL 2020).

    Otherwise a word could never be rarer than one that contains it. Single-character words are counted too. A
    word that occurs only inside longer ones has count 0.

    Args:
        longest_word: maximum length of a word; 0 for no limit.
    """
    counts: Counter[str] = Counter()
    if lexicon is None:
        return counts
    for text in texts:
        places = {(word.head, word.tail + 1) for word in Lattice.of(text, lexicon, longest_word).words}
        places |= {(position, position + 1) for position in lexicon.match_characters(text)}
        free = uncovered(places)
        for start, end in places:
            counts[text[start:end]] += (start, end) in free
    return counts


def uncovered(places: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """The extents (start, end) that lie inside no other."""
    free = set()
    reached = 0
    # Longest first for equal starts, so that an extent comes after those that cover it.
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if end > reached:
            free.add((start, end))
        reached = max(reached, end)
    return free
