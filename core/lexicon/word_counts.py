"""How often the words of a lexicon occur in text, as SoftLexicon counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.lexicon.lattice import Lattice
from core.lexicon.lexicon import Lexicon


def count_words(texts: Iterable[str], lexicon: Lexicon | None, longest_word: int = 0) -> Counter[str]:
    """Occurrences of every word that no longer matched word covers (Ma et al., ACL 2020, the weights z(w)).

    Otherwise a word could never be rarer than one that it is part of. Characters that are words by themselves
    are counted too. A word that occurs under longer ones only is listed with 0.

    Args:
        longest_word: longer words than this are not matched; 0 matches all.
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
    """The places (start and end) that lie inside no other of them."""
    free = set()
    reached = 0
    # The longest first of those that begin together: what covers a place comes before it.
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if end > reached:
            free.add((start, end))
        reached = max(reached, end)
    return free
