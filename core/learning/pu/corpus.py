"""Training data from a word list: distant labels and human annotation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from core.corpus.atomic import write_text
from core.corpus.snapshot import UNLABELLED, Snapshot
from core.learning.distant import Ambiguous, TypedWords, distant_labels
from core.learning.pu.settings import DistantSettings
from core.lexicon import Entry, LexiconError
from core.lexicon.maximum_matching import Direction
from core.text import Document, Span, sort_spans
from core.text.annotated_regions import REGIONS, annotated_regions, is_annotated
from core.training.preparation import pieces
from core.training.run.errors import TrainingError
from core.training.run.snapshot_words import typed_entries

TYPED_WORDS = "typed_words.tsv"  # in the snapshot: word, type and frequency, a line each
MOST_COVERED = 0.95  # maximum share of characters under words


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches of one type: occurrences, distinct words, characters."""

    places: int
    words: int
    characters: int


def write_typed_words(snapshot_folder: Path, entries: Iterable[Entry]) -> None:
    """Write the words and their types into a run's snapshot; a word may occur once for each type."""
    write_text(
        snapshot_folder / TYPED_WORDS,
        (f"{entry.word}\t{entry.type}\t{entry.frequency}\n" for entry in entries),
    )


def read_typed_words(snapshot_folder: Path, snapshot: Snapshot) -> TypedWords:
    """The words of a run; without its own list, the added words with a type.

    Raises:
        TrainingError: no word has a type, or a line is damaged.
    """
    path = snapshot_folder / TYPED_WORDS
    if path.is_file():
        entries = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                word, kind, frequency = line.split("\t")
                entries.append(Entry(word, int(frequency), kind))
            except (LexiconError, ValueError) as error:
                raise TrainingError(
                    "{path}, line {number}: {reason}; start a new run", path=path, number=number, reason=error
                ) from error
    else:
        entries = typed_entries(snapshot)
    gone = set(snapshot.removed)
    typed = [entry for entry in entries if entry.type and entry.word not in gone]
    if not typed:
        raise TrainingError(
            "the word list has no word with a type, so there is nothing to learn from. Import "
            "a list with types, or give words a type on the Dictionary page"
        )
    # Words without a type are matched too, so that no entity is cut out of them.
    return TypedWords(entry for entry in entries if entry.word not in gone)


def texts_of(snapshot: Snapshot, longest: int) -> tuple[Document, ...]:
    """The training texts: annotated and raw ones, cut at sentence ends, without duplicates.

    Human annotation is kept; raw texts have no annotated regions. None is of dev or test.

    Raises:
        TrainingError: there is no text.
    """
    hidden = {document.text for part in ("dev", "test") for document in snapshot[part]}
    raw = (Document(d.id, d.text, (), {REGIONS: []}) for d in snapshot[UNLABELLED])
    texts: list[Document] = []
    for document in (*snapshot["train"], *raw):
        if document.text and document.text not in hidden:
            hidden.add(document.text)
            texts += [document] if len(document.text) <= longest else pieces(document, longest)
    if not texts:
        raise TrainingError(
            "there is no text to learn from. Import raw text on the Data page; documents of "
            "the dev and test split do not count"
        )
    return tuple(texts)


def with_labels(document: Document, words: TypedWords, settings: DistantSettings) -> Document:
    """Add the list's labels outside the annotated regions.

    Human spans take precedence over overlapping ones.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    regions = annotated_regions(document)
    if regions is None:
        return document
    matched = distant_labels(
        document, words, cast(Direction, settings.matching), ambiguous=cast(Ambiguous, settings.ambiguous)
    )
    added = [
        span
        for span in matched.spans
        if not any(span.overlaps(labelled) for labelled in document.spans)
        and not any(start < span.end and span.start < end for start, end in regions)
    ]
    plain = [Span(span.start, span.end, span.label) for span in (*document.spans, *added)]
    return Document(document.id, document.text, tuple(sort_spans(plain)), {REGIONS: list(map(list, regions))})


def without_words(document: Document, surfaces: frozenset[tuple[str, str]]) -> Document:
    """Remove the spans of these words and types outside the annotated regions."""
    regions = annotated_regions(document)
    if regions is None:
        return document
    kept = [
        span
        for span in document.spans
        if (document.text[span.start : span.end], span.label) not in surfaces
        or is_annotated(regions, span.start, span.end)
    ]
    return document.with_spans(kept)


def matches_by_type(documents: Sequence[Document], labels: Sequence[str]) -> dict[str, Matches]:
    """Matches by type."""
    places, characters = Counter[str](), Counter[str]()
    surfaces: dict[str, set[str]] = {label: set() for label in labels}
    for document in documents:
        for span in document.spans:
            places[span.label] += 1
            characters[span.label] += len(span)
            surfaces.setdefault(span.label, set()).add(document.text[span.start : span.end])
    return {label: Matches(places[label], len(surfaces[label]), characters[label]) for label in labels}


def check_coverage(documents: Sequence[Document]) -> None:
    """Check the coverage of the labels.

    Raises:
        TrainingError: nothing is labelled, or nearly everything is.
    """
    total = sum(len(document.text) for document in documents)
    under = sum(len(span) for document in documents for span in document.spans)
    if not under:
        raise TrainingError(
            "no typed word of the list occurs in any of the {texts} texts, so there is "
            "nothing to learn from. Add words that occur in them, or other texts",
            texts=len(documents),
        )
    if under > MOST_COVERED * total:
        raise TrainingError(
            "the words of the list cover {share:.0f}% of all characters, so hardly any text is left to "
            "tell entities from. Remove words that are not names (single characters, for example)",
            share=100 * under / total,
        )
