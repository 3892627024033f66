"""Tags any number of documents of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from core.taggers.base.tagger import Tagger
from core.text import Document, Span, sort_spans
from core.text.overlap import WINDOW, Window, WindowSpans, overlapping_windows
from core.text.segmentation import windows

# Nodes of a batch, padding included: about 32 sentences of 60 characters and their words.
BUDGET = 4096


@dataclass(frozen=True, slots=True)
class Piece:
    """A window of a document.

    Args:
        document: its index. window: its extent. text: its text as a document. cost: see ``Tagger.cost``.
    """

    document: int
    window: Window
    text: Document
    cost: int

    @property
    def core(self) -> slice:
        """The characters of ``text`` without the context shared with neighbouring windows; cores tile the
        document."""
        return slice(self.window.first - self.window.start, self.window.last - self.window.start)


def tag(
    tagger: Tagger,
    documents: Sequence[Document],
    *,
    budget: int = BUDGET,
    window: int = WINDOW,
    progress: Callable[[int, int], None] | None = None,
) -> list[Document]:
    """The same documents, in order, with predicted spans in place of their own.

    Long texts are read in overlapping windows, see ``core.text.overlap``. Windows of similar length are
    batched together to save padding; the spans of a window do not depend on its batch.

    Args:
        budget: maximum positions of a batch, padding included; a single window may exceed it.
        window: maximum characters of a window.
        progress: called with (windows done, windows in all) after every batch.

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
    decoded: dict[int, list[Span]] = {}  # by piece: batches come in another order
    done = 0
    training = tagger.training
    tagger.eval()
    try:
        with torch.inference_mode():
            for group in groups_of(pieces, budget):
                batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
                decoded.update(zip(map(id, group), tagger.decode(batch), strict=True))
                done += len(group)
                if progress is not None:
                    progress(done, len(pieces))
    finally:
        tagger.train(training)
    spans = [WindowSpans(tagger.supports_nested) for _ in documents]
    for piece in pieces:
        spans[piece.document].add(piece.window, decoded[id(piece)])
    return [
        document.with_spans(sort_spans(merged.spans)) for document, merged in zip(documents, spans, strict=True)
    ]


def pieces_of(tagger: Tagger, index: int, document: Document, window: int = WINDOW) -> Iterator[Piece]:
    """The overlapping windows of document number ``index``; none where it has no character."""
    return _pieces(tagger, index, document, overlapping_windows(document.text, window))


def parts_of(tagger: Tagger, index: int, document: Document) -> Iterator[Piece]:
    """Document number ``index`` in windows without overlap, for measures that are summed over a text."""
    ends = windows(document.text, WINDOW)
    return _pieces(tagger, index, document, [Window(start, end, start, end) for start, end in ends])


def _pieces(tagger: Tagger, index: int, document: Document, bounds: Sequence[Window]) -> Iterator[Piece]:
    for window in bounds:
        text = Document(document.id, document.text[window.start : window.end])
        yield Piece(index, window, text, tagger.cost(text))


def groups_of(pieces: Sequence[Piece], budget: int = BUDGET) -> Iterator[list[Piece]]:
    """Batches of pieces by increasing cost, each within the budget once padded."""
    group: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.cost):
        if group and piece.cost * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
