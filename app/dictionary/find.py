"""The Find tab: candidates from raw text, annotations and the tagger, to accept or reject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.dictionary import discovery, word_changes
from app.dictionary.discovery import SOURCES, Candidate, Source
from app.dictionary.panel import go_to, last_object, number, place_object, task_object, texts_of
from app.dictionary.widgets.dictionary_bench import dictionary_bench
from app.i18n import _
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import read_count, read_text
from core.lexicon.discovery import Thresholds
from core.store.document import documents
from core.store.label import labels

NAME = "find"
PAGE = 30
SAMPLE = 40  # words of a preview
ORDERS = ("score", "count", "cohesion", "freedom", "share", "documents")


@dataclass
class FindComponents:
    """A widget with its own server functions."""

    bench: gr.HTML


def layout(frame: Frame) -> FindComponents:
    """Build the tab."""
    frame.texts.bind(
        gr.Markdown(elem_classes="ll-how"),
        value=_(
            "Words the dictionary lacks: from raw text, from what people labelled, and "
            "from what the serving tagger says often and always the same way. Each comes "
            "with its contexts, to accept or to reject."
        ),
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
def find_state(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The state of the search, its result, and the last step."""
    found = discovery.DISCOVERY.last(session)
    defaults = found.thresholds if found is not None else Thresholds()
    total = documents.count(session.workspace, session.project_id)["all"]
    return {
        **place_object(session),
        "work": task_object(session, discovery.DISCOVERY),
        "documents": total,
        "labels": [[label.name, label.colour] for label in labels.get(session.workspace, session.project_id)],
        "serving": _serving(session),
        "may_change": may(session, "change_dictionary"),
        "last": last_object(session),
        "thresholds": {
            "count": defaults.count, "cohesion": defaults.cohesion,
            "freedom": defaults.freedom, "longest": defaults.longest,
        },
        "result": found
        and {
            "documents": found.documents,
            "characters": found.characters,
            "at": found.at,
            "version": found.version,
            "stale": found.documents != total,
            "found": dict(found.found),
            "open": {source: len(discovery.open_candidates(session, source)) for source in SOURCES},
        },
    }  # fmt: skip


@needs("see_documents")
def find_start(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Begin a search."""
    thresholds = Thresholds(
        count=read_count(payload, "count"),
        cohesion=number(payload, "cohesion"),
        freedom=number(payload, "freedom"),
        longest=read_count(payload, "longest"),
    )
    if not documents.count(session.workspace, session.project_id)["all"]:
        raise AppError("This project has no documents to search. Import text on the Data page first.")
    discovery.start(session, thresholds, beyond_base=payload.get("beyond_base") is not False)
    return find_state(session, payload)


@needs("see_documents")
def find_stop(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Stop the search."""
    discovery.DISCOVERY.stop(session)
    return find_state(session, payload)


@needs("see_documents")
def find_list(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A page of the candidates of a source, sorted."""
    offset = read_count(payload, "offset", optional=True)
    wanted = read_text(payload, "search", optional=True)
    found = [one for one in _ordered(session, payload) if wanted in one.surface]
    return {"rows": [_row(one) for one in found[offset : offset + PAGE]], "total": len(found)}


@needs("change_dictionary")
def find_accept(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Accept candidates into the dictionary."""
    pairs = payload.get("words")
    if not isinstance(pairs, list) or not 0 < len(pairs) <= PAGE:
        raise AppError("No candidate reaches that value. Choose a lower one.")
    typed = {}
    for pair in pairs:
        fields = pair if isinstance(pair, Mapping) else {}
        typed[read_text(fields, "word")] = read_text(fields, "type", optional=True)
    word_changes.accept(session, typed)
    return find_state(session, payload)


@needs("change_dictionary")
def find_reject(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Reject candidates."""
    word_changes.reject(session, texts_of(payload, "words", PAGE))
    return find_state(session, payload)


@needs("change_dictionary")
def find_above(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Preview accepting every candidate from a value on; with ``apply``, accept them."""
    least, by = number(payload, "least"), _order(payload)
    bare = read_text(payload, "type", optional=True)
    chosen = [one for one in _ordered(session, payload) if _value(one, by) >= least]
    typed = {one.surface: one.type or bare for one in chosen}
    if payload.get("apply") is True:
        if not typed:
            raise AppError("No candidate reaches that value. Choose a lower one.")
        word_changes.accept(session, typed)
        return find_state(session, payload)
    sample = [[word, kind] for word, kind in list(typed.items())[:SAMPLE]]
    return {"count": len(typed), "sample": sample, "untyped": sum(not kind for kind in typed.values())}


@needs("change_dictionary")
def find_undo(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Undo the last acceptance or rejection."""
    word_changes.undo(session)
    return find_state(session, payload)


def _ordered(session: Session, payload: Mapping[str, Any]) -> list[Candidate]:
    source, by = _source(payload), _order(payload)
    found = discovery.open_candidates(session, source)
    return sorted(found, key=lambda one: (-_value(one, by), one.surface))


def _value(one: Candidate, by: str) -> float:
    value = getattr(one, by)
    return float("-inf") if value is None else float(value)


def _source(payload: Mapping[str, Any]) -> Source:
    asked = read_text(payload, "source")
    found: Source | None = next((source for source in SOURCES if source == asked), None)
    if found is None:
        raise AppError("No candidate reaches that value. Choose a lower one.")
    return found


def _order(payload: Mapping[str, Any]) -> str:
    asked = read_text(payload, "order", optional=True)
    return asked if asked in ORDERS else ORDERS[0]


def _serving(session: Session) -> bool:
    run = session.workbench.serving_run(session.project_id)
    return run is not None and in_project.run(session, run).status == "finished"


def _row(one: Candidate) -> dict[str, Any]:
    return {
        "surface": one.surface, "type": one.type, "count": one.count, "documents": one.documents,
        "cohesion": one.cohesion, "freedom": one.freedom, "score": one.score, "share": one.share,
        "others": one.others,
        "contexts": [[place.before, place.after, place.document] for place in one.contexts],
    }  # fmt: skip
