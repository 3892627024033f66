"""Suggestions for a document by the tagger, the dictionary, patterns and earlier decisions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from app.services import in_project
from app.services.project_lexicon import laid_over, typed, types_of
from app.services.session import Session
from app.services.sources.opening import source_key
from app.ui.payload import Payload
from core.lexicon import Lexicon, LexiconError
from core.store.annotation import working
from core.store.annotation.annotations import Annotation
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.project import settings as project_settings
from core.store.suggest import distant, patterns, sources
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, Span, SpanKey, sort_spans
from core.text.pattern import PatternError, find

# More words than a person reads one by one; a long text would send thousands.
MOST_WORDS = 400
Word = list[int]

# Suggestions of earlier decisions that a page is given at a time: a long text may have ten times as many.
MOST_EARLIER = 2_000

# Predictions always show, rules until rejected twice for a surface, decisions from the first on.
DEFAULTS = {"tagger": 0.0, "earlier": 0.5, "dictionary": 0.5, "pattern": 0.5}
OUTSIDE = 0.5  # of others' taggers
SETTING = "suggestions"
QUICK_SECONDS = 0.06  # seconds for all patterns together while a document opens
SLOW_SECONDS = 0.5  # seconds for each pattern when asked again
PATIENCE_SECONDS = 4.0  # seconds for all of them then, and for each one after that
LEAST_SECONDS = 0.05


class SourceView(Payload):
    """Whether a source is shown, and its minimum confidence."""

    model_config = ConfigDict(extra="forbid")

    on: bool
    threshold: Annotated[float, Field(ge=0, le=1)]


# The settings of the sources a page shows, others' taggers (`source_key`) among them.
SourceName = Annotated[str, Field(pattern=r"^(tagger|earlier|dictionary|pattern|outside-[0-3]-[0-9]{1,9})$")]


def _complete(view: dict[str, SourceView]) -> dict[str, SourceView]:
    if not view.keys() >= DEFAULTS.keys():
        raise ValueError("a source is missing")
    return view


View = Annotated[
    dict[SourceName, SourceView], Field(max_length=len(DEFAULTS) + sources.MOST), AfterValidator(_complete)
]


@dataclass(frozen=True, slots=True)
class Rules:
    """Suggestions of dictionary, patterns, earlier decisions and others' taggers.

    Args:
        spans: by source, each with its confidence.
        pending: some source was not ready; ask again with ``patient`` for the rest.
        stopped: patterns that took too long on this text. cut: patterns with more matches than are shown.
        more: how many earlier decisions follow those in ``spans`` once these are accepted or rejected.
    """

    spans: Mapping[str, Sequence[Span]]
    pending: bool = False
    stopped: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class LatticeWords:
    """Dictionary words of a text.

    Args:
        places: ``[start, end]`` of each, by start, then end.
        read: whether the active tagger reads them, so that leaving one out may change its prediction.
    """

    places: list[Word]
    read: bool


def rule_suggestions(session: Session, annotation: Annotation, *, patient: bool = False) -> Rules:
    """Suggest spans from dictionary, patterns and earlier decisions.

    A typed word or a pattern has confidence 1 until people reject its suggestions: then it is
    ``decision_counts.Decisions.trust`` of the surface. An earlier decision has ``Decisions.confidence``.
    Decisions in this document do not count; in an annotator's version, only those of the same annotator do.

    Args:
        patient: wait for every source and give patterns more than a few hundredths of a second.
    """
    document_id, text = annotation.document_id, annotation.document.text
    annotator = working.annotator(session.workspace, document_id, session.user)
    whose = session.project_id, session.user if annotator else None
    earlier = session.workbench.earlier.of(*whose, *((60.0,) if patient else ()))
    behind = not earlier.ready or session.workbench.earlier.is_reading(*whose)
    matched, pending, stopped, cut = _pattern_spans(session, text, patient=patient)
    decided = earlier.find(text, but=document_id) if earlier.ready else []
    decided, more = _first(decided, annotation, read_view(session)["earlier"]["threshold"])
    spans: dict[str, Sequence[Span]] = {
        "earlier": decided,
        "dictionary": _trusted(_by_dictionary(session, document_id, text), text, earlier, document_id),
        "pattern": _trusted(matched, text, earlier, document_id),
        **_of_sources(session, document_id),
    }
    return Rules(spans, pending or (behind and not patient), stopped, cut, more)


def read_view(session: Session) -> dict[str, dict[str, Any]]:
    """Which sources the project shows, and their minimum confidence: ``{source: {"on", "threshold"}}``; of
    others' taggers the ``name``, too."""
    stored = project_settings.read(session.workspace, session.project_id, SETTING)
    choices = stored if isinstance(stored, dict) else {}
    view: dict[str, dict[str, Any]] = {
        source: {"on": True, "threshold": least} for source, least in DEFAULTS.items()
    }
    for source in sources.of(session.workspace, session.project_id):
        name = str(source.settings.get("name", ""))
        view[source_key(source.id)] = {"on": True, "threshold": OUTSIDE, "name": name}
    for source, chosen in choices.items():
        if source in view and isinstance(chosen, dict):
            view[source] = {**view[source], **chosen}
    return view


def write_view(session: Session, view: View) -> None:
    """Store the settings that `read_view` returns."""
    stored = {source: chosen.model_dump() for source, chosen in view.items()}
    project_settings.write(session.workspace, session.project_id, SETTING, stored)


def tagger_spans(
    session: Session, document: Document, without: Sequence[str] = ()
) -> tuple[list[Span], LatticeWords]:
    """The active tagger's spans for a document, and the words of its lattice as of `lattice_words`.

    Args:
        without: words to leave out of its lexicon for this call.

    Raises:
        AppError: no run is active. NotFound, ModelFolderError: its model is missing or cannot be loaded.
    """
    from core.taggers.base.tagging import tag

    with session.workbench.taggers.tagger(session.project_id) as tagger:
        lexicon: Lexicon | None = getattr(tagger, "lexicon", None)
        words = None if lexicon is None else LatticeWords(_places(lexicon, document.text), True)
        if lexicon is not None and without:
            setattr(tagger, "lexicon", lexicon.without_words(without))  # noqa: B010 - not every tagger has one
        answer = tag(tagger, [document])[0]  # restores the whole lexicon
    words = words or lattice_words(session, document.text)
    kept = [place for place in words.places if document.text[place[0] : place[1]] not in set(without)]
    return list(answer.spans), replace(words, places=kept)


def lattice_words(session: Session, text: str) -> LatticeWords:
    """The words of the active tagger's lexicon in a text; of the base dictionary if it has none, or before a
    tagger is active. The project's changes of the word list apply in both cases.

    Read from the model folder, so that opening a document neither loads the tagger nor waits for it.

    Raises:
        LexiconError: the base dictionary is needed and cannot be read.
    """
    run = projects.get(session.workspace, session.project_id).active_run
    saved = None
    if run is not None:
        saved = _saved_lexicon(in_project.run(session, run).model_folder / "lexicon")
    changes = lexicon_changes.current(session.workspace, session.project_id)
    lexicon = laid_over(Lexicon.jieba() if saved is None else saved, changes)
    return LatticeWords(_places(lexicon, text), saved is not None)


def _first(spans: Iterable[Span], annotation: Annotation, threshold: float) -> tuple[list[Span], int]:
    """The first open suggestions, and how many more there are from this confidence on.

    Those that the annotation has or rejects are not open, and all come along; so do the first ones below the
    threshold.
    """
    places = {(span.start, span.end) for span in annotation.document.spans}
    rejected = {span.key for span in annotation.rejected}
    given: list[Span] = []
    waiting = {True: 0, False: 0}  # open ones, by whether they reach the threshold
    for span in spans:
        if (span.start, span.end) not in places and span.key not in rejected:
            shown = (span.score or 0) >= threshold
            waiting[shown] += 1
            if waiting[shown] > MOST_EARLIER:
                continue
        given.append(span)
    return given, max(0, waiting[True] - MOST_EARLIER)


def _by_dictionary(session: Session, document_id: int, text: str) -> Sequence[Span]:
    """Spans of a batch of distant labels, if there is one; else of the words with a type."""
    kept = distant.suggested(session.workspace, document_id)
    return dictionary_spans(session, text) if kept is None else kept


def _of_sources(session: Session, document_id: int) -> dict[str, Sequence[Span]]:
    """What others' taggers said about a document; a span has a score where its source gives one."""
    said = sources.said(session.workspace, document_id)
    return {source_key(source): sort_spans(spans) for source, spans in said.items()}


def dictionary_spans(session: Session, text: str) -> list[Span]:
    """Occurrences of typed words in a text; the type is the label, several types give several spans."""
    changes = lexicon_changes.current(session.workspace, session.project_id)
    return [
        Span(match.head, match.tail + 1, kind)
        for match in typed(changes).match(text)
        for kind in types_of(changes, match.word)
    ]


def _pattern_spans(
    session: Session, text: str, *, patient: bool
) -> tuple[list[Span], bool, tuple[str, ...], tuple[str, ...]]:
    """Spans of the enabled patterns; whether some are pending; those stopped, and those cut."""
    spans: dict[SpanKey, Span] = {}
    stopped: list[str] = []
    cut: list[str] = []
    deadline = time.monotonic() + (PATIENCE_SECONDS if patient else QUICK_SECONDS)
    for pattern in patterns.all_patterns(session.workspace, session.project_id):
        if not pattern.enabled:
            continue
        left = deadline - time.monotonic()
        # A pattern that hits its limit must not use up the time of the others.
        seconds = min(max(left, LEAST_SECONDS), SLOW_SECONDS) if patient else left
        if seconds <= 0:
            stopped.append(pattern.pattern)
            continue
        try:
            answer = find(pattern.pattern, pattern.label, text, seconds=seconds)
        except PatternError:
            stopped.append(pattern.pattern)  # valid when it was added, but not for this version of regex
            continue
        spans.update((span.key, span) for span in answer.spans)
        stopped += [pattern.pattern] if answer.timed_out else []
        cut += [pattern.pattern] if answer.cut else []
    return list(spans.values()), bool(stopped) and not patient, tuple(stopped), tuple(cut)


def _trusted(spans: Iterable[Span], text: str, earlier: EarlierDecisions, document_id: int) -> list[Span]:
    """The spans of a rule, scored by the trust in it for each surface."""
    believed: dict[tuple[str, str], float] = {}
    trusted = []
    for span in spans:
        key = text[span.start : span.end], span.label
        if key not in believed:
            believed[key] = earlier.of(*key, but=document_id).trust
        trusted.append(Span(*span.key, believed[key]))
    return trusted


def _places(lexicon: Lexicon, text: str) -> list[Word]:
    return [[start, end] for start, end, _ in lexicon.offsets(text)[:MOST_WORDS]]


@lru_cache(maxsize=2)
def _saved_lexicon(folder: Path) -> Lexicon | None:
    try:
        return Lexicon.load(folder)
    except LexiconError:
        return None  # a tagger without lexicon, or a damaged folder, which loading the tagger reports
