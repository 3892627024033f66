"""Surfaces that people, or a tagger, gave a type: what a dictionary could learn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass

from core.taggers.base.surface_labels import surface_labels
from core.text import Document


@dataclass(frozen=True, slots=True)
class TypedSurface:
    """A surface and the label it has most often.

    Args:
        count: spans of it with this label. share: of all its occurrences where somebody annotated, outside
            longer surfaces, those with this label. others: whether some have another label.
    """

    surface: str
    type: str
    count: int
    share: float
    others: bool = False


def typed_surfaces(
    documents: Sequence[Document],
    *,
    known: Container[tuple[str, str]] = frozenset(),
    least: int = 1,
    share: float = 0.0,
) -> list[TypedSurface]:
    """The surfaces under the documents' spans, the most frequent first, then by spelling.

    With the spans of a tagger, ``least`` and ``share`` say what "often and always as one type" is, as AdaPU
    extends its dictionary (Peng et al., ACL 2019).

    Args:
        known: surface and type of what the dictionary holds; left out.
    """
    counts = Counter(
        (document.surface(span), span.label)
        for document in documents
        for span in {span.key: span for span in document.spans}.values()
    )
    labels = surface_labels(documents, sorted({label for _, label in counts}))
    listed = [
        TypedSurface(surface, one.label, counts[surface, one.label], one.share, one.others)
        for surface, one in labels.items()
        if (surface, one.label) not in known
    ]
    chosen = [one for one in listed if one.count >= least and one.share >= share]
    return sorted(chosen, key=lambda one: (-one.count, one.surface))
