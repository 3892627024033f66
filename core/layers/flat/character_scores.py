"""Relative scores of character queries by the compiled loops of ``compiled_scores``, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import torch
from torch import Tensor

from core.layers.compiled_loops import WORTH_COMPILING, compiled_loops
from core.layers.flat.lattice_layout import LatticeLayout

_COMPILED = f"{__package__}.compiled_scores"
_PRECISIONS = (torch.float32, torch.float64)
# Pairs of nodes and heads for which another thread is begun.
_WORTH_A_THREAD = 1 << 17


def character_loops(query: Tensor, layout: LatticeLayout, gradient: bool) -> ModuleType | None:
    """The compiled loops for position queries ``[B, N, Q, D]``; None where torch's products take their place.

    Args:
        gradient: whether one will be asked for. Rounding differs a little between the two forms, so a
            training step takes the form that its own size calls for, whatever ran before it: a training that
            was resumed makes the same steps.
    """
    if query.device.type != "cpu" or query.dtype not in _PRECISIONS or not layout.chars:
        return None
    positions = layout.batch * (layout.chars + layout.words)
    if gradient and positions < WORTH_COMPILING:
        return None
    return compiled_loops(_COMPILED, positions)


class CharacterScores:
    """Adds the relative scores of character queries to content scores; propagates their gradients.

    Args:
        query: position queries, ``[B, N, Q, D]``. table: of characters as queries, ``[N, A, 2 M + 1, D]``.
    """

    def __init__(self, query: Tensor, table: Tensor, layout: LatticeLayout, loops: ModuleType) -> None:
        self.layout, self.loops, self.size = layout, loops, table.shape
        self.low = table.shape[2] // 2 - layout.chars + 1
        # shape: (B, D, T, N); all heads of one character lie beside each other
        self.query = query[:, :, : layout.chars].permute(0, 3, 2, 1).contiguous()
        # shape: (A, D, 2 T - 1, N), by query head - key head
        near = table[:, :, self.low : self.low + 2 * layout.chars - 1]
        self.table = near.flip(2).permute(1, 3, 2, 0).contiguous()
        self.d_query: Tensor | None = None
        self.d_tables: list[Tensor] = []

    def add(self, scores: Tensor, first: int) -> None:
        """Adds to scores ``[B, N, r, T + V]`` of the characters from ``first`` on."""

        def work(part: int, sentences: slice) -> None:
            self.loops.add_scores(*self._arrays(scores, first, sentences))

        _in_parts(work, scores)

    def accumulate(self, d_scores: Tensor, first: int) -> None:
        """Adds the gradients of queries and table that follow from those of the same scores."""
        if self.d_query is None:
            self.d_query = torch.zeros_like(self.query)
        d_query = self.d_query

        def work(part: int, sentences: slice) -> None:
            arrays = self._arrays(d_scores, first, sentences)
            own = d_query[sentences].flatten(2).numpy(), self.d_tables[part].flatten(2).numpy()
            self.loops.add_gradients(*arrays, *own)

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

    def _arrays(self, scores: Tensor, first: int, sentences: slice) -> tuple[object, ...]:
        layout = self.layout
        return (
            scores[sentences].numpy(),
            layout.head[sentences].numpy(),
            layout.looked_up[sentences].numpy(),
            layout.char_lengths[sentences].numpy(),
            first,
            self.query[sentences].flatten(2).numpy(),
            self.table.flatten(2).numpy(),
        )


def _parts(scores: Tensor) -> int:
    """Into how many parts the sentences are divided, each for a thread of its own."""
    worth = max(scores.numel() // _WORTH_A_THREAD, 1)
    return min(torch.get_num_threads(), len(scores), worth)


def _in_parts(work: Callable[[int, slice], None], scores: Tensor) -> None:
    parts = _parts(scores)
    edges = [len(scores) * part // parts for part in range(parts + 1)]
    slices = [slice(low, high) for low, high in zip(edges[:-1], edges[1:], strict=True)]
    if parts == 1:
        work(0, slices[0])
        return
    with ThreadPoolExecutor(parts) as threads:
        list(threads.map(work, range(parts), slices))
