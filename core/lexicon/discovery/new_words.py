"""New words in raw text: frequent, cohesive and free in context."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from core.lexicon.discovery.ngrams import cohesion, frequent_ngrams
from core.lexicon.discovery.token_stream import BREAK, JOINTS, TokenStream, token_stream
from core.lexicon.entry import LONGEST_WORD
from core.runtime.message import ToldValueError

LONGEST = 12  # tokens; a higher limit only costs time


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The minimum values for candidates.

    Args:
        count: occurrences. cohesion: pointwise mutual information at the weakest split, in bits.
        freedom: the smaller of the entropies of the previous and the next token, in bits.
        longest: maximum tokens, which are characters in Chinese and words in English.

    Raises:
        ValueError: one is out of range; says which.
    """

    count: int = 5
    cohesion: float = 5.0
    freedom: float = 2.0
    longest: int = 6

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ToldValueError("a new word must occur at least 2 times, got {count}", count=self.count)
        if not 2 <= self.longest <= LONGEST:
            raise ToldValueError(
                "the longest new word has 2 to {longest} tokens, got {given}",
                longest=LONGEST,
                given=self.longest,
            )
        for name, value in (("cohesion", self.cohesion), ("freedom", self.freedom)):
            if not np.isfinite(value):
                raise ToldValueError("{name} must be a number, got {value}", name=name, value=value)


@dataclass(frozen=True, slots=True)
class NewWord:
    """A candidate with its count, its cohesion, and the entropy on either side, in bits."""

    surface: str
    count: int
    cohesion: float
    left_entropy: float
    right_entropy: float

    @property
    def freedom(self) -> float:
        """The smaller of the two entropies; that of a word part is low on at least one side."""
        return min(self.left_entropy, self.right_entropy)

    @property
    def score(self) -> float:
        """Cohesion times freedom, 0 if one of them is not positive.

        Of the top 500 in 1,082,712 characters of medical text, 97% are words of jieba or labelled entities
        with this score, 93% with the sum of the two, 93% with freedom and 95% with frequency.
        """
        return max(self.cohesion, 0.0) * max(self.freedom, 0.0)


def new_words(
    texts: Iterable[str],
    thresholds: Thresholds | None = None,
    *,
    excluded: Container[str] = frozenset(),
    progress: Callable[[float], None] | None = None,
) -> list[NewWord]:
    """Candidates of two tokens or more, by decreasing `NewWord.score`, then alphabetically.

    Frequency, mutual information (Church and Hanks 1990) at the weakest split, and branching entropy (Jin and
    Tanaka-Ishii 2006) with every clause boundary as a distinct neighbour (accessor variety, Feng et al.,
    Computational Linguistics 30, 2004).

    Args:
        excluded: surfaces to leave out: dictionary words and rejected candidates.
        progress: called with the fraction done; may raise to stop.
    """
    limits = thresholds or Thresholds()
    stream = token_stream(texts)
    words = [word for word in _candidates(stream, limits, progress) if word.surface not in excluded]
    return sorted(words, key=lambda word: (-word.score, word.surface))


def _candidates(
    stream: TokenStream, limits: Thresholds, progress: Callable[[float], None] | None
) -> Iterator[NewWord]:
    levels = frequent_ngrams(stream, limits.longest, limits.count, progress)
    total = int(np.count_nonzero(stream.tokens != BREAK))
    for length in range(2, limits.longest + 1):
        level = levels[length - 1]
        cohesions = cohesion(levels, length, total)
        free = np.minimum(level.left_entropy, level.right_entropy)
        for row in np.flatnonzero((cohesions >= limits.cohesion) & (free >= limits.freedom)).tolist():
            surface = stream.surface(int(level.places[row]), length)
            if is_word(surface):
                yield NewWord(
                    surface,
                    int(level.counts[row]),
                    float(cohesions[row]),
                    float(level.left_entropy[row]),
                    float(level.right_entropy[row]),
                )


def is_word(surface: str) -> bool:
    """Whether it can be a word: no joiner at an end, no lone combining mark, not only numbers."""
    ends = (surface[0], surface[-1])
    return (
        len(surface) <= LONGEST_WORD
        and not any(end in JOINTS for end in ends)
        and not unicodedata.category(surface[0]).startswith("M")
        and any(character.isalpha() for character in surface)
    )
