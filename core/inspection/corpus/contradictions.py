"""Contradictions within the labels, and between the labels and a confident tagger."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.inspection.corpus.errors import Case
from core.lexicon import automaton
from core.text import Document
from core.text.annotated_regions import annotated_regions, is_annotated

WINDOW = 4
_OUTSIDE = "\0"  # padding before and after a text, so that its ends are contexts like any other
_SURROGATE = re.compile("[\ud800-\udfff]")  # not supported by the automaton


@dataclass(frozen=True, slots=True)
class Place:
    """An occurrence of a surface; ``document``: index into the given documents."""

    document: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which people labelled a surface in a context.

    Args:
        labels: of the spans with exactly this extent, sorted; empty without any.
        places: the occurrences, in order.
    """

    labels: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A surface labelled in two or more ways in the same context; the most frequent reading first."""

    surface: str
    readings: tuple[Reading, ...]

    @property
    def places(self) -> int:
        """Number of occurrences of the surface in this context."""
        return sum(len(reading.places) for reading in self.readings)


def contradictions(documents: Sequence[Document], window: int = WINDOW) -> list[Contradiction]:
    """Surfaces that people labelled differently in the same context.

    The context is ``window`` characters on either side; the ends of a text count as characters. Different
    means another label, another extent or no label. All occurrences of surface and context count; outside the
    annotated regions (``meta["annotated_regions"]``) only spans do.

    Returns:
        The most frequent first, then by surface.

    Raises:
        ValueError: the window is less than 1 character. OffsetError: as `annotated_regions`.
    """
    if window < 1:
        raise ValueError(f"a context needs at least 1 character on either side, got {window}")
    margin = _OUTSIDE * window
    texts = [_SURROGATE.sub("\ufffd", f"{margin}{document.text}{margin}") for document in documents]
    readings: defaultdict[str, defaultdict[tuple[str, ...], list[Place]]] = defaultdict(
        lambda: defaultdict(list)
    )
    labels = [_labels_by_extent(document) for document in documents]
    regions = [annotated_regions(document) for document in documents]
    for context, place in _occurrences(texts, labels, window):
        names = labels[place.document].get((place.start, place.end), ())
        if names or is_annotated(regions[place.document], place.start, place.end):
            readings[context][names].append(place)
    contradicting = (_contradiction(documents, ways) for ways in readings.values() if len(ways) > 1)
    return sorted(contradicting, key=lambda c: (-c.places, c.surface, c.readings[0].places[0].document))


def confident_against(cases: Sequence[Case], threshold: float) -> list[int]:
    """Cases in which the tagger contradicts people with at least this confidence, highest first.

    Args:
        cases: of training documents: a tagger that confidently contradicts its training labels often has a
            reason.

    Returns:
        Indices into ``cases``. Spans without a confidence are left out.
    """
    sure = [
        (-case.predicted.score, at)
        for at, case in enumerate(cases)
        if case.predicted is not None
        and case.predicted.score is not None
        and case.predicted.score >= threshold
        and not case.is_correct
    ]
    return [at for _, at in sorted(sure)]


def _labels_by_extent(document: Document) -> dict[tuple[int, int], tuple[str, ...]]:
    labels: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for span in document.spans:
        labels[span.start, span.end].add(span.label)
    return {extent: tuple(sorted(names)) for extent, names in labels.items()}


def _occurrences(
    texts: Sequence[str], labels: Sequence[dict[tuple[int, int], tuple[str, ...]]], window: int
) -> Iterator[tuple[str, Place]]:
    """Every occurrence, labelled or not, of every labelled surface in its context."""
    contexts = {
        text[start : end + 2 * window]
        for text, extents in zip(texts, labels, strict=True)
        for start, end in extents
    }
    if not contexts:
        return
    finder = automaton.build(sorted(contexts))
    for at, text in enumerate(texts):
        for start, end, _ in finder.find_overlapping(text):
            yield text[start:end], Place(at, start, end - 2 * window)


def _contradiction(
    documents: Sequence[Document], readings: dict[tuple[str, ...], list[Place]]
) -> Contradiction:
    ordered = sorted(readings.items(), key=lambda item: (-len(item[1]), item[0]))
    first = ordered[0][1][0]
    surface = documents[first.document].text[first.start : first.end]
    return Contradiction(surface, tuple(Reading(names, tuple(places)) for names, places in ordered))
