"""The node positions of a batch of flat lattices: characters first, then matched words, then padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Lattice:
    """The nodes of B sentences. Character i of a sentence is its node i, with head = tail = i.

    Args:
        head: first character position of every node, ``[B, L]`` int64.
        tail: last character position of every node, inclusive as in the paper, ``[B, L]`` int64.
        char_lengths: characters of every sentence, ``[B]`` int64.
        lengths: nodes of every sentence, characters and words, ``[B]`` int64. Nodes past it are padding;
            their positions are never read.
    """

    head: Tensor
    tail: Tensor
    char_lengths: Tensor
    lengths: Tensor

    @classmethod
    def of_words(cls, char_lengths: Sequence[int], words: Sequence[Sequence[tuple[int, int]]]) -> Lattice:
        """The lattice of sentences of the given lengths, with these (head, tail) words.

        Raises:
            ValueError: a word does not lie inside its sentence.
        """
        heads, tails = [], []
        for sentence, (characters, matched) in enumerate(zip(char_lengths, words, strict=True)):
            for head, tail in matched:
                if not 0 <= head <= tail < characters:
                    raise ValueError(
                        f"sentence {sentence}: word ({head}, {tail}) is outside its {characters} characters"
                    )
            heads.append([*range(characters), *(head for head, _ in matched)])
            tails.append([*range(characters), *(tail for _, tail in matched)])
        lengths = [len(row) for row in heads]
        width = max(lengths, default=0)
        return cls(
            torch.tensor([row + [0] * (width - len(row)) for row in heads]).view(len(heads), width).long(),
            torch.tensor([row + [0] * (width - len(row)) for row in tails]).view(len(heads), width).long(),
            torch.tensor(list(char_lengths), dtype=torch.long),
            torch.tensor(lengths, dtype=torch.long),
        )

    @property
    def mask(self) -> Tensor:
        """True at the nodes of a sentence, False at padding, ``[B, L]``."""
        return torch.arange(self.head.shape[1], device=self.head.device) < self.lengths[:, None]

    @property
    def char_mask(self) -> Tensor:
        """True at the characters of a sentence, ``[B, T]`` with T the length of the longest."""
        longest = int(self.char_lengths.max()) if self.char_lengths.numel() else 0
        return torch.arange(longest, device=self.head.device) < self.char_lengths[:, None]

    def to(self, device: torch.device | str) -> Lattice:
        """The same lattice with its tensors on ``device``."""
        return Lattice(
            self.head.to(device), self.tail.to(device), self.char_lengths.to(device), self.lengths.to(device)
        )
