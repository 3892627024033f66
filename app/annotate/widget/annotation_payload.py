"""What the annotator's browser side sends, checked before anything else sees it: every field is hostile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.ui.payload import InvalidPayload, read_choice, read_count, read_object, read_text, shown
from core.learning.active_learning.catalogue import ORDERS
from core.text import Span

Status = Literal["new", "in_progress", "done"]

# As the store has them, those that strategies score, and the slice set apart for evaluation.
ORDER_NAMES = ("position", *(name for name in ORDERS if name != "in_order"), "apart")
MAX_SPANS = 20_000
ACTIONS = frozenset(
    ("label", "relabel", "accept", "accept_all", "reject", "delete", "move", "undo", "redo", "done", "reopen")
) | {"keep_mine", "merge", "label_others", "replace_labels"}


@dataclass(frozen=True, slots=True)
class Edit:
    """One save: the document's spans and rejected suggestions after an action.

    Args:
        document: the store's number of the document.
        base_revision: the revision the page had before the action.
        client_edit: unique id of the edit; a repeated one must be applied once.
        action: one of `ACTIONS`. status: the document's status from now on, or None to leave it.
        run: whose suggestions the page showed, or None.
    """

    document: int
    base_revision: int
    client_edit: str
    action: str
    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    status: Status | None
    run: str | None


@dataclass(frozen=True, slots=True)
class QueueQuery:
    """Which documents the queue shows, from row ``offset`` on."""

    order: str
    status: Status | None
    label: str
    search: str
    offset: int
    batch: int = 0  # of distant labels; 0: any document


def read_edit(payload: Any) -> Edit:
    """The edit in ``payload``.

    Raises:
        InvalidPayload: naming the field that is wrong and what it holds.
    """
    fields = read_object(payload)
    action = read_text(fields, "action")
    if action not in ACTIONS:
        raise InvalidPayload(f"action {action!r} is none of {', '.join(sorted(ACTIONS))}")
    client_edit = read_text(fields, "client_edit")
    if not 8 <= len(client_edit) <= 64:
        raise InvalidPayload(f"client_edit must have 8 to 64 characters, it has {len(client_edit)}")
    return Edit(
        document=read_count(fields, "document"),
        base_revision=read_count(fields, "base_revision"),
        client_edit=client_edit,
        action=action,
        spans=_spans(fields, "spans"),
        rejected=_spans(fields, "rejected"),
        status=read_choice(fields, "status", get_args(Status)),
        run=read_text(fields, "run", optional=True) or None,
    )


def read_queue_query(payload: Any) -> QueueQuery:
    """The question in ``payload``; what is missing takes the plainest value.

    Raises:
        InvalidPayload: naming the field that is wrong and what it holds.
    """
    fields = read_object(payload)
    return QueueQuery(
        order=read_choice(fields, "order", ORDER_NAMES) or "position",
        status=read_choice(fields, "status", get_args(Status)),
        label=read_text(fields, "label", optional=True),
        search=read_text(fields, "search", optional=True),
        offset=read_count(fields, "offset", optional=True),
        batch=read_count(fields, "batch", optional=True),
    )


def _spans(fields: Mapping[str, Any], name: str) -> tuple[Span, ...]:
    items = fields.get(name)
    if not isinstance(items, list):
        raise InvalidPayload(f"{name} must be a list of spans, got {shown(items)}")
    if len(items) > MAX_SPANS:
        raise InvalidPayload(f"{name} holds {len(items)} spans; at most {MAX_SPANS} are kept per document")
    spans = tuple(_span(item, f"{name}[{index}]") for index, item in enumerate(items))
    if len({span.key for span in spans}) != len(spans):
        raise InvalidPayload(f"{name} holds the same span twice")
    return spans


def _span(item: Any, name: str) -> Span:
    fields = read_object(item)
    start, end = read_count(fields, "start"), read_count(fields, "end")
    try:
        return Span(start, end, read_text(fields, "label"))
    except ValueError as error:
        raise InvalidPayload(f"{name}: {error}") from None
