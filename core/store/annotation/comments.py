"""Comments on a document or a part of it, separate from the annotation."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.db.clock import now
from core.store.db.errors import NotFound
from core.store.db.payload import checked_client_edit, checked_user
from core.store.db.workspace import Workspace
from core.store.document.comment_meta import checked_label, checked_stretch, checked_text
from core.store.document.documents import document_row
from core.store.label.ids import read_name, with_names
from core.store.project import members
from core.store.project.projects import checked_id


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on ``[start, end)`` (None: the document), and the label of the span there.

    ``at``, ``resolved`` and ``trashed`` are UTC ms; None if it is open, or not in the trash.
    """

    id: int
    document_id: int
    start: int | None
    end: int | None
    label: str | None
    text: str
    user: str
    at: int
    resolved: int | None
    trashed: int | None


def add(
    workspace: Workspace,
    document_id: int,
    text: str,
    *,
    user: str,
    start: int | None = None,
    end: int | None = None,
    label: str | None = None,
    client_edit: str | None = None,
) -> Comment:
    """Add a comment; repeating a ``client_edit`` returns the first one and adds nothing.

    Raises:
        PayloadError: an empty or too long text, a lone surrogate, or offsets outside the document.
        NotFound: no such document, or it is in the trash.
    """
    user, client_edit = checked_user(user), checked_client_edit(client_edit)
    text, label = checked_text(text), checked_label(label)
    with workspace.writing() as db:
        row = document_row(db, document_id)
        if client_edit is not None:
            existing = db.execute("SELECT * FROM comments WHERE client_edit = ?", (client_edit,)).fetchone()
            if existing is not None:
                return _comment(db, existing)
        start, end = checked_stretch(start, end, len(row["text"]))
        project_id = row["project_id"]
        id_ = with_names(db, project_id, [label]).ids[label] if label and start is not None else None
        made = db.execute(
            'INSERT INTO comments (document_id, start, "end", label, text, user, at, client_edit) '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
            (document_id, start, end, id_, text, user, now(), client_edit),
        ).fetchone()
        return _comment(db, made)


def resolve(workspace: Workspace, document_id: int, comment_id: int) -> Comment:
    """Mark a comment as resolved; a second call keeps the first time. Raises: NotFound."""
    return _set(workspace, document_id, comment_id, "resolved = coalesce(resolved, ?)", now())


def reopen(workspace: Workspace, document_id: int, comment_id: int) -> Comment:
    """Reopen a comment. Raises: NotFound."""
    return _set(workspace, document_id, comment_id, "resolved = ?", None)


def trash(workspace: Workspace, document_id: int, comment_id: int) -> Comment:
    """Move a comment to the trash. Raises: NotFound."""
    return _set(workspace, document_id, comment_id, "trashed = coalesce(trashed, ?)", now())


def restore(workspace: Workspace, document_id: int, comment_id: int) -> Comment:
    """Restore a comment from the trash. Raises: NotFound."""
    return _set(workspace, document_id, comment_id, "trashed = ?", None)


def read_by(workspace: Workspace, document_id: int, user: str) -> list[Comment]:
    """The comments of a document that a user may read, the trash included, oldest first.

    Raises:
        NotFound: no such document.
    """
    with workspace.reading() as db:
        project_id = document_row(db, document_id)["project_id"]
        rows = db.execute("SELECT * FROM comments WHERE document_id = ? ORDER BY id", (document_id,))
        return [_comment(db, row) for row in rows.fetchall() if may_read(db, project_id, user, row["user"])]


def may_read(db: sqlite3.Connection, project_id: int, reader: str, author: str) -> bool:
    """Whether a user may read another user's comments.

    With individual versions a comment may give away its author's annotation: annotators read their own
    comments and those of reviewers.
    """
    return (
        reader == author
        or not members.is_separate(db, project_id)
        or members.has_right(db, project_id, reader, "review")
        or members.has_right(db, project_id, author, "review")
    )


def open_counts(workspace: Workspace, document_ids: Iterable[int], reader: str) -> dict[int, int]:
    """Number of open comments a user may read, by document; documents without any are left out."""
    ids = json.dumps([checked_id(id_) for id_ in document_ids])
    counts: Counter[int] = Counter()
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT c.document_id, d.project_id, c.user, count(*) FROM comments c "
            "JOIN documents d ON d.id = c.document_id "
            "WHERE c.document_id IN (SELECT value FROM json_each(?)) "
            "AND c.resolved IS NULL AND c.trashed IS NULL GROUP BY c.document_id, c.user",
            (ids,),
        ).fetchall()
        authors = {(row[1], row[2]) for row in rows}
        readable = {pair for pair in authors if may_read(db, pair[0], reader, pair[1])}
    for document_id, project_id, author, count in rows:
        if (project_id, author) in readable:
            counts[document_id] += count
    return dict(counts)


def _set(workspace: Workspace, document_id: int, comment_id: int, change: str, value: int | None) -> Comment:
    with workspace.writing() as db:
        document_row(db, document_id)
        row = db.execute(
            f"UPDATE comments SET {change} WHERE id = ? AND document_id = ? RETURNING *",  # noqa: S608 - ours
            (value, checked_id(comment_id), document_id),
        ).fetchone()
        if row is None:
            raise NotFound("comment", comment_id)
        return _comment(db, row)


def _comment(db: sqlite3.Connection, row: sqlite3.Row) -> Comment:
    return Comment(
        row["id"], row["document_id"], row["start"], row["end"], read_name(db, row["label"]), row["text"],
        row["user"], row["at"], row["resolved"], row["trashed"],
    )  # fmt: skip
