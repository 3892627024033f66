"""Distant labels: maximum matching of a typed dictionary in raw text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, get_args

from core.learning.distant.typed_words import TypedWords
from core.lexicon.maximum_matching import Direction, segment
from core.text import Document, Span, SpanKey
from core.text.annotated_regions import REGIONS

Ambiguous = Literal["skip", "most frequent", "keep both"]
AMBIGUOUS: tuple[Ambiguous, ...] = get_args(Ambiguous)
SOURCES = "sources"


def distant_labels(
    document: Document,
    words: TypedWords,
    direction: Direction = "bidirectional",
    *,
    ambiguous: Ambiguous = "skip",
    partial: bool = True,
) -> Document:
    """Replace a document's labels by those of a dictionary.

    Overlaps are resolved by maximum matching (`core.lexicon`). Distant supervision: Mintz et al., ACL 2009.

    Args:
        ambiguous: label of a surface with several types: none, the most frequent type (ties by name), or all.
        partial: unmatched text is unlabelled (``meta["annotated_regions"]`` is empty); False: not an entity.

    Returns:
        Spans in reading order, without scores; ``meta["sources"]`` has ``[start, end, label, source]`` of
        each. Text, id and the rest of meta stay.
    """
    spans = labels_in(document.text, words, (direction,), ambiguous)[direction]
    sources = [[*span.key, words.source(document.surface(span), span.label)] for span in spans]
    meta = {key: value for key, value in document.meta.items() if key not in (SOURCES, REGIONS)}
    if partial:
        meta[REGIONS] = []
    return Document(document.id, document.text, tuple(spans), meta | {SOURCES: sources})


def distant_corpus(
    documents: Iterable[Document],
    words: TypedWords,
    direction: Direction = "bidirectional",
    *,
    ambiguous: Ambiguous = "skip",
    partial: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Document]:
    """`distant_labels` of every document, one at a time, in order.

    Args:
        progress: called with the number of documents labelled so far; may raise to stop.
    """
    for number, document in enumerate(documents, start=1):
        yield distant_labels(document, words, direction, ambiguous=ambiguous, partial=partial)
        if progress is not None:
            progress(number)


def span_sources(document: Document) -> dict[SpanKey, str]:
    """Where each distant label of a document comes from, by its span's key."""
    by_span = {}
    for item in document.meta.get(SOURCES, ()):
        match item:
            case [int(start), int(end), str(label), str(source)]:
                by_span[start, end, label] = source
    return by_span


def labels_in(
    text: str, words: TypedWords, directions: Iterable[Direction], ambiguous: Ambiguous
) -> dict[Direction, list[Span]]:
    """The labels of a text in reading order, by direction of matching; the text is searched once."""
    places = words.places(text)
    labels = {place: _chosen(words.types(text[slice(*place)]), ambiguous) for place in places}
    return {
        direction: [
            Span(*place, label)
            for place in (segment(len(text), places, direction) if places else ())
            for label in labels.get(place, ())
        ]
        for direction in directions
    }


def _chosen(types: tuple[str, ...], ambiguous: Ambiguous) -> tuple[str, ...]:
    if len(types) < 2 or ambiguous == "keep both":
        return types
    return types[:1] if ambiguous == "most frequent" else ()
