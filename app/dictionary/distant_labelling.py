"""The project's raw documents labelled with its dictionary: looked at first, then kept as one batch."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from app.dictionary.measuring import words_of
from app.services.background_work import BackgroundWork, Row, Tell
from app.services.errors import AppError
from app.services.project_work import ProjectWork
from app.services.session import Session
from core.learning.distant import Ambiguous, TypedWords, distant_labels, span_sources
from core.lexicon.maximum_matching import Direction
from core.store.document import raw_documents
from core.store.suggest import distant
from core.store.suggest.distant import DistantLabels
from core.text import Document

EXAMPLES = 10
SEED = 0
EVERY = 50  # documents between two looks at whether to stop

labellings = ProjectWork("dictionary_labels.busy")


@dataclass(frozen=True, slots=True)
class Choice:
    """How to label: the direction of matching, the rule for words of two types, the types to use."""

    direction: Direction
    ambiguous: Ambiguous
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """A document of the preview: the store's number, the document with its labels."""

    number: int
    document: Document


@dataclass(frozen=True, slots=True)
class Preview:
    """What a labelling would do.

    Args:
        raw: documents nobody has worked on. documents, spans: how many of them get labels, and how many.
        by_label: spans of each label. skipped: words of two types that the rule leaves out, in the list.
        examples: ten of the documents, drawn at random with a fixed seed.
    """

    choice: Choice
    version: int
    raw: int
    documents: int
    spans: int
    by_label: dict[str, int]
    skipped: int
    examples: tuple[Example, ...]


def types_of(session: Session) -> dict[str, int]:
    """How many words of the project's list have each type."""
    entries, _ = distant.typed_entries(session.workspace, session.project_id)
    return dict(sorted(Counter(entry.type for entry in entries).items()))


def preview(session: Session, choice: Choice) -> BackgroundWork:
    """Count what a labelling would do, in the background.

    Raises:
        AppError: no type was chosen, or a labelling is at work.
    """
    if not choice.types:
        raise AppError("dictionary_labels.no_types")
    return labellings.start(session, partial(_preview, session, session.project_id, choice))


def label(session: Session, choice: Choice, mode: str) -> BackgroundWork:
    """Label in the background.

    Raises:
        AppError: as ``preview``.
    """
    if not choice.types:
        raise AppError("dictionary_labels.no_types")
    return labellings.start(session, partial(_label, session, session.project_id, choice, mode))


def last_preview(session: Session) -> Preview | None:
    """The preview of the latest work, if that is what it was."""
    work = labellings.of(session)
    return work.rows[-1].get("preview") if work is not None and work.rows else None


def last_batch(session: Session) -> distant.DistantBatch | None:
    """The batch the latest work made, if that is what it did."""
    work = labellings.of(session)
    return work.rows[-1].get("batch") if work is not None and work.rows else None


def _preview(session: Session, project_id: int, choice: Choice, tell: Tell) -> Iterator[Row]:
    tell("matching", 0.0)
    words, version = words_of(session, project_id, choice.types)
    total = raw_documents.count(session.workspace, project_id)
    by_label: Counter[str] = Counter()
    labelled = 0
    drawn: list[Example] = []
    dice = random.Random(SEED)  # noqa: S311 - a sample to look at
    for number, document in _labelled(session, project_id, choice, words, total, tell):
        if not document.spans:
            continue
        by_label.update(span.label for span in document.spans)
        labelled += 1
        # Reservoir sampling: every document that gets labels is drawn as likely as any other.
        place = len(drawn) if len(drawn) < EXAMPLES else dice.randrange(labelled)
        if place < EXAMPLES:
            drawn[place : place + 1] = [Example(number, document)]
    skipped = len(words.conflicts) if choice.ambiguous == "skip" else 0
    drawn.sort(key=lambda one: one.number)
    yield {
        "preview": Preview(
            choice, version, total, labelled, sum(by_label.values()), dict(by_label.most_common()), skipped,
            tuple(drawn),
        )
    }  # fmt: skip
    tell("matching", 1.0)


def _label(session: Session, project_id: int, choice: Choice, mode: str, tell: Tell) -> Iterator[Row]:
    tell("matching", 0.0)
    words, version = words_of(session, project_id, choice.types)
    # Read to the end before the first is written: what is labelled is not raw any more.
    total = raw_documents.count(session.workspace, project_id)
    found = [
        DistantLabels(
            number, document.spans, {key: int(origin) for key, origin in span_sources(document).items()}
        )
        for number, document in _labelled(session, project_id, choice, words, 2 * total, tell)
        if document.spans
    ]
    if not found:
        raise AppError("dictionary_labels.nothing")
    batch = distant.put(
        session.workspace, project_id, found, mode,
        version=version, direction=choice.direction, ambiguous=choice.ambiguous, user=session.user,
        tell=lambda done: tell("saving", 0.5 + 0.5 * done / len(found)),
    )  # fmt: skip
    yield {"batch": batch}


def _labelled(
    session: Session, project_id: int, choice: Choice, words: TypedWords, total: int, tell: Tell
) -> Iterator[tuple[int, Document]]:
    for done, (number, document) in enumerate(raw_documents.each(session.workspace, project_id)):
        if done % EVERY == 0:
            tell("matching", done / max(1, total))
        yield number, distant_labels(document, words, choice.direction, ambiguous=choice.ambiguous)
