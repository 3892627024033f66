"""Sentences behind every query, with the places where spans may start and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.encoders.transformer import Pieces, TransformerEncoder
from core.taggers.tagger import Batch
from core.text import Document
from core.text.looked import looked_regions


@dataclass(frozen=True)
class MrcBatch(Batch):
    """Sentences behind every query: row ``b * Q + q`` is sentence b behind query q.

    B sentences, Q queries, T most characters, S gold spans.

    Args:
        documents: the sentences. pieces: what the encoder reads, of ``B * Q`` rows.
        starts, ends: True at characters at which a span may start, or end: the first, or the last, of a
            word piece, ``[B, T]``.
        spans: the gold spans: row, start and end (inclusive), ``[S, 3]`` int64, each once.
        looked: True at characters that somebody has looked at, ``[B, T]``; None where that is all of them.
    """

    documents: tuple[Document, ...]
    pieces: Pieces
    starts: Tensor
    ends: Tensor
    spans: Tensor
    looked: Tensor | None = None

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.pieces.characters) // len(self.documents)

    def rows(self, of_sentences: Tensor) -> Tensor:
        """What holds of sentences ``[B, …]``, for every row: ``[B * Q, …]``."""
        return of_sentences.repeat_interleave(self.queries, dim=0)

    def gold(self) -> tuple[Tensor, Tensor]:
        """True at the starts, and at the ends, of gold spans: ``[B * Q, T]`` each."""
        starts = torch.zeros(self.pieces.characters.shape[:2], dtype=torch.bool, device=self.spans.device)
        ends = torch.zeros_like(starts)
        row, first, last = self.spans.unbind(1)
        starts[row, first] = True
        ends[row, last] = True
        return starts, ends

    def known(self, gold: Tensor, places: Tensor) -> Tensor:
        """The ``places`` ``[B, T]`` of which it is known whether they are ``gold`` ``[B * Q, T]``: a mask of
        that shape. A place nobody has looked at is known where it is gold."""
        rows = self.rows(places)
        return rows if self.looked is None else rows & (self.rows(self.looked) | gold)


def collate(
    documents: Sequence[Document], labels: Sequence[str], queries: Sequence[str], encoder: TransformerEncoder
) -> MrcBatch:
    """Documents as a batch, every one behind the query of each label."""
    texts = [document.text for document in documents for _ in queries]
    pieces = encoder.tokenize(texts, [*queries] * len(documents))
    # The pieces of a text are the same behind any query.
    starts, ends = piece_edges(pieces.characters[:: len(queries)])
    spans = _gold_spans(documents, labels, starts, ends)
    return MrcBatch(tuple(documents), pieces, starts, ends, spans, _looked(documents, starts.shape[1]))


def piece_edges(characters: Tensor) -> tuple[Tensor, Tensor]:
    """The characters that begin a word piece, and those that end one, ``[B, T]`` each.

    Characters of one piece (a Latin word, say) share its states, so no start can be told from another among
    them.

    Args:
        characters: as in :class:`Pieces`, ``[B, T, M]``.
    """
    starts = (characters >= 0).any(2)
    ends = starts.clone()
    same = (characters[:, 1:] == characters[:, :-1]).all(2)
    starts[:, 1:] &= ~same
    ends[:, :-1] &= ~same
    return starts, ends


def _gold_spans(documents: Sequence[Document], labels: Sequence[str], starts: Tensor, ends: Tensor) -> Tensor:
    """See ``spans`` of :class:`MrcBatch`; one that begins or ends inside a piece is widened to its edge."""
    if not starts.shape[1]:
        return torch.empty(0, 3, dtype=torch.long)
    places = torch.arange(starts.shape[1]).expand_as(starts)
    before = torch.where(starts, places, -1).cummax(1).values.tolist()
    after = torch.where(ends, places, starts.shape[1]).flip(1).cummin(1).values.flip(1).tolist()
    number = {label: index for index, label in enumerate(labels)}
    found = {
        (
            sentence * len(labels) + number[span.label],
            before[sentence][span.start],
            after[sentence][span.end - 1],
        )
        for sentence, document in enumerate(documents)
        for span in document.spans
        if span.label in number
    }
    # A text without pieces has no edges.
    known = sorted(span for span in found if span[1] >= 0 and span[2] < starts.shape[1])
    return torch.tensor(known, dtype=torch.long).view(-1, 3)


def _looked(documents: Sequence[Document], length: int) -> Tensor | None:
    """See ``looked`` of :class:`MrcBatch`. Spans outside say nothing of what lies in them or around them."""
    found = [looked_regions(document) for document in documents]
    if all(regions is None for regions in found):
        return None
    looked = torch.zeros(len(documents), length, dtype=torch.bool)
    for row, regions in enumerate(found):
        for start, end in ((0, length),) if regions is None else regions:
            looked[row, start:end] = True
    return looked
