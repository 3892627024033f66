"""The inputs and intermediate results of sequence taggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.encoders.static_embeddings import StaticEmbedding
from core.lexicon import Lexicon
from core.taggers.base.neighbours import Neighbours
from core.taggers.base.tagger import Batch
from core.text import Document
from core.text.annotated_regions import labelled_characters


@dataclass(frozen=True)
class SequenceBatch(Batch):
    """B sentences of at most T characters, with a tag for every character.

    Args:
        documents: the sentences. mask: True at characters, which come first, ``[B, T]``.
        tags: gold tags, ``[B, T]``; 0 at padding.
        labelled: True at characters whose gold tag is known, ``[B, T]``; None for all.
    """

    documents: tuple[Document, ...]
    mask: Tensor
    tags: Tensor
    labelled: Tensor | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Encoded:
    """The output of a sequence tagger's encoder.

    Args:
        hidden: ``[B, T, D]``. attention: per layer ``[B, N, Q, L]``; empty unless asked for.
        auxiliary: a weighted scalar that is added to the loss. share: weight of the loss on tags.
        intermediate: results that the tagger's ``trace_parts`` needs; None if all texts are empty.
    """

    hidden: Tensor
    attention: Sequence[Tensor] = ()
    auxiliary: Tensor | None = None
    share: float = 1.0
    intermediate: Any = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of a tagger besides its config and labels.

    Args:
        tables: embedding tables by name. lexicon: the words it matches.
        encoder: a module that turns text into hidden states and is saved by structure.
        neighbours: training sentences that serve as context of similar texts.
        head: whether tags are scored; otherwise there are only hidden states, for a head of another kind.
    """

    tables: Mapping[str, StaticEmbedding] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    encoder: nn.Module | None = None
    neighbours: Neighbours | None = None
    head: bool = True


def labelled_mask(documents: Sequence[Document], mask: Tensor) -> Tensor | None:
    """True at characters whose gold tag is known, ``[B, T]``; None for all.

    Args:
        mask: True at characters, ``[B, T]``.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    rows = [labelled_characters(document) for document in documents]
    if all(row is None for row in rows):
        return None
    labelled = mask.clone()
    for number, row in enumerate(rows):
        if row is not None:
            labelled[number, : len(row)] = torch.tensor(row, dtype=torch.bool)
    return labelled
