"""Any number of documents of any length through a tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from core.taggers.base.tagger import Tagger
from core.text import Document, Span, sort_spans
from core.text.segmentation import windows

# Nodes of a batch, padding included: about 32 sentences of 60 characters and their words.
BUDGET = 4096
# Characters of a piece. Attention grows with the square, and training sentences are shorter anyway.
WINDOW = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """A window of a document: which one, where it starts, what it holds, what it costs."""

    document: int
    start: int
    text: Document
    cost: int


def tag(
    tagger: Tagger,
    documents: Sequence[Document],
    *,
    budget: int = BUDGET,
    window: int = WINDOW,
    progress: Callable[[int, int], None] | None = None,
) -> list[Document]:
    """The same documents, in order, with the tagger's spans in place of their own.

    Long texts go through in windows cut at sentence ends. Pieces of like length go together, so little is
    spent on padding; a piece's spans do not depend on its company.

    Args:
        budget: most positions of a batch, padding included; one piece may exceed it alone.
        window: most characters of a piece.
        progress: called with (pieces done, pieces in all) after every batch.

    Raises:
        ValueError: ``budget`` or ``window`` is less than 1.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1 position, got {budget}")
    pieces = [
        piece
        for index, document in enumerate(documents)
        for piece in pieces_of(tagger, index, document, window)
    ]
    found: list[list[Span]] = [[] for _ in documents]
    done = 0
    training = tagger.training
    tagger.eval()
    try:
        with torch.inference_mode():
            for group in groups_of(pieces, budget):
                batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
                for piece, spans in zip(group, tagger.decode(batch), strict=True):
                    found[piece.document] += (_shifted(span, piece.start) for span in spans)
                done += len(group)
                if progress is not None:
                    progress(done, len(pieces))
    finally:
        tagger.train(training)
    return [document.with_spans(sort_spans(spans)) for document, spans in zip(documents, found, strict=True)]


def pieces_of(tagger: Tagger, index: int, document: Document, window: int = WINDOW) -> Iterator[Piece]:
    """The windows of document number ``index``; none where it has no character."""
    for start, end in windows(document.text, window):
        text = Document(document.id, document.text[start:end])
        yield Piece(index, start, text, tagger.cost(text))


def groups_of(pieces: Sequence[Piece], budget: int = BUDGET) -> Iterator[list[Piece]]:
    """Pieces by rising cost, cut where one more would exceed the budget once all are padded."""
    group: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.cost):
        if group and piece.cost * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _shifted(span: Span, start: int) -> Span:
    return Span(span.start + start, span.end + start, span.label, span.score)
