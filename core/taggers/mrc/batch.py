"""Sentences with every query, and the positions at which spans may start and end."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from core.encoders.transformer import Pieces, TransformerEncoder
from core.taggers.base.pair_labels import annotated_mask, gold_spans, piece_edges
from core.taggers.base.tagger import Batch
from core.text import Document


@dataclass(frozen=True)
class MrcBatch(Batch):
    """Sentences with every query: row ``b * Q + q`` is sentence b with query q.

    B sentences of at most T characters, Q queries, S gold spans.

    Args:
        documents: the sentences. pieces: the encoder's input, for the rows in ``encoded``.
        starts, ends: True at characters at which a span may start, or end: the first, or the last, of a
            word piece, ``[B, T]``.
        spans: the gold spans: row, start and end (inclusive), ``[S, 3]`` int64, each once.
        annotated: True at characters in annotated regions, ``[B, T]``; None for all.
        encoded: True at rows that are encoded, ``[B * Q]``; None for all.
    """

    documents: tuple[Document, ...]
    pieces: Pieces
    starts: Tensor
    ends: Tensor
    spans: Tensor
    annotated: Tensor | None = None
    encoded: Tensor | None = None

    @property
    def queries(self) -> int:
        """Q."""
        rows = self.pieces.characters if self.encoded is None else self.encoded
        return len(rows) // len(self.documents)

    def scatter_rows(self, states: Tensor) -> Tensor:
        """States ``[R, T, W]`` of the encoded rows, placed among all rows: ``[B * Q, T, W]``."""
        if self.encoded is None:
            return states
        return states.new_zeros(len(self.encoded), *states.shape[1:]).masked_scatter(
            self.encoded[:, None, None], states
        )

    def position_mask(self, of_sentences: Tensor) -> Tensor:
        """A mask of positions ``[B, T]`` repeated for every encoded row: ``[B * Q, T]``."""
        rows = self.rows(of_sentences)
        return rows if self.encoded is None else rows & self.encoded[:, None]

    def rows(self, of_sentences: Tensor) -> Tensor:
        """Values of sentences ``[B, …]`` repeated for every row: ``[B * Q, …]``."""
        return of_sentences.repeat_interleave(self.queries, dim=0)

    def gold(self) -> tuple[Tensor, Tensor]:
        """True at the starts, and at the ends, of gold spans: ``[B * Q, T]`` each."""
        shape = len(self.documents) * self.queries, self.starts.shape[1]
        starts = torch.zeros(shape, dtype=torch.bool, device=self.spans.device)
        ends = torch.zeros_like(starts)
        row, first, last = self.spans.unbind(1)
        starts[row, first] = True
        ends[row, last] = True
        return starts, ends

    def loss_mask(self, gold: Tensor, positions: Tensor) -> Tensor:
        """A mask ``[B * Q, T]`` of the ``positions`` ``[B, T]`` whose ``gold`` value ``[B * Q, T]`` is known.
        Outside annotated regions only gold positions are known; in rows that are not encoded, none."""
        rows = self.position_mask(positions)
        return rows if self.annotated is None else rows & (self.rows(self.annotated) | gold)


def collate(
    documents: Sequence[Document],
    labels: Sequence[str],
    queries: Sequence[str],
    encoder: TransformerEncoder,
    chosen: Sequence[Collection[int]] | None = None,
) -> MrcBatch:
    """A batch of documents, each with the query of every label.

    Args:
        chosen: the query indices of every document, at least one, with those of all its labels; None for all
            queries.
    """
    numbers = [sorted(row) for row in chosen or [range(len(queries))] * len(documents)]
    texts = [document.text for document, row in zip(documents, numbers, strict=True) for _ in row]
    pieces = encoder.tokenize(texts, [queries[q] for row in numbers for q in row])
    # The pieces of a text are the same for every query.
    first = [0, *accumulate(map(len, numbers))][:-1]
    starts, ends = piece_edges(pieces.characters[first])
    spans = gold_spans(documents, labels, starts, ends)
    annotated = annotated_mask(documents, starts.shape[1])
    if chosen is None:
        return MrcBatch(tuple(documents), pieces, starts, ends, spans, annotated)
    encoded = torch.tensor([q in row for row in chosen for q in range(len(queries))], dtype=torch.bool)
    return MrcBatch(tuple(documents), pieces, starts, ends, spans, annotated, encoded)


def sample_queries(document: Document, labels: Sequence[str], unanswered: int, epoch: int) -> frozenset[int]:
    """The queries with which a document is trained: those of all its labels, and a sample of the others.

    Args:
        unanswered: the size of the sample. epoch: seeds the sample, so that it changes every epoch.
    """
    answered = {span.label for span in document.spans}
    others = [number for number, label in enumerate(labels) if label not in answered]
    # A seed of bytes is hashed reproducibly: a resumed run samples the same queries.
    seed = f"queries {epoch} {document.id} {document.text}".encode("utf-8", "surrogatepass")
    generator = random.Random(seed)  # noqa: S311 - not a secret
    sample = generator.sample(others, min(unanswered, len(others)))
    return frozenset(sample) | {number for number, label in enumerate(labels) if label in answered}
