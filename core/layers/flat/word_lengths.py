"""The words of a batch sorted by length, for layers that each read words of one length."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class WordLengths:
    """The W words of B sentences by increasing length, those of two characters first.

    Args:
        index: number of the word within the batch, ``[W]``.
        first, last: its first and its last character as ``b * T + t``, ``[W]``.
        length_at: words of l characters are those from ``length_at[l - 2]`` up to ``length_at[l - 1]``.
    """

    index: Tensor
    first: Tensor
    last: Tensor
    length_at: tuple[int, ...]

    @classmethod
    def of_words(
        cls, words: Sequence[Sequence[tuple[int, int]]], characters: int, longest: int
    ) -> WordLengths:
        """The (head, tail inclusive) words of sentences.

        Args:
            characters: the length to which sentences are padded.
            longest: maximum length of a word in characters.

        Raises:
            ValueError: a word has more than ``longest`` characters, fewer than two, or leaves its sentence.
        """
        positions = [(row, head, tail) for row, matched in enumerate(words) for head, tail in matched]
        for _, head, tail in positions:
            if not 0 <= head < tail < min(characters, head + longest):
                raise ValueError(
                    f"a word from {head} to {tail} does not fit {characters} characters, "
                    f"or has not 2 to {longest} of them"
                )
        order = sorted(range(len(positions)), key=lambda index: positions[index][2] - positions[index][1])
        ordered = [positions[index] for index in order]
        lengths = [tail - head + 1 for _, head, tail in ordered]
        return cls(
            torch.tensor(order, dtype=torch.long),
            torch.tensor([row * characters + head for row, head, _ in ordered], dtype=torch.long),
            torch.tensor([row * characters + tail for row, _, tail in ordered], dtype=torch.long),
            tuple(bisect_left(lengths, length) for length in range(2, longest + 2)),
        )

    def of_length(self, length: int) -> slice:
        """The slice of words of this length."""
        return slice(*self.length_at[length - 2 : length])

    def to(self, device: torch.device | str) -> WordLengths:
        """The same words on ``device``."""
        return WordLengths(self.index.to(device), self.first.to(device), self.last.to(device), self.length_at)
