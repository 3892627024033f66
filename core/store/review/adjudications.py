"""Adjudication: merge annotators' versions into the gold annotation, one event per document."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.annotation import annotations as store_annotations
from core.store.annotation.events import at_revision, events_of
from core.store.db.clock import now
from core.store.db.errors import NotFound, PeopleError
from core.store.db.payload import checked_choice
from core.store.db.workspace import Workspace
from core.store.document.documents import document_row
from core.store.project import journal, members
from core.store.project.journal import Step
from core.store.project.projects import row_of
from core.store.review import decisions
from core.store.review.opinions import reviewed_row
from core.store.review.versions import versions_of
from core.text import SpanKey

KIND = "adjudicate"  # of a step of the journal
EXCERPT = 120
DOCUMENTS_AT_ONCE = 50  # per transaction of an undo
WAITING = ("ready", "changed", "unfinished", "reviewed")

# Progress of a document's versions, and whether one was saved since its last adjudication. Who ignores a
# document has no say on it.
_PROGRESS = """
    SELECT d.id, d.name, substr(d.text, 1, :excerpt) AS excerpt,
           sum(c.status IS NOT 'ignored') AS handed,
           coalesce(sum(c.status = 'done'), 0) AS done,
           count(DISTINCT CASE WHEN c.status = 'done' THEN (SELECT coalesce(group_concat(place), '') FROM (
               SELECT DISTINCT s.start || '-' || s."end" || ' ' || l.reads_as || coalesce(s.link, '') AS place
               FROM spans s
               JOIN labels l ON l.id = s.label AND l.reads_as IS NOT NULL
               WHERE s.document_id = d.id AND s.annotator = c.annotator ORDER BY 1)) END) AS readings,
           r.id AS review, coalesce(sum(c.status = 'done' AND r.id IS NOT NULL AND NOT EXISTS
               (SELECT 1 FROM json_each(r.seen) s WHERE s.key = c.annotator AND s.value = c.revision)), 0)
               AS unseen
    FROM documents d JOIN assignments a ON a.document_id = d.id
    LEFT JOIN versions c ON c.document_id = a.document_id AND c.annotator = a.user
    LEFT JOIN adjudications r ON r.id =
        (SELECT max(x.id) FROM adjudications x WHERE x.document_id = d.id AND x.undone IS NULL)
    WHERE d.project_id = :project AND d.trashed IS NULL AND d.status <> 'ignored'
    GROUP BY d.id HAVING handed"""
_STATE = """
    SELECT *, CASE WHEN review IS NULL THEN CASE WHEN done = handed THEN 'ready' ELSE 'unfinished' END
                   WHEN unseen THEN 'changed' ELSE 'reviewed' END AS state"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One document of the review list: numbers of annotators and of finished versions, and whether these
    agree.

    ``state``: ready (all are done), changed (somebody saved after adjudication), unfinished, reviewed.
    """

    document_id: int
    name: str
    excerpt: str
    handed: int
    done: int
    is_unanimous: bool
    state: str


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """Some rows of the review list; ``counts`` by state for the whole project."""

    rows: tuple[Waiting, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Undone:
    """Number of documents reverted, and of those left alone as they were annotated since."""

    undone: int
    kept: int


def waiting(
    workspace: Workspace, project_id: int, *, by: str, state: str = "ready", offset: int = 0, limit: int = 50
) -> WaitingPage:
    """The assigned documents in this state.

    Raises:
        NotAllowed: ``by`` may not review. PayloadError: no such state.
    """
    checked_choice(state, WAITING, "state")
    values = {"project": project_id, "excerpt": EXCERPT, "state": state, "limit": limit, "offset": offset}
    with workspace.reading() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, by, "review")
        counts = dict.fromkeys(WAITING, 0)
        grouped = f"SELECT state, count(*) FROM ({_STATE} FROM ({_PROGRESS})) GROUP BY state"  # noqa: S608
        counts |= dict(tuple(row) for row in db.execute(grouped, values))
        listed = f"SELECT * FROM ({_STATE} FROM ({_PROGRESS})) WHERE state = :state"  # noqa: S608
        rows = db.execute(f"{listed} ORDER BY id LIMIT :limit OFFSET :offset", values)
        return WaitingPage(tuple(_row(row) for row in rows), counts)


def finish(
    workspace: Workspace,
    document_id: int,
    spans: Iterable[object],
    *,
    by: str,
    strategy: str,
    seen: Mapping[str, int],
    resolved: Mapping[SpanKey, bool] | None = None,
    batch: int | None = None,
    base_revision: int | None = None,
) -> int:
    """Make ``spans`` the gold annotation with one ``review`` event, mark it done, and record its corrections.

    Args:
        strategy: the merge strategy for spans without a decision, such as ``majority``.
        seen: revision of every version the reviewer saw, by person.
        resolved: the strategy's verdicts on spans without a decision, stored so that they are not open again.
        batch: the step of the journal of a review of many documents; None: a new one.
        base_revision: of the gold annotation the reviewer saw; None: overwrite any.

    Returns:
        The batch, for ``journal.undo``.

    Raises:
        NotAllowed: ``by`` may not review. PeopleError: a version was saved since ``seen``, or there is none.
        StaleRevision: the gold annotation was saved since ``base_revision``.
        PayloadError, UnknownLabelError, NotFound: as ``annotations.save``; nothing was written.
    """
    with workspace.writing() as db:
        row = reviewed_row(db, document_id, by)
        _check_seen(db, row, seen)
        run = db.execute(
            "SELECT p.run FROM predictions p JOIN projects j ON j.active_run = p.run "
            "WHERE j.id = ? AND p.document_id = ?",
            (row["project_id"], document_id),
        ).fetchone()
        gold = store_annotations.current_for_update(workspace, document_id)
        base = row["revision"] if base_revision is None else base_revision
        saved = store_annotations.save(
            workspace, document_id, base, spans, gold.rejected,
            user=by, action="review", run=run["run"] if run else None, status="done",
        )  # fmt: skip
        number = _batch(db, row["project_id"], by) if batch is None else batch
        ids = decisions.resolve(db, row, dict(resolved or {}), strategy, by)
        db.execute(
            "INSERT INTO adjudications (document_id, batch, user, at, strategy, before, after, status, seen, "
            "resolved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (document_id, number, by, now(), strategy, row["revision"], saved.revision, row["status"],
             json.dumps(dict(seen), ensure_ascii=False), json.dumps(ids)),
        )  # fmt: skip
        return number


def unanimous(workspace: Workspace, project_id: int, *, by: str, limit: int | None = None) -> list[Waiting]:
    """Documents with identical finished versions, not adjudicated and without a reviewer's decision.

    Raises:
        NotAllowed: ``by`` may not review.
    """
    values = {"project": project_id, "excerpt": EXCERPT, "limit": -1 if limit is None else limit}
    with workspace.reading() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, by, "review")
        rows = db.execute(
            f"SELECT * FROM ({_STATE} FROM ({_PROGRESS})) w WHERE state = 'ready' AND readings = 1 "  # noqa: S608
            "AND NOT EXISTS (SELECT 1 FROM decisions x WHERE x.document_id = w.id AND x.undone IS NULL) "
            "AND NOT EXISTS (SELECT 1 FROM link_choices x WHERE x.document_id = w.id AND x.undone IS NULL) "
            "ORDER BY id LIMIT :limit",
            values,
        )
        return [_row(row) for row in rows]


def merge_unanimous(
    workspace: Workspace, project_id: int, *, by: str, batch: int | None = None, limit: int = 200
) -> tuple[int | None, int]:
    """Adjudicate up to ``limit`` of the ``unanimous`` documents; call it until none is merged.

    One transaction per document.

    Args:
        batch: returned by the previous call.

    Returns:
        The batch (None: nothing to merge), and the number of merged documents.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: ``batch`` is not a review of theirs, or undone.
    """
    merged = 0
    ready = unanimous(workspace, project_id, by=by, limit=limit)
    if batch is not None:
        with workspace.reading() as db:
            step = journal.read(db, project_id, batch, [KIND])
            if step.user != by or step.undone is not None:
                raise NotFound("change", batch)
    for document in ready:
        with workspace.writing() as db:
            current = versions_of(db, document_row(db, document.document_id))
            if len({version.spans for version in current}) != 1:
                continue  # somebody has just saved
            seen = {version.user: version.revision for version in current}
            spans = current[0].spans
            batch = finish(
                workspace, document.document_id, spans, by=by, strategy="unanimous", seen=seen, batch=batch
            )
            merged += 1
    return batch, merged


def _batch(db: sqlite3.Connection, project_id: int, by: str) -> int:
    return journal.record(db, project_id, KIND, by, {}).id


def last_batch(workspace: Workspace, project_id: int, *, by: str) -> tuple[int, int] | None:
    """The user's last batch that is not undone, and its number of documents; or None."""
    step = journal.latest(workspace, project_id, [KIND], by)
    if step is None:
        return None
    with workspace.reading() as db:
        held = db.execute("SELECT count(*) FROM adjudications WHERE batch = ? AND undone IS NULL", (step.id,))
        return step.id, int(held.fetchone()[0])


@journal.undoes(KIND)
def _undo(workspace: Workspace, step: Step, user: str, progress: journal.Progress | None) -> Undone:
    """Undo the user's own batch, including the strategy's verdicts; the reviewer's decisions stay.

    Documents whose gold annotation was changed since are left alone and counted. Takes several transactions,
    so that saves are not blocked; if interrupted, call it again.

    Raises:
        NotAllowed: ``user`` may not review. PeopleError: it is somebody else's.
    """
    members.check(workspace, step.project_id, user, "review")
    if step.user != user:
        raise PeopleError("There is nothing left to undo.")
    undone = kept = after = 0
    while True:
        with workspace.writing() as db:
            rows = db.execute(
                "SELECT r.*, d.revision AS stands FROM adjudications r "
                "JOIN documents d ON d.id = r.document_id "
                "WHERE r.batch = ? AND r.undone IS NULL AND d.trashed IS NULL AND r.id > ? "
                "ORDER BY r.id LIMIT ?",
                (step.id, after, DOCUMENTS_AT_ONCE),
            ).fetchall()
            undone += sum(_undo_one(workspace, db, row, user) for row in rows)
            kept += _kept(rows)
            if len(rows) < DOCUMENTS_AT_ONCE:
                journal.close(db, step)
                return Undone(undone, kept)
        after = rows[-1]["id"]


def _undo_one(workspace: Workspace, db: sqlite3.Connection, row: sqlite3.Row, by: str) -> bool:
    if row["stands"] != row["after"]:
        return False
    document_id = row["document_id"]
    spans, rejected = at_revision(events_of(db, document_row(db, document_id)), row["before"])
    store_annotations.save(
        workspace, document_id, row["after"], spans, rejected, user=by, action="undo", status=row["status"]
    )
    at = now()
    db.execute("UPDATE adjudications SET undone = ? WHERE id = ?", (at, row["id"]))
    db.execute(
        "UPDATE decisions SET undone = ? WHERE undone IS NULL AND id IN (SELECT value FROM json_each(?))",
        (at, row["resolved"]),
    )
    return True


def _kept(rows: list[sqlite3.Row]) -> int:
    return sum(row["stands"] != row["after"] for row in rows)


def _check_seen(db: sqlite3.Connection, document: sqlite3.Row, seen: Mapping[str, int]) -> None:
    stand = {version.user: version.revision for version in versions_of(db, document, finished_only=False)}
    if not seen:
        raise PeopleError(
            "Nobody has finished document {document}. There is nothing to review yet.",
            document=document["id"],
        )
    changed = [user for user, revision in seen.items() if stand.get(user) != revision]
    if changed:
        raise PeopleError(
            "{users} changed their annotation while you were reviewing. Nothing was saved: "
            "check the new differences.",
            users=sorted(changed),
        )


def _row(row: sqlite3.Row) -> Waiting:
    return Waiting(
        row["id"], row["name"], row["excerpt"], row["handed"], row["done"], row["readings"] == 1, row["state"]
    )
