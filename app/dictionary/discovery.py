"""Candidates for a project's dictionary: from raw text, annotations, and the active tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from app.dictionary.segments import counted_segments
from app.i18n import _
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Task
from app.services.session import Session
from core.learning.distant import TypedSurface, typed_surfaces
from core.lexicon import Lexicon
from core.lexicon.discovery import Thresholds, new_words
from core.lexicon.discovery.contexts import Context, Occurrences, contexts
from core.store.annotation import judged_documents
from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.document import documents
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates
from core.store.lexicon.entries import checked_word
from core.store.run import predictions
from core.store.suggest import distant
from core.text import Document

Source = Literal["text", "labels", "tagger", "segments"]
SOURCES: tuple[Source, ...] = get_args(Source)
MOST = 2_000  # candidates kept of each source
OFTEN, ALWAYS = 3, 0.9  # predictions of a surface, and the share with one type, that make it a candidate
EVERY = 200  # documents between two checks for a stop
READING, COUNTING, CUTTING, COMPARING, SHOWING = 0.1, 0.5, 0.7, 0.8, 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A surface that could be added to the dictionary.

    Args:
        type: suggested, or "". count: occurrences in raw text, annotations or predictions.
        documents: how many have it. cohesion, freedom, score: of raw text, in bits; else None.
        share: of its occurrences with this type; None for raw text. others: whether some have another type.
    """

    surface: str
    source: Source
    type: str
    count: int
    score: float
    documents: int = 0
    cohesion: float | None = None
    freedom: float | None = None
    share: float | None = None
    others: bool = False
    contexts: tuple[Context, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """The result of a search: candidates, how much text was searched, with which thresholds.

    Words of ``version`` of the word list were left out. ``at`` is the time (UTC ms). ``cut`` says whether the
    active tagger cut the texts into segments.
    """

    candidates: Mapping[Source, tuple[Candidate, ...]]
    found: Mapping[Source, int]
    documents: int
    characters: int
    thresholds: Thresholds
    version: int
    at: int
    cut: bool = False


def _load(stored: Any) -> Discovery:
    lists: dict[Source, tuple[Candidate, ...]] = {
        source: tuple(
            Candidate(**candidate | {"contexts": tuple(Context(**place) for place in candidate["contexts"])})
            for candidate in stored["candidates"].get(source, ())  # an earlier version had fewer sources
        )
        for source in SOURCES
    }
    found = dict.fromkeys(SOURCES, 0) | stored["found"]
    thresholds = Thresholds(**stored["thresholds"])
    return Discovery(**stored | {"candidates": lists, "found": found, "thresholds": thresholds})


DISCOVERY = ProjectTask(
    "words_found",
    _("New words are already being searched for in this project. Wait until that has finished, or stop it."),
    asdict,
    _load,
)


def start(session: Session, thresholds: Thresholds, *, beyond_base: bool) -> Task[Discovery]:
    """Search for candidates in the background.

    Args:
        beyond_base: leave out words of the base dictionary.

    Raises:
        AppError: a search is at work already.
    """
    return DISCOVERY.start(session, partial(_discover, session, session.project_id, thresholds, beyond_base))


def open_candidates(session: Session, source: Source) -> list[Candidate]:
    """The candidates of a source that have been neither accepted nor rejected."""
    discovery = DISCOVERY.last(session)
    if discovery is None:
        return []
    gone = rejected_candidates.rejected(session.workspace, session.project_id)
    changes = lexicon_changes.current(session.workspace, session.project_id)
    removed = set(changes.removed)

    def is_open(candidate: Candidate) -> bool:
        if candidate.surface in gone or candidate.surface in removed:
            return False
        types = changes.types.get(candidate.surface) or (changes.added.get(candidate.surface),)
        if candidate.source in ("text", "segments"):
            return candidate.surface not in changes.added
        return candidate.type not in types

    return [candidate for candidate in discovery.candidates[source] if is_open(candidate)]


def _discover(
    session: Session, project_id: int, thresholds: Thresholds, beyond_base: bool, task: Task[Discovery]
) -> Discovery:
    workspace = session.workspace
    task.progress("reading", 0.0)
    total = max(1, documents.count(workspace, project_id)["all"])
    seen = _Seen()
    known_words = _Known(session, project_id, beyond_base)

    def counting(share: float) -> None:
        task.progress("counting", READING + share * (COUNTING - READING))

    texts = seen.read(
        documents.iterate(workspace, project_id), lambda n: task.progress("reading", READING * n / total)
    )
    words = new_words(texts, thresholds, excluded=known_words, progress=counting)
    task.progress("comparing", COUNTING)
    people = _Reread(partial(judged_documents.iterate, workspace, project_id))
    run = session.workbench.active_run(project_id)
    tagged = _Reread(partial(predictions.tagged, workspace, run)) if run is not None else ()
    cut = counted_segments(
        session, project_id, lambda n: task.progress("cutting", COUNTING + (CUTTING - COUNTING) * n / total)
    )
    task.progress("comparing", COMPARING)
    entries, version = distant.typed_entries(workspace, project_id)
    pairs = {(entry.word, entry.type) for entry in entries}
    by_people = _possible(typed_surfaces(people), known_words.rejected)
    by_tagger = _possible(typed_surfaces(tagged, least=OFTEN, share=ALWAYS), known_words.rejected)
    types = {surface.surface: surface.type for surface in (*by_tagger, *by_people)}
    lists: dict[Source, list[Candidate]] = {
        "text": [
            Candidate(
                word.surface, "text", types.get(word.surface, ""), word.count, word.score,
                cohesion=word.cohesion, freedom=word.freedom,
            )
            for word in words
        ],
        "labels": [_typed(item, "labels") for item in by_people if (item.surface, item.type) not in pairs],
        "tagger": [_typed(item, "tagger") for item in by_tagger if (item.surface, item.type) not in pairs],
        "segments": [
            Candidate(word.surface, "segments", types.get(word.surface, ""), word.count, word.count)
            for word in (cut.words(thresholds, known_words) if cut is not None else ())
            if _fits(word.surface)
        ],
    }  # fmt: skip
    kept = {source: candidates[:MOST] for source, candidates in lists.items()}
    surfaces = {candidate.surface for candidates in kept.values() for candidate in candidates}

    def showing(number: int) -> None:
        if number % EVERY == 0:
            task.progress("showing", COMPARING + (SHOWING - COMPARING) * min(1.0, number / total))

    places = contexts(documents.iterate(workspace, project_id), surfaces, progress=showing)
    made = Discovery(
        {
            source: tuple(_placed(candidate, places) for candidate in candidates)
            for source, candidates in kept.items()
        },
        {source: len(candidates) for source, candidates in lists.items()},
        seen.documents,
        seen.characters,
        thresholds,
        version,
        now(),
        cut is not None,
    )
    task.progress("showing", SHOWING)
    return made


@dataclass(frozen=True)
class _Reread:
    """Documents that are read anew, in portions, each time they are gone through."""

    read: Callable[[], Iterator[Document]]

    def __iter__(self) -> Iterator[Document]:
        return self.read()


class _Seen:
    """Counts the documents and characters that pass through."""

    def __init__(self) -> None:
        self.documents = self.characters = 0

    def read(self, source: Iterable[Document], progress: Callable[[int], None]) -> Iterator[str]:
        for document in source:
            self.documents += 1
            self.characters += len(document.text)
            if self.documents % EVERY == 0:
                progress(self.documents)
            yield document.text


class _Known:
    """Words that are not new: in the project's list or the base dictionary, removed or rejected."""

    def __init__(self, session: Session, project_id: int, beyond_base: bool) -> None:
        changes = lexicon_changes.current(session.workspace, project_id)
        self.rejected = rejected_candidates.rejected(session.workspace, project_id)
        self.own = {*changes.added, *changes.removed, *self.rejected}
        self.base = Lexicon.jieba() if beyond_base else None

    def __contains__(self, surface: object) -> bool:
        return surface in self.own or (self.base is not None and surface in self.base)


def _possible(typed: Iterable[TypedSurface], rejected: frozenset[str]) -> list[TypedSurface]:
    return [surface for surface in typed if surface.surface not in rejected and _fits(surface.surface)]


def _fits(surface: str) -> bool:
    try:
        return checked_word(surface) == surface
    except PayloadError:
        return False


def _typed(typed: TypedSurface, source: Source) -> Candidate:
    return Candidate(
        typed.surface,
        source,
        typed.type,
        typed.count,
        typed.count * typed.share,
        share=typed.share,
        others=typed.others,
    )


def _placed(candidate: Candidate, places: Mapping[str, Occurrences]) -> Candidate:
    matches = places[candidate.surface]
    return replace(candidate, documents=matches.documents, contexts=tuple(matches.contexts))
