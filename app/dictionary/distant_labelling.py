"""Label a project's raw documents with its dictionary: a preview, then one batch of labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.dictionary.word_matches import typed_words
from app.i18n import _
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.session import Session
from core.learning.distant import Ambiguous, TypedWords, distant_labels, span_sources
from core.lexicon.maximum_matching import Direction
from core.store.document import raw_documents
from core.store.suggest import distant
from core.store.suggest.distant import DistantBatch, DistantLabels
from core.text import Document

EXAMPLES = 10
SEED = 0
EVERY = 50  # documents between two checks for a stop


@dataclass(frozen=True, slots=True)
class Choice:
    """How to label: the direction of matching, the rule for words of two types, the types to use."""

    direction: Direction
    ambiguous: Ambiguous
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """A document of the preview: its number in the store, and the document with its labels."""

    number: int
    document: Document


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of a labelling.

    Args:
        raw: number of raw documents. documents, spans: numbers of labelled documents and of labels.
        by_label: spans of each label. skipped: words of two types that the rule leaves out, in the list.
        examples: ten random documents, with a fixed seed.
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
    """The number of words of each type in the project's list."""
    entries, _ = distant.typed_entries(session.workspace, session.project_id)
    return dict(sorted(Counter(entry.type for entry in entries).items()))


LABELLING: ProjectTask[Preview | DistantBatch] = ProjectTask(
    "distant labels",
    _("The dictionary is already labelling this project. Wait for it to finish, or stop it."),
)


def preview(session: Session, choice: Choice) -> Task[Preview | DistantBatch]:
    """Compute the preview in the background.

    Raises:
        AppError: no type was chosen, or a labelling is running.
    """
    if not choice.types:
        raise AppError("Choose at least one type to label.")
    return LABELLING.start(session, partial(_preview, session, session.project_id, choice))


def label(session: Session, choice: Choice, mode: str) -> Task[Preview | DistantBatch]:
    """Label in the background.

    Raises:
        AppError: as ``preview``.
    """
    if not choice.types:
        raise AppError("Choose at least one type to label.")
    return LABELLING.start(session, partial(_label, session, session.project_id, choice, mode))


def last_preview(session: Session) -> Preview | None:
    """The result of the last task, if it was a preview."""
    task = LABELLING.of(session)
    return task.result if task is not None and isinstance(task.result, Preview) else None


def last_batch(session: Session) -> DistantBatch | None:
    """The result of the last task, if it was a labelling."""
    task = LABELLING.of(session)
    return task.result if task is not None and isinstance(task.result, DistantBatch) else None


def _preview(session: Session, project_id: int, choice: Choice, task: Task[Any]) -> Preview:
    task.progress("matching", 0.0)
    words, version = typed_words(session, project_id, choice.types)
    total = raw_documents.count(session.workspace, project_id)
    by_label: Counter[str] = Counter()
    labelled = 0
    drawn: list[Example] = []
    dice = random.Random(SEED)  # noqa: S311 - a sample to look at
    for number, document in _labelled(session, project_id, choice, words, total, task):
        if not document.spans:
            continue
        by_label.update(span.label for span in document.spans)
        labelled += 1
        # Reservoir sampling: every labelled document is equally likely to be drawn.
        place = len(drawn) if len(drawn) < EXAMPLES else dice.randrange(labelled)
        if place < EXAMPLES:
            drawn[place : place + 1] = [Example(number, document)]
    skipped = len(words.conflicts) if choice.ambiguous == "skip" else 0
    drawn.sort(key=lambda example: example.number)
    task.progress("matching", 1.0)
    return Preview(
        choice, version, total, labelled, sum(by_label.values()), dict(by_label.most_common()), skipped,
        tuple(drawn),
    )  # fmt: skip


def _label(session: Session, project_id: int, choice: Choice, mode: str, task: Task[Any]) -> DistantBatch:
    task.progress("matching", 0.0)
    words, version = typed_words(session, project_id, choice.types)
    # All are read before the first is written: a labelled document is no longer raw.
    total = raw_documents.count(session.workspace, project_id)
    labelled = [
        DistantLabels(
            number, document.spans, {key: int(origin) for key, origin in span_sources(document).items()}
        )
        for number, document in _labelled(session, project_id, choice, words, 2 * total, task)
        if document.spans
    ]
    if not labelled:
        raise AppError("No word of the chosen types occurs in a raw document.")
    return distant.put(
        session.workspace, project_id, labelled, mode,
        version=version, direction=choice.direction, ambiguous=choice.ambiguous, user=session.user,
        progress=lambda done: task.progress("saving", 0.5 + 0.5 * done / len(labelled)),
    )  # fmt: skip


def _labelled(
    session: Session, project_id: int, choice: Choice, words: TypedWords, total: int, task: Task[Any]
) -> Iterator[tuple[int, Document]]:
    for done, (number, document) in enumerate(raw_documents.each(session.workspace, project_id)):
        if done % EVERY == 0:
            task.progress("matching", done / max(1, total))
        yield number, distant_labels(document, words, choice.direction, ambiguous=choice.ambiguous)
