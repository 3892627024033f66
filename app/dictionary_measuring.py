"""The project's dictionary measured against what people labelled, in the background."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

from app.background_work import BackgroundWork, Row, Tell
from app.project_work import ProjectWork
from app.session import Session
from core.learning.distant import Ambiguous, DictionaryMeasure, TypedWords, measure
from core.lexicon import Entry, LexiconError
from core.store import distant, judged_documents

EVERY = 50  # documents between two looks at whether to stop

measurings = ProjectWork("dictionary_measure.busy")


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure, of which version of the word list, with how many of its words, out of how many documents.

    ``of`` counts all documents outside the trash; the measure's own ``documents`` are those people looked at.
    """

    measure: DictionaryMeasure
    version: int
    words: int
    of: int
    ambiguous: Ambiguous


def words_of(
    session: Session, project_id: int, types: Collection[str] | None = None
) -> tuple[TypedWords, int]:
    """The typed words of a project, each with the change that brought it as its source; and the version.

    Args:
        types: those that label; words of others are matched and give no label. None: all of them.
    """
    entries, version = distant.typed_entries(session.workspace, project_id)
    made, sources = [], {}
    for word, kind, frequency, origin in entries:
        try:
            made.append(Entry(word, frequency, kind if types is None or kind in types else ""))
        except LexiconError:
            continue  # an older list may hold what no matcher takes
        sources[word, kind] = str(origin)
    return TypedWords(made, source="0", sources=sources), version


def start(session: Session, ambiguous: Ambiguous) -> BackgroundWork:
    """Measure in the background.

    Raises:
        AppError: the project is being measured already.
    """
    return measurings.start(session, partial(_measure, session, session.project_id, ambiguous))


def result(session: Session) -> Measured | None:
    """The latest measure of the project on the screen, if it came to its end."""
    work = measurings.of(session)
    return work.rows[-1]["measured"] if work is not None and work.rows else None


def _measure(session: Session, project_id: int, ambiguous: Ambiguous, tell: Tell) -> Iterator[Row]:
    tell("reading", 0.0)
    words, version = words_of(session, project_id)
    judged, of = judged_documents.count(session.workspace, project_id)

    def progress(number: int) -> None:
        if number % EVERY == 0:
            tell("reading", min(1.0, number / max(1, judged)))

    found = measure(
        judged_documents.iterate(session.workspace, project_id), words, ambiguous=ambiguous, progress=progress
    )
    yield {"measured": Measured(found, version, len(words), of, ambiguous)}
    tell("reading", 1.0)
