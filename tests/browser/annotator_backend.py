"""An annotator's backend in memory, and a server for it that can be stopped and started again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gradio as gr

from app.annotate.widget.annotator import AnnotatorError, annotator, page_update
from core.text import Document, LabelSet, Span
from tests.browser.blocks_server import free_port, serve

LABELS = LabelSet.from_json(
    [
        {"name": "NAME", "hotkey": "1", "description": "A person's name, without titles."},
        {"name": "ORG", "hotkey": "2", "colour": "#D55E00", "description": "An organisation."},
        {"name": "TITLE", "hotkey": "3", "colour": "#009E73"},
        {"name": "LOC", "hotkey": "4", "colour": "#CC79A7"},
    ]
)


def plain(spans: Any) -> list[dict[str, Any]]:
    return [{"start": span.start, "end": span.end, "label": span.label} for span in spans]


class MemoryBackend:
    """Documents in a dict; counts its calls; can be slow, refuse to answer, or lose its answers."""

    def __init__(self, documents: list[Document], suggestions: dict[int, list[Span]] | None = None) -> None:
        self.texts = {number: document.text for number, document in enumerate(documents, 1)}
        self.spans = {number: list(document.spans) for number, document in enumerate(documents, 1)}
        self.rejected: dict[int, list[Span]] = {number: [] for number in self.texts}
        self.revisions = dict.fromkeys(self.texts, 0)
        self.statuses = dict.fromkeys(self.texts, "new")
        self.suggestions = suggestions or {}
        self.discontinuous: dict[int, list[dict[str, Any]]] = {}
        self.chains: dict[int, list[dict[str, Any]]] = {}
        self.relations: dict[int, list[dict[str, Any]]] = {}
        self.parts: list[int] = []
        self.asked_words: list[tuple[int, int]] = []
        self.lattice: dict[int, list[list[int]]] = {}
        self.saves: list[Any] = []
        self.applied: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, ...]] = []
        self.before_save: Callable[[], None] = lambda: None
        self.after_save: Callable[[], None] = lambda: None
        self.before_part: Callable[[], None] = lambda: None

    def open(self, token: str, document: int | None) -> dict[str, Any]:
        if token != "a-token":
            raise AnnotatorError("session", "This page's session has ended.")
        if not self.texts:
            return self.state(None)
        return self.state(document or min(self.texts))

    def state(self, number: int | None) -> dict[str, Any]:
        found = number and {
            "id": number,
            "text": self.texts[number],
            "spans": plain(self.spans[number]),
            "rejected": plain(self.rejected[number]),
            "discontinuous": self.discontinuous.get(number, []),
            "chains": self.chains.get(number, []),
            "relations": self.relations.get(number, []),
            "revision": self.revisions[number],
            "status": self.statuses[number],
        }
        return {
            "scope": "memory",
            "labels": LABELS.to_json(),
            "document": found or None,
            "suggestions": self.suggested(number) if number else [],
            "serving": {"name": "flat-0001", "answered": True},
        }

    def words_of(self, number: int) -> list[list[int]]:
        return self.lattice.get(number, [])

    def words(self, token: str, document: int) -> dict[str, Any]:
        return {"words": self.words_of(document)}

    def suggested(self, number: int, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        text = self.texts[number]
        return [
            {"start": s.start, "end": s.end, "label": s.label, "score": s.score,
             "source": "dictionary" if s.score is None else "tagger"}
            for s in self.suggestions.get(number, [])
            if text[s.start : s.end] not in without
        ]  # fmt: skip

    def save(self, token: str, edit: Any) -> dict[str, Any]:
        self.saves.append(edit)
        self.before_save()
        if edit.client_edit not in self.applied:
            number = edit.document
            if edit.base_revision != self.revisions[number]:
                current = self.state(number)["document"]
                raise AnnotatorError(
                    "conflict", "stale", current=current | {"user": "ana", "at": 1_790_000_000_000}
                )
            self.revisions[number] += 1
            self.spans[number], self.rejected[number] = list(edit.spans), list(edit.rejected)
            self.statuses[number] = edit.status or self.statuses[number]
            self.applied[edit.client_edit] = {
                "revision": self.revisions[number],
                "at": int(time.time() * 1000),
            }
        self.after_save()
        return self.applied[edit.client_edit]

    def queue(self, token: str, query: Any) -> dict[str, Any]:
        rows = [
            {"id": number, "excerpt": text[:40], "status": self.statuses[number], "confidence": 0.41}
            for number, text in self.texts.items()
            if query.search in text and query.status in (None, self.statuses[number])
        ]
        return {"rows": rows[query.offset : query.offset + 50], "total": len(rows)}

    def order(self, token: str, name: str) -> dict[str, Any]:
        return {
            "order": name, "state": "ready", "scored": len(self.texts), "waiting": 0, "made_for": "flat-0001",
            "now": "flat-0001", "need": "", "fraction": 0.0, "error": "", "saving": None,
            "apart": {"count": 0, "done": 0},
        }  # fmt: skip

    def steps(self, token: str, document: int, revision: int) -> dict[str, Any]:
        return {"past": [], "future": []}

    def comments(self, token: str, document: int) -> dict[str, Any]:
        return {"comments": []}

    def suggest(self, token: str, document: int, without: tuple[str, ...]) -> dict[str, Any]:
        self.asked.append(without)
        words = [w for w in self.words_of(document) if self.texts[document][w[0] : w[1]] not in without]
        return {
            "suggestions": self.suggested(document, without),
            "words": words,
            "serving": {"name": "flat-0001", "answered": True},
        }

    def words_between(self, token: str, document: int, start: int, end: int) -> dict[str, Any]:
        self.asked_words.append((start, end))
        return {"words": [word for word in self.words_of(document) if start <= word[0] and word[1] <= end]}

    def tag_from(self, token: str, document: int, start: int, without: tuple[str, ...]) -> dict[str, Any]:
        self.parts.append(start)
        self.before_part()
        length = len(self.texts[document])
        until = min(length, start + 2000)
        found = [s for s in self.suggested(document, without) if start <= s["start"] < until]
        answer = {"spans": found, "from": start, "until": until, "length": length}
        return answer | ({"serving": {"name": "flat-0001", "answered": True}} if until == length else {})

    def set_view(self, token: str, view: Any) -> dict[str, Any]:
        return {}

    def similar(self, token: str, document: int, at: int) -> dict[str, Any]:
        return {"rows": [], "start": 0, "end": len(self.texts[document]), "pending": False}

    def key_sentences(self, token: str, document: int) -> dict[str, Any]:
        return {"rows": []}

    def history(self, token: str, document: int) -> dict[str, Any]:
        event = {
            "revision": self.revisions[document], "at": 1_790_000_000_000, "user": "me", "action": "label",
            "added": plain(self.spans[document]), "removed": [], "rejected": [], "called": {},
            "current": True,
        }  # fmt: skip
        return {"events": [event]}

    def restore(self, token: str, document: int, revision: int, base_revision: int) -> dict[str, Any]:
        return self.state(document) | {"at": 0}


def backend_of(text: str, *spans: Span, **options: Any) -> MemoryBackend:
    """A backend with ``text`` and a second document to move to."""
    return MemoryBackend([Document("1", text, spans), Document("2", "第二篇文档。")], **options)


class Changing:
    """Hands every call to the backend the server has just now."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server.backend, name)


class Server:
    """A gradio app with one annotator on a fixed free port; ``backend`` may be changed between pages."""

    def __init__(self, backend: Any = None) -> None:
        self.backend = backend
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Built once: a restarted app gives its components the same numbers again.
        with gr.Blocks(analytics_enabled=False) as self.demo:
            widget = annotator(Changing(self), elem_id="annotator")
            self.demo.load(lambda: page_update("a-token", "en"), None, widget, api_visibility="private")

    def start(self) -> None:
        serve(self.demo, self.port)

    def stop(self) -> None:
        self.demo.close(verbose=False)
