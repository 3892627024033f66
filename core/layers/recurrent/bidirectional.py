"""One network that reads a sentence forwards and another that reads it backwards."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.recurrent.hm_lstm import HmLstm


def reversal(mask: Tensor) -> Tensor:
    """Positions ``[B, T]`` that turn each sentence around and leave padding where it is; its own inverse.

    Args:
        mask: True at units, which come first, ``[B, T]``.
    """
    positions = torch.arange(mask.shape[1], device=mask.device)
    backwards = mask.sum(1, keepdim=True) - 1 - positions
    return torch.where(backwards >= 0, backwards, positions)


def reordered(x: Tensor, order: Tensor) -> Tensor:
    """``x`` ``[B, T, W]`` with its positions in the order ``[B, T]``."""
    return x.gather(1, order[..., None].expand_as(x))


class Bidirectional(nn.Module):
    """The states of two one-directional networks side by side, the second of the reversed sentence.

    Args:
        forwards, backwards: from ``[B, T, width of the input]`` to ``[B, T, H]``, where a state depends on
            what was read up to it. Both have ``width``, H.
    """

    def __init__(self, forwards: nn.Module, backwards: nn.Module) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards
        one, other = forwards.width, backwards.width
        assert isinstance(one, int)
        assert isinstance(other, int)
        self.width = one + other

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width of the input]`` to ``[B, T, 2H]``, zero where ``mask`` ``[B, T]`` is False.

        Sentences may be empty.
        """
        order = reversal(mask)
        backwards = reordered(self.backwards(reordered(x, order)), order)
        return torch.cat([self.forwards(x), backwards], dim=-1) * mask[..., None]

    def segment_ends(self, x: Tensor, mask: Tensor) -> Tensor | None:
        """Where the layers of two HM-LSTMs end a segment, ``[B, T, 2(L - 1)]`` bool; None for others.

        True at a unit after which a segment ends, in the order of the text: first by the layers of the
        forward network from below, then by those of the backward one, whose segment ends before the unit at
        which its boundary is 1. The last unit of a sentence ends a segment of all of them.
        """
        if not (isinstance(self.forwards, HmLstm) and isinstance(self.backwards, HmLstm)):
            return None
        order = reversal(mask)
        ends = self.forwards.read(x)[1] > 0
        starts = reordered(self.backwards.read(reordered(x, order))[1], order) > 0
        both = torch.cat([ends, starts.roll(-1, dims=1)], dim=-1)
        last = mask & ~functional.pad(mask[:, 1:], (0, 1))
        return (both | last[..., None]) & mask[..., None]
