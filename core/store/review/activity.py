"""What people did in a project, read from the events: who saved when, and what they labelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.store.db.span_json import load_spans
from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id, row_of
from core.text import Span

Array = np.ndarray[Any, Any]
# What a program did when documents came in; everything else is a person at work.
AUTOMATIC = "('import', 'status', 'distant', 'undo_distant')"


@dataclass(frozen=True, slots=True)
class Saves:
    """Every save by a person, in the agreed annotation and in copies, by person and then by time.

    Args:
        user: ``[N]``, place in ``users``. at: ``[N]``, UTC ms. document: ``[N]``, the store's number.
        added, removed: ``[N]``, how many spans. finished: ``[N]``, whether it made the document done.
    """

    users: tuple[str, ...]
    user: Array
    at: Array
    document: Array
    added: Array
    removed: Array
    finished: Array


@dataclass(frozen=True, slots=True)
class FinishedVersions:
    """A document and what everybody who is done with it made of it; ``at``: when the last was (UTC ms)."""

    document_id: int
    name: str
    length: int
    versions: Mapping[str, tuple[Span, ...]]
    at: int


def stamp(workspace: Workspace, project_id: int) -> tuple[object, ...]:
    """Changes whenever something here would; cheap.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        saved = db.execute("SELECT last_saved FROM projects WHERE id = ?", (project_id,)).fetchone()
        counts = db.execute(
            "SELECT count(*), sum(status = 'done'), sum(status = 'in_progress') FROM documents "
            "WHERE project_id = ? AND trashed IS NULL",
            (project_id,),
        ).fetchone()
        changes = db.execute(
            "SELECT count(*), count(undone) FROM label_changes WHERE project_id = ?", (project_id,)
        ).fetchone()
        finished = db.execute(
            "SELECT count(*), max(finished) FROM runs WHERE project_id = ?", (project_id,)
        ).fetchone()
        members = db.execute("SELECT count(*) FROM members WHERE project_id = ?", (project_id,)).fetchone()
        labels = db.execute(
            "SELECT group_concat(name || colour, char(10)) FROM labels WHERE project_id = ?", (project_id,)
        ).fetchone()
    return (project_id, *saved, *counts, *changes, *finished, *members, *labels)


def saves(workspace: Workspace, project_id: int) -> Saves:
    """All saves by people in documents outside the trash."""
    sql = " UNION ALL ".join(
        "SELECT user, at, document_id, json_array_length(added), json_array_length(removed), finished FROM ("  # noqa: S608 - constants
        "SELECT e.*, e.status = 'done' AND coalesce(lag(e.status) OVER "
        f"(PARTITION BY e.document_id{whose} ORDER BY e.revision), 'new') <> 'done' AS finished "
        f"FROM {table} e JOIN documents d ON d.id = e.document_id "
        "WHERE d.project_id = :project AND d.trashed IS NULL) "
        f"WHERE action NOT IN {AUTOMATIC}"
        for table, whose in (("events", ""), ("copy_events", ", e.user"))
    )
    with workspace.reading() as db:
        rows = db.execute(sql, {"project": checked_id(project_id)}).fetchall()
    users = tuple(sorted({row[0] for row in rows}))
    place = {user: number for number, user in enumerate(users)}
    table = np.array([(place[row[0]], *tuple(row)[1:]) for row in rows], dtype=np.int64).reshape(-1, 6)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    user, at, document, added, removed, finished = table.T
    return Saves(users, user, at, document, added, removed, finished.astype(bool))


def labelled_by_day(workspace: Workspace, project_id: int, utc_offset: int = 0) -> dict[int, dict[str, int]]:
    """How many spans of each label people added on each day (days since 1970).

    Args:
        utc_offset: of the day's beginning, in seconds east of Greenwich.
    """
    sql = " UNION ALL ".join(
        "SELECT (e.at + :offset) / 86400000 AS day, json_extract(s.value, '$[2]') AS label, count(*) "  # noqa: S608 - constants
        f"FROM {table} e JOIN documents d ON d.id = e.document_id, json_each(e.added) s "
        f"WHERE d.project_id = :project AND d.trashed IS NULL AND e.action NOT IN {AUTOMATIC} GROUP BY 1, 2"
        for table in ("events", "copy_events")
    )
    found: dict[int, dict[str, int]] = {}
    with workspace.reading() as db:
        for day, label, count in db.execute(
            sql, {"project": checked_id(project_id), "offset": 1000 * utc_offset}
        ):
            by_label = found.setdefault(day, {})
            by_label[label] = by_label.get(label, 0) + count
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class Copied:
    """People's own copies: how many were handed out, how many are done, and spans in them by label."""

    handed: int
    done: int
    spans: Mapping[str, int]


def copied(workspace: Workspace, project_id: int) -> Copied:
    """The copies of documents outside the trash."""
    mine = "document_id IN (SELECT id FROM documents WHERE project_id = ? AND trashed IS NULL)"
    with workspace.reading() as db:
        handed = db.execute(f"SELECT count(*) FROM assignments WHERE {mine}", (checked_id(project_id),))  # noqa: S608
        done = db.execute(f"SELECT count(*) FROM copies WHERE status = 'done' AND {mine}", (project_id,))  # noqa: S608
        spans = db.execute(
            "SELECT json_extract(s.value, '$[2]'), count(*) FROM copies, json_each(copies.spans) s "  # noqa: S608
            f"WHERE {mine} GROUP BY 1",
            (project_id,),
        )
        return Copied(handed.fetchone()[0], done.fetchone()[0], dict(tuple(row) for row in spans))


def finished_versions(workspace: Workspace, project_id: int) -> list[FinishedVersions]:
    """Documents outside the trash with the finished copies of two people or more, by when they were done."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT c.document_id, d.name, length(d.text), c.user, c.spans, c.updated "
            "FROM copies c JOIN documents d ON d.id = c.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND c.status = 'done' "
            "ORDER BY c.document_id, c.user",
            (checked_id(project_id),),
        )
        by_document: dict[int, list[tuple[Any, ...]]] = {}
        for row in rows:
            by_document.setdefault(row[0], []).append((*row[:4], load_spans(row[4]), row[5]))
    found = [
        FinishedVersions(
            id_,
            versions[0][1],
            versions[0][2],
            {version[3]: version[4] for version in versions},
            max(version[5] for version in versions),
        )
        for id_, versions in by_document.items()
        if len(versions) > 1
    ]
    return sorted(found, key=lambda one: (one.at, one.document_id))
