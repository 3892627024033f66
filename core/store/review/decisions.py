"""Reviewers' decisions on single spans; kept through later annotation."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.store.db.errors import PayloadError
from core.store.db.payload import checked_spans
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.project import members
from core.store.project import settings as project_settings
from core.store.review import opinions
from core.text import Span, SpanKey

Verdict = Literal["accepted", "refused"]
LONGEST_NOTE = 2_000
LONGEST_CATEGORY = 60
MOST_CATEGORIES = 30
# The page translates these; categories added by people are shown as written.
CATEGORIES = ("boundary", "type", "missed", "spurious", "guideline_unclear")
BY_STRATEGY = ":"  # prefix of a merge strategy in place of a category
_SETTING = "error_categories"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on ``span``, its user and time (UTC ms). ``category``: why it was refused, or ``:`` and the
    merge strategy that decided."""

    span: Span
    verdict: Verdict
    category: str
    note: str
    user: str
    at: int


def current(workspace: Workspace, document_id: int, *, by: str) -> tuple[Decision, ...]:
    """The current decisions on a document, the last one per span, in reading order.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.reading() as db:
        return current_of(db, opinions.reviewed_row(db, document_id, by))


def decide(
    workspace: Workspace,
    document_id: int,
    accepted: Iterable[object],
    refused: Iterable[object] = (),
    *,
    by: str,
    category: str = "",
    note: str = "",
) -> tuple[Decision, ...]:
    """Record decisions on spans, in one transaction.

    Args:
        accepted, refused: ``Span`` objects or mappings, as ``annotations.save`` takes them.
        category, note: why the refused ones were refused.

    Raises:
        NotAllowed: ``by`` may not review. PayloadError, UnknownLabelError: invalid span.
    """
    category, note = _text(category, LONGEST_CATEGORY, "category"), _text(note, LONGEST_NOTE, "note")
    if category.startswith(BY_STRATEGY):
        raise PayloadError("a category may not begin with {prefix}", prefix=repr(BY_STRATEGY))
    with workspace.writing() as db:
        row = opinions.reviewed_row(db, document_id, by)
        listed = label_ids(db, row["project_id"]).listed
        taken = checked_spans(accepted, row["text"], listed, "accepted")
        left = checked_spans(refused, row["text"], listed, "refused")
        if {span.key for span in taken} & {span.key for span in left}:
            raise PayloadError("a span cannot be both accepted and rejected")
        _insert(db, row, taken, by, "accepted")
        _insert(db, row, left, by, "refused", category, note)
        return current_of(db, row)


def withdraw(
    workspace: Workspace, document_id: int, keys: Sequence[SpanKey], *, by: str
) -> tuple[Decision, ...]:
    """Undo all decisions on these spans.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.writing() as db:
        row = opinions.reviewed_row(db, document_id, by)
        opinions.withdraw(db, "decisions", row, keys)
        return current_of(db, row)


def categories(workspace: Workspace, project_id: int) -> tuple[str, ...]:
    """The project's error categories.

    Raises:
        NotFound: no such project.
    """
    kept = project_settings.read(workspace, project_id, _SETTING, list(CATEGORIES))
    return tuple(str(name) for name in kept) if isinstance(kept, list) else CATEGORIES


def set_categories(
    workspace: Workspace, project_id: int, names: Iterable[str], *, by: str
) -> tuple[str, ...]:
    """Replace the error categories; existing decisions keep theirs. An empty list restores the defaults.

    Raises:
        NotAllowed: ``by`` is no manager. PayloadError: too many, too long, or beginning with a colon.
    """
    cleaned = list(dict.fromkeys(name for name in (" ".join(str(raw).split()) for raw in names) if name))
    if len(cleaned) > MOST_CATEGORIES:
        raise PayloadError(
            "at most {most} error categories, got {given}", most=MOST_CATEGORIES, given=len(cleaned)
        )
    for name in cleaned:
        _text(name, LONGEST_CATEGORY, "category")
        if name.startswith(BY_STRATEGY):
            raise PayloadError(
                "a category may not begin with {prefix}, got {name}",
                prefix=repr(BY_STRATEGY),
                name=repr(name),
            )
    with workspace.writing() as db:
        members.check_in(db, project_id, by, "manage")
        project_settings.write(workspace, project_id, _SETTING, cleaned or None)
    return tuple(cleaned) or CATEGORIES


def current_of(db: sqlite3.Connection, document: sqlite3.Row) -> tuple[Decision, ...]:
    """``current`` from the document's row, through an open connection."""
    rows = opinions.last(db, "decisions", "verdict, category, note, user, at", document)
    made = [Decision(Span(*key), *said) for key, said in rows.items()]
    return tuple(sorted(made, key=lambda d: (d.span.start, -d.span.end, d.span.label)))


def resolve(
    db: sqlite3.Connection, document: sqlite3.Row, verdicts: dict[SpanKey, bool], strategy: str, by: str
) -> list[int]:
    """Record a strategy's verdicts in an open transaction; returns their ids."""
    ids = []
    for verdict, is_accepted in (("accepted", True), ("refused", False)):
        spans = [Span(*key) for key, value in sorted(verdicts.items()) if value == is_accepted]
        ids += _insert(db, document, spans, by, verdict, BY_STRATEGY + strategy)
    return ids


def _insert(
    db: sqlite3.Connection,
    document: sqlite3.Row,
    spans: Iterable[Span],
    by: str,
    verdict: str,
    category: str = "",
    note: str = "",
) -> list[int]:
    values = {"verdict": verdict, "category": category, "note": note}
    return opinions.insert(db, "decisions", document, spans, by, lambda _span: values)


def _text(value: object, longest: int, field: str) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise PayloadError(
            "{field} must be a text of at most {longest} characters", field=field, longest=longest
        )
    return value.strip()
