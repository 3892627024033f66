"""A token's vector from its characters: the last states of a BiLSTM (Lample et al., NAACL 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.layers.recurrent.birnn import BiRnn


class CharLstm(nn.Module):
    """A bidirectional LSTM over a token's characters.

    Args:
        char_width: width of a character's vector. output: of a token's vector, even; half per direction.
    """

    def __init__(self, char_width: int, output: int) -> None:
        super().__init__()
        self.hidden = output // 2
        self.states = BiRnn(char_width, self.hidden)

    def forward(self, characters: Tensor, mask: Tensor) -> Tensor:
        """Vectors ``[U, output]`` of tokens from those of their characters, ``[U, C, D]``.

        Args:
            mask: True at characters, which come first, ``[U, C]``; every token has one.
        """
        states = self.states(characters, mask)
        ends = (mask.sum(1) - 1)[:, None, None].expand(-1, 1, states.shape[2])
        last = states.gather(1, ends).squeeze(1)
        return torch.cat([last[:, : self.hidden], states[:, 0, self.hidden :]], dim=1)
