"""The project's dictionary measured against what people labelled, in the background."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any

from app.i18n import _
from app.services.background_work import BackgroundWork, Row, Tell
from app.services.kept_results import KeptResult
from app.services.project_work import ProjectWork
from app.services.session import Session
from core.learning.distant import Ambiguous, DictionaryMeasure, TypedWords, measure
from core.learning.distant.measure import Coverage, MatchCounts
from core.lexicon import Entry, LexiconError
from core.lexicon.maximum_matching import DIRECTIONS, Direction
from core.store.annotation import judged_documents
from core.store.db.clock import now
from core.store.suggest import distant
from core.text.scoring import Score

EVERY = 50  # documents between two looks at whether to stop
SHOWN = 50  # words of a list

measurings = ProjectWork(_("The dictionary is being measured. Wait for it, or stop it."))


@dataclass(frozen=True, slots=True)
class Measured:
    """What is shown of a measure.

    Args:
        documents: those people looked at; ``of`` counts all outside the trash.
        words: how many of ``version`` of the word list. at: when (UTC ms).
        coverage, matches, scores: as `DictionaryMeasure` has them.
        worst: by direction, the words with the most false matches.
        missing: the surfaces labelled most often that are not held, of ``missing_total``.
    """

    documents: int
    of: int
    words: int
    version: int
    at: int
    ambiguous: Ambiguous
    coverage: dict[str, Coverage]
    matches: dict[Direction, dict[str, MatchCounts]]
    scores: dict[Direction, dict[str, Score]]
    worst: dict[Direction, list[tuple[str, str, MatchCounts]]]
    missing: list[tuple[str, str, int]]
    missing_total: int


def _load(stored: Any) -> Measured:
    return Measured(
        **stored
        | {
            "coverage": {label: Coverage(**one) for label, one in stored["coverage"].items()},
            "matches": {
                direction: {kind: MatchCounts(**one) for kind, one in stored["matches"][direction].items()}
                for direction in DIRECTIONS
            },
            "scores": {
                direction: {label: Score(**one) for label, one in stored["scores"][direction].items()}
                for direction in DIRECTIONS
            },
            "worst": {
                direction: [
                    (word, kind, MatchCounts(**one)) for word, kind, one in stored["worst"][direction]
                ]
                for direction in DIRECTIONS
            },
            "missing": [tuple(one) for one in stored["missing"]],
        }
    )


last_measured = KeptResult("dictionary_measured", asdict, _load)


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
    """The latest measure of the project on the screen that came to its end."""
    return last_measured.last(session.workspace, session.project_id)


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
    tell("reading", 1.0)
    last_measured.keep(session.workspace, project_id, _shown(found, version, len(words), of, ambiguous))
    yield {}


def _shown(found: DictionaryMeasure, version: int, words: int, of: int, ambiguous: Ambiguous) -> Measured:
    missing = [(word, kind, times) for (word, kind), times in islice(found.missing.items(), SHOWN)]
    return Measured(
        found.documents, of, words, version, now(), ambiguous, found.coverage, found.matches, found.scores,
        {direction: found.worst(direction, SHOWN) for direction in DIRECTIONS}, missing, len(found.missing),
    )  # fmt: skip
