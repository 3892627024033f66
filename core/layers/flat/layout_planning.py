"""Plans the layout of a batch of lattices on the CPU, from one copy of their positions."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.layers.compiled_loops import WORTH_COMPILING, compiled_loops
from core.layers.flat.lattice_geometry import Lattice
from core.layers.flat.lattice_layout import Exceptions, LatticeLayout, WordRows

Integers = NDArray[np.int64]

# Rows of queries processed at once: enough for a fast matrix product, few enough to stay in the cache.
_CPU_ROWS = 384
_CUDA_ROWS = 1 << 14
# Pairs of nodes that the compiled loops score at once.
_COMPILED_PAIRS = 1 << 15
# Nodes of a training step from which it is computed by compiled loops; a training makes many such steps.
_WORTH_A_STEP = 500
_COMPILED = f"{__package__}.compiled_scores"
# Spans up to this tail - head (four characters) always get tables if they occur; longer ones if it pays off.
_LONGEST_FIXED_SPAN = 3
# Span lengths that get tables where the compiled loops read them and only characters ask: a table then costs
# no more than the pairs of two words.
_MOST_COMPILED_SPANS = 8


def plan_layout(lattice: Lattice, width: int, word_queries: bool = True) -> LatticeLayout:
    """The layout of a lattice for attention of width H.

    Args:
        word_queries: False if only characters will ask, which spares what words would need.
    """
    return _Planner(lattice, width, word_queries).layout()


class _Planner:
    """Computes a layout on the CPU, from one copy of the lattice's positions."""

    def __init__(self, lattice: Lattice, width: int, word_queries: bool) -> None:
        self.device = lattice.head.device
        self.word_queries = word_queries
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
        self.loops = self._loops()

    def _loops(self) -> ModuleType | None:
        """The compiled loops, where they pay off.

        Rounding differs a little between them and products of tensors, so a call takes the form that its own
        size calls for, whatever ran before it: a resumed training makes the same steps, and a text that is
        tagged again has the same scores.
        """
        positions = self.batch * (self.chars + self.words)
        if self.device.type != "cpu" or not self.chars:
            return None
        least = _WORTH_A_STEP if torch.is_grad_enabled() else WORTH_COMPILING
        return compiled_loops(_COMPILED, WORTH_COMPILING) if positions >= least else None

    def layout(self) -> LatticeLayout:
        spans = self._table_spans()
        rows, sentences = self._rows(), self.batch
        if self.loops is not None:
            rows, sentences = self._compiled_block()
        index = np.zeros(int(self.gap.max(initial=0)) + 1, dtype=np.int64)
        index[list(spans)] = np.arange(len(spans))
        has_table = np.isin(self.gap, spans)
        span = np.where(has_table, index[self.gap], 0)
        order, rank, groups = self._ordered_words(span, has_table)
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
            sentences=sentences,
            order=self._tensor(order),
            rank=self._tensor(rank),
            groups=groups,
            exceptions=self._exceptions(has_table, rows, rank),
            head=self._tensor(self.head),
            span=self._tensor(span),
            looked_up=self._tensor(np.where(self.valid & has_table, span, -1)),
            loops=self.loops,
        )

    def _table_spans(self) -> tuple[int, ...]:
        """Span lengths that get tables: those whose words would cost more pair by pair than the tables do."""
        counts = np.bincount(self.gap[:, self.chars :][self.real], minlength=1)
        spans = [0, *(a for a in range(1, len(counts)) if counts[a] and a <= _LONGEST_FIXED_SPAN)]
        at_least = 0 if self.loops is None or self.word_queries else _MOST_COMPILED_SPANS
        nodes = self.batch * (self.chars + self.words)
        for a in sorted(range(_LONGEST_FIXED_SPAN + 1, len(counts)), key=lambda a: -counts[a]):
            table = (2 * len(spans) + 1) * 2 * self.chars + nodes * self.chars / self.width
            pays = 3 * counts[a] * (self.chars + self.words) > table
            if counts[a] and (pays or len(spans) < at_least):
                spans.append(a)
        return tuple(sorted(spans))

    def _rows(self) -> int:
        budget = _CUDA_ROWS if self.device.type == "cuda" else _CPU_ROWS
        rows = max(budget // max(self.batch, 1), 16)
        # Chunks of equal size, as few as possible.
        pieces = max(-(-self.chars // rows), 1)
        return max(-(-self.chars // pieces), 1)

    def _compiled_block(self) -> tuple[int, int]:
        """Character queries per sentence, and sentences, that the compiled loops score at once."""
        nodes = self.chars + self.words
        pieces = -(-self.chars * nodes // _COMPILED_PAIRS)
        rows = -(-self.chars // pieces)
        return rows, max(_COMPILED_PAIRS // (rows * nodes), 1)

    def _ordered_words(
        self, span: Integers, has_table: NDArray
    ) -> tuple[Integers, Integers, tuple[WordRows, ...]]:
        flat = np.flatnonzero(self.real & self.word_queries)
        head = self.head[:, self.chars :].reshape(-1)[flat]
        kind = np.where(has_table, span, span.max(initial=0) + 1)[:, self.chars :].reshape(-1)[flat]
        by = np.lexsort((head, kind))
        flat, head, kind = flat[by], head[by], kind[by]
        rank = np.zeros(self.batch * self.words, dtype=np.int64)
        rank[flat] = np.arange(len(flat))
        budget = _CUDA_ROWS if self.device.type == "cuda" else _CPU_ROWS // 3
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

    def _exceptions(self, has_table: NDArray, rows: int, rank: Integers) -> Exceptions | None:
        if has_table.all():
            return None
        in_sentence, exceptional = np.nonzero(~has_table)
        meets = self.valid[in_sentence]
        # Words without tables as keys of every node, and as queries of every node that has tables.
        asks = self.word_queries | (np.arange(self.chars + self.words) < self.chars)
        as_key, other_query = np.nonzero(meets & asks)
        as_query, other_key = np.nonzero(meets & has_table[in_sentence] & self.word_queries)
        sentence = np.concatenate([in_sentence[as_key], in_sentence[as_query]])
        query = np.concatenate([other_query, exceptional[as_query]])
        key = np.concatenate([exceptional[as_key], other_key])
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
