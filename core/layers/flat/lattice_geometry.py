"""The node positions of a batch of flat lattices: characters first, then matched words, then padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
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
        sizes = np.fromiter(char_lengths, np.int64, len(char_lengths))
        counts = np.fromiter(map(len, words), np.int64, len(words))
        if len(sizes) != len(counts):
            raise ValueError(f"{len(sizes)} sentences need as many lists of words, got {len(counts)}")
        # shape: (W, 2)
        matched = np.fromiter(chain.from_iterable(chain.from_iterable(words)), np.int64).reshape(-1, 2)
        head, tail = matched.T
        outside = ~((head >= 0) & (head <= tail) & (tail < sizes.repeat(counts)))
        if outside.any():
            at = int(outside.argmax())
            sentence = int(np.arange(len(sizes)).repeat(counts)[at])
            raise ValueError(
                f"sentence {sentence}: word ({head[at]}, {tail[at]}) is outside "
                f"its {sizes[sentence]} characters"
            )
        lengths = sizes + counts
        node = np.arange(lengths.max(initial=0))
        is_word = (node >= sizes[:, None]) & (node < lengths[:, None])
        edges = np.where(node < sizes[:, None], node, 0)[None].repeat(2, axis=0)  # shape: (2, B, L)
        edges[:, is_word] = matched.T
        return cls(*map(torch.from_numpy, (edges[0], edges[1], sizes, lengths)))

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
