"""The inputs and intermediate results of sequence taggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.encoders.static_embeddings import StaticEmbedding
from core.lexicon import Lexicon
from core.taggers.base.tagger import Batch
from core.taggers.sequence.neighbours import Neighbours
from core.text import Document
from core.text.annotated_regions import labelled_characters
from core.text.units import Units


@dataclass(frozen=True)
class SequenceBatch(Batch):
    """B sentences of at most T units, with a tag for every unit.

    Args:
        documents: the sentences. mask: True at units, which come first, ``[B, T]``.
        tags: gold tags, ``[B, T]``; 0 at padding.
        units: the characters or words of each sentence.
        labelled: True at units whose gold tag is known, ``[B, T]``; None for all.
    """

    documents: tuple[Document, ...]
    mask: Tensor
    tags: Tensor
    units: tuple[Units, ...] = field(kw_only=True)
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


def labelled_mask(documents: Sequence[Document], units: Sequence[Units], mask: Tensor) -> Tensor | None:
    """True at units whose gold tag is known, ``[B, T]``; None for all.

    A word is one if it is annotated from end to end, or under a span.

    Args:
        units: of each document. mask: True at units, ``[B, T]``.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    rows = [labelled_characters(document) for document in documents]
    if all(row is None for row in rows):
        return None
    labelled = mask.clone()
    for number, row in enumerate(rows):
        if row is None:
            continue
        at = units[number]
        known = [all(row[start:end]) for start, end in zip(at.starts, at.ends, strict=True)]
        for span in filter(None, map(at.touched, documents[number].spans)):
            known[span.start : span.end] = [True] * len(span)
        labelled[number, : len(known)] = torch.tensor(known, dtype=torch.bool)
    return labelled
