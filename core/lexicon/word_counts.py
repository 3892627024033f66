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
        places = [(word.head, word.tail) for word in Lattice.of(text, lexicon, longest_word).words]
        places += [(position, position) for position in lexicon.match_characters(text)]
        # The longest first of those that begin together: what covers a word comes before it.
        places.sort(key=lambda place: (place[0], -place[1]))
        reached = -1
        for head, tail in places:
            counts[text[head : tail + 1]] += tail > reached
            reached = max(reached, tail)
    return counts
