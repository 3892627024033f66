"""Validate what a browser sends."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from core.store.db.errors import PayloadError
from core.text import Span, SpanKey, UnknownLabelError
from core.text.entity_link import link_from_json

MOST_SPANS = 20_000
LONGEST_USER = 100
_ACTION = re.compile(r"[a-z][a-z_-]{0,31}\Z")
_CLIENT_EDIT = re.compile(r"[A-Za-z0-9_.:-]{1,64}\Z")
_RUN_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,79}\Z")
STATUSES = ("new", "in_progress", "to_check", "done", "ignored")
IGNORED = "ignored"  # out of training, of the queue's next document, and of exports
LONGEST_REASON = 500  # characters, of why a document is ignored
SPLITS = ("train", "dev", "test", "none")
HELD_OUT = ("dev", "test")


def checked_spans(
    items: object, text: str, labels: Collection[str], field: str = "spans"
) -> tuple[Span, ...]:
    """``items`` (``Span`` objects, or mappings with ``start``, ``end``, ``label``
    and perhaps ``link``) as distinct spans.

    Raises:
        PayloadError: not a list, too long, or an item of wrong type, outside the text or repeated; names it.
        UnknownLabelError: a label that the project does not have.
    """
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise PayloadError("{field} must be a list, got {kind}", field=field, kind=type(items).__name__)
    checked: dict[SpanKey, Span] = {}
    for index, item in enumerate(items):
        if index >= MOST_SPANS:
            raise PayloadError(
                "{field} has more than {most} items; split the document", field=field, most=MOST_SPANS
            )
        span = _span(item, f"{field}[{index}]")
        if span.end > len(text):
            raise PayloadError(
                "{field}[{index}]: {start}-{end} ends after the text, which has {length} characters",
                field=field,
                index=index,
                start=span.start,
                end=span.end,
                length=len(text),
            )
        if span.key in checked:
            raise PayloadError(
                "{field}[{index}]: {label} {start}-{end} is listed twice",
                field=field,
                index=index,
                label=span.label,
                start=span.start,
                end=span.end,
            )
        if span.label not in labels:
            raise UnknownLabelError(span.label, labels)
        checked[span.key] = span
    return tuple(checked.values())


def checked_action(action: object) -> str:
    """Check that an action is a lower-case word such as ``accept``.

    Raises:
        PayloadError: anything else.
    """
    if not isinstance(action, str) or not _ACTION.match(action):
        raise PayloadError(
            "the edit has no known action ({action}); reload the page", action=repr(str(action)[:40])
        )
    return action


def checked_user(user: object) -> str:
    """Check a user name.

    Raises:
        PayloadError: it is empty, too long or not a string.
    """
    if not isinstance(user, str) or not user.strip() or len(user) > LONGEST_USER:
        raise PayloadError(
            "a person's name has 1 to {longest} characters; enter another", longest=LONGEST_USER
        )
    return user


def checked_client_edit(client_edit: object) -> str | None:
    """Check the client's id of an edit, or None.

    Raises:
        PayloadError: it is not 1 to 64 letters, digits or ``_.:-``.
    """
    if client_edit is None:
        return None
    if not isinstance(client_edit, str) or not _CLIENT_EDIT.match(client_edit):
        raise PayloadError(
            "the edit's number has 1 to 64 letters or digits, got {client_edit}; reload the page",
            client_edit=repr(str(client_edit)[:40]),
        )
    return client_edit


def checked_step(base_revision: object, status: object) -> str | None:
    """Check the base revision and the requested status of a save.

    Raises:
        PayloadError: the revision is not a number, or the status is unknown.
    """
    if isinstance(base_revision, bool) or not isinstance(base_revision, int):
        raise PayloadError(
            "the edit does not say on which version it was made ({base_revision}); reload the page",
            base_revision=repr(str(base_revision)[:40]),
        )
    return None if status is None else checked_choice(status, STATUSES, "status")


def checked_reason(reason: object) -> str | None:
    """Check why a document is ignored: a line of text, or None.

    Raises:
        PayloadError: it is too long, or no text.
    """
    if reason is None:
        return None
    if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
        raise PayloadError("a reason is a text of at most {longest} characters", longest=LONGEST_REASON)
    return " ".join(reason.split())


def checked_choice(value: object, choices: tuple[str, ...], field: str) -> str:
    """Check that ``value`` is one of ``choices``.

    Raises:
        PayloadError: it is not.
    """
    if not isinstance(value, str) or value not in choices:
        raise PayloadError(
            "{field} must be one of {choices}, got {value}",
            field=field,
            choices=choices,
            value=repr(str(value)[:40]),
        )
    return value


def _span(item: object, where: str) -> Span:
    if isinstance(item, Span):
        return item
    if not isinstance(item, Mapping):
        raise PayloadError(
            "{where} must have start, end and label, got {kind}", where=where, kind=type(item).__name__
        )
    start, end, label = item.get("start"), item.get("end"), item.get("label")
    for name, value in (("start", start), ("end", end)):
        # bool is a subclass of int.
        if isinstance(value, bool) or not isinstance(value, int):
            raise PayloadError(
                "{where}.{name} must be a whole number, got {value}",
                where=where,
                name=name,
                value=repr(str(value)[:40]),
            )
    if not isinstance(label, str):
        raise PayloadError("{where}.label must be text, got {kind}", where=where, kind=type(label).__name__)
    try:
        # Both offsets are ints, checked in the loop.
        return Span(start, end, label, link=link_from_json(item.get("link")))  # type: ignore[arg-type]
    except ValueError as error:
        raise PayloadError("{where}: {reason}", where=where, reason=error) from error


def can_be_a_folder(name: str) -> bool:
    """Whether a run's name, which may come from a restored backup, is a plain folder name."""
    return _RUN_NAME.match(name) is not None
