"""The most frequent label of every labelled surface, and how consistent it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.lexicon import Lexicon
from core.lexicon.entry import can_be_a_word
from core.lexicon.word_counts import uncovered
from core.text import Document
from core.text.annotated_regions import annotated_regions, is_annotated


@dataclass(frozen=True, slots=True)
class SurfaceLabel:
    """The label of a surface.

    Args:
        label: the most frequent one. share: share of the surface's occurrences that have this label;
            occurrences inside a longer surface do not count, because there the longer one is matched.
        others: whether any occurrence has another label.
    """

    label: str
    share: float
    others: bool = False


def surface_labels(documents: Iterable[Document], labels: Sequence[str]) -> dict[str, SurfaceLabel]:
    """The labels of all surfaces that a lexicon can hold, in the order of their first span.

    Args:
        documents: gone through twice. A surface that is gone the second time, as somebody edits, is left out.
        labels: the labels to consider; of equally frequent ones the first here wins.
    """
    order = {label: -rank for rank, label in enumerate(labels)}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for start, end, label in dict.fromkeys(span.key for span in document.spans):
            if label in order:
                counts[document.text[start:end]][label] += 1
    words = [surface for surface in counts if can_be_a_word(surface)]
    lexicon = Lexicon(words)
    seen = Counter(surface for document in documents for surface in _occurrences(document, lexicon))
    surfaces = {}
    for word in words:
        if not seen[word]:
            continue
        label, count = max(counts[word].items(), key=lambda item: (item[1], order[item[0]]))
        surfaces[word] = SurfaceLabel(label, min(1.0, count / seen[word]), len(counts[word]) > 1)
    return surfaces


def _occurrences(document: Document, lexicon: Lexicon) -> Iterator[str]:
    """The surface of every span, and of every other annotated occurrence that is not inside a longer one."""
    text, regions = document.text, annotated_regions(document)
    spans = {(span.start, span.end) for span in document.spans}
    matches = {(start, end) for start, end, _ in lexicon.offsets(text)}
    matches |= {(at, at + 1) for at in lexicon.match_characters(text)}
    others = (extent for extent in uncovered(spans | matches) if is_annotated(regions, *extent))
    return (text[start:end] for start, end in spans.union(others))
