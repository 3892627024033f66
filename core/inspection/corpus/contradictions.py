"""Contradictions within the labels, and between the labels and a confident tagger."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
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


def contradictions(documents: Iterable[Document], window: int = WINDOW) -> list[Contradiction]:
    """Surfaces that people labelled differently in the same context.

    The context is ``window`` characters on either side; the ends of a text count as characters. Different
    means another label, another extent or no label. All occurrences of surface and context count; outside the
    annotated regions (``meta["annotated_regions"]``) only spans do.

    Args:
        documents: gone through three times, so an iterator will not do; none is kept.

    Returns:
        The most frequent first, then by surface.

    Raises:
        ValueError: the window is less than 1 character. OffsetError: as `annotated_regions`.
    """
    if window < 1:
        raise ValueError(f"a context needs at least 1 character on either side, got {window}")
    contexts: set[str] = set()
    for document in documents:
        text = _padded(document, window)
        contexts.update(text[span.start : span.end + 2 * window] for span in document.spans)
    # First which contexts have several readings, then their places: of all places there would be too many.
    first: dict[str, tuple[str, ...]] = {}
    several: set[str] = set()
    for context, names, _place in _occurrences(documents, contexts, window):
        if first.setdefault(context, names) != names:
            several.add(context)
    del contexts, first
    readings: defaultdict[str, defaultdict[tuple[str, ...], list[Place]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for context, names, place in _occurrences(documents, several, window):
        readings[context][names].append(place)
    contradicting = (
        _contradiction(context[window : len(context) - window], ways) for context, ways in readings.items()
    )
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


def _padded(document: Document, window: int) -> str:
    margin = _OUTSIDE * window
    return _SURROGATE.sub("\ufffd", f"{margin}{document.text}{margin}")


def _occurrences(
    documents: Iterable[Document], contexts: Collection[str], window: int
) -> Iterator[tuple[str, tuple[str, ...], Place]]:
    """Every occurrence of the contexts that people judged, with the labels that the surface has there."""
    if not contexts:
        return
    finder = automaton.build(sorted(contexts))
    for at, document in enumerate(documents):
        labels, regions = _labels_by_extent(document), annotated_regions(document)
        text = _padded(document, window)
        for start, end, _ in finder.find_overlapping(text):
            place = Place(at, start, end - 2 * window)
            names = labels.get((place.start, place.end), ())
            if names or is_annotated(regions, place.start, place.end):
                yield text[start:end], names, place


def _contradiction(surface: str, readings: dict[tuple[str, ...], list[Place]]) -> Contradiction:
    ordered = sorted(readings.items(), key=lambda item: (-len(item[1]), item[0]))
    return Contradiction(surface, tuple(Reading(names, tuple(places)) for names, places in ordered))
