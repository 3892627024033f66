"""Scores spans by start, end and the match of the two: BERT-MRC (Li et al., ACL 2020, section 3.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

# Values of the hidden layer held at once: 16 MiB, which stays in the CPU cache.
CHUNK = 1 << 22
# Initial probability that a position starts (or ends) a span.
PRIOR = 0.01


class SpanScorer(nn.Module):
    """Scores starts, ends, and given pairs of a start and an end.

    A pair is scored by a hidden layer of ``inner`` units over both states, as in the published code (the
    paper's equation has no hidden layer): ``v · gelu(W [h_i; h_j] + b) + c``. Its ``W [h_i; h_j]`` is ``W_1
    h_i + W_2 h_j``, so every state is projected once, however many pairs it is in, and no ``[N, T, T, 2H]``
    tensor is built.

    Boundaries are rare, so the biases are initialised low (Lin et al. 2017, section 3.3); otherwise half of
    all positions would be candidates in the first steps.

    Args:
        width: H, of the states. inner: width of the hidden layer. dropout: on the hidden layer.
    """

    def __init__(self, width: int, inner: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.start = nn.Linear(width, 1)
        self.end = nn.Linear(width, 1)
        self.match_start = nn.Linear(width, inner)
        self.match_end = nn.Linear(width, inner, bias=False)
        self.match_score = nn.Linear(inner, 1)
        self.dropout = nn.Dropout(dropout)
        for side in (self.start, self.end):
            nn.init.constant_(side.bias, math.log(PRIOR / (1 - PRIOR)))

    def boundaries(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Start and end logits of every position of ``[N, T, H]``, ``[N, T]`` each."""
        return _full(self.start(states).squeeze(-1)), _full(self.end(states).squeeze(-1))

    def match(self, states: Tensor, pairs: Tensor) -> Tensor:
        """Match logits ``[P]`` of pairs of a start and an end.

        Beyond ``CHUNK`` pairs the hidden layer is recomputed in the backward pass instead of kept.

        Args:
            states: ``[N, T, H]``. pairs: row, start and end (inclusive), ``[P, 3]`` int64.
        """
        length, flat = states.shape[1], states.flatten(0, 1)
        row, first, last = pairs.unbind(1)
        starts, start_of = torch.unique(row * length + first, return_inverse=True)
        ends, end_of = torch.unique(row * length + last, return_inverse=True)
        # shape: (starts, inner), (ends, inner)
        left, right = self.match_start(flat[starts]), self.match_end(flat[ends])
        limit = max(1, CHUNK // left.shape[1])
        if len(pairs) <= limit:
            return _full(self._match(left, right, start_of, end_of))
        chunks = zip(start_of.split(limit), end_of.split(limit), strict=True)
        scores = [checkpoint(self._match, left, right, i, j, use_reentrant=False) for i, j in chunks]
        return _full(torch.cat(scores))

    def _match(self, left: Tensor, right: Tensor, start_of: Tensor, end_of: Tensor) -> Tensor:
        hidden = functional.gelu(left[start_of] + right[end_of])  # shape: (pairs, inner)
        scores: Tensor = self.match_score(self.dropout(hidden)).squeeze(-1)
        return scores


def candidate_pairs(starts: Tensor, ends: Tensor, longest: int = 0) -> Tensor:
    """Every start with every end at or after it in the same row: ``[P, 3]``, row, start, end (inclusive).

    Args:
        starts, ends: True where a span may start, or end, ``[N, T]``.
        longest: maximum length of a span; 0 for no limit.
    """
    length = starts.shape[1]
    row, first = starts.nonzero().unbind(1)
    end_row, last = ends.nonzero().unbind(1)
    # Positions numbered through all rows ascend, so the ends of a start are adjacent in their list.
    position = end_row * length + last
    begin = row * length + first
    stop = torch.minimum(begin + longest, (row + 1) * length) if longest else (row + 1) * length
    low, high = torch.searchsorted(position, begin), torch.searchsorted(position, stop)
    counts = high - low
    start_of = torch.repeat_interleave(torch.arange(len(row), device=row.device), counts)
    offset = torch.arange(len(start_of), device=row.device) - (counts.cumsum(0) - counts)[start_of]
    return torch.stack([row[start_of], first[start_of], last[low[start_of] + offset]], dim=1)


def joined_pairs(first: Tensor, second: Tensor, length: int) -> Tensor:
    """The union of two lists of pairs, ``[P, 3]``, ordered by row, start and end; ``length`` is T."""
    keys = torch.unique(torch.cat([pair_keys(first, length), pair_keys(second, length)]))
    return torch.stack([keys // length**2, keys // length % length, keys % length], dim=1)


def pair_keys(pairs: Tensor, length: int) -> Tensor:
    """A sortable key for every pair ``[P, 3]``: ``[P]``, increasing with row, start and end."""
    row, first, last = pairs.unbind(1)
    return (row * length + first) * length + last


def _full(scores: Tensor) -> Tensor:
    """Scores in at least single precision: half precision is too coarse for sigmoids near 0 and 1."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))
