"""Tags any number of documents of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from core.layers.evaluating import evaluating
from core.taggers.base.tagger import Tagger
from core.text import Document, Span, sort_spans
from core.text.overlap import WINDOW, Window, WindowSpans, document_windows, in_windows
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

    Long texts are read in windows, see ``core.text.overlap.reading_windows``. Windows of similar length are
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
    pieces = pieces_to_tag(tagger, documents, window)
    decoded: dict[int, list[Span]] = {}  # by id of the piece, because batches change the order
    done = 0
    with evaluating(tagger), torch.inference_mode():
        for group in batches_by_cost(pieces, budget):
            batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
            decoded.update(zip(map(id, group), tagger.decode(batch), strict=True))
            done += len(group)
            if progress is not None:
                progress(done, len(pieces))
    merged = [WindowSpans(tagger.supports_nested) for _ in documents]
    for piece in pieces:
        merged[piece.document].add(piece.window, decoded[id(piece)])
    pairs = zip(documents, merged, strict=True)
    return [document.with_spans(sort_spans(window_spans.spans)) for document, window_spans in pairs]


def pieces_to_tag(tagger: Tagger, documents: Sequence[Document], window: int = WINDOW) -> list[Piece]:
    """All documents in the windows that the tagger reads; none for a document without characters."""
    return _pieces(
        tagger, documents, lambda document: document_windows(document, window, tagger.usual_length)
    )


def disjoint_pieces(tagger: Tagger, documents: Sequence[Document]) -> list[Piece]:
    """All documents in windows without overlap, for measures that are summed over a text."""

    def disjoint(document: Document) -> list[Window]:
        return [Window(start, end, start, end) for start, end in windows(document.text, WINDOW)]

    return _pieces(tagger, documents, disjoint)


def _pieces(
    tagger: Tagger, documents: Sequence[Document], split: Callable[[Document], Sequence[Window]]
) -> list[Piece]:
    pieces = []
    for index, document in enumerate(documents):
        found = split(document)
        for window, text in zip(found, in_windows(document, found), strict=True):
            pieces.append(Piece(index, window, text, tagger.cost(text)))
    return pieces


def batches_by_cost(pieces: Sequence[Piece], budget: int = BUDGET) -> Iterator[list[Piece]]:
    """Batches of pieces by increasing cost, each within the budget once padded."""
    group: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.cost):
        if group and piece.cost * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group
