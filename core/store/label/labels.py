"""The labels of a project."""

from __future__ import annotations

import sqlite3

from core.store.db.errors import LabelInUse, NameTaken
from core.store.db.workspace import Workspace
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
        LabelInUse: a label left out is still on spans; ``rename`` it, or remove those spans first.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        for name in set(label_set(db, project_id).names) - set(labels.names):
            count = _spans_with(db, project_id, name)
            if count:
                raise LabelInUse(
                    f"label {name!r} is on {count} spans of this project; "
                    "rename it, or remove those spans first"
                )
        write(db, project_id, labels)


def call(db: sqlite3.Connection, project_id: int, old: str, new: str) -> None:
    """Give a label another name in the list alone, through an open transaction; ``core.store.label.changes``
    carries what has it.

    Raises:
        UnknownLabelError: there is no label ``old``. NameTaken: there is a label ``new``.
    """
    known = label_set(db, project_id)
    was = known[old]
    if new in known:
        raise NameTaken(f"there is a label {new!r} already; choose another name")
    renamed = (Label(new, was.colour, was.hotkey, was.description) if x is was else x for x in known)
    write(db, project_id, LabelSet(renamed))


def write(db: sqlite3.Connection, project_id: int, labels: LabelSet) -> None:
    """Write the labels through an open transaction."""
    db.execute("DELETE FROM labels WHERE project_id = ?", (project_id,))
    db.executemany(
        "INSERT INTO labels (project_id, position, name, colour, hotkey, description) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [(project_id, at, x.name, x.colour, x.hotkey, x.description) for at, x in enumerate(labels)],
    )


def label_set(db: sqlite3.Connection, project_id: int) -> LabelSet:
    """The labels, read through a connection that is open already."""
    rows = db.execute(
        "SELECT name, colour, hotkey, description FROM labels WHERE project_id = ? ORDER BY position",
        (project_id,),
    )
    return LabelSet(Label(*row) for row in rows)


def span_counts(workspace: Workspace, project_id: int, split: str | None = None) -> dict[str, int]:
    """How many spans each label has in documents outside the trash, labels in their order."""
    with workspace.reading() as db:
        counts = dict.fromkeys(label_set(db, project_id).names, 0)
        rows = db.execute(
            "SELECT s.label, count(*) FROM spans s JOIN documents d ON d.id = s.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND (? IS NULL OR d.split = ?) GROUP BY s.label",
            (project_id, split, split),
        )
        counts.update(dict(tuple(row) for row in rows))
    return counts


def _spans_with(db: sqlite3.Connection, project_id: int, label: str) -> int:
    agreed = db.execute(
        "SELECT count(*) FROM spans s JOIN documents d ON d.id = s.document_id WHERE d.project_id = ? "
        "AND s.label = ?",
        (project_id, label),
    ).fetchone()[0]
    own = db.execute(  # in copies that nobody has merged yet
        "SELECT count(*) FROM copies c JOIN documents d ON d.id = c.document_id, json_each(c.spans) s "
        "WHERE d.project_id = ? AND json_extract(s.value, '$[2]') = ?",
        (project_id, label),
    ).fetchone()[0]
    return int(agreed) + int(own)
