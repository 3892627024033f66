"""The flat lattice of a text: its characters, then the words matched in it (FLAT, section 3.1).

Where words are tagged, these stand for the characters, and matched phrases of them for the words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.lexicon.lexicon import Lexicon, Match
from core.text.span import Span
from core.text.units import Units


@dataclass(frozen=True, slots=True)
class Lattice:
    """Nodes of one text: character i has head = tail = i, a word has those of its first and last character.

    Args:
        text: the characters.
        words: the matched words, by head, then tail (inclusive).
        units: the words of the text, if they stand for its characters; heads and tails count them then.
    """

    text: str
    words: tuple[Match, ...] = ()
    units: Units | None = None

    @classmethod
    def of(
        cls, text: str, lexicon: Lexicon | None, longest_word: int = 0, units: Units | None = None
    ) -> Lattice:
        """The lattice of ``text``.

        Args:
            lexicon: the words to match; None for none.
            longest_word: maximum length of a word, in characters or in words; 0 for no limit.
            units: its words, if these are tagged: matches that begin or end inside one are left out, those of
                a single word are kept.
        """
        phrases = units if units is not None and units.name == "word" else None
        words = lexicon.match(text) if lexicon is not None and text else []
        if phrases is not None:
            words = on_edges(phrases, words)
        if longest_word:
            words = [word for word in words if word.tail - word.head < longest_word]
        return cls(text, tuple(words), phrases)

    @classmethod
    def size(
        cls, text: str, lexicon: Lexicon | None, longest_word: int = 0, units: Units | None = None
    ) -> int:
        """The number of nodes of the same lattice, counted without making it where no match is left out."""
        if lexicon is None or not text or longest_word or (units is not None and units.name == "word"):
            return len(cls.of(text, lexicon, longest_word, units))
        return len(text) + len(lexicon.offsets(text))

    @property
    def nodes(self) -> tuple[str, ...]:
        """Surface of every node, ``[L]``."""
        leading = self.text if self.units is None else self.units.surfaces(self.text)
        return (*leading, *(word.word for word in self.words))

    @property
    def head(self) -> list[int]:
        """First character (word of the text) of every node, ``[L]``."""
        return [*range(self.characters), *(word.head for word in self.words)]

    @property
    def tail(self) -> list[int]:
        """Last character (word of the text) of every node, inclusive, ``[L]``."""
        return [*range(self.characters), *(word.tail for word in self.words)]

    @property
    def characters(self) -> int:
        """The number of leading nodes, which are characters (words of the text)."""
        return len(self.text) if self.units is None else len(self.units)

    def __len__(self) -> int:
        return self.characters + len(self.words)


def on_edges(units: Units, matches: Iterable[Match]) -> list[Match]:
    """The matches that begin and end with a unit, counted in units."""
    found = ((match, units.exactly(Span(match.head, match.tail + 1, "-"))) for match in matches)
    return [Match(match.word, at.start, at.end - 1) for match, at in found if at is not None]


def single_characters(lattice: Lattice, lexicon: Lexicon) -> list[Match]:
    """The words of a single character in the text of a lattice, counted as its words are."""
    matches = [Match(lattice.text[at], at, at) for at in lexicon.match_characters(lattice.text)]
    return matches if lattice.units is None else on_edges(lattice.units, matches)
