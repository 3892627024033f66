"""FLAT's attention in one kernel, for GPUs: ``flex_attention`` with the relative scores as score modifier.

Scores and weights are never written to memory. What is written are the products of every query with the table
rows that its keys may need, where the kernel finds the relative score of each pair. FlexAttention: A
Programming Model for Generating Optimized Attention Kernels (Dong et al., 2024).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

from core.layers.flat.lattice_layout import LatticeLayout


class CompilationError(Exception):
    """torch cannot compile the attention for this GPU; its cause says why."""


def fused_attention(
    content_query: Tensor,
    position_query: Tensor,
    key: Tensor,
    value: Tensor,
    tables: Tensor,
    exceptional: Tensor | None,
    layout: LatticeLayout,
) -> Tensor:
    """What :func:`table_lookup_attention` returns without dropout, ``[B, N, Q, D]``, from the same arguments.

    Compiled on a GPU, once for all sizes; elsewhere torch computes it step by step, and has no gradients.

    Raises:
        CompilationError: torch cannot compile it here.
    """
    places = _Places(layout, tables, content_query.shape[2])
    with torch.autocast(content_query.device.type, enabled=False):
        products = _products(position_query, tables, exceptional, layout, places)
        column, head, moves, direct = places.column, places.head, places.moves, places.direct
        valid = layout.valid

        # Only tensors are captured: a number would have it compiled anew for each of its values.
        def with_relative(score: Tensor, b: Tensor, n: Tensor, i: Tensor, j: Tensor) -> Tensor:
            at = torch.where(direct[b, i], j, column[b, j] - head[b, i] * moves[b, j])
            return torch.where(valid[b, j], score + products[b, n, i, at], -float("inf"))

        try:
            out = _kernel(content_query.device.type)(
                content_query, key, value, score_mod=with_relative, scale=1.0
            )
        except RuntimeError as error:
            from torch._dynamo.exc import TorchDynamoException  # takes seconds to import

            if not isinstance(error, TorchDynamoException):
                raise
            raise CompilationError from error
    assert isinstance(out, Tensor)
    return out


@cache
def _kernel(device: str) -> Callable[..., Any]:
    kernel: Callable[..., Any] = flex_attention
    return torch.compile(kernel, dynamic=True) if device == "cuda" else kernel


class _Places:
    """Which product is the relative score of query i and key j: entry ``column_j - head_i * moves_j`` of the
    query's products, or entry j where the query's span length has no table (``direct``).

    Args:
        tables: see :func:`fused_attention`. queries: Q.
    """

    def __init__(self, layout: LatticeLayout, tables: Tensor, queries: int) -> None:
        # Entries of one key span: of key head - query head from 1 - T to T - 1.
        self.window = 2 * layout.chars - 1
        self.looked_up = tables.shape[2] * self.window
        self.columns = self.looked_up
        self.head = layout.head[:, :queries]
        without_table = (layout.looked_up < 0) & layout.valid
        without_table[:, : layout.chars] = False  # the first one counts as valid where a sentence has none
        column = layout.span * self.window + layout.head + layout.chars - 1
        if layout.exceptions is not None:
            # The keys without a table follow, one after the other in every sentence.
            rank = without_table.cumsum(1) - 1
            column = torch.where(without_table, self.looked_up + rank, column)
            self.columns = max(self.looked_up + int(rank.max()) + 1, layout.valid.shape[1])
        self.column = column
        self.moves = (~without_table).long()
        self.direct = without_table[:, :queries]


def _products(
    query: Tensor, tables: Tensor, exceptional: Tensor | None, layout: LatticeLayout, places: _Places
) -> Tensor:
    """Products of queries with the rows of their span's table, then exceptional scores: ``[B, N, Q, C]``."""
    batch, heads, queries, _ = query.shape
    low = tables.shape[3] // 2 - layout.chars + 1
    # shape: (A', N, D, A * (2 T - 1))
    near = tables[:, :, :, low : low + places.window].flatten(2, 3).transpose(2, 3)
    of_characters = query[:, :, : layout.chars] @ near[0]
    if queries == layout.chars and places.columns == places.looked_up:
        return of_characters
    products = query.new_zeros(batch, heads, queries, places.columns)
    products[:, :, : layout.chars, : places.looked_up] = of_characters
    for group in layout.groups if queries > layout.chars else ():
        flat = layout.order[group.first : group.last]
        sentence, node = flat // layout.words, layout.chars + flat % layout.words
        # shape: (N, rows, A * (2 T - 1))
        of_words = query[sentence, :, node].transpose(0, 1) @ near[group.span]
        products[sentence, :, node, : places.looked_up] = of_words.transpose(0, 1)
    exceptions = layout.exceptions
    if exceptions is not None and exceptional is not None:
        count = len(exceptions.query) if queries > layout.chars else exceptions.chars
        sentence, asks, key = (
            part[:count] for part in (exceptions.sentence, exceptions.query, exceptions.key)
        )
        column = torch.where(places.direct[sentence, asks], key, places.column[sentence, key])
        products[sentence, :, asks, column] = exceptional[:, :count].T
    return products
