"""Comments in imported and exported files: ``meta["comments"]``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from core.runtime.message import Message, _
from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import LONGEST_USER
from core.store.db.span_json import Ids
from core.store.db.workspace import Workspace
from core.store.label.ids import read_names
from core.store.project.projects import checked_id
from core.text import Document

LONGEST_COMMENT = 4_000  # characters
LONGEST_LABEL = 200
META = "comments"
CHUNK = 500


def with_comments(workspace: Workspace, project_id: int, documents: Iterable[Document]) -> Iterator[Document]:
    """Add the comments to ``meta["comments"]``, for an export.

    Each is ``{"text", "user", "at"}`` with ``start``, ``end``, ``label`` and ``resolved`` where it has them.
    """
    source = iter(documents)
    while chunk := list(islice(source, CHUNK)):
        with workspace.reading() as db:
            said = _by_name(db, project_id, [document.id for document in chunk])
        for document in chunk:
            comments = said.get(document.id)
            if comments:
                kept = document.meta.get(META, [])
                both = [*(kept if isinstance(kept, list) else [kept]), *comments]
                document = Document(
                    document.id, document.text, document.spans, dict(document.meta) | {META: both}
                )
            yield document


def take_from(meta: dict[str, Any], length: int) -> list[dict[str, Any]]:
    """Remove and parse the comments that ``with_comments`` wrote into ``meta``; anything else stays.

    Args:
        length: of the document's text, in code points.
    """
    items = meta.get(META)
    if not isinstance(items, list):
        return []
    read = [_from_file(item, length) for item in items]
    rest = [item for item, comment in zip(items, read, strict=True) if comment is None]
    if rest:
        meta[META] = rest
    else:
        del meta[META]
    return [comment for comment in read if comment is not None]


def put_imported(
    db: sqlite3.Connection, document_id: int, items: Sequence[Mapping[str, Any]], user: str, ids: Ids
) -> None:
    """Store the comments of `take_from`, in an open transaction."""
    at = now()
    db.executemany(
        'INSERT INTO comments (document_id, start, "end", label, text, user, at, resolved) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (document_id, item["start"], item["end"], ids.get(item["label"]), item["text"],
             item["user"] or user, at if item["at"] is None else item["at"], item["resolved"])
            for item in items
        ],
    )  # fmt: skip


def checked_text(text: object) -> str:
    """The text of a comment. Raises: PayloadError."""
    if not isinstance(text, str) or not text.strip():
        raise PayloadError("a comment needs some text")
    if len(text) > LONGEST_COMMENT:
        raise PayloadError(
            "a comment has at most {longest} characters, this one has {length}",
            longest=LONGEST_COMMENT,
            length=len(text),
        )
    return _unicode(text, _("the comment"))


def checked_label(label: object) -> str | None:
    """The label a comment names, or None. Raises: PayloadError."""
    if label is None or label == "":
        return None
    if not isinstance(label, str) or len(label) > LONGEST_LABEL:
        raise PayloadError(
            "the label of a comment is a text of at most {longest} characters", longest=LONGEST_LABEL
        )
    return _unicode(label, _("the label of the comment"))


def _unicode(text: str, what: Message) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PayloadError("{what} contains half of a surrogate pair; correct its text", what=what) from error
    return text


def checked_stretch(start: object, end: object, length: int) -> tuple[int | None, int | None]:
    """``start`` and ``end`` within a text of ``length`` code points, or None twice. Raises: PayloadError."""
    if start is None and end is None:
        return None, None
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise PayloadError(
                "{name} of a comment must be a whole number, got {value}",
                name=name,
                value=repr(str(value)[:40]),
            )
    if not 0 <= start < end <= length:  # type: ignore[operator]  # both are ints, checked in the loop
        raise PayloadError(
            "a comment on {start}-{end} lies outside the text, which has {length} characters",
            start=start,
            end=end,
            length=length,
        )
    return start, end  # type: ignore[return-value]


def _by_name(db: sqlite3.Connection, project_id: int, names: list[str]) -> dict[str, list[dict[str, Any]]]:
    said: dict[str, list[dict[str, Any]]] = {}
    rows = db.execute(
        "SELECT d.name, c.* FROM comments c JOIN documents d ON d.id = c.document_id WHERE d.project_id = ? "
        "AND d.name IN (SELECT value FROM json_each(?)) AND c.trashed IS NULL ORDER BY c.id",
        (checked_id(project_id), json.dumps(names)),
    )
    labels = read_names(db, project_id)
    for row in map(dict, rows):
        row["label"] = labels.get(row["label"])
        item = {"text": row["text"], "user": row["user"], "at": row["at"]}
        item |= {key: row[key] for key in ("start", "end", "label", "resolved") if row[key] is not None}
        said.setdefault(row["name"], []).append(item)
    return said


def _from_file(item: object, length: int) -> dict[str, Any] | None:
    """One item of ``meta["comments"]`` as columns, or None if it is malformed."""
    if not isinstance(item, Mapping):
        return None
    try:
        start, end = checked_stretch(item.get("start"), item.get("end"), length)
        read = {"text": checked_text(item.get("text")), "label": checked_label(item.get("label"))}
    except PayloadError:
        return None
    user = item.get("user")
    named = isinstance(user, str) and bool(user.strip()) and len(user) <= LONGEST_USER
    return read | {
        "start": start, "end": end, "user": user if named else None,
        "at": _time(item.get("at")), "resolved": _time(item.get("resolved")),
    }  # fmt: skip


def _time(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 2**53 else None  # type: ignore[operator,return-value]
