"""The Find tab: candidates from raw text, annotations, the tagger and its segments, to accept or reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import gradio as gr
from pydantic import Field

from app.dictionary import discovery, word_changes
from app.dictionary.discovery import SOURCES, Candidate, Source
from app.dictionary.panel import go_to, last_object, place_object, task_object
from app.dictionary.widgets.dictionary_bench import dictionary_bench
from app.i18n import _
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import Count, CountOrNone, Number, Payload, Text, TextOrEmpty
from app.ui.server_function import Reply
from core.lexicon.discovery import Thresholds
from core.store.document import documents
from core.store.label import labels

NAME = "find"
PAGE = 30
SAMPLE = 40  # words of a preview
Order = Literal["score", "count", "cohesion", "freedom", "share", "documents"]


class Search(Payload):
    """Thresholds of a search, and whether only words beyond the base count."""

    count: Count
    cohesion: Number
    freedom: Number
    longest: Count
    beyond_base: bool = True


class Candidates(Payload):
    """The candidates of a source, the highest value of an order first."""

    source: Source
    order: Order = "score"


class CandidatePage(Candidates):
    """Those that contain ``search``, from row ``offset`` on."""

    offset: CountOrNone = 0
    search: TextOrEmpty = ""


class Above(Candidates):
    """Every candidate from ``least`` on; those without a type get this one."""

    least: Number
    type: TextOrEmpty = ""
    apply: bool = False


class AcceptedWord(Payload):
    """A candidate and the type it gets."""

    word: Text
    type: TextOrEmpty = ""


class Accepted(Payload):
    """Candidates that become words."""

    words: Annotated[list[AcceptedWord], Field(min_length=1, max_length=PAGE)]


class Rejected(Payload):
    """Candidates that are none."""

    words: Annotated[list[Text], Field(min_length=1, max_length=PAGE)]


@dataclass
class FindComponents:
    """A widget with its own server functions."""

    bench: gr.HTML


def layout(frame: Frame) -> FindComponents:
    """Build the tab."""
    frame.texts.hint(
        _(
            "Words missing from the dictionary: from raw text, from labelled spans, from "
            "frequent, consistent predictions of the active tagger, and from the segments of "
            "its HM-LSTM. Each comes with its contexts, to accept or to reject."
        )
    )
    functions = [
        frame.server(fn)
        for fn in (
            find_state, find_start, find_stop, find_list, find_accept, find_reject, find_above, find_undo,
        )
    ]  # fmt: skip
    return FindComponents(dictionary_bench(NAME, functions, elem_id="dictionary-find"))


def wire(components: FindComponents, frame: Frame) -> None:
    """Connect the tab's events; the widget calls its server functions itself."""
    frame.on(components.bench.open, go_to, [], [frame.tabs])


@needs("see_documents")
def find_state(session: Session) -> Reply:
    """The state of the search, its result, and the last step."""
    discovery_result = discovery.DISCOVERY.last(session)
    defaults = discovery_result.thresholds if discovery_result is not None else Thresholds()
    total = documents.count(session.workspace, session.project_id)["all"]
    return {
        **place_object(session),
        "work": task_object(session, discovery.DISCOVERY),
        "documents": total,
        "labels": [[label.name, label.colour] for label in labels.get(session.workspace, session.project_id)],
        "active_run": _active_run(session),
        "may_change": may(session, "change_dictionary"),
        "last": last_object(session),
        "thresholds": {
            "count": defaults.count, "cohesion": defaults.cohesion,
            "freedom": defaults.freedom, "longest": defaults.longest,
        },
        "result": discovery_result
        and {
            "documents": discovery_result.documents,
            "characters": discovery_result.characters,
            "at": discovery_result.at,
            "version": discovery_result.version,
            "stale": discovery_result.documents != total,
            "found": dict(discovery_result.found),
            "cut": discovery_result.cut,
            "open": {source: len(discovery.open_candidates(session, source)) for source in SOURCES},
        },
    }  # fmt: skip


@needs("see_documents")
def find_start(session: Session, asked: Search) -> Reply:
    """Begin a search."""
    thresholds = Thresholds(
        count=asked.count, cohesion=asked.cohesion, freedom=asked.freedom, longest=asked.longest
    )
    if not documents.count(session.workspace, session.project_id)["all"]:
        raise AppError("This project has no documents to search. Import text on the Data page first.")
    discovery.start(session, thresholds, beyond_base=asked.beyond_base)
    return find_state(session)


@needs("see_documents")
def find_stop(session: Session) -> Reply:
    """Stop the search."""
    discovery.DISCOVERY.stop(session)
    return find_state(session)


@needs("see_documents")
def find_list(session: Session, asked: CandidatePage) -> Reply:
    """A page of the candidates of a source, sorted."""
    candidates = [candidate for candidate in _ordered(session, asked) if asked.search in candidate.surface]
    return {
        "rows": [_row(candidate) for candidate in candidates[asked.offset : asked.offset + PAGE]],
        "total": len(candidates),
    }


@needs("change_dictionary")
def find_accept(session: Session, asked: Accepted) -> Reply:
    """Accept candidates into the dictionary."""
    word_changes.accept(session, {word.word: word.type for word in asked.words})
    return find_state(session)


@needs("change_dictionary")
def find_reject(session: Session, asked: Rejected) -> Reply:
    """Reject candidates."""
    word_changes.reject(session, asked.words)
    return find_state(session)


@needs("change_dictionary")
def find_above(session: Session, asked: Above) -> Reply:
    """Preview accepting every candidate from a value on; with ``apply``, accept them."""
    chosen = [
        candidate for candidate in _ordered(session, asked) if _value(candidate, asked.order) >= asked.least
    ]
    typed = {candidate.surface: candidate.type or asked.type for candidate in chosen}
    if asked.apply:
        if not typed:
            raise AppError("No candidate reaches that value. Choose a lower one.")
        word_changes.accept(session, typed)
        return find_state(session)
    sample = [[word, kind] for word, kind in list(typed.items())[:SAMPLE]]
    return {"count": len(typed), "sample": sample, "untyped": sum(not kind for kind in typed.values())}


@needs("change_dictionary")
def find_undo(session: Session) -> Reply:
    """Undo the last acceptance or rejection."""
    word_changes.undo(session)
    return find_state(session)


def _ordered(session: Session, asked: Candidates) -> list[Candidate]:
    candidates = discovery.open_candidates(session, asked.source)
    return sorted(candidates, key=lambda candidate: (-_value(candidate, asked.order), candidate.surface))


def _value(candidate: Candidate, by: str) -> float:
    value = getattr(candidate, by)
    return float("-inf") if value is None else float(value)


def _active_run(session: Session) -> bool:
    run = session.workbench.active_run(session.project_id)
    return run is not None and in_project.run(session, run).status == "finished"


def _row(candidate: Candidate) -> dict[str, Any]:
    return {
        "surface": candidate.surface, "type": candidate.type,
        "count": candidate.count, "documents": candidate.documents,
        "cohesion": candidate.cohesion, "freedom": candidate.freedom,
        "score": candidate.score, "share": candidate.share,
        "others": candidate.others,
        "contexts": [[place.before, place.after, place.document] for place in candidate.contexts],
    }  # fmt: skip
