"""Counts of lexicon words in text, as in SoftLexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.lexicon.lattice import Lattice, single_characters
from core.lexicon.lexicon import Lexicon


def count_words(lattices: Iterable[Lattice], lexicon: Lexicon | None) -> Counter[str]:
    """Occurrences of every word outside longer matches (the weights z(w) of Ma et al., ACL 2020).

    Otherwise a word could never be rarer than one that contains it. Single-character words are counted too. A
    word that occurs only inside longer ones has count 0.

    Args:
        lattices: of the texts, with this lexicon.
    """
    counts: Counter[str] = Counter()
    if lexicon is None:
        return counts
    for lattice in lattices:
        words = {*lattice.words, *single_characters(lattice, lexicon)}
        free = uncovered((word.head, word.tail + 1) for word in words)
        for word in words:
            counts[word.word] += (word.head, word.tail + 1) in free
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
