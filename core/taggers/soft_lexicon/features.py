"""The batch of SoftLexicon and its variants."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from core.taggers.sequence.character_tagger import CharacterBatch


@dataclass(frozen=True)
class SoftLexiconBatch(CharacterBatch):
    """A batch for SoftLexicon: B sentences of at most T characters, E entries of words in sets.

    Where words are tagged, these stand for characters.

    Args:
        words: table row of the word of every entry, ``[E]``.
        slots: ``4 * (b * T + t) + set`` of every entry, for the sets B, M, E, S, ``[E]``.
        segments: with ``softword``, the BMES tag of every character, ``[B, T]``.
    """

    words: Tensor
    slots: Tensor
    segments: Tensor | None
