"""How a batch of lattices is laid out for attention: what is tabled, and where each score is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.layers.lattice_geometry import Lattice

Integers = NDArray[np.int64]

# Rows of queries worked on at once: enough for a fast matrix product, few enough to stay in the cache.
_CPU_ROWS = 256
_CUDA_ROWS = 1 << 14
# Words up to four characters always have tables, if they occur; longer ones must earn theirs.
_ALWAYS_TABLED = 3


@dataclass(frozen=True)
class WordRows:
    """Word queries of one span length whose heads lie close together; they share one slice of the tables.

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
        """The heads of the range, the end exclusive."""
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


@dataclass(frozen=True)
class LatticeLayout:
    """The nodes of every sentence moved so that characters are the first T and words the next V columns.

    Args:
        batch: B. chars: T. words: V.
        source: for every laid-out node its place in the lattice, ``[B, T + V]``.
        place: for every node of the lattice its place among the laid-out ones, ``[B, L]``; -1 at padding.
        char_lengths: ``[B]``.
        valid: False at padding, ``[B, T + V]``; the first node always counts, so no softmax is empty.
        spans: the values of tail - head that have tables, 0 first.
        rows: how many character queries per sentence are worked on at once.
        order: flat indices in ``[B, V]`` of the words, by span and head, exceptional ones last, ``[W]``.
        rank: the place of every word in ``order``, ``[B, V]``; 0 at padding.
        groups: the word queries that have tables. exceptions: the pairs that have none.
        head: heads of the laid-out nodes, ``[B, T + V]``. span: index of their span length, ``[B, T + V]``.
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
    order: Tensor
    rank: Tensor
    groups: tuple[WordRows, ...]
    exceptions: Exceptions | None
    head: Tensor
    span: Tensor

    @classmethod
    def of(cls, lattice: Lattice, width: int) -> LatticeLayout:
        """Lay a lattice out for attention of this width H."""
        return _Planner(lattice, width).layout()

    @property
    def reach(self) -> int:
        """The farthest two heads can be apart."""
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
        """Nodes ``[B, L, H]`` laid out, ``[B, T + V, H]``; what padding holds means nothing."""
        batch, nodes, _ = x.shape
        offset = torch.arange(batch, device=x.device)[:, None] * nodes
        return nn.functional.embedding(self.source + offset, x.flatten(0, 1))

    def restore(self, weights: Tensor) -> Tensor:
        """Weights of laid-out nodes in the lattice's own order, zero at padding.

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
        """The character queries, some rows at a time."""
        for first in range(0, self.chars, self.rows):
            yield first, min(first + self.rows, self.chars)

    def word_columns(self, rows: int) -> Tensor:
        """Where a chunk of character queries finds its word keys, ``[B, rows, V]``.

        Flat indices into ``[B, rows, spans * (T + rows - 1)]``: for every span length, every
        key head minus query head.
        """
        window = self.chars + rows - 1
        row = torch.arange(rows, device=self.head.device)
        # shape: (B, 1, V)
        column = (self.span[:, self.chars :] * window + self.head[:, self.chars :] + rows - 1)[:, None]
        sentence = torch.arange(self.batch, device=self.head.device)[:, None, None]
        return column - row[:, None] + (sentence * rows + row[:, None]) * (len(self.spans) * window)

    def group_columns(self, group: WordRows) -> Tensor:
        """Where the word queries of a group find all keys, ``[rows, T + V]``.

        Flat indices into ``[rows, spans * (T + heads - 1)]``.
        """
        window = self.chars + group.heads - 1
        flat = self.order[group.first : group.last]
        sentence, word = flat // self.words, flat % self.words
        # shape: (rows, T + V)
        column = (self.span * window + self.head)[sentence]
        row = torch.arange(len(flat), device=flat.device) * (len(self.spans) * window)
        return column + (row + group.head - self.head[sentence, self.chars + word])[:, None]


class _Planner:
    """Works a layout out on the host, from one copy of the lattice's positions."""

    def __init__(self, lattice: Lattice, width: int) -> None:
        self.device = lattice.head.device
        self.char_lengths = lattice.char_lengths
        self.width = width
        packed = torch.cat(
            [lattice.head, lattice.tail, lattice.char_lengths[:, None], lattice.lengths[:, None]], dim=1
        )
        host: Integers = packed.cpu().numpy()
        nodes = lattice.head.shape[1]
        characters, lengths = host[:, -2], host[:, -1]
        self.batch = len(host)
        self.chars = int(characters.max(initial=0))
        self.words = int((lengths - characters).max(initial=0))
        word = np.arange(self.words)
        # shape: (B, V)
        self.real = word < (lengths - characters)[:, None]
        at_word = np.where(self.real, word + characters[:, None], 0)
        char = np.broadcast_to(np.arange(self.chars), (self.batch, self.chars))
        real_char = char < characters[:, None]
        node = np.arange(nodes)
        moved = node + (node >= characters[:, None]) * (self.chars - characters)[:, None]
        self.place = np.where(node < lengths[:, None], moved, -1)  # shape: (B, L)
        # shape: (B, T + V)
        self.source = np.concatenate([np.where(real_char, char, 0), at_word], axis=1)
        self.valid = np.concatenate([real_char, self.real], axis=1)
        word_head = np.where(self.real, np.take_along_axis(host[:, :nodes], at_word, 1), 0)
        word_tail = np.where(self.real, np.take_along_axis(host[:, nodes:-2], at_word, 1), 0)
        self.head = np.concatenate([char, word_head], axis=1)
        self.gap = np.concatenate([np.zeros_like(char), word_tail - word_head], axis=1)

    def layout(self) -> LatticeLayout:
        spans = self._tabled_spans()
        rows = self._rows()
        index = np.zeros(int(self.gap.max(initial=0)) + 1, dtype=np.int64)
        index[list(spans)] = np.arange(len(spans))
        tabled = np.isin(self.gap, spans)
        span = np.where(tabled, index[self.gap], 0)
        order, rank, groups = self._ordered_words(span, tabled)
        valid = self.valid.copy()
        valid[:, :1] = True
        return LatticeLayout(
            batch=self.batch,
            chars=self.chars,
            words=self.words,
            source=self._tensor(self.source),
            place=self._tensor(self.place),
            char_lengths=self.char_lengths,
            valid=self._tensor(valid),
            spans=spans,
            rows=rows,
            order=self._tensor(order),
            rank=self._tensor(rank),
            groups=groups,
            exceptions=self._exceptions(tabled, rows, rank),
            head=self._tensor(self.head),
            span=self._tensor(span),
        )

    def _tabled_spans(self) -> tuple[int, ...]:
        """A span length earns tables when its words cost more one pair at a time than the tables would."""
        counts = np.bincount(self.gap[:, self.chars :][self.real], minlength=1)
        spans = [0, *(a for a in range(1, len(counts)) if counts[a] and a <= _ALWAYS_TABLED)]
        nodes = self.batch * (self.chars + self.words)
        for a in sorted(range(_ALWAYS_TABLED + 1, len(counts)), key=lambda a: -counts[a]):
            table = (2 * len(spans) + 1) * 2 * self.chars + nodes * self.chars / self.width
            if 3 * counts[a] * (self.chars + self.words) > table:
                spans.append(a)
        return tuple(sorted(spans))

    def _rows(self) -> int:
        budget = _CUDA_ROWS if self.device.type == "cuda" else _CPU_ROWS
        rows = max(budget // max(self.batch, 1), 16)
        # Chunks of equal size: as many as needed, none of them a crumb.
        pieces = max(-(-self.chars // rows), 1)
        return max(-(-self.chars // pieces), 1)

    def _ordered_words(
        self, span: Integers, tabled: NDArray
    ) -> tuple[Integers, Integers, tuple[WordRows, ...]]:
        flat = np.flatnonzero(self.real)
        head = self.head[:, self.chars :].reshape(-1)[flat]
        kind = np.where(tabled, span, span.max(initial=0) + 1)[:, self.chars :].reshape(-1)[flat]
        by = np.lexsort((head, kind))
        flat, head, kind = flat[by], head[by], kind[by]
        rank = np.zeros(self.batch * self.words, dtype=np.int64)
        rank[flat] = np.arange(len(flat))
        budget = _CUDA_ROWS if self.device.type == "cuda" else _CPU_ROWS // 2
        groups: list[WordRows] = []
        for a in range(int(span.max(initial=0)) + 1):
            first, last = np.searchsorted(kind, [a, a + 1])
            pieces = -(-int(last - first) // budget)
            heads = max(-(-self.chars // max(pieces, 1)), 1)
            for low in range(0, self.chars if pieces else 0, heads):
                start, stop = first + np.searchsorted(head[first:last], [low, low + heads])
                highest = min(low + heads, self.chars) - 1
                if stop > start:
                    groups.append(WordRows(a, int(start), int(stop), highest, highest - low + 1))
        return flat, rank.reshape(self.batch, self.words), tuple(groups)

    def _exceptions(self, tabled: NDArray, rows: int, rank: Integers) -> Exceptions | None:
        if tabled.all():
            return None
        at, odd = np.nonzero(~tabled)
        met = self.valid[at]
        # Odd words as keys of every node, and as queries of every node that is not odd itself.
        as_key, other_query = np.nonzero(met)
        as_query, other_key = np.nonzero(met & tabled[at])
        sentence = np.concatenate([at[as_key], at[as_query]])
        query = np.concatenate([other_query, odd[as_query]])
        key = np.concatenate([odd[as_key], other_key])
        chars = query < self.chars
        by = np.argsort(np.where(chars, query, self.chars), kind="stable")
        sentence, query, key = sentence[by], query[by], key[by]
        count = int(chars.sum())
        first = query[:count] // rows * rows
        size = np.minimum(rows, self.chars - first)
        at_char = (sentence[:count] * size + query[:count] - first) * self.words + key[:count] - self.chars
        at_word = rank[sentence[count:], query[count:] - self.chars] * self.head.shape[1] + key[count:]
        starts = np.searchsorted(query[:count], [*range(0, self.chars, rows), self.chars])
        a, b = self.gap[sentence, query], self.gap[sentence, key]
        d = self.head[sentence, query] - self.head[sentence, key]
        place = np.concatenate([at_char, at_word])
        return Exceptions(
            sentence=self._tensor(sentence),
            query=self._tensor(query),
            key=self._tensor(key),
            a=self._tensor(a),
            b=self._tensor(b),
            d=self._tensor(d),
            place=self._tensor(place),
            chars=count,
            starts=tuple(int(start) for start in starts),
        )

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
