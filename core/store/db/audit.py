"""The audit log: who signed in, imported, exported, trained, promoted, changed roles, deleted, restored.

Rows are only ever added: triggers refuse UPDATE and DELETE, and a restored backup brings its rows to those
that are here. The store writes a row in the transaction of the action, so no door to it (page, API, command
line) can leave it out. A row names ids, counts and names of runs, roles and formats; it never holds texts of
documents, passwords or tokens.

`project.event_log` is another thing: what happened to documents, for programs that follow a project; it goes
with the project, and has every save.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_choice
from core.store.db.workspace import Workspace

Kind = Literal[
    "signed_in", "sign_in.failed", "signed_out", "session.ended", "password.changed", "password.reset",
    "project.created", "project.trashed", "project.restored", "project.deleted",
    "documents.imported", "documents.exported", "documents.trashed", "documents.restored",
    "documents.deleted",
    "run.started", "run.registered", "run.active", "run.exported", "dataset.pushed",
    "member.role", "member.removed",
    "token.made", "token.revoked", "token.deleted", "webhook.made", "webhook.deleted",
    "backup.made", "backup.restored", "workspace.repaired",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
Via = Literal["page", "api", "command", "program"]
MOST = 10_000  # entries read at once
LONGEST = 200  # characters of a name in the detail
Detail = Mapping[str, "str | int | None"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row.

    Args:
        at: UTC ms. user: empty for what the app did by itself, and for a failed sign-in with an unknown name.
        via: the door: a page, the API, the command line, or a program (the app itself, a script).
        project_id: None for what concerns the whole workspace. The project may be gone.
    """

    id: int
    at: int
    kind: str
    user: str
    via: str
    project_id: int | None
    detail: Detail


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries to read.

    Args:
        kinds: empty for all. user: None for everybody. since, until: UTC ms, ``until`` exclusive.
    """

    kinds: Collection[str] = ()
    user: str | None = None
    since: int | None = None
    until: int | None = None


_actor: ContextVar[tuple[str, Via]] = ContextVar("actor", default=("", "program"))


@contextmanager
def acting(user: str, via: Via) -> Iterator[None]:
    """What is recorded inside the block was done by ``user``; each door of the store opens one."""
    token = _actor.set((user, via))
    try:
        yield
    finally:
        _actor.reset(token)


def actor() -> str:
    """Who is `acting`; empty for the app itself."""
    return _actor.get()[0]


def record(
    db: sqlite3.Connection,
    kind: Kind,
    project_id: int | None = None,
    *,
    user: str = "",
    **detail: str | int | None,
) -> None:
    """Add an entry in the open write transaction of the action.

    Args:
        user: who did it where nobody is `acting`. detail: names and numbers, never texts.
    """
    actor, via = _actor.get()
    told = {
        name: value[:LONGEST] if isinstance(value, str) else value
        for name, value in detail.items()
        if value is not None
    }
    db.execute(
        "INSERT INTO audit (at, kind, user, via, project_id, detail) VALUES (?, ?, ?, ?, ?, ?)",
        (now(), kind, actor or user, via, project_id, json.dumps(told, ensure_ascii=False)),
    )


def note(
    workspace: Workspace,
    kind: Kind,
    project_id: int | None = None,
    *,
    user: str = "",
    **detail: str | int | None,
) -> None:
    """``record`` what writes nothing else, such as an export."""
    with workspace.writing() as db:
        record(db, kind, project_id, user=user, **detail)


def entries(
    workspace: Workspace, project_id: int | None = None, wanted: Wanted = Wanted(), *, limit: int = MOST
) -> list[Entry]:
    """The latest entries, newest first.

    Args:
        project_id: only this project's; None for the whole workspace.

    Raises:
        PayloadError: an unknown kind, or a limit out of range.
    """
    for kind in wanted.kinds:
        checked_choice(kind, KINDS, "kind")
    if not 1 <= limit <= MOST:
        raise PayloadError("1 to {most} entries are read at once, got {limit}", most=MOST, limit=limit)
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id, at, kind, user, via, project_id, detail FROM audit WHERE (:project IS NULL OR "
            "project_id = :project) AND (:user IS NULL OR user = :user) AND at >= :since AND at < :until "
            "AND (:any OR kind IN (SELECT value FROM json_each(:kinds))) ORDER BY at DESC, id DESC LIMIT :n",
            {
                "project": project_id, "user": wanted.user, "since": wanted.since or 0,
                "until": 1 << 62 if wanted.until is None else wanted.until,
                "any": not wanted.kinds, "kinds": json.dumps(list(wanted.kinds)), "n": limit,
            },
        ).fetchall()  # fmt: skip
        return [_entry(row) for row in rows]


def people(workspace: Workspace, project_id: int | None = None) -> list[str]:
    """Everybody who did something that is in the log, by name."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT DISTINCT user FROM audit WHERE user <> '' AND (? IS NULL OR project_id = ?) ORDER BY 1",
            (project_id, project_id),
        )
        return [str(user) for (user,) in rows]


def since(workspace: Workspace, after: int, limit: int = MOST) -> list[Entry]:
    """The entries added after number ``after``, oldest first."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id, at, kind, user, via, project_id, detail FROM audit WHERE id > ? ORDER BY id LIMIT ?",
            (after, limit),
        ).fetchall()
        return [_entry(row) for row in rows]


def last(workspace: Workspace) -> int:
    """The number of the latest entry; 0 before the first."""
    with workspace.reading() as db:
        return int(db.execute("SELECT coalesce(max(id), 0) FROM audit").fetchone()[0])


def as_json(entry: Entry) -> dict[str, Any]:
    """An entry as one line of the export, which `json.dumps` writes."""
    return {**asdict(entry), "detail": dict(entry.detail)}


def add_missing(present: sqlite3.Connection, restored: sqlite3.Connection) -> None:
    """Add to a restored copy the entries it lacks: a restore takes nothing out of the log."""
    columns = "at, kind, user, via, project_id, detail"
    known = {tuple(row) for row in restored.execute(f"SELECT {columns} FROM audit")}  # noqa: S608 - constant
    rows = [tuple(row) for row in present.execute(f"SELECT {columns} FROM audit ORDER BY id")]  # noqa: S608
    restored.executemany(
        f"INSERT INTO audit ({columns}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
        [row for row in rows if row not in known],
    )


def _entry(row: sqlite3.Row) -> Entry:
    id_, at, kind, user, via, project_id, detail = row
    return Entry(id_, at, kind, user, via, project_id, load_json(detail))
