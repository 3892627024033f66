"""The span annotator: a `gr.HTML` whose template is static, for the reason given in `ui.widgets.sentence`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Protocol

import gradio as gr

from app.annotate.widget.annotation_payload import Edit, QueueQuery, read_edit, read_queue_query
from app.annotate.widget.bulk_calls import BulkBackend, bulk_functions
from app.annotate.widget.order_calls import OrderBackend, order_functions
from app.annotate.widget.similar_calls import SimilarBackend, similar_functions
from app.annotate.widget.span_history_calls import SpanHistoryBackend, span_history_functions
from app.annotate.widget.suggestion_calls import SuggestionBackend, suggestion_functions
from app.annotate.widget.window_calls import WindowBackend, window_functions
from app.ui.payload import (
    InvalidPayload,
    read_count,
    read_object,
    read_text,
    read_words,
)
from app.ui.widgets.page_code import page_script, page_styles
from app.ui.widgets.sentence import STYLES, TEMPLATE

Reply = dict[str, Any]


class AnnotatorError(Exception):
    """An answer that is not the wanted one.

    Args:
        code: ``session`` (the token is unknown), ``conflict`` (somebody saved first; ``details`` holds
            ``current``), ``labels_gone`` (``details`` hold ``gone``, what each became or None, and
            ``labels``), ``invalid`` (never will be accepted), ``failed`` (may work when tried again).
        message: one sentence a person can act on. details: more fields of the reply.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class AnnotatorBackend(
    BulkBackend,
    OrderBackend,
    SimilarBackend,
    SpanHistoryBackend,
    SuggestionBackend,
    WindowBackend,
    Protocol,
):
    """What the widget asks of the page.

    ``token`` names the session and is hostile like every other argument; every method may raise
    `AnnotatorError` and returns plain JSON values.
    """

    def open(self, token: str, document: int | None) -> Reply:
        """The state of a document (None: the first of the queue): ``scope``, ``labels``, ``document``,
        ``suggestions``, ``serving``; ``view`` of the sources, ``pending`` (ask `rules`) and ``annotated``."""

    def words(self, token: str, document: int) -> Reply:
        """``words``: lattice words as ``[start, end]``; asked once the document is on the screen."""

    def save(self, token: str, edit: Edit) -> Reply:
        """``revision`` and ``at`` (UTC ms) after ``edit`` has been applied once; a conflict is an error."""

    def queue(self, token: str, query: QueueQuery) -> Reply:
        """``rows`` (``id``, ``excerpt``, ``status``, ``confidence``, ``score``, ``apart``) and ``total``."""

    def suggest(self, token: str, document: int, without: tuple[str, ...]) -> Reply:
        """``suggestions``, ``words`` and ``serving`` of the tagger without some words."""

    def history(self, token: str, document: int) -> Reply:
        """``events``, newest first."""

    def restore(self, token: str, document: int, revision: int, base_revision: int) -> Reply:
        """The state of `open` and ``at`` after going back to ``revision``."""


def annotator(backend: AnnotatorBackend, *, elem_id: str | None = None) -> gr.HTML:
    """The Annotate page's widget.

    It stays empty until its ``page`` prop names a session: return ``page_update(token, language)`` for it
    from a load event. It triggers ``leave`` with ``page`` to go to another page.

    Args:
        backend: answers the widget's questions.
    """
    return gr.HTML(
        html_template=TEMPLATE,
        js_on_load=page_script("annotator/workbench.js", events=("leave",)),
        server_functions=list(_server_functions(backend)),
        elem_id=elem_id,
        elem_classes=page_styles(*STYLES),
        container=False,
        padding=False,
        page=None,
    )


def page_update(
    token: str, language: str, *, project: int = 0, document: int | None = None, visit: int = 0
) -> dict[str, Any]:
    """The update that makes an `annotator` show a session's project.

    Args:
        project: while it stays the same, the widget stays with its document.
        document: the one to show instead.
        visit: any number that differs from the last one, to read everything again.
    """
    page = {"token": token, "language": language, "project": project, "document": document, "visit": visit}
    return gr.update(page=page)


def _server_functions(backend: AnnotatorBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions the browser may call by their names, each with one object."""

    def open_document(payload: Any) -> Reply:
        fields = read_object(payload)
        document = None if fields.get("document") is None else read_count(fields, "document")
        return backend.open(_token(fields), document)

    def list_words(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.words(_token(fields), read_count(fields, "document"))

    def save_edit(payload: Any) -> Reply:
        return backend.save(_token(read_object(payload)), read_edit(payload))

    def list_queue(payload: Any) -> Reply:
        return backend.queue(_token(read_object(payload)), read_queue_query(payload))

    def suggest_spans(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.suggest(_token(fields), read_count(fields, "document"), read_words(fields, "without"))

    def read_history(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.history(_token(fields), read_count(fields, "document"))

    def restore_revision(payload: Any) -> Reply:
        fields = read_object(payload)
        numbers = [read_count(fields, name) for name in ("document", "revision", "base_revision")]
        return backend.restore(_token(fields), numbers[0], numbers[1], numbers[2])

    functions = (
        open_document,
        list_words,
        save_edit,
        list_queue,
        suggest_spans,
        read_history,
        restore_revision,
    )
    return [
        _answering(function)
        for function in (
            *functions,
            *bulk_functions(backend),
            *suggestion_functions(backend),
            *order_functions(backend),
            *window_functions(backend),
            *similar_functions(backend),
            *span_history_functions(backend),
        )
    ]


def _answering(function: Callable[[Any], Reply]) -> Callable[[Any], Reply]:
    """``function`` with ``ok`` in its reply and expected errors as replies."""

    @wraps(function)
    def answer(payload: Any) -> Reply:
        try:
            return {"ok": True, **function(payload)}
        except InvalidPayload as error:
            return {"ok": False, "code": "invalid", "message": str(error)}
        except AnnotatorError as error:
            return {"ok": False, "code": error.code, "message": error.message, **error.details}

    return answer


def _token(fields: Mapping[str, Any]) -> str:
    return read_text(fields, "session")
