"""New words by counting every stretch of tokens in a dictionary: slow, plain, and independent of numpy."""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

Gram = tuple[str, ...]
# The texts of the tests use these alone: CJK characters one by one, Latin words whole, all else a break.
_WORD = r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*"
_TOKEN = re.compile(rf"{_WORD}|[一-鿿𠀀-𪛟·]")


def clauses(text: str) -> list[list[str]]:
    """The tokens of a text between breaks."""
    found: list[list[str]] = []
    reached = -1
    for match in _TOKEN.finditer(text):
        gap = text[max(reached, 0) : match.start()]
        two_words = match.group()[0].isascii() and text[max(reached - 1, 0)].isascii()
        if not found or not (gap == "" or (gap == " " and two_words)):
            found.append([])
        found[-1].append(match.group())
        reached = match.end()
    return found


class Naive:
    """Counts of every n-gram of these texts, and its neighbours."""

    def __init__(self, texts: Sequence[str], longest: int) -> None:
        self.counts: Counter[Gram] = Counter()
        self.left: defaultdict[Gram, Counter[object]] = defaultdict(Counter)
        self.right: defaultdict[Gram, Counter[object]] = defaultdict(Counter)
        self.tokens = 0
        for text in texts:
            for clause in clauses(text):
                self.tokens += len(clause)
                for start in range(len(clause)):
                    for end in range(start + 1, min(start + longest, len(clause)) + 1):
                        self._see(clause, start, end)

    def _see(self, clause: list[str], start: int, end: int) -> None:
        gram = tuple(clause[start:end])
        self.counts[gram] += 1
        own = object()  # the end of a clause is like no other neighbour
        self.left[gram][clause[start - 1] if start else own] += 1
        self.right[gram][clause[end] if end < len(clause) else own] += 1

    def cohesion(self, gram: Gram) -> float:
        """The least pointwise mutual information over all cuts."""
        share = {part: self.counts[part] / self.tokens for part in _parts(gram)}
        cuts = range(1, len(gram))
        return min(math.log2(share[gram] / (share[gram[:cut]] * share[gram[cut:]])) for cut in cuts)

    def entropies(self, gram: Gram) -> tuple[float, float]:
        """Of the left and of the right neighbours."""
        return _entropy(self.left[gram]), _entropy(self.right[gram])


def _parts(gram: Gram) -> set[Gram]:
    return {gram[start:end] for start in range(len(gram)) for end in range(start + 1, len(gram) + 1)}


def _entropy(counts: Counter[object]) -> float:
    total = sum(counts.values())
    return -sum(count / total * math.log2(count / total) for count in counts.values())


def surface(gram: Gram) -> str:
    """A gram as it stands in the text: one blank between Latin words."""
    shown = gram[0]
    for before, token in itertools.pairwise(gram):
        both = before[-1].isascii() and token[0].isascii()
        shown += f" {token}" if both else token
    return shown
