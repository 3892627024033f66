"""Text and partial labels as the PU tagger reads them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.encoders.static_embeddings import StaticEmbedding, bigrams
from core.encoders.transformer import Pieces
from core.lexicon.word_cut import word_numbers
from core.taggers import tables
from core.taggers.tagger import Batch
from core.text import Document
from core.text.looked import looked_regions

# Row 0 is padding. The published code tells words apart by their casing; text without case has these.
KINDS = ("upper", "lower", "letter", "han", "digit", "blank", "other")


@dataclass(frozen=True)
class PuBatch(Batch):
    """Sentences of B documents, T most characters, K types.

    Args:
        mask: True at characters, ``[B, T]``.
        types: which types a span says a character is of, ``[B, T, K]``.
        judged: characters somebody has looked at: no span means no entity there, ``[B, T]``.
        units: number of the unit that each character answers with, ``[B, T]``; padding has units of its own.
        characters, bigrams: table rows, ``[B, T]``. kinds: rows of `KINDS`, from 1, ``[B, T]``.
        pieces: what a transformer under the characters reads, where there is one.
    """

    mask: Tensor
    types: Tensor
    judged: Tensor
    units: Tensor
    characters: Tensor
    bigrams: Tensor | None
    kinds: Tensor
    pieces: Pieces | None

    @property
    def lengths(self) -> Tensor:
        """Characters of each sentence, ``[B]``."""
        return self.mask.sum(1)


def collate(
    documents: Sequence[Document],
    labels: Sequence[str],
    characters: StaticEmbedding,
    pairs: StaticEmbedding | None,
    pieces: Pieces | None,
    unit: str,
) -> PuBatch:
    """The batch of these documents; spans of other labels are not seen.

    Args:
        unit: what answers as one, see `PuConfig`.

    Raises:
        OffsetError: a document's looked-at regions are malformed.
    """
    texts = [document.text for document in documents]
    rows = tables.padded([characters.vocabulary.rows(text) for text in texts])
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
    mask = torch.arange(rows.shape[1]) < lengths[:, None]
    types = torch.zeros(*mask.shape, len(labels), dtype=torch.bool)
    judged = torch.zeros_like(mask)
    number = {label: k for k, label in enumerate(labels)}
    for row, document in enumerate(documents):
        for span in document.spans:
            if span.label in number:
                types[row, span.start : span.end, number[span.label]] = True
        regions = looked_regions(document)
        for start, end in ((0, len(document.text)),) if regions is None else regions:
            judged[row, start:end] = True
    return PuBatch(
        tuple(documents),
        mask,
        types,
        judged,
        _units(texts, mask, unit),
        rows,
        None if pairs is None else tables.padded([pairs.vocabulary.rows(bigrams(text)) for text in texts]),
        tables.padded([[kind_of(character) for character in text] for text in texts]),
        pieces,
    )


def _units(texts: Sequence[str], mask: Tensor, unit: str) -> Tensor:
    """Every character's own number, or its word's, ``[B, T]``."""
    units = torch.arange(mask.shape[1]).expand(mask.shape).clone()
    if unit == "words":
        for row, text in enumerate(texts):
            units[row, : len(text)] = torch.tensor(word_numbers(text), dtype=torch.long)
    return units


def kind_of(character: str) -> int:
    """The row of a character's kind."""
    category = unicodedata.category(character)
    if "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff":
        name = "han"
    elif category in ("Lu", "Lt"):
        name = "upper"
    elif category == "Ll":
        name = "lower"
    elif category[0] == "L":
        name = "letter"
    elif category[0] == "N":
        name = "digit"
    else:
        name = "blank" if category[0] == "Z" or character in "\t\n\r" else "other"
    return KINDS.index(name) + 1
