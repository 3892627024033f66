"""FLAT's multi-head attention with relative positions (Li et al., ACL 2020, section 3.2)."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.layers.flat.fused_attention import CompilationError, fused_attention
from core.layers.flat.lattice_layout import LatticeLayout
from core.layers.flat.relative_positions import RelativePositions
from core.layers.flat.table_lookup_attention import table_lookup_attention

_log = logging.getLogger(__name__)
# Constant tables are cached for sentences of up to this many characters, and for so many pairs of the span
# lengths of a query and a key (at width 160, 1.3 MiB each for the longest sentences).
_MOST_CACHED_DISTANCE = 1024
_MOST_CACHED_TABLES = 64


class RelativeKeys:
    """The encodings R of one batch, computed once and shared by all layers.

    Args:
        positions: W_r. layout: the batch.
    """

    def __init__(self, positions: RelativePositions, layout: LatticeLayout) -> None:
        self.positions, self.layout = positions, layout
        self._rows: Tensor | None = None
        self._pairs: Tensor | None = None

    def rows(self, queries: int) -> Tensor:
        """Table for the first spans as queries, ``[queries, A, 2T - 1, H]``."""
        spans = self.layout.spans
        if self._rows is None or len(self._rows) < queries:
            self._rows = self.positions.rows(spans[:queries], spans, self.layout.max_distance)
        return self._rows[:queries]

    def pairs(self) -> Tensor | None:
        """R of the exceptional pairs, ``[P, H]``, or None."""
        exceptions = self.layout.exceptions
        if self._pairs is None and exceptions is not None:
            terms = self.positions.distance_terms(self.layout.max_distance)
            self._pairs = self.positions.pairs(terms, exceptions.d, exceptions.a, exceptions.b)
        return self._pairs


class RelativeAttention(nn.Module):
    """``A*_ij = (W_q x_i + u)^T W_kE x_j + (W_q x_i + v)^T W_kR R_ij``, whose softmax weighs ``W_v x_j``.

    W_kR is applied to the table of R over (a, b, d), see :class:`RelativePositions`. In evaluation mode the
    result is cached, with a copy of the parameters it was computed from to detect when it is stale.

    Args:
        hidden: width H of the nodes, a multiple of ``heads``.
        heads: number of heads N.
        project_key: False omits ``W_kE``: keys are the nodes themselves (the published code's default).
        scale: divide the scores by the square root of a head's width (the published code does not).
        project_output: a last linear layer over the joined heads (the published code's ``attn_ff``, off).
        dropout: on the attention weights.
        fused: on a GPU, compute in one compiled kernel (:mod:`~core.layers.flat.fused_attention`) what needs
            neither weights nor dropout.
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
        fused: bool = False,
    ) -> None:
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden must be a multiple of heads, got hidden={hidden} and heads={heads}")
        self.hidden, self.heads, self.dropout, self.fused = hidden, heads, dropout, fused
        self.factor = 1.0 / math.sqrt(hidden // heads) if scale else 1.0
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden) if project_key else nn.Identity()
        self.value = nn.Linear(hidden, hidden)
        self.relative_key = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, hidden) if project_output else nn.Identity()
        self.content_bias = nn.Parameter(torch.empty(heads, hidden // heads))  # u
        self.position_bias = nn.Parameter(torch.empty(heads, hidden // heads))  # v
        nn.init.xavier_uniform_(self.content_bias)
        nn.init.xavier_uniform_(self.position_bias)
        self._cache: _CachedTables | None = None

    def forward(
        self, x: Tensor, relative: RelativeKeys, *, queries: int, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from the first ``queries`` nodes to all nodes.

        Args:
            x: laid-out nodes, ``[B, T + V, H]``. relative: the batch's R.
            queries: T for the characters only, T + V for all nodes.

        Returns:
            ``[B, queries, H]``, and the weights ``[B, N, queries, T + V]`` if asked for.
        """
        layout = relative.layout
        # shape: (B, N, Q, D)
        query = self._split(self.query(x[:, :queries]))
        content_query = query + self.content_bias[:, None].to(query.dtype)
        position_query = query + self.position_bias[:, None].to(query.dtype)
        if self.factor != 1.0:
            content_query, position_query = content_query * self.factor, position_query * self.factor
        # shape: (B, N, L, D)
        key = self._split(self.key(x)).to(query.dtype).contiguous()
        value = self._split(self.value(x)).contiguous()
        spans = len(layout.spans) if queries > layout.chars else 1
        tables = self._tables(relative, spans, query.dtype)
        exceptional = self._exceptional(relative, position_query)
        dropout = self.dropout if self.training else 0.0
        given = content_query, position_query, key, value, tables, exceptional, layout
        out, weights = None, None
        if self.fused and _on_gpu(x) and content_query.numel() and not dropout and not need_weights:
            try:
                out = fused_attention(*given)
            except CompilationError as error:
                self.fused = False
                _log.warning(
                    "FLAT's attention is not fused: torch cannot compile it here (%s)", error.__cause__
                )
        if out is None:
            out, weights = table_lookup_attention(*given, dropout, need_weights)
        return self.output(out.transpose(1, 2).flatten(2)), weights

    def train(self, mode: bool = True) -> RelativeAttention:
        """Training makes the cached tables stale, so they are dropped."""
        if mode:
            self._cache = None
        return super().train(mode)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _tables(self, relative: RelativeKeys, queries: int, dtype: torch.dtype) -> Tensor:
        """W_kR R for the first spans as queries, ``[queries, N, A, 2 * max_distance + 1, D]``."""
        spans, max_distance = relative.layout.spans, relative.layout.max_distance
        constant = not self.training and not torch.is_grad_enabled()
        if not constant or max_distance > _MOST_CACHED_DISTANCE or not _cacheable(spans, queries):
            return self._project(relative.rows(queries))
        cache = self._cache
        if cache is None or not cache.fits(self._table_parameters(relative.positions), spans, queries, dtype):
            cached_spans = cache.spans if cache is not None else ()
            cache = self._refill_cache(relative.positions, spans, queries, max_distance, dtype, cached_spans)
        if cache.max_distance < max_distance:
            cache = self._refill_cache(relative.positions, cache.spans, queries, max_distance, dtype, ())
        return cache.select(spans, queries)

    def _refill_cache(
        self,
        positions: RelativePositions,
        spans: Sequence[int],
        queries: int,
        max_distance: int,
        dtype: torch.dtype,
        cached_spans: Sequence[int],
    ) -> _CachedTables:
        union = sorted({*spans, *cached_spans})
        spans = tuple(union if _cacheable(union, queries) else spans)
        max_distance = min(-(-(max_distance + 1) // 64) * 64, _MOST_CACHED_DISTANCE)
        rows = positions.rows(spans if queries > 1 else spans[:1], spans, max_distance)
        copies = tuple(p.detach().clone() for p in self._table_parameters(positions))
        self._cache = _CachedTables(copies, spans, max_distance, self._project(rows).to(dtype))
        return self._cache

    def _project(self, rows: Tensor) -> Tensor:
        return self.relative_key(rows).unflatten(-1, (self.heads, -1)).permute(0, 3, 1, 2, 4).contiguous()

    def _table_parameters(self, positions: RelativePositions) -> tuple[Tensor, ...]:
        fusion, key = positions.fusion, self.relative_key
        return fusion.weight, fusion.bias, key.weight, key.bias

    def _exceptional(self, relative: RelativeKeys, query: Tensor) -> Tensor | None:
        """Relative scores of the pairs without tables, ``[N, P]``, or None."""
        exceptions, encodings = relative.layout.exceptions, relative.pairs()
        if exceptions is None or encodings is None:
            return None
        count = len(exceptions.query) if query.shape[2] > relative.layout.chars else exceptions.chars
        # shape: (P, N, D)
        keys = self.relative_key(encodings[:count]).unflatten(-1, (self.heads, -1))
        queries = query[exceptions.sentence[:count], :, exceptions.query[:count]]
        return (queries * keys).sum(-1).T.to(query.dtype)


def _on_gpu(x: Tensor) -> bool:
    return x.is_cuda


def _cacheable(spans: Sequence[int], queries: int) -> bool:
    return len(spans) * (len(spans) if queries > 1 else 1) <= _MOST_CACHED_TABLES


@dataclass(frozen=True)
class _CachedTables:
    """Cached tables of a model in evaluation mode, with copies of the parameters they were computed from."""

    parameters: tuple[Tensor, ...]
    spans: tuple[int, ...]
    max_distance: int
    tables: Tensor

    def fits(
        self, parameters: tuple[Tensor, ...], spans: Sequence[int], queries: int, dtype: torch.dtype
    ) -> bool:
        if not set(spans) <= set(self.spans) or (queries > 1 and len(self.tables) == 1):
            return False
        if self.tables.dtype != dtype:
            return False
        return all(
            now.device == then.device and now.dtype == then.dtype and torch.equal(now, then)
            for now, then in zip(parameters, self.parameters, strict=True)
        )

    def select(self, spans: tuple[int, ...], queries: int) -> Tensor:
        tables = self.tables if queries > 1 else self.tables[:1]
        if spans == self.spans:
            return tables
        picked = torch.tensor([self.spans.index(span) for span in spans], device=tables.device)
        if queries > 1:
            tables = tables[picked]
        return tables[:, :, picked]
