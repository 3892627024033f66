"""Activity in a project, read from the events."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.store.db.span_json import spans_of
from core.store.db.workspace import Workspace
from core.store.label.ids import read_names
from core.store.project.projects import checked_id, row_of
from core.text import Span

Array = np.ndarray[Any, Any]
# Made by imports; everything else is a person's work.
AUTOMATIC = "('import', 'status', 'distant', 'undo_distant')"


@dataclass(frozen=True, slots=True)
class Saves:
    """All saves by people, in the gold annotation and in versions, sorted by user and time.

    Args:
        user: ``[N]``, index into ``users``. at: ``[N]``, UTC ms. document: ``[N]``, ids.
        added, removed: ``[N]``, numbers of spans. finished: ``[N]``, whether the save marked the document
            done.
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
    """A document and its finished versions; ``at``: the last one's time (UTC ms)."""

    document_id: int
    name: str
    length: int
    versions: Mapping[str, tuple[Span, ...]]
    at: int


def stamp(workspace: Workspace, project_id: int) -> tuple[object, ...]:
    """A cheap cache key that changes with any activity.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        saved = db.execute("SELECT last_saved FROM projects WHERE id = ?", (project_id,)).fetchone()
        counts = db.execute(
            "SELECT sum(number), sum(number * (status = 'done')), sum(number * (status = 'in_progress')) "
            "FROM document_counts WHERE project_id = ? AND trashed = 0",
            (project_id,),
        ).fetchone()
        changes = db.execute(
            "SELECT count(*), count(undone) FROM steps WHERE project_id = ?", (project_id,)
        ).fetchone()
        finished = db.execute(
            "SELECT count(*), max(finished) FROM runs WHERE project_id = ?", (project_id,)
        ).fetchone()
        members = db.execute("SELECT count(*) FROM members WHERE project_id = ?", (project_id,)).fetchone()
        labels = db.execute(
            "SELECT group_concat(name || colour, char(10)) FROM labels "
            "WHERE project_id = ? AND position IS NOT NULL",
            (project_id,),
        ).fetchone()
    return (project_id, *saved, *counts, *changes, *finished, *members, *labels)


def saves(workspace: Workspace, project_id: int) -> Saves:
    """All saves by people in documents outside the trash."""
    sql = (
        "SELECT user, at, document_id, json_array_length(added), json_array_length(removed), finished FROM ("  # noqa: S608 - constants
        "SELECT e.*, e.status = 'done' AND coalesce(lag(e.status) OVER "
        "(PARTITION BY e.document_id, e.annotator ORDER BY e.revision), 'new') <> 'done' AS finished "
        # What was imported is as many rows as there are documents, and it is always new.
        "FROM events e INDEXED BY events_of_user CROSS JOIN documents d ON d.id = e.document_id "
        "WHERE e.action <> 'import' AND d.project_id = :project AND d.trashed IS NULL) "
        f"WHERE action NOT IN {AUTOMATIC}"
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
    """Number of spans added per label and day (days since 1970).

    Args:
        utc_offset: of the days, in seconds east of UTC.
    """
    sql = (
        "SELECT (e.at + :offset) / 86400000 AS day, json_extract(s.value, '$[2]') AS label, count(*) "  # noqa: S608 - constants
        "FROM events e INDEXED BY events_of_user CROSS JOIN documents d ON d.id = e.document_id, "
        "json_each(e.added) s WHERE e.action <> 'import' "
        f"AND d.project_id = :project AND d.trashed IS NULL AND e.action NOT IN {AUTOMATIC} GROUP BY 1, 2"
    )
    counts: dict[int, dict[str, int]] = {}
    with workspace.reading() as db:
        names = read_names(db, checked_id(project_id))
        for day, label, count in db.execute(sql, {"project": project_id, "offset": 1000 * utc_offset}):
            name = names[label]
            if name is not None:
                by_label = counts.setdefault(day, {})
                by_label[name] = by_label.get(name, 0) + count
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class Handed:
    """Number of assignments, of finished versions, and of their spans by label."""

    handed: int
    done: int
    spans: Mapping[str, int]


def handed(workspace: Workspace, project_id: int) -> Handed:
    """Assignments of documents outside the trash."""
    # From the few who annotate to their documents: the other way round every document would be read.
    mine = "CROSS JOIN documents d ON d.id = v.document_id WHERE d.project_id = ? AND d.trashed IS NULL"
    with workspace.reading() as db:
        handed = db.execute(f"SELECT count(*) FROM assignments v {mine}", (checked_id(project_id),))  # noqa: S608
        done = db.execute(
            f"SELECT count(*) FROM versions v {mine} AND v.status = 'done'",  # noqa: S608 - ours
            (project_id,),
        )
        rows = db.execute(
            "SELECT r.name, count(*) FROM (SELECT DISTINCT document_id, annotator FROM versions) v "  # noqa: S608
            "CROSS JOIN spans s ON s.document_id = v.document_id AND s.annotator = v.annotator "
            "JOIN labels l ON l.id = s.label JOIN labels r ON r.id = l.reads_as "
            f"{mine} GROUP BY 1",
            (project_id,),
        )
        spans = Counter({row[0]: row[1] for row in rows})
        return Handed(handed.fetchone()[0], done.fetchone()[0], spans)


def finished_versions(workspace: Workspace, project_id: int) -> list[FinishedVersions]:
    """Documents outside the trash with two finished versions or more, by the time of the last."""
    with workspace.reading() as db:
        names = read_names(db, checked_id(project_id))
        rows = db.execute(
            "SELECT v.document_id, d.name, length(d.text) AS length, v.annotator, v.updated "
            "FROM versions v CROSS JOIN documents d ON d.id = v.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND v.status = 'done' "
            "ORDER BY v.document_id, v.annotator",
            (project_id,),
        ).fetchall()
        items: dict[tuple[int, str], list[tuple[Any, ...]]] = {}
        for document_id, annotator, *span in db.execute(
            'SELECT s.document_id, s.annotator, s.start, s."end", s.label, NULL, s.link '
            "FROM versions v CROSS JOIN spans s "
            "ON s.document_id = v.document_id AND s.annotator = v.annotator "
            "CROSS JOIN documents d ON d.id = v.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND v.status = 'done' "
            'ORDER BY s.document_id, s.annotator, s.start, s."end" DESC',
            (project_id,),
        ):
            items.setdefault((document_id, annotator), []).append(tuple(span))
    by_document: dict[int, list[sqlite3.Row]] = {}
    for row in rows:
        by_document.setdefault(row["document_id"], []).append(row)
    finished = [
        FinishedVersions(
            id_,
            versions[0]["name"],
            versions[0]["length"],
            {row["annotator"]: spans_of(items.get((id_, row["annotator"]), ()), names) for row in versions},
            max(row["updated"] for row in versions),
        )
        for id_, versions in by_document.items()
        if len(versions) > 1
    ]
    return sorted(finished, key=lambda document: (document.at, document.document_id))
