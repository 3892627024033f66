"""The labels of a project, and what happens to spans when labels change."""

from __future__ import annotations

import json
import sqlite3

from core.store import lexicon_labels
from core.store.errors import LabelInUse, NameTaken
from core.store.label_mapping import LabelMapping
from core.store.projects import row_of
from core.store.workspace import Workspace
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


def rename(workspace: Workspace, project_id: int, old: str, new: str) -> None:
    """Call a label something else, wherever it is written in the project.

    It is the same label afterwards, so no revision changes and no edit is recorded. What a person does goes
    through ``core.store.label_changes``, which remembers it and can take it back.

    Raises:
        UnknownLabelError: there is no label ``old``. NameTaken: there is a label ``new``.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        labels = label_set(db, project_id)
        was = labels[old]
        if new == old:
            return
        if new in labels:
            raise NameTaken(f"there is a label {new!r} already; choose another name")
        renamed = [Label(new, was.colour, was.hotkey, was.description) if x is was else x for x in labels]
        write(db, project_id, LabelSet(renamed))
        for table, column, whose in _LABEL_COLUMNS:
            db.execute(
                f"UPDATE {table} SET {column} = ? WHERE {column} = ? AND {whose}",  # noqa: S608 - constants
                (new, old, project_id),
            )
        lexicon_labels.carry(db, project_id, old, new)  # a word's type is the label it suggests
        for table, column in _JSON_COLUMNS:
            _rename_in_json(db, project_id, table, column, old, new)


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


# Names of our own schema, never a person's words; ``rename`` puts them into SQL.
_OF_DOCUMENT = "document_id IN (SELECT id FROM documents WHERE project_id = ?)"
_LABEL_COLUMNS = (
    ("spans", "label", _OF_DOCUMENT),
    ("decisions", "label", _OF_DOCUMENT),
    ("comments", "label", _OF_DOCUMENT),
    ("patterns", "label", "project_id = ?"),
)
_JSON_COLUMNS = (
    ("documents", "rejected"),
    ("documents", "meta"),
    ("events", "added"),
    ("events", "removed"),
    ("events", "rejected"),
    ("copies", "spans"),
    ("copies", "rejected"),
    ("copy_events", "added"),
    ("copy_events", "removed"),
    ("copy_events", "rejected"),
    ("predictions", "spans"),
    ("corrections", "before"),
    ("corrections", "after"),
)


def _rename_in_json(
    db: sqlite3.Connection, project_id: int, table: str, column: str, old: str, new: str
) -> None:
    def renamed(value: str | None) -> str | None:
        if value is None:
            return None
        if column == "meta":
            return LabelMapping(old, new).meta(value)
        spans = json.loads(value)
        for item in [spans] if column in ("before", "after") else spans:
            item[2] = new if item[2] == old else item[2]
        return json.dumps(spans, ensure_ascii=False, separators=(",", ":"))

    db.create_function("renamed", 1, renamed, deterministic=True)
    key = "id" if table == "documents" else "document_id"
    db.execute(
        f"UPDATE {table} SET {column} = renamed({column}) "  # noqa: S608 - both names are constants above
        f"WHERE {key} IN (SELECT id FROM documents WHERE project_id = ?) AND instr({column}, ?) > 0",
        (project_id, json.dumps(old, ensure_ascii=False)),
    )
