"""The flat lattice of a text: its characters, then the words matched in it (FLAT, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from core.lexicon.lexicon import Lexicon, Match


@dataclass(frozen=True, slots=True)
class Lattice:
    """Nodes of one text: character i has head = tail = i, a word has those of its first and last character.

    Args:
        text: the characters.
        words: the matched words, by head, then tail (inclusive).
    """

    text: str
    words: tuple[Match, ...] = ()

    @classmethod
    def of(cls, text: str, lexicon: Lexicon | None, longest_word: int = 0) -> Lattice:
        """The lattice of ``text``.

        Args:
            lexicon: the words to match; None for characters only.
            longest_word: maximum length of a word; 0 for no limit.
        """
        words = lexicon.match(text) if lexicon is not None and text else []
        if longest_word:
            words = [word for word in words if word.tail - word.head < longest_word]
        return cls(text, tuple(words))

    @property
    def nodes(self) -> tuple[str, ...]:
        """Surface of every node, ``[L]``."""
        return (*self.text, *(word.word for word in self.words))

    @property
    def head(self) -> list[int]:
        """First character position of every node, ``[L]``."""
        return [*range(self.characters), *(word.head for word in self.words)]

    @property
    def tail(self) -> list[int]:
        """Last character position of every node, inclusive, ``[L]``."""
        return [*range(self.characters), *(word.tail for word in self.words)]

    @property
    def characters(self) -> int:
        """The number of leading nodes that are characters."""
        return len(self.text)

    def __len__(self) -> int:
        return len(self.text) + len(self.words)
