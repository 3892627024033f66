"""The history of one span: created, moved, relabelled, linked, commented on and adjudicated.

Read from the events: a removed span and an added one of the same event are the same span relabelled (same
offsets), with another boundary (same label, overlapping) or with another link (same offsets and label).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.store.annotation import working
from core.store.annotation.annotations import since_import
from core.store.annotation.comments import may_read
from core.store.annotation.events import Event
from core.store.db.payload import checked_spans
from core.store.db.span_json import load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD, document_row
from core.store.label.ids import label_ids, read_names
from core.store.lexicon.word_sources import WordSource, of_label, of_word
from core.store.review import link_choices
from core.store.suggest.distant import ACTION as DISTANT
from core.text import Span

Kind = Literal[
    "imported", "distant", "suggested", "listed", "created", "accepted", "moved", "relabelled", "linked",
    "removed", "brought_back", "commented", "reviewed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One step in the history of a span.

    Args:
        at: UTC ms; 0 if unknown. span: afterwards (with its link if ``linked``), or the one that was removed.
        before: the span before it was moved, relabelled or linked. revision: of the event, or None.
        run: whose prediction was shown. said: that run's span there, or None.
        text: of a comment. verdict, category: of a decision. source: of a distant label.
    """

    kind: Kind
    at: int
    user: str
    span: Span
    before: Span | None = None
    revision: int | None = None
    run: str | None = None
    said: Span | None = None
    text: str = ""
    source: WordSource | None = None


def history(workspace: Workspace, document_id: int, span: object, *, user: str) -> list[Step]:
    """The history of a span in the annotation that ``user`` works on, oldest first.

    Args:
        span: a ``Span``, or a mapping with ``start``, ``end`` and ``label``; it may have been removed.

    Raises:
        PayloadError, UnknownLabelError: invalid span. NotAllowed: the user may not see the document.
        NotFound: no such document.
    """
    annotator = working.annotator(workspace, document_id, user)
    with workspace.reading() as db:
        row = document_row(db, document_id)
        (asked,) = checked_spans([span], row["text"], label_ids(db, row["project_id"]).listed, "span")
        events = since_import(db, row, annotator)
        steps = list(_steps(events, Span(*asked.key)))
        places = {(step.span.start, step.span.end) for step in steps} | {(asked.start, asked.end)}
        told = [_with_prediction(db, row, step) for step in steps]
        told = _with_dictionary(db, row, told, Span(*asked.key))
        remarks = [] if annotator != GOLD else list(_adjudications(db, row, places))
        remarks += _comments(db, row, places, user)
    return sorted([*told, *remarks], key=lambda step: step.at)


def _steps(events: Sequence[Event], asked: Span) -> Iterator[Step]:
    """The events of the span, latest first."""
    steps: list[Step] = []
    current = asked
    for event in reversed(events):
        added = next((x for x in event.added if x.key == current.key), None)
        removed = next((x for x in event.removed if x.key == current.key), None)
        if added is not None:
            before = _ancestor(current, event)
            steps.append(_step_from(event, added, before))
            current = Span(*before.key) if before else current
        elif removed is not None:
            steps.append(Step("removed", event.at, event.user, current, None, event.revision, event.run))
    # A span restored by undo, redo or revert is no new span.
    stood = False
    for step in reversed(steps):
        if step.kind == "removed":
            stood = True
        elif stood and step.before is None:
            step = Step("brought_back", step.at, step.user, step.span, None, step.revision, step.run)
            stood = False
        yield step


def _step_from(event: Event, span: Span, before: Span | None) -> Step:
    kind: Kind
    if event.action in ("import", DISTANT):
        kind = "imported" if event.action == "import" else "distant"
    elif before is None:
        kind = "accepted" if event.action in ("accept", "accept_all") else "created"
    else:
        kind = "relabelled" if before.label != span.label else "moved"
        if before.key == span.key:
            return Step("linked", event.at, event.user, span, before, event.revision, event.run)
        before = Span(*before.key)
    return Step(kind, event.at, event.user, Span(*span.key), before, event.revision, event.run)


def _ancestor(span: Span, event: Event) -> Span | None:
    """The removed span of the same event that this one replaced."""
    gone = event.removed
    same_place = [x for x in gone if (x.start, x.end) == (span.start, span.end)]
    same_place.sort(key=lambda x: x.label != span.label)
    if same_place:
        return same_place[0]
    moved = [x for x in gone if x.label == span.label and x.overlaps(span)]
    return max(moved, key=lambda x: min(x.end, span.end) - max(x.start, span.start), default=None)


def _with_prediction(db: sqlite3.Connection, document: sqlite3.Row, step: Step) -> Step:
    if step.run is None:
        return step
    row = db.execute(
        "SELECT spans FROM predictions WHERE run = ? AND document_id = ?", (step.run, document["id"])
    ).fetchone()
    predicted = load_spans(row["spans"], read_names(db, document["project_id"])) if row else ()
    place = step.before or step.span
    over = [x for x in predicted if x.overlaps(place)]
    said = max(over, key=lambda x: _likeness(x, step.span, place), default=None)
    return Step(step.kind, step.at, step.user, step.span, step.before, step.revision, step.run, said)


def _with_dictionary(
    db: sqlite3.Connection, document: sqlite3.Row, steps: list[Step], asked: Span
) -> list[Step]:
    """Add the batch of distant labels with this span, or else the word's entry on the list."""
    steps_made = []
    for step in steps:
        sources = of_label(db, document["id"], step.span) if step.kind == "distant" else []
        saved = (source for source in sources if not source.is_suggested)
        steps_made.append(replace(step, source=next(saved, None)))
    for span in dict.fromkeys([asked, *(Span(*step.span.key) for step in steps)]):
        for source in of_label(db, document["id"], span):
            if source.is_suggested:
                steps_made.append(Step("suggested", source.at, source.user, span, source=source))
    if not steps_made:
        word = document["text"][asked.start : asked.end]
        listed = of_word(db, document["project_id"], word, asked.label)
        if listed is not None:
            steps_made.append(Step("listed", listed.at, listed.user, asked, source=listed))
    return steps_made


def _likeness(predicted: Span, now: Span, before: Span) -> tuple[bool, bool, int]:
    """Similarity of a predicted span to that of a step: equal, same label, overlap."""
    shared = min(predicted.end, before.end) - max(predicted.start, before.start)
    return predicted.key == now.key, predicted.label == before.label, shared


def _adjudications(
    db: sqlite3.Connection, document: sqlite3.Row, places: set[tuple[int, int]]
) -> Iterator[Step]:
    names = read_names(db, document["project_id"])
    rows = db.execute(
        "SELECT * FROM decisions WHERE document_id = ? AND undone IS NULL ORDER BY id", (document["id"],)
    )
    for row in rows:
        label = names[row["label"]]
        if label is not None and (row["start"], row["end"]) in places:
            text = " ".join(
                part for part in (row["verdict"], row["category"].lstrip(":"), row["note"]) if part
            )
            span = Span(row["start"], row["end"], label)
            yield Step("reviewed", row["at"], row["user"], span, text=text)
    for choice in link_choices.current_of(db, document).values():
        if (choice.span.start, choice.span.end) in places:
            yield Step("linked", choice.at, choice.user, choice.span)


def _comments(
    db: sqlite3.Connection, document: sqlite3.Row, places: set[tuple[int, int]], reader: str
) -> Iterator[Step]:
    rows = db.execute(
        "SELECT * FROM comments WHERE document_id = ? AND trashed IS NULL AND start IS NOT NULL ORDER BY id",
        (document["id"],),
    ).fetchall()
    names = read_names(db, document["project_id"])
    for row in rows:
        if (row["start"], row["end"]) in places and may_read(db, document["project_id"], reader, row["user"]):
            span = Span(row["start"], row["end"], names.get(row["label"]) or "-")
            yield Step("commented", row["at"], row["user"], span, text=row["text"])
