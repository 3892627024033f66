"""Table-lookup relative attention over lattice nodes, with an explicit gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from core.layers.flat.lattice_layout import LatticeLayout
from core.layers.flat.table_lookup_scores import RelativeGradients, RelativeScores

# Scores of word queries held at once, in elements.
_BLOCK = 1 << 20


def table_lookup_attention(
    content_query: Tensor,
    position_query: Tensor,
    key: Tensor,
    value: Tensor,
    tables: Tensor,
    exceptional: Tensor | None,
    layout: LatticeLayout,
    dropout: float = 0.0,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention by the softmax of content plus relative scores, with relative scores looked up in tables.

    Args:
        content_query: W_q x + u, ``[B, N, Q, D]``; Q is T, characters only, or T + V, all nodes.
        position_query: W_q x + v, the same shape.
        key: ``[B, N, T + V, D]``. value: ``[B, N, T + V, D]``.
        tables: W_kR R, ``[A', N, A, 2 M + 1, D]`` with A the layout's spans, A' at least those of the
            queries, entry e for key head - query head = e - M, and M at least T - 1.
        exceptional: relative scores of the layout's exceptions, ``[N, P]``; those of characters suffice
            if Q is T. None if the layout has no exceptions.
        dropout: probability of dropping a weight. need_weights: also return the weights, before dropout.

    Returns:
        ``[B, N, Q, D]``, and the weights ``[B, N, Q, T + V]`` (not differentiable) or None.
    """
    # The inputs share one precision already; autocast inside would mix them again.
    with torch.autocast(content_query.device.type, enabled=False):
        return _TableLookupAttention.apply(
            content_query, position_query, key, value, tables, exceptional, layout, dropout, need_weights
        )


class _TableLookupAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        content_query: Tensor,
        position_query: Tensor,
        key: Tensor,
        value: Tensor,
        tables: Tensor,
        exceptional: Tensor | None,
        layout: LatticeLayout,
        dropout: float,
        need_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        blocks = _blocks(layout, content_query.shape)
        keep = any(ctx.needs_input_grad)
        scorer = RelativeScores(position_query, tables, exceptional, layout)
        out = torch.empty_like(content_query)
        weights: list[Tensor] = []
        kept: list[Tensor] = []
        # Adding minus infinity is twice as fast as masked_fill over a broadcast mask.
        masked = torch.zeros_like(layout.valid, dtype=key.dtype).masked_fill(~layout.valid, float("-inf"))
        for sentences, rows in blocks:
            # shape: (b, N, r, T + V)
            scores = torch.matmul(content_query[sentences, :, rows], key[sentences].transpose(2, 3))
            scorer.add(scores, sentences, rows)
            shares = scores.add_(masked[sentences, None, None]).softmax(-1)
            if keep or need_weights:
                weights.append(shares)
            if dropout:
                kept.append(torch.rand_like(shares) >= dropout)
                shares = shares * kept[-1] / (1.0 - dropout)
            out[sentences, :, rows] = torch.matmul(shares, value[sentences])
        if keep:
            ctx.save_for_backward(content_query, position_query, key, value, tables)
            ctx.work = layout, dropout, blocks, weights, kept
            ctx.exceptions = None if exceptional is None else exceptional.shape
        if not need_weights:
            return out, None
        joined = _join(weights, blocks, content_query, key.shape[2])
        ctx.mark_non_differentiable(joined)
        return out, joined

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, _: Tensor | None) -> tuple[Tensor | None, ...]:
        content_query, position_query, key, value, tables = ctx.saved_tensors
        layout, dropout, blocks, all_weights, kept = ctx.work
        scorer = RelativeGradients(position_query, tables, ctx.exceptions, layout)
        d_content = torch.empty_like(content_query)
        d_key, d_value = torch.zeros_like(key), torch.zeros_like(value)
        for index, (sentences, rows) in enumerate(blocks):
            weights = all_weights[index]
            d_out = grad[sentences, :, rows]
            used = weights * kept[index] / (1.0 - dropout) if dropout else weights
            d_value[sentences].add_(torch.matmul(used.transpose(2, 3), d_out))
            d_weights = torch.matmul(d_out, value[sentences].transpose(2, 3))
            if dropout:
                d_weights *= kept[index] / (1.0 - dropout)
            d_scores = torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
            d_content[sentences, :, rows] = torch.matmul(d_scores, key[sentences])
            d_key[sentences].add_(torch.matmul(d_scores.transpose(2, 3), content_query[sentences, :, rows]))
            scorer.accumulate(d_scores, sentences, rows)
        d_position, d_tables, d_exceptional = scorer.finish()
        return d_content, d_position, d_key, d_value, d_tables, d_exceptional, None, None, None


def _join(weights: list[Tensor], blocks: list[tuple[slice, slice]], like: Tensor, keys: int) -> Tensor:
    """The weights of all blocks, ``[B, N, Q, T + V]``."""
    joined = like.new_empty(*like.shape[:3], keys)
    for (sentences, rows), part in zip(blocks, weights, strict=True):
        joined[sentences, :, rows] = part
    return joined


def _blocks(layout: LatticeLayout, shape: torch.Size) -> list[tuple[slice, slice]]:
    """(sentences, query rows) to score at once: chunks of characters, then the words of some sentences."""
    blocks = [
        (slice(low, min(low + layout.sentences, layout.batch)), slice(first, last))
        for low in range(0, layout.batch, max(layout.sentences, 1))
        for first, last in layout.chunks()
    ]
    if shape[2] > layout.chars:
        elements = shape[1] * layout.words * shape[2]
        step = max(_BLOCK // max(elements, 1), 1)
        rows = slice(layout.chars, shape[2])
        blocks += [
            (slice(first, min(first + step, layout.batch)), rows) for first in range(0, layout.batch, step)
        ]
    return blocks
