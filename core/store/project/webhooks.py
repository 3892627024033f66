"""Webhooks of a project: addresses that are told of events, and what came of each delivery.

An event is told at least once: deliveries are made from `event_log` and marked only after the answer, so a
killed app goes on where it was. Nothing is sent here; `app/services/webhooks.py` does that.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.store.db import audit
from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError
from core.store.db.payload import checked_choice, checked_user
from core.store.db.workspace import Workspace
from core.store.project import event_log, members
from core.store.project.event_log import LoggedEvent
from core.store.project.projects import checked_id, row_of

KINDS = ("document.done", "run.finished", "run.active")
LONGEST_URL = 500
MOST = 20  # of a project
KEPT = 200  # ended deliveries that the log of a webhook keeps
AT_ONCE = 50  # events that become deliveries in one transaction
# Seconds until each further attempt; after the last one the delivery has failed.
BACKOFF = (10, 60, 600, 3600, 6 * 3600)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook; ``created`` in UTC ms, ``user`` who made it. ``secret`` signs what is sent."""

    id: int
    project_id: int
    url: str
    kinds: tuple[str, ...]
    secret: str
    user: str
    created: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event on its way to a webhook.

    Args:
        attempts: made so far. due: when the next is made, UTC ms; None once it has ended.
        status: of the last answer, or None. error: why the last attempt failed, a code of the sender's.
        ended: when it was delivered or given up, UTC ms.
    """

    id: int
    webhook: int
    url: str
    event: LoggedEvent
    attempts: int
    due: int | None
    status: int | None
    error: str
    ended: int | None

    @property
    def delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


_DELIVERY = (
    "SELECT d.id, d.webhook, w.url, d.attempts, d.due, d.status, d.error, d.ended, e.id AS event, e.kind, "
    "e.at, e.user, e.document_id, e.annotator, e.revision, e.run, e.count FROM webhook_deliveries d "
    "JOIN webhooks w ON w.id = d.webhook JOIN event_log e ON e.id = d.event "
)


def make(
    workspace: Workspace, project_id: int, url: str, kinds: Collection[str] = KINDS, *, user: str
) -> Webhook:
    """Make a webhook for events from now on. Its address is checked when a delivery is sent, not here.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: no such project.
        PayloadError: no kind or an unknown one, no address, or too many webhooks.
    """
    url, user = _cleaned(url), checked_user(user)
    wanted = tuple(dict.fromkeys(checked_choice(kind, KINDS, "kind") for kind in kinds))
    if not wanted:
        raise PayloadError("a webhook is told of one event at least: {kinds}", kinds=KINDS)
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        held = db.execute("SELECT count(*) FROM webhooks WHERE project_id = ?", (project_id,)).fetchone()[0]
        if held >= MOST:
            raise PayloadError("a project has at most {most} webhooks; delete one first", most=MOST)
        made = db.execute(
            "INSERT INTO webhooks (project_id, url, kinds, secret, user, created, position) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (project_id, url, json.dumps(wanted), secrets.token_urlsafe(32), user, now(),
             event_log.latest_in(db, project_id)),
        )  # fmt: skip
        webhook = _get(db, project_id, int(made.lastrowid or 0))
        audit.record(
            db, "webhook.made", project_id, user=user, webhook=webhook.id, host=urlsplit(url).hostname
        )
        return webhook


def of(workspace: Workspace, project_id: int) -> list[Webhook]:
    """The project's webhooks, newest first.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            "SELECT * FROM webhooks WHERE project_id = ? ORDER BY id DESC", (project_id,)
        ).fetchall()
    return [_webhook(row) for row in rows]


def delete(workspace: Workspace, project_id: int, webhook_id: int, *, user: str) -> None:
    """Delete a webhook with its deliveries.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: the project has no such webhook.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        _get(db, project_id, checked_id(webhook_id))
        db.execute("DELETE FROM webhooks WHERE id = ?", (webhook_id,))
        audit.record(db, "webhook.deleted", project_id, user=user, webhook=webhook_id)


def deliveries(workspace: Workspace, project_id: int, limit: int = 50) -> list[Delivery]:
    """The project's latest deliveries, newest first."""
    with workspace.reading() as db:
        rows = db.execute(
            f"{_DELIVERY} WHERE w.project_id = ? ORDER BY d.id DESC LIMIT ?", (project_id, limit)
        ).fetchall()
    return [_delivery(row) for row in rows]


def due(workspace: Workspace, limit: int = 20) -> list[tuple[Webhook, Delivery]]:
    """Deliveries to attempt now, oldest first; events that happened since the last call become some.

    Writes only if there are any, as it is called every second.
    """
    with workspace.reading() as db:
        behind = db.execute(
            "SELECT 1 FROM webhooks w JOIN event_log e ON e.project_id = w.project_id AND e.id > w.position "
            "LIMIT 1"
        ).fetchone()
    if behind is not None:
        _take_in(workspace)
    with workspace.reading() as db:
        rows = db.execute(
            f"{_DELIVERY} JOIN projects p ON p.id = w.project_id "
            "WHERE d.due <= ? AND p.trashed IS NULL ORDER BY d.due, d.id LIMIT ?",
            (now(), limit),
        ).fetchall()
        hooks = {row["id"]: _webhook(row) for row in db.execute("SELECT * FROM webhooks").fetchall()}
    return [(hooks[row["webhook"]], _delivery(row)) for row in rows if row["webhook"] in hooks]


def record(workspace: Workspace, delivery: Delivery, status: int | None, error: str = "") -> None:
    """Record an attempt: delivered by a status of 200 to 299, else to be tried again or given up."""
    at, attempts = now(), delivery.attempts + 1
    delivered = status is not None and 200 <= status < 300
    later = None if delivered or attempts > len(BACKOFF) else at + 1000 * BACKOFF[attempts - 1]
    with workspace.writing() as db:
        db.execute(
            "UPDATE webhook_deliveries SET attempts = ?, due = ?, status = ?, error = ?, ended = ? "
            "WHERE id = ?",
            (attempts, later, status, error[:200], at if later is None else None, delivery.id),
        )
        db.execute(
            "DELETE FROM webhook_deliveries WHERE webhook = ? AND ended IS NOT NULL AND id <= "
            "(SELECT id FROM webhook_deliveries WHERE webhook = ? AND ended IS NOT NULL "
            "ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (delivery.webhook, delivery.webhook, KEPT),
        )


def _take_in(workspace: Workspace) -> None:
    """Make deliveries of the events that happened since, webhook by webhook."""
    with workspace.writing() as db:
        at = now()
        for row in db.execute("SELECT * FROM webhooks").fetchall():
            wanted = load_json(row["kinds"])
            events = db.execute(
                "SELECT id, kind FROM event_log WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?",
                (row["project_id"], row["position"], AT_ONCE),
            ).fetchall()
            if not events:
                continue
            db.executemany(
                "INSERT INTO webhook_deliveries (webhook, event, due) VALUES (?, ?, ?)",
                [(row["id"], event["id"], at) for event in events if event["kind"] in wanted],
            )
            db.execute("UPDATE webhooks SET position = ? WHERE id = ?", (events[-1]["id"], row["id"]))


def _get(db: sqlite3.Connection, project_id: int, webhook_id: int) -> Webhook:
    row = db.execute(
        "SELECT * FROM webhooks WHERE id = ? AND project_id = ?", (webhook_id, project_id)
    ).fetchone()
    if row is None:
        raise NotFound("webhook", webhook_id)
    return _webhook(row)


def _webhook(row: sqlite3.Row) -> Webhook:
    return Webhook(
        row["id"], row["project_id"], row["url"], tuple(load_json(row["kinds"])), row["secret"], row["user"],
        row["created"],
    )  # fmt: skip


def _delivery(row: sqlite3.Row) -> Delivery:
    event = LoggedEvent(
        row["event"], row["kind"], row["at"], row["user"], row["document_id"], row["annotator"],
        row["revision"], row["run"], row["count"],
    )  # fmt: skip
    return Delivery(
        row["id"], row["webhook"], row["url"], event, row["attempts"], row["due"], row["status"],
        row["error"], row["ended"],
    )  # fmt: skip


def _cleaned(url: object) -> str:
    cleaned = url.strip() if isinstance(url, str) else ""
    if not cleaned or len(cleaned) > LONGEST_URL or not cleaned.isprintable() or " " in cleaned:
        raise PayloadError("an address has 1 to {longest} characters without blanks", longest=LONGEST_URL)
    return cleaned
