"""FLAT's relative position encodings: sinusoids of distances, fused (Li et al., ACL 2020, eq. 4 to 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Sinusoid of every position, ``[..., width]``: all sines, then all cosines, as in tensor2tensor.

    The frequencies are ``10000 ** (-k / (width // 2 - 1))``, as published; an odd width ends in a zero.

    Args:
        positions: floating point, any shape, negative ones too.
    """
    half = width // 2
    step = math.log(10000.0) / max(half - 1, 1)
    # shape: (half,)
    frequencies = torch.exp(torch.arange(half, dtype=positions.dtype, device=positions.device) * -step)
    angles = positions[..., None] * frequencies
    return nn.functional.pad(torch.cat([angles.sin(), angles.cos()], dim=-1), (0, width - 2 * half))


class RelativePositions(nn.Module):
    """``R_ij = ReLU(W_r [p_hh; p_ht; p_th; p_tt] + b_r)``, with p the sinusoid of a distance.

    With ``a = tail_i - head_i``, ``b = tail_j - head_j`` and ``d = head_i - head_j`` the four distances are
    d, d - b, d + a and d + a - b. So R is a function of (a, b, d), and W_r splits into one block per distance
    that is applied to sinusoids, not to pairs. :meth:`rows` makes the table over (a, b, d).

    Args:
        hidden: width H of the encodings.
        four_distances: False keeps p_hh and p_tt only, the published code's ``ff_two``.
    """

    def __init__(self, hidden: int, *, four_distances: bool = True) -> None:
        super().__init__()
        self.hidden = hidden
        self.four_distances = four_distances
        self.fusion = nn.Linear(hidden * (4 if four_distances else 2), hidden)

    def rows(self, queries: Sequence[int], keys: Sequence[int], max_distance: int) -> Tensor:
        """R over pairs of span lengths and every head distance, ``[A, A', 2 * max_distance + 1, H]``.

        Entry ``[a, b, e]`` belongs to a query node with tail - head = ``queries[a]``, a key node with
        tail - head = ``keys[b]`` and key head - query head = ``e - max_distance``.
        """
        longest_span = max(*queries, *keys)
        terms = self.distance_terms(max_distance + longest_span)
        return _FuseDistances.apply(terms, self.fusion.bias, tuple(queries), tuple(keys), max_distance)

    def pairs(self, terms: Tensor, d: Tensor, a: Tensor, b: Tensor) -> Tensor:
        """R of single pairs of nodes, ``[P, H]``, from their (a, b, d), ``[P]`` each, and distance terms."""
        centre = terms.shape[1] // 2
        distances = (d, d - b, d + a, d + a - b) if self.four_distances else (d, d + a - b)
        fused = self.fusion.bias.to(terms.dtype)
        for term, distance in zip(terms, distances, strict=True):
            fused = fused + nn.functional.embedding(centre - distance, term)
        return torch.relu(fused)

    def norms(self, head: Tensor, tail: Tensor) -> Tensor:
        """Euclidean length of R between all nodes of one lattice, ``[L, L]`` with ``[i, j]`` = from i to j.

        R is computed once per (a, b, d) rather than per pair: a sentence has far fewer of them.

        Args:
            head, tail: first and last position of every node, ``[L]`` int64.
        """
        if not len(head):
            return self.fusion.weight.new_zeros(0, 0)
        spans, kind = torch.unique(tail - head, return_inverse=True)
        max_distance, keys = int(head.max() - head.min()), spans.tolist()
        # shape: (A, A, 2 * max_distance + 1)
        lengths = torch.cat([self.rows([span], keys, max_distance).norm(dim=-1) for span in keys])
        return lengths[kind[:, None], kind[None, :], head[None, :] - head[:, None] + max_distance]

    def distance_terms(self, max_distance: int) -> Tensor:
        """``W_rk p(x)`` for every block k of W_r and distance x in descending order, ``[4, Y, H]``."""
        weight = self.fusion.weight
        exact = weight.dtype if weight.dtype == torch.float64 else torch.float32
        descending = torch.arange(max_distance, -max_distance - 1, -1, dtype=exact, device=weight.device)
        # shape: (Y, H) and (4, H, H)
        sines = sinusoids(descending, self.hidden).to(weight.dtype)
        blocks = weight.unflatten(1, (-1, self.hidden)).permute(1, 2, 0)
        return torch.matmul(sines, blocks)


class _FuseDistances(torch.autograd.Function):
    """ReLU of the sum of two or four distance terms for every (a, b, d), without gathering rows."""

    @staticmethod
    def forward(
        ctx: Any, terms: Tensor, bias: Tensor, queries: tuple[int, ...], keys: tuple[int, ...], farthest: int
    ) -> Tensor:
        width = 2 * farthest + 1
        shift = terms.shape[1] // 2 - farthest
        rows = terms.new_empty(len(queries), len(keys), width, terms.shape[2])
        bias = bias.to(terms.dtype)
        for i, a in enumerate(queries):
            # The terms in (a, d) and those in (a, d - b).
            left = terms[0, shift : shift + width] + bias
            right = terms[-1, shift - a : shift - a + width + max(keys)]
            if len(terms) == 4:
                left += terms[2, shift - a : shift - a + width]
                right = right + terms[1, shift : shift + width + max(keys)]
            for j, b in enumerate(keys):
                torch.add(left, right[b : b + width], out=rows[i, j])
        rows.relu_()
        ctx.save_for_backward(rows)
        ctx.geometry = terms.shape, shift, width, queries, keys
        return rows

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (rows,) = ctx.saved_tensors
        shape, shift, width, queries, keys = ctx.geometry
        grad = torch.ops.aten.threshold_backward(grad, rows, 0)
        terms = grad.new_zeros(shape)
        for i, a in enumerate(queries):
            left = grad[i].sum(0)
            right = grad.new_zeros(width + max(keys), shape[2])
            for j, b in enumerate(keys):
                right[b : b + width].add_(grad[i, j])
            terms[0, shift : shift + width].add_(left)
            terms[-1, shift - a : shift - a + len(right)].add_(right)
            if shape[0] == 4:
                terms[2, shift - a : shift - a + width].add_(left)
                terms[1, shift : shift + len(right)].add_(right)
        return terms, grad.sum((0, 1, 2)), None, None, None
