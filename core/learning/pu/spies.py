"""Reliable negatives by spies: positives hidden among the unlabelled show how low a positive can score.

Liu et al., "Partially Supervised Classification of Text Documents", ICML 2002, section 3.2 (S-EM); as step 1
of two in Liu et al., "Building Text Classifiers Using Positive and Unlabeled Examples", ICDM 2003.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.runtime.message import ToldValueError
from core.text import Document
from core.text.annotated_regions import REGIONS, Region, annotated_regions, joined


def spy_bound(answers: Sequence[Tensor], documents: Sequence[Document], noise: float) -> float:
    """The probability below which only a share ``noise`` of the spies' characters lies.

    Args:
        answers: probability of any type at each character, ``[T]`` each. documents: with the spies as spans.

    Raises:
        ValueError: there is no spy.
    """
    spies = [
        answer[span.start : span.end]
        for answer, document in zip(answers, documents, strict=True)
        for span in document.spans
    ]
    if not spies:
        raise ToldValueError("no word could be hidden as a spy")
    return float(torch.quantile(torch.cat(spies).float()[:1_000_000], noise))


def reliable_regions(answer: Tensor, document: Document, bound: float) -> tuple[Region, ...]:
    """The stretches of a text in which all characters score below the bound and outside spans."""
    low = answer < bound
    for span in document.spans:
        low[span.start : span.end] = False
    places = low.nonzero().flatten().tolist()
    return joined((at, at + 1) for at in places)


def with_negatives(document: Document, regions: Sequence[Region]) -> Document:
    """The document with these annotated regions added."""
    annotated = annotated_regions(document)
    if annotated is None:
        return document
    together = joined([*annotated, *regions])
    return Document(
        document.id, document.text, document.spans, {REGIONS: [list(region) for region in together]}
    )
