"""The input of an ELMo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from typing_extensions import Self

from core.encoders.elmo.tokens import index_tokens


@dataclass(frozen=True, slots=True)
class ElmoInput:
    """Sentences with boundary tokens. B sentences of at most T tokens, U distinct tokens.

    Args:
        rows: characters of every distinct token, ``[U, C]``. tokens: index of the token at each position,
            ``[B, T + 2]``; 0 at padding. lengths: tokens of every sentence and its two boundaries, ``[B]``.
    """

    rows: Tensor
    tokens: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], longest: int, widest: int) -> Self:
        """Add boundaries to sentences and collect their distinct tokens.

        Args:
            longest: maximum rows of a token. widest: width of the widest filter.
        """
        return cls(*map(torch.from_numpy, index_tokens(sentences, longest, widest)))

    @property
    def mask(self) -> Tensor:
        """True at tokens and boundaries, ``[B, T + 2]``."""
        return torch.arange(self.tokens.shape[1], device=self.lengths.device) < self.lengths[:, None]

    def with_separate_rows(self) -> Self:
        """The same sentences with separate rows for every position, ``U = B (T + 2)``, in reading order."""
        positions = torch.arange(self.tokens.numel(), device=self.tokens.device).view_as(self.tokens)
        return type(self)(self.rows[self.tokens.flatten()], positions, self.lengths)

    def to(self, device: torch.device | str) -> Self:
        """The same input on ``device``."""
        return type(self)(self.rows.to(device), self.tokens.to(device), self.lengths.to(device))
