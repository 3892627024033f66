"""Relative scores of character queries by the compiled loops of ``compiled_scores``, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import torch
from torch import Tensor
from typing_extensions import Self

from core.layers.flat.lattice_layout import LatticeLayout

_PRECISIONS = (torch.float32, torch.float64)
# Scores for which another thread is begun.
_WORTH_A_THREAD = 1 << 17


class CharacterScores:
    """Adds the relative scores of character queries to content scores; propagates their gradients.

    Args:
        query: position queries, ``[B, N, Q, D]``. table: of characters as queries, ``[N, A, 2 M + 1, D]``.
        layout: one with compiled loops.
    """

    def __init__(self, query: Tensor, table: Tensor, layout: LatticeLayout) -> None:
        self.layout, self.size = layout, table.shape
        self.low = table.shape[2] // 2 - layout.chars + 1
        # shape: (B, D, T, N); all heads of one character lie beside each other
        self.query = query[:, :, : layout.chars].permute(0, 3, 2, 1).contiguous()
        # shape: (A, D, 2 T - 1, N), by query head - key head
        near = table[:, :, self.low : self.low + 2 * layout.chars - 1]
        self.table = near.flip(2).permute(1, 3, 2, 0).contiguous()
        self.d_query: Tensor | None = None
        self.d_tables: list[Tensor] = []

    @classmethod
    def where_fitting(cls, query: Tensor, table: Tensor, layout: LatticeLayout) -> Self | None:
        """None where products of tensors score instead: without loops for this layout or precision."""
        fitting = layout.loops is not None and query.dtype in _PRECISIONS
        return cls(query, table, layout) if fitting else None

    def add(self, scores: Tensor, sentences: slice, first: int) -> None:
        """Adds to scores ``[b, N, r, T + V]`` of the characters from ``first`` on of these sentences."""
        loops = self.layout.loops
        assert loops is not None

        def work(part: int, block: slice) -> None:
            loops.add_scores(*self._arrays(scores, sentences, block, first))

        _in_parts(work, scores)

    def accumulate(self, d_scores: Tensor, sentences: slice, first: int) -> None:
        """Adds the gradients of queries and table that follow from those of the same scores."""
        if self.d_query is None:
            self.d_query = torch.zeros_like(self.query)
        loops, d_query = self.layout.loops, self.d_query
        assert loops is not None

        def work(part: int, block: slice) -> None:
            arrays = self._arrays(d_scores, sentences, block, first)
            own = d_query[sentences][block].flatten(2).numpy(), self.d_tables[part].flatten(2).numpy()
            loops.add_gradients(*arrays, *own)

        while len(self.d_tables) < _parts(d_scores):
            self.d_tables.append(torch.zeros_like(self.table))
        _in_parts(work, d_scores)

    def gradients(self) -> tuple[Tensor, Tensor]:
        """The gradients of the character queries, ``[B, N, T, D]``, and of the table."""
        assert self.d_query is not None
        d_table = self.query.new_zeros(self.size)
        near = torch.stack(self.d_tables).sum(0).permute(3, 0, 2, 1).flip(2)
        d_table[:, :, self.low : self.low + near.shape[2]] = near
        return self.d_query.permute(0, 3, 2, 1), d_table

    def _arrays(self, scores: Tensor, sentences: slice, block: slice, first: int) -> tuple[object, ...]:
        layout = self.layout
        return (
            scores[block].numpy(),
            layout.head[sentences][block].numpy(),
            layout.looked_up[sentences][block].numpy(),
            layout.char_lengths[sentences][block].numpy(),
            first,
            self.query[sentences][block].flatten(2).numpy(),
            self.table.flatten(2).numpy(),
        )


def _parts(scores: Tensor) -> int:
    """Into how many parts the sentences are divided, each for a thread of its own."""
    worth = max(scores.numel() // _WORTH_A_THREAD, 1)
    return min(torch.get_num_threads(), len(scores), worth)


def _in_parts(work: Callable[[int, slice], None], scores: Tensor) -> None:
    parts = _parts(scores)
    edges = [len(scores) * part // parts for part in range(parts + 1)]
    slices = [slice(low, high) for low, high in pairwise(edges)]
    if parts == 1:
        work(0, slices[0])
        return
    with ThreadPoolExecutor(parts) as threads:
        list(threads.map(work, range(parts), slices))
