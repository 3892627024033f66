"""Batches of texts and partial labels for the PU tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.lexicon.segmentation import word_numbers
from core.taggers.base.tagger import Batch
from core.taggers.sequence.batch import SequenceBatch
from core.text import Document
from core.text.annotated_regions import annotated_regions


@dataclass(frozen=True)
class PuBatch(Batch):
    """B documents of at most T characters, K types.

    Args:
        encoder_batch: the same texts as a batch of the encoder.
        types: the types of the spans over a character, ``[B, T, K]``.
        annotated: characters in annotated regions, where no span means no entity, ``[B, T]``.
        units: the unit of each character, ``[B, T]``; units share a prediction, and padding has its own.
    """

    encoder_batch: SequenceBatch
    types: Tensor
    annotated: Tensor
    units: Tensor

    @property
    def mask(self) -> Tensor:
        """True at characters, ``[B, T]``."""
        return self.encoder_batch.mask

    @property
    def lengths(self) -> Tensor:
        """Characters of each sentence, ``[B]``."""
        return self.mask.sum(1)


def collate(
    documents: Sequence[Document], labels: Sequence[str], encoder_batch: SequenceBatch, unit: str
) -> PuBatch:
    """The batch of these documents; spans of other labels are ignored.

    Args:
        encoder_batch: see `PuBatch`. unit: see `PuConfig`.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    mask = encoder_batch.mask
    types = torch.zeros(*mask.shape, len(labels), dtype=torch.bool)
    annotated = torch.zeros_like(mask)
    number = {label: k for k, label in enumerate(labels)}
    for row, document in enumerate(documents):
        for span in document.spans:
            if span.label in number:
                types[row, span.start : span.end, number[span.label]] = True
        regions = annotated_regions(document)
        for start, end in ((0, len(document.text)),) if regions is None else regions:
            annotated[row, start:end] = True
    texts = [document.text for document in documents]
    return PuBatch(tuple(documents), encoder_batch, types, annotated, _units(texts, mask, unit))


def _units(texts: Sequence[str], mask: Tensor, unit: str) -> Tensor:
    """The index of every character, or of its word, ``[B, T]``."""
    units = torch.arange(mask.shape[1]).expand(mask.shape).clone()
    if unit == "words":
        for row, text in enumerate(texts):
            units[row, : len(text)] = torch.tensor(word_numbers(text), dtype=torch.long)
    return units
