"""Windows of word pieces as tensors, and the states of their characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from core.encoders.piece_windows import PieceWindows


@dataclass(frozen=True)
class Pieces:
    """Windows of word pieces.

    B texts of at most T characters, N windows of at most P pieces, at most M pieces per character.

    Args:
        ids: input ids, ``[N, P]``. types: segment types, ``[N, P]``.
        mask: True at pieces, ``[N, P]``; windows without a piece of the text are left out.
        special: True at pieces that the tokenizer added, such as ``[CLS]``, ``[N, P]``.
        in_text: True at pieces of the text itself, neither special nor of its query, ``[N, P]``.
        start, end: the characters of its text or query that a piece covers, end exclusive, ``[N, P]``; both 0
            where it covers none.
        text: the text of each window, ``[N]``, ascending.
        characters: indices of a character's pieces in ``[N * P]``, ``[B, T, M]``; -1 for padding. A character
            is looked up in one window, the one in which it is furthest from a cut. After
            `core.encoders.piece_pooling.at_words`: the same of words.
        context: True at the pieces of the context after the text, its special pieces included, ``[N, P]``;
            None without contexts.
    """

    ids: Tensor
    types: Tensor
    mask: Tensor
    special: Tensor
    in_text: Tensor
    start: Tensor
    end: Tensor
    text: Tensor
    characters: Tensor
    context: Tensor | None = None

    def to(self, device: torch.device | str) -> Pieces:
        """The same pieces on ``device``."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: part.to(device) for name, part in parts.items() if part is not None})

    def at_characters(self, states: Tensor) -> Tensor:
        """States of pieces ``[N, P, W]`` pooled to states of characters ``[B, T, W]``: the mean over their
        pieces.

        Characters of a text without pieces, and padding, are zero.
        """
        flat = states.flatten(0, 1)
        summed = states.new_zeros(*self.characters.shape[:2], states.shape[2])
        if not len(flat):
            return summed
        for index in self.characters.unbind(2):
            vectors = torch.nn.functional.embedding(index.clamp(min=0), flat)  # shape: (B, T, W)
            summed = summed + vectors * (index >= 0)[..., None]
        return summed / (self.characters >= 0).sum(2).clamp(min=1)[..., None]


class PieceTokenizer(PieceWindows):
    """`PieceWindows` as tensors."""

    def __call__(
        self,
        texts: Sequence[str],
        queries: Sequence[str] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> Pieces:
        """As ``arrays``."""
        tensors: dict[str, Any] = {
            name: None if array is None else torch.from_numpy(array)
            for name, array in self.arrays(texts, queries, contexts).items()
        }
        return Pieces(**tensors)
