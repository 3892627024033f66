"""The layout of a batch of lattices for attention: which scores come from tables, and where each is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class WordRows:
    """Word queries of one span length with nearby heads, which share one slice of the tables.

    Args:
        span: index into ``LatticeLayout.spans``. first, last: their rows in the order of ``order``.
        head: the highest head of the range. heads: how many heads the range holds.
    """

    span: int
    first: int
    last: int
    head: int
    heads: int

    def range(self) -> tuple[int, int]:
        """The heads of the range, end exclusive."""
        return self.head - self.heads + 1, self.head + 1


@dataclass(frozen=True)
class Exceptions:
    """Pairs of nodes whose span lengths have no table: rare long words, as queries or keys.

    Args:
        sentence, query, key: the pairs, ``[P]`` each, in laid-out nodes; character queries first, by query.
        a, b, d: tail - head of query and key, and head distance, ``[P]``.
        place: where its score goes, ``[P]``: for a character query the flat index in ``[B, T, V]`` of its
            chunk of rows, for a word query the flat index in ``[ordered words, T + V]``.
        chars: how many pairs have character queries. starts: the first pair of every chunk of rows, and
            ``chars``.
    """

    sentence: Tensor
    query: Tensor
    key: Tensor
    a: Tensor
    b: Tensor
    d: Tensor
    place: Tensor
    chars: int
    starts: tuple[int, ...]

    def chunk(self, index: int) -> slice:
        """The pairs whose character queries are in this chunk of rows."""
        return slice(self.starts[index], self.starts[index + 1])

    def block(self, sentences: slice, rows: slice) -> tuple[Tensor, tuple[Tensor, slice, Tensor, Tensor]]:
        """The pairs of some sentences with these character queries, and their places in scores
        ``[b, N, r, T + V]``."""
        sentence, query = self.sentence[: self.chars], self.query[: self.chars]
        inside = (sentence >= sentences.start) & (sentence < sentences.stop)
        pairs = (inside & (query >= rows.start) & (query < rows.stop)).nonzero()[:, 0]
        places = sentence[pairs] - sentences.start, slice(None), query[pairs] - rows.start, self.key[pairs]
        return pairs, places


@dataclass(frozen=True)
class LatticeLayout:
    """The nodes of every sentence, reordered so that characters are the first T and words the next V columns.

    Args:
        batch: B. chars: T. words: V.
        source: for every laid-out node its place in the lattice, ``[B, T + V]``.
        place: for every node of the lattice its place among the laid-out ones, ``[B, L]``; -1 at padding.
        char_lengths: ``[B]``.
        valid: False at padding, ``[B, T + V]``; the first node always counts, so no softmax is empty.
        spans: the values of tail - head that have tables, 0 first.
        rows: character queries per sentence that are processed at once. sentences: of so many sentences.
        order: flat indices in ``[B, V]`` of the words, by span and head, exceptional ones last, ``[W]``.
        rank: the place of every word in ``order``, ``[B, V]``; 0 at padding.
        groups: the word queries that have tables. exceptions: the pairs that have none.
        head: heads of the laid-out nodes, ``[B, T + V]``. span: index of their span length, ``[B, T + V]``.
        looked_up: the same; -1 at padding and at words whose span length has no table.
        loops: ``compiled_scores``, for character queries in float32 or float64; None where tensors do it.
    """

    batch: int
    chars: int
    words: int
    source: Tensor
    place: Tensor
    char_lengths: Tensor
    valid: Tensor
    spans: tuple[int, ...]
    rows: int
    sentences: int
    order: Tensor
    rank: Tensor
    groups: tuple[WordRows, ...]
    exceptions: Exceptions | None
    head: Tensor
    span: Tensor
    looked_up: Tensor
    loops: ModuleType | None

    @property
    def max_distance(self) -> int:
        """The largest distance between two heads."""
        return max(self.chars - 1, 0)

    @property
    def real_words(self) -> Tensor:
        """False at padding, ``[B, V]``."""
        return self.valid[:, self.chars :]

    @property
    def char_mask(self) -> Tensor:
        """False at padding, ``[B, T]``."""
        return torch.arange(self.chars, device=self.place.device) < self.char_lengths[:, None]

    def gather(self, x: Tensor) -> Tensor:
        """Nodes ``[B, L, H]`` in this layout, ``[B, T + V, H]``; values at padding are undefined."""
        batch, nodes, _ = x.shape
        offset = torch.arange(batch, device=x.device)[:, None] * nodes
        return nn.functional.embedding(self.source + offset, x.flatten(0, 1))

    def restore(self, weights: Tensor) -> Tensor:
        """Weights of nodes in this layout, back in the lattice's own order; zero at padding.

        ``[B, N, T, T + V]`` becomes ``[B, N, T, L]``, ``[B, N, T + V, T + V]`` becomes ``[B, N, L, L]``.
        """
        place, real = self.place.clamp(min=0), self.place >= 0
        heads, queries = weights.shape[1], weights.shape[2]
        if queries > self.chars:
            rows = place[:, None, :, None].expand(-1, heads, -1, weights.shape[3])
            weights = weights.gather(2, rows) * real[:, None, :, None]
        else:
            weights = weights * self.char_mask[:, None, :, None]
        columns = place[:, None, None, :].expand(-1, heads, weights.shape[2], -1)
        return weights.gather(3, columns) * real[:, None, None, :]

    def chunks(self) -> Iterator[tuple[int, int]]:
        """The character queries in chunks of rows."""
        for first in range(0, self.chars, self.rows):
            yield first, min(first + self.rows, self.chars)

    def word_columns(self, rows: int) -> Tensor:
        """Where the scores of a chunk of character queries with word keys are, ``[B, rows, V]``.

        Flat indices into ``[B, rows, spans * (T + rows - 1)]``, by span length and key head minus query head.
        """
        window = self.chars + rows - 1
        row = torch.arange(rows, device=self.head.device)
        # shape: (B, 1, V)
        column = (self.span[:, self.chars :] * window + self.head[:, self.chars :] + rows - 1)[:, None]
        sentence = torch.arange(self.batch, device=self.head.device)[:, None, None]
        return column - row[:, None] + (sentence * rows + row[:, None]) * (len(self.spans) * window)

    def group_columns(self, group: WordRows) -> Tensor:
        """Where the scores of a group of word queries with all keys are, ``[rows, T + V]``.

        Flat indices into ``[rows, spans * (T + heads - 1)]``.
        """
        window = self.chars + group.heads - 1
        flat = self.order[group.first : group.last]
        sentence, word = flat // self.words, flat % self.words
        # shape: (rows, T + V)
        column = (self.span * window + self.head)[sentence]
        row = torch.arange(len(flat), device=flat.device) * (len(self.spans) * window)
        return column + (row + group.head - self.head[sentence, self.chars + word])[:, None]
