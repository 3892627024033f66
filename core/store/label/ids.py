"""Label ids: the current name of each id, and the id of each name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.db.clock import now
from core.store.db.workspace import Workspace
from core.store.project.projects import row_of


@dataclass(frozen=True, slots=True)
class LabelIds:
    """The labels of a project at one moment.

    A merged label reads as the label it was merged into; a deleted one is not read.

    Args:
        names: the current name of every id ever used; None for a deleted label.
        listed: the ids of the labels on the project's list, by name.
        ids: the same, plus unlisted labels that have been used.
        types: like ``names``, for word types, which keep the name of a deleted label; 0 is no type.
    """

    names: Mapping[int, str | None]
    listed: Mapping[str, int]
    ids: Mapping[str, int]
    types: Mapping[int, str]

    @property
    def has_merged(self) -> bool:
        """Whether two ids share a name, so that two spans on the same offsets may be one."""
        read = [name for name in self.names.values() if name is not None]
        return len(set(read)) < len(read)

    def read_as(self, name: str) -> list[int]:
        """All ids with this name."""
        return [id_ for id_, current in self.names.items() if current == name]


def label_ids(db: sqlite3.Connection, project_id: int) -> LabelIds:
    """The project's labels, through an open connection."""
    rows = db.execute(
        "SELECT id, name, reads_as, position FROM labels WHERE project_id = ? ORDER BY id", (project_id,)
    ).fetchall()
    current_names = {id_: name for id_, name, _, _ in rows}
    listed = {name: id_ for id_, name, _, position in rows if position is not None}
    return LabelIds(
        {id_: current_names.get(reads_as) for id_, _, reads_as, _ in rows},
        listed,
        {name: id_ for id_, name, reads_as, _ in rows if reads_as == id_} | listed,
        {0: "", **{id_: current_names[reads_as or id_] for id_, _, reads_as, _ in rows}},
    )


def read_names(db: sqlite3.Connection, project_id: int) -> dict[int, str | None]:
    """``LabelIds.names`` alone."""
    rows = db.execute(
        "SELECT l.id, r.name FROM labels l LEFT JOIN labels r ON r.id = l.reads_as WHERE l.project_id = ?",
        (project_id,),
    )
    return dict(rows.fetchall())


def read_name(db: sqlite3.Connection, id_: int | None) -> str | None:
    """The current name of a label id; None if it was deleted or does not exist."""
    row = db.execute(
        "SELECT r.name FROM labels l JOIN labels r ON r.id = l.reads_as WHERE l.id = ?", (id_,)
    ).fetchone()
    return None if row is None else str(row[0])


def with_names(db: sqlite3.Connection, project_id: int, names: Iterable[str]) -> LabelIds:
    """The project's labels, with ids for all ``names``; new ones are created unlisted."""
    label_map = label_ids(db, project_id)
    fresh = [name for name in dict.fromkeys(names) if name and name not in label_map.ids]
    for name in fresh:
        create(db, project_id, name)
    return label_ids(db, project_id) if fresh else label_map


def create(db: sqlite3.Connection, project_id: int, name: str) -> int:
    """Create an unlisted label."""
    made = db.execute(
        "INSERT INTO labels (project_id, name, colour, hotkey, description) VALUES (?, ?, '', '', '')",
        (project_id, name),
    )
    id_ = int(made.lastrowid or 0)
    db.execute("UPDATE labels SET reads_as = id WHERE id = ?", (id_,))
    note_name(db, id_, name)
    return id_


def note_name(db: sqlite3.Connection, label: int, name: str) -> None:
    """Record a label's new name."""
    db.execute("INSERT INTO label_names (label, name, at) VALUES (?, ?, ?)", (label, name, now()))


def last_name(db: sqlite3.Connection) -> int:
    """The id of the latest label name: a point in time for ``ids_at``."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM label_names").fetchone()[0])


def ids_at(db: sqlite3.Connection, project_id: int, moment: int) -> dict[str, int]:
    """The label ids by name at ``moment`` (see ``last_name``)."""
    rows = db.execute(
        "SELECT n.label, n.name FROM label_names n JOIN labels l ON l.id = n.label "
        "WHERE l.project_id = ? AND n.id <= ? ORDER BY n.id",
        (project_id, moment),
    )
    called: dict[int, str] = dict(tuple(row) for row in rows)
    return {called[label]: label for label in sorted(called)}


def last_named(db: sqlite3.Connection, project_id: int, name: str) -> int | None:
    """The label that had this name last, or None."""
    row = db.execute(
        "SELECT n.label FROM label_names n JOIN labels l ON l.id = n.label "
        "WHERE l.project_id = ? AND n.name = ? ORDER BY n.id DESC LIMIT 1",
        (project_id, name),
    ).fetchone()
    return None if row is None else int(row[0])


def name_history(db: sqlite3.Connection, project_id: int) -> dict[int, list[tuple[int, str]]]:
    """The names each label has had, in order, with times (UTC ms)."""
    given: dict[int, list[tuple[int, str]]] = {}
    for label, at, name in db.execute(
        "SELECT n.label, n.at, n.name FROM label_names n JOIN labels l ON l.id = n.label "
        "WHERE l.project_id = ? ORDER BY n.id",
        (project_id,),
    ):
        given.setdefault(label, []).append((at, name))
    return given


def successors(workspace: Workspace, project_id: int, names: Iterable[str]) -> dict[str, str | None]:
    """What each of ``names`` that is no label now was renamed or merged into; None if deleted or unknown.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        label_map = label_ids(db, project_id)
        gone = {name: last_named(db, project_id, name) for name in names if name not in label_map.listed}
    present = {name: None if label is None else label_map.names[label] for name, label in gone.items()}
    return {name: new if new in label_map.listed else None for name, new in present.items()}
