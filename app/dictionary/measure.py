"""The Measure tab: coverage and precision of the dictionary against what people annotated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from app.dictionary import word_changes
from app.dictionary.figures import coverage_bars, match_bars
from app.dictionary.panel import go_to, last_object, place_object, task_object
from app.dictionary.widgets.dictionary_bench import dictionary_bench
from app.dictionary.word_matches import typed_words
from app.i18n import _
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import Payload, Text
from app.ui.server_function import Reply
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.lazy_plot import plotly_loader
from core.learning.distant import Ambiguous, DictionaryMeasure, measure
from core.learning.distant.measure import Coverage, MatchCounts
from core.lexicon.maximum_matching import DIRECTIONS, Direction
from core.store.annotation import judged_documents
from core.store.annotation.annotations import last_saved
from core.store.db.clock import now
from core.store.label import labels
from core.store.suggest import distant
from core.text.scoring import Score

NAME = "measure"
DIRECTION = "dictionary-measure-direction"
EVERY = 50  # documents between two checks for a stop
SHOWN = 50  # words of a list


@dataclass(frozen=True, slots=True)
class Measured:
    """The part of a measurement that the tab shows.

    Args:
        documents: those that people annotated; ``of`` counts all outside the trash.
        words: how many of ``version`` of the word list. at: when (UTC ms).
        coverage, matches, scores: as `DictionaryMeasure` has them.
        worst: the words with the most false matches, by direction.
        missing: the most frequent of ``missing_total`` annotated surfaces that the dictionary lacks.
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
            "coverage": {label: Coverage(**counts) for label, counts in stored["coverage"].items()},
            "matches": {
                direction: {
                    kind: MatchCounts(**counts) for kind, counts in stored["matches"][direction].items()
                }
                for direction in DIRECTIONS
            },
            "scores": {
                direction: {label: Score(**score) for label, score in stored["scores"][direction].items()}
                for direction in DIRECTIONS
            },
            "worst": {
                direction: [
                    (word, kind, MatchCounts(**counts)) for word, kind, counts in stored["worst"][direction]
                ]
                for direction in DIRECTIONS
            },
            "missing": [tuple(surface) for surface in stored["missing"]],
        }
    )


MEASURING = ProjectTask(
    "dictionary_measured",
    _("The dictionary is already being measured. Wait until that has finished, or stop it."),
    asdict,
    _load,
)


def start(session: Session, ambiguous: Ambiguous) -> Task[Measured]:
    """Measure in the background.

    Raises:
        AppError: the project is being measured already.
    """
    return MEASURING.start(session, partial(_measure, session, session.project_id, ambiguous))


def _measure(session: Session, project_id: int, ambiguous: Ambiguous, task: Task[Measured]) -> Measured:
    task.progress("reading", 0.0)
    words, version = typed_words(session, project_id)
    judged, of = judged_documents.count(session.workspace, project_id)

    def progress(number: int) -> None:
        if number % EVERY == 0:
            task.progress("reading", min(1.0, number / max(1, judged)))

    measured = measure(
        judged_documents.iterate(session.workspace, project_id), words, ambiguous=ambiguous, progress=progress
    )
    task.progress("reading", 1.0)
    return _shown(measured, version, len(words), of, ambiguous)


def _shown(measured: DictionaryMeasure, version: int, words: int, of: int, ambiguous: Ambiguous) -> Measured:
    missing = [(word, kind, times) for (word, kind), times in islice(measured.missing.items(), SHOWN)]
    return Measured(
        measured.documents, of, words, version, now(), ambiguous,
        measured.coverage, measured.matches, measured.scores,
        {direction: measured.worst(direction, SHOWN) for direction in DIRECTIONS},
        missing, len(measured.missing),
    )  # fmt: skip


@dataclass
class MeasureComponents:
    """A widget with its own server functions, and two figures below it."""

    bench: gr.HTML
    coverage: FigureView
    matches: FigureView


def layout(frame: Frame) -> MeasureComponents:
    """Build the tab."""
    frame.texts.hint(
        _("How much of what people labelled is in the dictionary, and how often its matches are right.")
    )
    functions = [
        frame.server(fn)
        for fn in (measure_state, measure_start, measure_stop, measure_remove, measure_add, measure_undo)
    ]
    plotly_loader()
    bench = dictionary_bench(NAME, functions, elem_id="dictionary-measure")
    coverage = figure_view("dictionary-measure-coverage")
    matches = figure_view("dictionary-measure-matches")
    return MeasureComponents(bench, coverage, matches)


def wire(components: MeasureComponents, frame: Frame) -> None:
    """Connect the tab's events; the widget calls its server functions itself."""
    c = components
    frame.on(c.bench.open, go_to, [], [frame.tabs])
    frame.on(c.bench.drawn, draw, [], [c.coverage.plot, c.matches.plot])


@needs("see_documents")
def draw(session: Session) -> dict[str, Any]:
    """The figures of the last measurement."""
    measured = MEASURING.last(session)
    if measured is None or not measured.documents:
        return {"coverage": None, "matches": None}
    direction = _direction(session.memory.get(DIRECTION))
    return {
        "coverage": coverage_bars(measured.coverage, session.language),
        "matches": match_bars(measured.matches[direction], session.language),
    }


class InView(Payload):
    """The direction of matching that is shown."""

    direction: Direction = "bidirectional"


class Start(InView):
    """What is done where a word has several types."""

    ambiguous: Ambiguous = "skip"


class FalseWords(InView):
    """Words with many false matches."""

    words: Annotated[list[Text], Field(min_length=1, max_length=SHOWN)]


class MissingWord(InView):
    """An annotated surface and its label."""

    word: Text
    type: Text


@needs("see_documents")
def measure_state(session: Session, asked: InView) -> Reply:
    """The state of the measurement, and its result for one direction of matching."""
    measured = MEASURING.last(session)
    direction = asked.direction
    session.memory[DIRECTION] = direction
    judged, of = judged_documents.count(session.workspace, session.project_id)
    entries, version = distant.typed_entries(session.workspace, session.project_id)
    return {
        **place_object(session),
        "work": task_object(session, MEASURING),
        "documents": judged,
        "of": of,
        "words": len({entry.word for entry in entries}),
        "may_change": may(session, "change_dictionary"),
        "last": last_object(session),
        "colours": {label.name: label.colour for label in labels.get(session.workspace, session.project_id)},
        "result": measured
        and _result(measured, direction) | {"stale": _stale(session, measured, judged, version)},
    }


@needs("see_documents")
def measure_start(session: Session, asked: Start) -> Reply:
    """Measure anew."""
    if not judged_documents.count(session.workspace, session.project_id)[0]:
        raise AppError(
            "Nobody has labelled or finished a document of this project yet, so there is "
            "nothing to measure against."
        )
    start(session, asked.ambiguous)
    return measure_state(session, asked)


@needs("see_documents")
def measure_stop(session: Session, asked: InView) -> Reply:
    """Stop the measurement."""
    MEASURING.stop(session)
    return measure_state(session, asked)


@needs("change_dictionary")
def measure_remove(session: Session, asked: FalseWords) -> Reply:
    """Remove words with many false matches from the dictionary."""
    word_changes.remove(session, asked.words)
    return measure_state(session, asked)


@needs("change_dictionary")
def measure_add(session: Session, asked: MissingWord) -> Reply:
    """Add an annotated surface to the dictionary, with its label as its type."""
    word_changes.accept(session, {asked.word: asked.type})
    return measure_state(session, asked)


@needs("change_dictionary")
def measure_undo(session: Session, asked: InView) -> Reply:
    """Undo the last change."""
    word_changes.undo(session)
    return measure_state(session, asked)


def _direction(asked: object) -> Direction:
    return next((direction for direction in DIRECTIONS if direction == asked), "bidirectional")


def _stale(session: Session, measured: Measured, judged: int, version: int) -> str:
    """What has changed since the measurement: "words", "labels" or nothing ("")."""
    if measured.version != version:
        return "words"
    saved = last_saved(session.workspace, session.project_id)
    return "labels" if judged != measured.documents or (saved or 0) > measured.at else ""


def _result(measured: Measured, direction: Direction) -> dict[str, Any]:
    matches, scores = measured.matches[direction], measured.scores[direction]
    names = list(dict.fromkeys((*measured.coverage, *matches)))
    return {
        "documents": measured.documents,
        "of": measured.of,
        "words": measured.words,
        "version": measured.version,
        "at": measured.at,
        "ambiguous": measured.ambiguous,
        "micro": {each: _score(measured.scores[each].get("")) for each in DIRECTIONS},
        "rows": [
            _row(name, measured.coverage.get(name), matches.get(name), scores.get(name)) for name in names
        ],
        "worst": [
            [surface, kind, counts.right, counts.otherwise, counts.unlabelled]
            for surface, kind, counts in measured.worst[direction]
        ],
        "missing": [list(surface) for surface in measured.missing],
        "missing_total": measured.missing_total,
    }


def _row(
    name: str, covered: Coverage | None, counts: MatchCounts | None, score: Score | None
) -> dict[str, Any]:
    return {
        "name": name,
        "coverage": covered and [covered.occurrences, covered.held, covered.surfaces, covered.held_surfaces],
        "matches": counts and [counts.right, counts.otherwise, counts.unlabelled],
        "score": _score(score),
    }


def _score(score: Score | None) -> list[float] | None:
    return None if score is None else [score.precision, score.recall, score.f1]
