"""FLAT's multi-head attention with relative positions (Li et al., ACL 2020, section 3.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.layers.lattice_geometry import Lattice
from core.layers.relative_positions import RelativePositions


class RelativeAttention(nn.Module):
    """``A*_ij = (W_q x_i + u)^T W_kE x_j + (W_q x_i + v)^T W_kR R_ij``, whose softmax weighs ``W_v x_j``.

    Args:
        hidden: width H of the nodes, a multiple of ``heads``.
        heads: number of heads N.
        project_key: False leaves out ``W_kE``: keys are the nodes themselves (the published code's default).
        scale: divide the scores by the square root of a head's width (the published code does not).
        project_output: a last linear layer over the joined heads (the published code's ``attn_ff``, off).
        dropout: on the attention weights.
    """

    def __init__(
        self,
        hidden: int,
        heads: int,
        *,
        project_key: bool = True,
        scale: bool = False,
        project_output: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden must be a multiple of heads, got hidden={hidden} and heads={heads}")
        self.hidden, self.heads, self.scale, self.dropout = hidden, heads, scale, dropout
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden) if project_key else None
        self.value = nn.Linear(hidden, hidden)
        self.relative_key = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, hidden) if project_output else None
        self.content_bias = nn.Parameter(torch.empty(heads, hidden // heads))  # u
        self.position_bias = nn.Parameter(torch.empty(heads, hidden // heads))  # v
        nn.init.xavier_uniform_(self.content_bias)
        nn.init.xavier_uniform_(self.position_bias)

    def forward(
        self, x: Tensor, lattice: Lattice, positions: RelativePositions, *, queries: int, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        batch = len(x)
        width = self.hidden // self.heads

        def split(t: Tensor) -> Tensor:
            return t.unflatten(-1, (self.heads, width))

        query = split(self.query(x[:, :queries]))
        key = split(self.key(x) if self.key is not None else x)
        value = split(self.value(x))
        head, tail = lattice.head, lattice.tail
        relative = positions(head[:, :queries, None], tail[:, :queries, None], head[:, None], tail[:, None])
        relative = split(self.relative_key(relative))
        scores = torch.einsum("bind,bjnd->bnij", query + self.content_bias, key)
        scores = scores + torch.einsum("bind,bijnd->bnij", query + self.position_bias, relative)
        if self.scale:
            scores = scores / math.sqrt(width)
        scores = scores.masked_fill(~lattice.mask[:, None, None, :], torch.finfo(scores.dtype).min / 2)
        weights = scores.softmax(-1)
        dropped = nn.functional.dropout(weights, self.dropout, self.training)
        out = torch.einsum("bnij,bjnd->bind", dropped, value).reshape(batch, queries, self.hidden)
        if self.output is not None:
            out = self.output(out)
        return out, weights if need_weights else None
