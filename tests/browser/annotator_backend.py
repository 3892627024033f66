"""An annotator's backend in memory, and a server for it that can be stopped and started again."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import gradio as gr

from app.annotate.annotator import annotator, page_update
from app.i18n.binding import Texts
from app.services.errors import AppError
from app.services.session import SessionExpired
from app.ui.annotation.saving import label_objects
from app.ui.frame import Frame
from app.ui.server_function import ServerError
from core.text import Document, LabelSet, Span
from tests.app.asking import FUNCTIONS
from tests.browser.blocks_server import TELL_TOKEN, free_port, serve

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


def refusal(code: str, message: str, **details: Any) -> ServerError:
    """An error that a script acts on by its code."""
    return ServerError(code, AppError("{message}", message=message), **details)


class MemoryBackend:
    """Documents in a dict; counts its calls; can be slow, refuse to answer, or lose its answers.

    Its methods stand in for the page's server functions of the same names; the others are the page's own.
    """

    def __init__(self, documents: list[Document], suggestions: dict[int, list[Span]] | None = None) -> None:
        self.texts = {number: document.text for number, document in enumerate(documents, 1)}
        self.spans = {number: list(document.spans) for number, document in enumerate(documents, 1)}
        self.rejected: dict[int, list[Span]] = {number: [] for number in self.texts}
        self.revisions = dict.fromkeys(self.texts, 0)
        self.statuses = dict.fromkeys(self.texts, "new")
        self.suggestions = suggestions or {}
        self.nested = True
        self.read = True  # whether the active tagger reads the words
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

    def find(self, token: object) -> Any:
        """The session behind a token."""
        if token != "a-token":
            raise SessionExpired
        session = SimpleNamespace(language="en", user="me", logged_in=False, project_id=1)
        session.of_call = lambda: session
        return session

    def open_document(self, session: Any, asked: Any) -> dict[str, Any]:
        if not self.texts:
            return self.state(None)
        return self.state(asked.document or min(self.texts))

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
            "labels": label_objects(LABELS),
            "nested": self.nested,
            "document": found or None,
            "suggestions": self.suggested(number) if number else [],
            "active_run": {"name": "flat-0001", "answered": True},
        }

    def words_of(self, number: int) -> list[list[int]]:
        return self.lattice.get(number, [])

    def list_words(self, session: Any, asked: Any) -> dict[str, Any]:
        return {"words": self.words_of(asked.document), "read": self.read}

    def suggested(self, number: int, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        text = self.texts[number]
        return [
            {"start": s.start, "end": s.end, "label": s.label, "score": s.score,
             "source": "dictionary" if s.score is None else "tagger"}
            for s in self.suggestions.get(number, [])
            if text[s.start : s.end] not in without
        ]  # fmt: skip

    def save_edit(self, session: Any, edit: Any) -> dict[str, Any]:
        self.saves.append(edit)
        self.before_save()
        if edit.client_edit not in self.applied:
            number = edit.document
            if edit.base_revision != self.revisions[number]:
                current = self.state(number)["document"]
                theirs = current | {"user": "ana", "at": 1_790_000_000_000}
                raise refusal("conflict", "stale", current=theirs, project=1)
            self.revisions[number] += 1
            self.spans[number], self.rejected[number] = list(edit.spans), list(edit.rejected)
            self.statuses[number] = edit.status or self.statuses[number]
            self.applied[edit.client_edit] = {
                "revision": self.revisions[number],
                "at": int(time.time() * 1000),
            }
        self.after_save()
        return self.applied[edit.client_edit]

    def list_queue(self, session: Any, query: Any) -> dict[str, Any]:
        rows = [
            {"id": number, "excerpt": text[:40], "status": self.statuses[number], "confidence": 0.41}
            for number, text in self.texts.items()
            if query.filter.search in text and query.filter.status in (None, self.statuses[number])
        ]
        return {"rows": rows[query.offset : query.offset + 50], "total": len(rows)}

    def list_filters(self, session: Any) -> dict[str, Any]:
        return {"people": [], "fields": {}, "sets": []}

    def find_neighbour(self, session: Any, query: Any) -> dict[str, Any]:
        numbers = [
            number
            for number, text in self.texts.items()
            if query.filter.search in text and query.filter.status in (None, self.statuses[number])
        ]
        after = [number for number in numbers if number > query.document]
        before = [number for number in numbers if number < query.document]
        return {"document": next(iter(before[-1:] if query.backwards else after), None)}

    def read_order(self, session: Any, asked: Any) -> dict[str, Any]:
        return {
            "order": asked.order, "state": "ready", "scored": len(self.texts), "waiting": 0,
            "made_for": "flat-0001", "now": "flat-0001", "need": "", "fraction": 0.0, "error": "",
            "saving": None, "apart": {"count": 0, "done": 0},
        }  # fmt: skip

    def read_steps(self, session: Any, asked: Any) -> dict[str, Any]:
        return {"past": [], "future": []}

    def list_comments(self, session: Any, asked: Any) -> dict[str, Any]:
        return {"comments": []}

    def suggest_spans(self, session: Any, asked: Any) -> dict[str, Any]:
        document, without = asked.document, tuple(asked.without)
        self.asked.append(without)
        words = [w for w in self.words_of(document) if self.texts[document][w[0] : w[1]] not in without]
        return {
            "suggestions": self.suggested(document, without),
            "words": words,
            "read": self.read,
            "active_run": {"name": "flat-0001", "answered": True},
        }

    def list_words_between(self, session: Any, asked: Any) -> dict[str, Any]:
        document, start, end = asked.document, asked.start, asked.end
        self.asked_words.append((start, end))
        words = [word for word in self.words_of(document) if start <= word[0] and word[1] <= end]
        return {"words": words, "read": self.read}

    def tag_from(self, session: Any, asked: Any) -> dict[str, Any]:
        document, start, without = asked.document, asked.start, tuple(asked.without)
        self.parts.append(start)
        self.before_part()
        length = len(self.texts[document])
        until = min(length, start + 2000)
        found = [s for s in self.suggested(document, without) if start <= s["start"] < until]
        answer = {"spans": found, "from": start, "until": until, "length": length}
        return answer | ({"active_run": {"name": "flat-0001", "answered": True}} if until == length else {})

    def set_suggestion_view(self, session: Any, asked: Any) -> dict[str, Any]:
        return {}

    def find_similar(self, session: Any, asked: Any) -> dict[str, Any]:
        return {"rows": [], "start": 0, "end": len(self.texts[asked.document]), "pending": False}

    def list_key_sentences(self, session: Any, asked: Any) -> dict[str, Any]:
        return {"rows": []}

    def read_history(self, session: Any, asked: Any) -> dict[str, Any]:
        document = asked.document
        event = {
            "revision": self.revisions[document], "at": 1_790_000_000_000, "user": "me", "action": "label",
            "added": plain(self.spans[document]), "removed": [], "rejected": [], "called": {},
            "current": True,
        }  # fmt: skip
        return {"events": [event]}

    def restore_revision(self, session: Any, asked: Any) -> dict[str, Any]:
        return self.state(asked.document) | {"at": 0}


def backend_of(text: str, *spans: Span, **options: Any) -> MemoryBackend:
    """A backend with ``text`` and a second document to move to."""
    return MemoryBackend([Document("1", text, spans), Document("2", "第二篇文档。")], **options)


class Server:
    """A gradio app with one annotator on a fixed free port; ``backend`` may be changed between pages."""

    def __init__(self, backend: Any = None) -> None:
        self.backend = backend
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Built once: a restarted app gives its components the same numbers again.
        with gr.Blocks(analytics_enabled=False) as self.demo:
            frame = Frame(Texts(), self)  # type: ignore[arg-type]
            functions = [frame.server(self._handed_on(fn)) for fn in FUNCTIONS.values()]
            widget = annotator(functions, elem_id="annotator")
            token = gr.Textbox(visible="hidden")
            shown = lambda: ("a-token", page_update("en", project=1))  # noqa: E731 - gradio wants a function
            self.demo.load(shown, None, [token, widget], api_visibility="private")
            token.change(None, [token], None, js=TELL_TOKEN, api_visibility="private")

    def find(self, token: Any) -> Any:
        """As `Sessions.find`, of the backend that is there just now."""
        return self.backend.find(token)

    def _handed_on(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """``fn`` with its payload, answered by the backend's method of that name where it has one."""

        @wraps(fn)
        def answer(session: Any, *asked: Any) -> Any:
            return getattr(self.backend, fn.__name__, fn)(session, *asked)

        return answer

    def start(self) -> None:
        serve(self.demo, self.port)

    def stop(self) -> None:
        self.demo.close(verbose=False)
