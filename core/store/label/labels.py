"""The list of a project's labels."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from core.runtime.message import ngettext
from core.store.db.errors import LabelInUse
from core.store.db.workspace import Workspace
from core.store.label.ids import LabelIds, create, label_ids
from core.store.project.projects import row_of
from core.text import Label, LabelSet


def get(workspace: Workspace, project_id: int) -> LabelSet:
    """The project's labels in their order."""
    with workspace.reading() as db:
        row_of(db, project_id)
        return label_set(db, project_id)


def put(workspace: Workspace, project_id: int, labels: LabelSet) -> None:
    """Replace the project's labels.

    Raises:
        LabelInUse: spans still have a label that is left out; ``rename`` it, or remove these spans first.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        label_map = label_ids(db, project_id)
        for name in set(label_map.listed) - set(labels.names):
            count = _spans_with(db, label_map.read_as(name))
            if count:
                raise LabelInUse(
                    ngettext(
                        "label {name} is on {count} span of this project; rename it, or remove that span "
                        "first",
                        "label {name} is on {count} spans of this project; rename it, or remove those "
                        "spans first",
                        name=repr(name),
                        count=count,
                    )
                )
        write(db, project_id, labels)


def write(db: sqlite3.Connection, project_id: int, labels: LabelSet) -> None:
    """Write the list in an open transaction; a label that is left out keeps its id and its spans."""
    label_map = label_ids(db, project_id)
    db.execute("UPDATE labels SET position = NULL WHERE project_id = ?", (project_id,))
    for position, label in enumerate(labels):
        id_ = label_map.ids.get(label.name) or create(db, project_id, label.name)
        db.execute(
            "UPDATE labels SET position = ?, colour = ?, hotkey = ?, description = ? WHERE id = ?",
            (position, label.colour, label.hotkey, label.description, id_),
        )


def with_listed(db: sqlite3.Connection, project_id: int, names: Iterable[str]) -> tuple[LabelIds, list[str]]:
    """Add the missing ``names`` to the list; the labels, and the names added."""
    label_map = label_ids(db, project_id)
    new = [name for name in dict.fromkeys(names) if name not in label_map.listed]
    if not new:
        return label_map, new
    write(db, project_id, label_set(db, project_id).extended(new))
    return label_ids(db, project_id), new


def label_set(db: sqlite3.Connection, project_id: int) -> LabelSet:
    """The labels, through an open connection."""
    rows = db.execute(
        "SELECT name, colour, hotkey, description FROM labels "
        "WHERE project_id = ? AND position IS NOT NULL ORDER BY position",
        (project_id,),
    )
    return LabelSet(Label(*row) for row in rows)


def span_counts(workspace: Workspace, project_id: int) -> dict[str, int]:
    """Number of spans of each label in documents outside the trash, labels in their order."""
    with workspace.reading() as db:
        label_map = label_ids(db, project_id)
        counts = dict.fromkeys(label_set(db, project_id).names, 0)
        if label_map.has_merged:
            # Spans of two merged labels on the same offsets are one span.
            rows = db.execute(
                'SELECT label, count(*) FROM (SELECT DISTINCT s.document_id, s.start, s."end", '
                "l.reads_as AS label FROM spans s JOIN documents d ON d.id = s.document_id "
                "JOIN labels l ON l.id = s.label WHERE d.project_id = ? AND d.trashed IS NULL "
                "AND s.annotator = '' AND l.reads_as IS NOT NULL) GROUP BY label",
                (project_id,),
            )
        else:
            rows = db.execute(  # of an index alone: the documents of a million spans are not read
                "SELECT l.reads_as, count(*) FROM labels l CROSS JOIN spans s ON s.label = l.id "
                "WHERE l.project_id = ?1 AND l.reads_as IS NOT NULL AND s.annotator = '' AND s.document_id "
                "NOT IN (SELECT id FROM documents WHERE project_id = ?1 AND trashed IS NOT NULL) GROUP BY 1",
                (project_id,),
            )
        counts.update((label_map.names[id_] or "", number) for id_, number in rows)
    return counts


def _spans_with(db: sqlite3.Connection, ids: Iterable[int]) -> int:
    rows = db.execute(
        "SELECT count(*) FROM spans WHERE label IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
    )
    return int(rows.fetchone()[0])
