"""Text and partial labels as the PU tagger reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.lexicon.segmentation import word_numbers
from core.taggers.base.sequence_batch import SequenceBatch
from core.taggers.base.tagger import Batch
from core.text import Document
from core.text.looked import looked_regions


@dataclass(frozen=True)
class PuBatch(Batch):
    """Sentences of B documents, T most characters, K types.

    Args:
        read: the same texts as the tagger's encoder reads them.
        types: which types a span says a character is of, ``[B, T, K]``.
        judged: characters somebody has looked at: no span means no entity there, ``[B, T]``.
        units: number of the unit that each character answers with, ``[B, T]``; padding has units of its own.
    """

    read: SequenceBatch
    types: Tensor
    judged: Tensor
    units: Tensor

    @property
    def mask(self) -> Tensor:
        """True at characters, ``[B, T]``."""
        return self.read.mask

    @property
    def lengths(self) -> Tensor:
        """Characters of each sentence, ``[B]``."""
        return self.mask.sum(1)


def collate(documents: Sequence[Document], labels: Sequence[str], read: SequenceBatch, unit: str) -> PuBatch:
    """The batch of these documents; spans of other labels are not seen.

    Args:
        read: see `PuBatch`. unit: what answers as one, see `PuConfig`.

    Raises:
        OffsetError: a document's looked-at regions are malformed.
    """
    types = torch.zeros(*read.mask.shape, len(labels), dtype=torch.bool)
    judged = torch.zeros_like(read.mask)
    number = {label: k for k, label in enumerate(labels)}
    for row, document in enumerate(documents):
        for span in document.spans:
            if span.label in number:
                types[row, span.start : span.end, number[span.label]] = True
        regions = looked_regions(document)
        for start, end in ((0, len(document.text)),) if regions is None else regions:
            judged[row, start:end] = True
    texts = [document.text for document in documents]
    return PuBatch(tuple(documents), read, types, judged, _units(texts, read.mask, unit))


def _units(texts: Sequence[str], mask: Tensor, unit: str) -> Tensor:
    """Every character's own number, or its word's, ``[B, T]``."""
    units = torch.arange(mask.shape[1]).expand(mask.shape).clone()
    if unit == "words":
        for row, text in enumerate(texts):
            units[row, : len(text)] = torch.tensor(word_numbers(text), dtype=torch.long)
    return units
