"""What is suggested for a document: by the tagger, the dictionary, patterns and earlier decisions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from app.services import in_project
from app.services.project_lexicon import laid_over, typed, types_of
from app.services.session import Session
from app.ui.payload import Payload
from core.lexicon import Lexicon, LexiconError
from core.store.annotation import working
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.project import settings as project_settings
from core.store.suggest import distant, patterns
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, Span
from core.text.pattern import PatternError, find

# Beyond this a person cannot look at the words one by one, and a long text would send thousands.
MOST_WORDS = 400
Word = list[int]

# A tagger is shown whatever it says, a rule until it was rejected twice for a surface, a memory from once on.
DEFAULTS = {"tagger": 0.0, "earlier": 0.5, "dictionary": 0.5, "pattern": 0.5}
SETTING = "suggestions"
QUICK_SECONDS = 0.06  # for all patterns together while a document opens
SLOW_SECONDS = 0.5  # for one pattern when they are asked again after that
PATIENCE_SECONDS = 4.0  # for all of them then, and beyond that for each
LEAST_SECONDS = 0.05


class SourceView(Payload):
    """Whether a source is shown, and from which confidence on."""

    model_config = ConfigDict(extra="forbid")

    on: bool
    threshold: Annotated[float, Field(ge=0, le=1)]


class View(Payload):
    """A choice for each source."""

    model_config = ConfigDict(extra="forbid")

    tagger: SourceView
    earlier: SourceView
    dictionary: SourceView
    pattern: SourceView


@dataclass(frozen=True, slots=True)
class Rules:
    """What rules and memory suggest for a document.

    Args:
        spans: by source, each with its confidence.
        pending: some source was not ready or not done; asking again with patience gives the rest.
        stopped: patterns that took too long on this text. cut: patterns with more matches than are shown.
    """

    spans: Mapping[str, Sequence[Span]]
    pending: bool = False
    stopped: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()


def rule_suggestions(session: Session, document_id: int, text: str, *, patient: bool = False) -> Rules:
    """The suggestions of dictionary, patterns and earlier decisions for a document.

    A typed word and a pattern are believed (confidence 1) until people reject what they suggest:
    ``decision_counts.Decisions.trust`` of the surface. The confidence of an earlier decision is
    ``Decisions.confidence``. The document's own decisions do not count; on a copy of one's own, only what one
    decided on one's own copies does.

    Args:
        patient: wait for what is not ready and give patterns more time; else a few hundredths of a second.
    """
    own = working.annotator(session.workspace, document_id, session.user)
    whose = session.project_id, session.user if own else None
    earlier = session.workbench.earlier.of(*whose, *((60.0,) if patient else ()))
    matched, pending, stopped, cut = _pattern_spans(session, text, patient=patient)
    spans = {
        "earlier": earlier.find(text, but=document_id) if earlier.ready else [],
        "dictionary": _trusted(_by_dictionary(session, document_id, text), text, earlier, document_id),
        "pattern": _trusted(matched, text, earlier, document_id),
    }
    return Rules(spans, pending or not earlier.ready, stopped, cut)


def read_view(session: Session) -> dict[str, dict[str, Any]]:
    """Which sources the project shows, and from which confidence on: ``{source: {"on", "threshold"}}``."""
    stored = project_settings.read(session.workspace, session.project_id, SETTING)
    known = stored if isinstance(stored, dict) else {}
    view = {source: {"on": True, "threshold": least} for source, least in DEFAULTS.items()}
    for source, chosen in known.items():
        if source in view and isinstance(chosen, dict):
            view[source] = {**view[source], **chosen}
    return view


def write_view(session: Session, view: View) -> None:
    """Remember for the project what `read_view` gives."""
    project_settings.write(session.workspace, session.project_id, SETTING, view.model_dump())


def tagger_spans(
    session: Session, document: Document, without: Sequence[str] = ()
) -> tuple[list[Span], list[Word]]:
    """The serving tagger's spans for a document, and the lattice words it read as ``[start, end]``.

    Args:
        without: words to take out of its lexicon for this once.

    Raises:
        AppError: no run serves. NotFound, ModelFolderError: its model is not there or cannot be loaded.
    """
    from core.taggers.base.tagging import tag

    with session.workbench.serving.tagger(session.project_id) as tagger:
        lexicon: Lexicon | None = getattr(tagger, "lexicon", None)
        words = [] if lexicon is None else _places(lexicon, document.text)
        if lexicon is not None and without:
            setattr(tagger, "lexicon", lexicon.without_words(without))  # noqa: B010 - not every tagger has one
        answer = tag(tagger, [document])[0]  # the next block gets the whole lexicon again
    kept = [word for word in words if document.text[word[0] : word[1]] not in set(without)]
    return list(answer.spans), kept


def lattice_words(session: Session, text: str) -> list[Word]:
    """Words of the serving tagger's lexicon in a text, as ``[start, end]``; none where it reads no words.

    Read from the model folder, so that opening a document neither loads the tagger nor waits for one at work.
    """
    run = projects.get(session.workspace, session.project_id).serving_run
    if run is None:
        return []
    base = _saved_lexicon(in_project.run(session, run).model_folder / "lexicon")
    if base is None:
        return []
    changes = lexicon_changes.current(session.workspace, session.project_id)
    return _places(laid_over(base, changes), text)


def _by_dictionary(session: Session, document_id: int, text: str) -> Sequence[Span]:
    """What a batch of distant labels suggests here, where there is one; else the words with a type."""
    kept = distant.suggested(session.workspace, document_id)
    return dictionary_spans(session, text) if kept is None else kept


def dictionary_spans(session: Session, text: str) -> list[Span]:
    """Where words with a type occur in a text; the type is the label, several types several labels."""
    changes = lexicon_changes.current(session.workspace, session.project_id)
    return [
        Span(match.head, match.tail + 1, kind)
        for match in typed(changes).match(text)
        for kind in types_of(changes, match.word)
    ]


def _pattern_spans(
    session: Session, text: str, *, patient: bool
) -> tuple[list[Span], bool, tuple[str, ...], tuple[str, ...]]:
    """Spans of the enabled patterns, whether some were not done, which were stopped, which were cut."""
    found: dict[tuple[int, int, str], Span] = {}
    stopped: list[str] = []
    cut: list[str] = []
    deadline = time.monotonic() + (PATIENCE_SECONDS if patient else QUICK_SECONDS)
    for known in patterns.all_patterns(session.workspace, session.project_id):
        if not known.enabled:
            continue
        left = deadline - time.monotonic()
        # One that ran into its limit must not take the time of those after it.
        seconds = min(max(left, LEAST_SECONDS), SLOW_SECONDS) if patient else left
        if seconds <= 0:
            stopped.append(known.pattern)
            continue
        try:
            answer = find(known.pattern, known.label, text, seconds=seconds)
        except PatternError:
            stopped.append(known.pattern)  # it was fine when it came in; another version reads it otherwise
            continue
        found.update((span.key, span) for span in answer.spans)
        stopped += [known.pattern] if answer.timed_out else []
        cut += [known.pattern] if answer.cut else []
    return list(found.values()), bool(stopped) and not patient, tuple(stopped), tuple(cut)


def _trusted(spans: Iterable[Span], text: str, earlier: EarlierDecisions, document_id: int) -> list[Span]:
    """The spans of a rule with how far it is believed about each surface."""
    believed: dict[tuple[str, str], float] = {}
    found = []
    for span in spans:
        key = text[span.start : span.end], span.label
        if key not in believed:
            believed[key] = earlier.of(*key, but=document_id).trust
        found.append(Span(*span.key, believed[key]))
    return found


def _places(lexicon: Lexicon, text: str) -> list[Word]:
    return [[start, end] for start, end, _ in lexicon.places(text)[:MOST_WORDS]]


@lru_cache(maxsize=2)
def _saved_lexicon(folder: Path) -> Lexicon | None:
    try:
        return Lexicon.load(folder)
    except LexiconError:
        return None  # a tagger without words, or a damaged folder, which loading the tagger reports
