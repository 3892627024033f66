"""Hidden states of the characters of many documents, and their means over spans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import batches_by_cost, pieces_to_tag
from core.text import Document

Progress = Callable[[int, int], None]
Extent = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PieceStates:
    """States of a stretch of a document; its stretches are adjacent.

    Args:
        document: index of the document. start: first character of the stretch.
        layers: by name, ``[characters of the stretch, D]``, single precision.
    """

    document: int
    start: int
    layers: Mapping[str, np.ndarray]

    @property
    def length(self) -> int:
        """Number of characters."""
        return len(next(iter(self.layers.values())))


def layer_names(tagger: Tagger) -> list[str]:
    """The layers of a tagger, lowest first; none for a tagger without hidden states."""
    batch = tagger.collate([Document("", "字")]).to(tagger.device)
    return [layer.name for layer in tagger.layer_states(batch)]


def piece_states(
    tagger: Tagger,
    documents: Sequence[Document],
    *,
    layers: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[PieceStates]:
    """The states of all documents, window by window, in batches of windows of similar length.

    Args:
        layers: only these; None for all. progress: called with the windows done and their total.
    """
    pieces = pieces_to_tag(tagger, documents)
    done = 0
    for group in batches_by_cost(pieces):
        batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
        of_batch = {
            name: states.float().cpu().numpy()
            for name, states in tagger.layer_states(batch)
            if layers is None or name in layers
        }
        for row, piece in enumerate(group):
            of_piece = {name: states[row, piece.core] for name, states in of_batch.items()}
            yield PieceStates(piece.document, piece.window.first, of_piece)
        done += len(group)
        if progress is not None:
            progress(done, len(pieces))


def character_states(
    tagger: Tagger, documents: Sequence[Document], *, progress: Progress | None = None
) -> dict[str, np.ndarray]:
    """The states of all characters, documents in order, by layer: ``[characters, D]``."""
    starts = np.cumsum([0, *(len(document.text) for document in documents)])
    states: dict[str, np.ndarray] = {}
    for piece in piece_states(tagger, documents, progress=progress):
        at = int(starts[piece.document]) + piece.start
        for name, of_piece in piece.layers.items():
            if name not in states:
                states[name] = np.zeros((int(starts[-1]), of_piece.shape[1]), dtype=np.float32)
            states[name][at : at + len(of_piece)] = of_piece
    return states


def span_vectors(
    tagger: Tagger,
    documents: Sequence[Document],
    extents: Sequence[Sequence[Extent]],
    layer: str,
    *,
    progress: Progress | None = None,
) -> np.ndarray:
    """The mean of a layer's states over each extent ``(start, end)``, documents in order: ``[N, D]``.

    Args:
        extents: of each document, not empty. layer: one of ``layer_names``.

    Raises:
        KeyError: the tagger has no such layer.
    """
    if layer not in layer_names(tagger):
        raise KeyError(layer)
    first = np.cumsum([0, *map(len, extents)])
    sums: np.ndarray | None = None
    for piece in piece_states(tagger, documents, layers=[layer], progress=progress):
        states = piece.layers[layer]
        if sums is None:
            sums = np.zeros((int(first[-1]), states.shape[1]), dtype=np.float32)
        for number, (start, end) in enumerate(extents[piece.document], start=int(first[piece.document])):
            # A span may cross the boundary between two windows.
            low, high = max(start - piece.start, 0), min(end - piece.start, len(states))
            if low < high:
                sums[number] += states[low:high].sum(axis=0)
    if sums is None:
        return np.zeros((int(first[-1]), 0), dtype=np.float32)
    lengths = np.array([end - start for extent in extents for start, end in extent], dtype=np.float32)
    return sums / lengths[:, None]
