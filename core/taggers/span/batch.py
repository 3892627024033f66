"""Batches of the span tagger, and the scores of all spans of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.layers.span_scores.band import span_mask
from core.taggers.base.pair_labels import annotated_mask, gold_spans, piece_edges
from core.taggers.base.tagger import Batch
from core.taggers.sequence.batch import Encoded, SequenceBatch
from core.text import Document


@dataclass(frozen=True)
class SpanBatch(Batch):
    """B documents of at most T characters.

    Args:
        encoder_batch: the same texts as a batch of the encoder.
        starts, ends: True at characters at which a span may start, or end: where word pieces are read, the
            first, or the last, of a piece; otherwise all, ``[B, T]``.
        spans: the gold spans: row ``b * K + k``, start and end (inclusive), ``[S, 3]`` int64, each once.
        annotated: True at characters in annotated regions, ``[B, T]``; None for all.
    """

    encoder_batch: SequenceBatch
    starts: Tensor
    ends: Tensor
    spans: Tensor
    annotated: Tensor | None


@dataclass(frozen=True, slots=True)
class SpanScores:
    """The scores of all spans of a batch, K labels, at most W characters wide.

    Args:
        scores: ``[B, K, T, W]``: at ``[b, k, i, o]`` label k for the span from i to i + o (inclusive); above
            0 means yes. mask: True at the spans that may be, ``[B, T, W]``.
        encoded: the encoder's output; None if all texts are empty.
    """

    scores: Tensor
    mask: Tensor
    encoded: Encoded | None

    def gold(self, spans: Tensor) -> Tensor:
        """True at these gold spans, ``[B, K, T, W]``; spans wider than W are left out."""
        gold = torch.zeros_like(self.scores, dtype=torch.bool).flatten(0, 1)
        row, first, last = spans[spans[:, 2] - spans[:, 1] < self.scores.shape[3]].unbind(1)
        gold[row, first, last - first] = True
        return gold.view_as(self.scores)

    def known(self, gold: Tensor, annotated: Tensor | None) -> Tensor:
        """True where the gold value is known, ``[B, K, T, W]``.

        Outside annotated regions only gold spans are known: a span with an end there may or may not be one.
        """
        mask = self.mask[:, None]
        if annotated is None:
            return mask.expand_as(gold)
        inside = span_mask(annotated, annotated, self.scores.shape[3])[:, None]
        return mask & (inside | gold)


def collate(documents: Sequence[Document], labels: Sequence[str], encoder_batch: SequenceBatch) -> SpanBatch:
    """The batch of these documents.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    mask = encoder_batch.mask
    pieces: Any = getattr(encoder_batch, "pieces", None)
    starts, ends = (mask, mask) if pieces is None else piece_edges(pieces.characters)
    spans = gold_spans(documents, labels, starts, ends)
    return SpanBatch(
        tuple(documents), encoder_batch, starts, ends, spans, annotated_mask(documents, mask.shape[1])
    )
