"""Relative scores of lattice nodes and their gradients, looked up in tables over (a, b, d) instead of
computed per pair.

The relative score of query i and key j is a product of query i with one table row. All products of a block
of queries with all rows of their slice of the tables are one matrix product; scores of characters are a
skewed view of it (the shift of Transformer-XL), those of words are gathered. On a CPU compiled loops make the
products of character queries that a pair of nodes needs, and no others.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.layers.flat.character_scores import CharacterScores
from core.layers.flat.lattice_layout import LatticeLayout


class RelativeScores:
    """Adds the relative scores of a block of queries to their content scores."""

    def __init__(
        self, query: Tensor, tables: Tensor, exceptional: Tensor | None, layout: LatticeLayout
    ) -> None:
        self.query, self.tables, self.exceptional, self.layout = query, tables, exceptional, layout
        self.compiled = CharacterScores.where_fitting(query, tables[0], layout)
        self.words: Tensor | None = None
        if query.shape[2] > layout.chars:
            self.words = self._score_words()

    def add(self, scores: Tensor, sentences: slice, rows: slice) -> None:
        if rows.start >= self.layout.chars:
            assert self.words is not None
            # shape: (N, b, V, T + V)
            words = self.words[:, self.layout.rank[sentences]]
            scores += words.transpose(0, 1)
        elif self.compiled is None:
            self._add_characters(scores, rows.start, rows.stop)
        else:
            self.compiled.add(scores, sentences, rows.start)
            self._add_exceptional(scores, sentences, rows)

    def _add_exceptional(self, scores: Tensor, sentences: slice, rows: slice) -> None:
        exceptions = self.layout.exceptions
        if exceptions is not None and self.exceptional is not None:
            pairs, places = exceptions.block(sentences, rows)
            scores[places] += self.exceptional[:, pairs].T

    def _add_characters(self, scores: Tensor, first: int, last: int) -> None:
        layout, rows = self.layout, last - first
        query = _rows_of(self.query, first, last)  # shape: (N, B * r, D)
        # shape: (N, B * r, A * window)
        products = torch.bmm(query, _slice_of(self.tables[0], layout, first, last).transpose(1, 2))
        scores[..., : layout.chars].add_(_skewed(products, layout, rows))
        if layout.words:
            scores[..., layout.chars :].add_(self._word_keys(products, first, rows).transpose(0, 1))

    def _word_keys(self, products: Tensor, first: int, rows: int) -> Tensor:
        layout = self.layout
        columns = layout.word_columns(rows)
        scores = _gather(products, columns)
        if layout.exceptions is not None and self.exceptional is not None:
            pairs = layout.exceptions.chunk(first // layout.rows)
            scores[:, layout.exceptions.place[pairs]] = self.exceptional[:, pairs]
        return scores.view(len(products), *columns.shape)

    def _score_words(self) -> Tensor:
        """Relative scores of all words in the layout's order with all keys, ``[N, W, T + V]``."""
        layout, heads = self.layout, self.query.shape[1]
        nodes = layout.chars + layout.words
        query = _ordered_words(self.query, layout)  # shape: (N, W, D)
        words = query.new_zeros(heads, max(len(layout.order), 1), nodes)
        for group in layout.groups:
            table = _slice_of(self.tables[group.span], layout, *group.range())
            products = torch.bmm(query[:, group.first : group.last], table.transpose(1, 2))
            columns = layout.group_columns(group)
            words[:, group.first : group.last] = _gather(products, columns).view(heads, *columns.shape)
        if layout.exceptions is not None and self.exceptional is not None:
            pairs = slice(layout.exceptions.chars, None)
            words.view(heads, -1)[:, layout.exceptions.place[pairs]] = self.exceptional[:, pairs]
        return words


class RelativeGradients:
    """Propagates the gradients of blocks of scores to position queries, tables and exceptional scores."""

    def __init__(
        self, query: Tensor, tables: Tensor, exceptions: torch.Size | None, layout: LatticeLayout
    ) -> None:
        self.query, self.tables, self.layout = query, tables, layout
        self.compiled = CharacterScores.where_fitting(query, tables[0], layout)
        self.d_query, self.d_tables = torch.zeros_like(query), torch.zeros_like(tables)
        self.d_exceptional = None if exceptions is None else query.new_zeros(exceptions)
        self.d_words: Tensor | None = None
        if query.shape[2] > layout.chars:
            size = (query.shape[1], max(len(layout.order), 1), layout.chars + layout.words)
            self.d_words = query.new_zeros(size)

    def accumulate(self, d_scores: Tensor, sentences: slice, rows: slice) -> None:
        if rows.start >= self.layout.chars:
            assert self.d_words is not None
            real = self.layout.real_words[sentences]
            # shape: (N, words of these sentences, T + V)
            self.d_words[:, self.layout.rank[sentences][real]] = d_scores.transpose(0, 1)[:, real]
        elif self.compiled is None:
            self._accumulate_characters(d_scores, rows.start, rows.stop)
        else:
            self.compiled.accumulate(d_scores, sentences, rows.start)
            self._accumulate_exceptional(d_scores, sentences, rows)

    def _accumulate_exceptional(self, d_scores: Tensor, sentences: slice, rows: slice) -> None:
        exceptions = self.layout.exceptions
        if exceptions is not None and self.d_exceptional is not None:
            pairs, places = exceptions.block(sentences, rows)
            self.d_exceptional[:, pairs] = d_scores[places].T

    def _accumulate_characters(self, d_scores: Tensor, first: int, last: int) -> None:
        layout, rows = self.layout, last - first
        query = _rows_of(self.query, first, last)
        table = _slice_of(self.tables[0], layout, first, last)
        d_products = query.new_zeros(len(query), query.shape[1], table.shape[1])
        _skewed(d_products, layout, rows).copy_(d_scores[..., : layout.chars])
        if layout.words:
            d_word_keys = d_scores[..., layout.chars :].transpose(0, 1).reshape(len(query), -1)
            if layout.exceptions is not None and self.d_exceptional is not None:
                pairs = layout.exceptions.chunk(first // layout.rows)
                place = layout.exceptions.place[pairs]
                self.d_exceptional[:, pairs] = d_word_keys[:, place]
                d_word_keys[:, place] = 0.0
            _scatter(d_products, layout.word_columns(rows), d_word_keys)
        d_rows = torch.bmm(d_products, table).view(len(query), layout.batch, rows, -1)
        self.d_query[:, :, first:last] = d_rows.transpose(0, 1)
        _add_slice(self.d_tables[0], layout, first, last, torch.bmm(d_products.transpose(1, 2), query))

    def finish(self) -> tuple[Tensor, Tensor, Tensor | None]:
        if self.compiled is not None:
            self.d_query[:, :, : self.layout.chars], self.d_tables[0] = self.compiled.gradients()
        if self.d_words is not None:
            self._finish_words(self.d_words)
        return self.d_query, self.d_tables, self.d_exceptional

    def _finish_words(self, d_words: Tensor) -> None:
        layout, heads = self.layout, len(d_words)
        if layout.exceptions is not None and self.d_exceptional is not None:
            pairs = slice(layout.exceptions.chars, None)
            flat, place = d_words.view(heads, -1), layout.exceptions.place[pairs]
            self.d_exceptional[:, pairs] = flat[:, place]
            flat[:, place] = 0.0
        query = _ordered_words(self.query, layout)
        d_query = torch.zeros_like(query)
        for group in layout.groups:
            rows = slice(group.first, group.last)
            table = _slice_of(self.tables[group.span], layout, *group.range())
            d_products = query.new_zeros(heads, group.last - group.first, table.shape[1])
            _scatter(d_products, layout.group_columns(group), d_words[:, rows].reshape(heads, -1))
            d_query[:, rows] = torch.bmm(d_products, table)
            d_table = torch.bmm(d_products.transpose(1, 2), query[:, rows])
            _add_slice(self.d_tables[group.span], layout, *group.range(), d_table)
        sentence, word = layout.order // layout.words, layout.order % layout.words
        self.d_query[sentence, :, layout.chars + word] = d_query.transpose(0, 1)


def _rows_of(query: Tensor, first: int, last: int) -> Tensor:
    """Some character queries of all sentences, ``[N, B * r, D]``."""
    return query[:, :, first:last].transpose(0, 1).reshape(query.shape[1], -1, query.shape[3])


def _ordered_words(query: Tensor, layout: LatticeLayout) -> Tensor:
    """The word queries in the layout's order, ``[N, W, D]``."""
    sentence, word = layout.order // max(layout.words, 1), layout.order % max(layout.words, 1)
    return query[sentence, :, layout.chars + word].transpose(0, 1).contiguous()


def _window(table: Tensor, layout: LatticeLayout, first: int, last: int) -> Tensor:
    """The part of a query span's table that queries with heads from first to last - 1 need."""
    low = table.shape[2] // 2 - last + 1
    return table[:, :, low : low + layout.chars + last - first - 1]


def _slice_of(table: Tensor, layout: LatticeLayout, first: int, last: int) -> Tensor:
    """The same, as one matrix per head: ``[N, A * (T + last - first - 1), D]``."""
    window = _window(table, layout, first, last)
    return window.reshape(len(table), -1, table.shape[3])


def _add_slice(table: Tensor, layout: LatticeLayout, first: int, last: int, grad: Tensor) -> None:
    window = _window(table, layout, first, last)
    window += grad.view(window.shape)


def _skewed(products: Tensor, layout: LatticeLayout, rows: int) -> Tensor:
    """Products of characters with the first span's slice as a view by (query, key): ``[B, N, r, T]``."""
    heads, _, columns = products.shape
    size = (layout.batch, heads, rows, layout.chars)
    strides = (rows * columns, layout.batch * rows * columns, columns - 1, 1)
    return products.as_strided(size, strides, products.storage_offset() + rows - 1)


def _gather(products: Tensor, columns: Tensor) -> Tensor:
    flat = products.view(len(products), -1)
    return flat.gather(1, columns.reshape(1, -1).expand(len(products), -1))


def _scatter(products: Tensor, columns: Tensor, grad: Tensor) -> None:
    flat = products.view(len(products), -1)
    flat.scatter_add_(1, columns.reshape(1, -1).expand(len(products), -1), grad)
