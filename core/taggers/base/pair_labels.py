"""Gold values of pairs of a start and an end, and where they are known."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.text import Document
from core.text.annotated_regions import annotated_regions


def piece_edges(characters: Tensor) -> tuple[Tensor, Tensor]:
    """The characters that begin a word piece, and those that end one, ``[B, T]`` each.

    Characters of one piece (such as a Latin word) share its states, so starts among them cannot be told
    apart.

    Args:
        characters: as in :class:`Pieces`, ``[B, T, M]``.
    """
    starts = (characters >= 0).any(2)
    ends = starts.clone()
    same = (characters[:, 1:] == characters[:, :-1]).all(2)
    starts[:, 1:] &= ~same
    ends[:, :-1] &= ~same
    return starts, ends


def gold_spans(documents: Sequence[Document], labels: Sequence[str], starts: Tensor, ends: Tensor) -> Tensor:
    """The gold spans: row, start and end (inclusive), ``[S, 3]`` int64, each once; spans of other labels are
    ignored.

    Row ``b * K + k`` is label k of document b. Spans that cut a word piece are widened to its edges.

    Args:
        starts, ends: as from ``piece_edges``, ``[B, T]``.
    """
    if not starts.shape[1]:
        return torch.empty(0, 3, dtype=torch.long)
    positions = torch.arange(starts.shape[1]).expand_as(starts)
    before = torch.where(starts, positions, -1).cummax(1).values.tolist()
    after = torch.where(ends, positions, starts.shape[1]).flip(1).cummin(1).values.flip(1).tolist()
    number = {label: index for index, label in enumerate(labels)}
    widened = {
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
    complete = sorted(span for span in widened if span[1] >= 0 and span[2] < starts.shape[1])
    return torch.tensor(complete, dtype=torch.long).view(-1, 3)


def annotated_mask(documents: Sequence[Document], length: int) -> Tensor | None:
    """True at characters in annotated regions, ``[B, length]``; None for all.

    Spans outside annotated regions do not extend them.
    """
    regions_of = [annotated_regions(document) for document in documents]
    if all(regions is None for regions in regions_of):
        return None
    annotated = torch.zeros(len(documents), length, dtype=torch.bool)
    for row, regions in enumerate(regions_of):
        for start, end in ((0, length),) if regions is None else regions:
            annotated[row, start:end] = True
    return annotated
