"""Labelled or predicted surfaces as candidates for a dictionary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.taggers.base.surface_labels import surface_labels
from core.text import Document


@dataclass(frozen=True, slots=True)
class TypedSurface:
    """A surface and its most frequent label.

    Args:
        count: spans with this label. share: of its annotated occurrences outside longer surfaces, those with
            this label. others: whether some have another label.
    """

    surface: str
    type: str
    count: int
    share: float
    others: bool = False


def typed_surfaces(
    documents: Iterable[Document], *, least: int = 1, share: float = 0.0
) -> list[TypedSurface]:
    """The surfaces under the documents' spans, the most frequent first, then by spelling.

    The documents are gone through three times, so they need not be in memory at once.

    With predicted spans, ``least`` and ``share`` are the thresholds by which AdaPU extends its dictionary
    (Peng et al., ACL 2019).
    """
    counts = Counter(
        (document.surface(span), span.label)
        for document in documents
        for span in {span.key: span for span in document.spans}.values()
    )
    labels = surface_labels(documents, sorted({label for _, label in counts}))
    typed = (
        TypedSurface(surface, main.label, counts[surface, main.label], main.share, main.others)
        for surface, main in labels.items()
    )
    chosen = [item for item in typed if item.count >= least and item.share >= share]
    return sorted(chosen, key=lambda item: (-item.count, item.surface))
