"""Probabilities of a PU tagger at every character."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from core.layers.evaluating import evaluating
from core.taggers.base.tagging import batches_by_cost, pieces_to_tag
from core.taggers.pu.tagger import Pu
from core.text import Document


def character_probabilities(
    tagger: Pu, documents: Sequence[Document], should_stop: Callable[[], None] = lambda: None
) -> list[Tensor]:
    """The probability of every type at every character of each document, ``[T, K]`` on the CPU.

    Args:
        should_stop: called between batches; may raise.
    """
    probabilities = [torch.zeros(len(document.text), len(tagger.labels)) for document in documents]
    for index, start, part in probabilities_by_stretch(tagger, documents, should_stop):
        probabilities[index][start : start + len(part)] = part
    return probabilities


def probabilities_by_stretch(
    tagger: Pu, documents: Sequence[Document], should_stop: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, int, Tensor]]:
    """The same in stretches, in any order: document index, first character, probabilities ``[T, K]``."""
    pieces = pieces_to_tag(tagger, documents)
    with evaluating(tagger):
        for group in batches_by_cost(pieces):
            should_stop()
            with torch.inference_mode():
                batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
                answers = tagger.scores(batch).sigmoid().float().cpu()
            for piece, answer in zip(group, answers, strict=True):
                yield piece.document, piece.window.first, answer[piece.core]
