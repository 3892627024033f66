"""The text index: which documents of a project contain a string, without reading every text.

Texts never change and numbers of documents are never used twice, so a block of documents, once indexed, stays
right; documents that are gone or in the trash are dropped from its hits. What no block holds yet is scanned,
so that the answer is exact at every moment of the building.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from core.store.db.workspace import Workspace
from core.store.document import text_postings
from core.store.document.text_postings import Numbers

DOCUMENTS = 1_000  # of a block; fewer wait unindexed, and scanning them takes half a millisecond
CHARACTERS = 500_000  # of a block, but for a single longer text
MOST_PAIRS = 8  # of a longer search that are looked up; what they leave is read
_BLOCK_BITS = 36
_PROJECT_BITS = 44  # of the number of a row: project, bucket, block

_CONTAINS = (
    # LIKE looks at bytes where instr counts characters and copies every text in lower case: a third of the
    # time. But it ends at a NUL character.
    r"(d.text LIKE :pattern ESCAPE '\' OR (instr(d.text, char(0)) > 0 AND instr(lower(d.text), :folded) > 0))"
)
_CONTAINS_WITH_NUL = "instr(lower(d.text), :folded) > 0"


def hits(db: sqlite3.Connection, project_id: int, search: str, *, trashed: bool = False) -> list[int]:
    """The numbers of all documents whose text contains ``search``, ascending; ASCII letters of either case
    are alike.

    Args:
        trashed: whether those in the trash are wanted instead of the others.
    """
    if any("\ud800" <= char <= "\udfff" for char in search):
        return []  # half of a surrogate pair, which no text holds
    values = {
        "project": project_id,
        "last": _last(db, project_id),
        "pattern": _pattern(search),
        "folded": "".join(map(chr, text_postings.folded(search).tolist())),
    }
    contains = _CONTAINS_WITH_NUL if "\0" in search else _CONTAINS
    numbers = _present(db, project_id, _candidates(db, project_id, search), trashed) if values["last"] else []
    if len(search) > 2 and numbers:
        rows = db.execute(
            "SELECT d.id FROM json_each(:candidates) c CROSS JOIN documents d ON d.id = c.value "  # noqa: S608
            f"WHERE {contains}",
            values | {"candidates": json.dumps(numbers)},
        )
        numbers = [row[0] for row in rows]
    rows = db.execute(
        "SELECT d.id FROM documents d WHERE d.project_id = :project "  # noqa: S608 - constants
        f"AND d.trashed IS {'NOT ' if trashed else ''}NULL AND d.id > :last AND {contains}",
        values,
    )
    return numbers + sorted(row[0] for row in rows)


def is_behind(db: sqlite3.Connection, project_id: int) -> bool:
    """Whether enough documents wait for another block."""
    numbers = waiting(db, project_id)
    if len(numbers) == DOCUMENTS:
        return True
    characters = db.execute(
        "SELECT sum(length(text)) FROM documents WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(numbers),),
    ).fetchone()[0]
    return (characters or 0) > CHARACTERS


def waiting(db: sqlite3.Connection, project_id: int) -> list[int]:
    """The next documents to be indexed, fewer than a block where nothing needs to be done."""
    last, found = _last(db, project_id), list[int]()
    for side in ("NULL", "NOT NULL"):  # each side of the trash lies in order in the index
        rows = db.execute(
            f"SELECT id FROM documents WHERE project_id = ? AND trashed IS {side} AND id > ? "  # noqa: S608
            "ORDER BY id LIMIT ?",
            (project_id, last, DOCUMENTS),
        )
        found.extend(row[0] for row in rows)
    return sorted(found)[:DOCUMENTS]


def grow(workspace: Workspace, project_id: int) -> bool:
    """Index one more block in one short transaction; whether there was one to index.

    A process that ends in the middle leaves nothing half done. Where another process indexes the same
    documents at the same time, one of the two is thrown away.
    """
    with workspace.reading() as db:
        last = _last(db, project_id)
        chosen = _next_block(db, project_id)
    if not chosen:
        return False
    numbers, texts = [row["id"] for row in chosen], [row["text"] for row in chosen]
    first = numbers[0]
    postings = text_postings.packed(texts, [number - first for number in numbers])
    hashes = {row["id"]: row["content_hash"] for row in chosen}
    with workspace.writing() as db:
        known = db.execute("SELECT 1 FROM projects WHERE id = ?", (project_id,)).fetchone()
        if known is None or _last(db, project_id) != last:
            return known is not None
        rows = db.execute(
            "SELECT id, content_hash FROM documents WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(numbers),),
        )
        if any(hashes[row["id"]] != row["content_hash"] for row in rows):
            return True  # a backup was restored meanwhile: other texts have these numbers now
        made = db.execute(
            "INSERT INTO text_blocks (project_id, first, last, documents) VALUES (?, ?, ?, ?)",
            (project_id, first, numbers[-1], len(numbers)),
        )
        block = int(made.lastrowid or 0)
        db.executemany(
            "INSERT INTO text_postings VALUES (?, ?)",
            [(_row(project_id, bucket, block), blob) for bucket, blob in postings.items()],
        )
    return True


def forget_gone(workspace: Workspace, project_id: int) -> int:
    """Drop the blocks whose documents were all deleted for good; returns how many."""
    with workspace.reading() as db:
        gone = [
            row[0]
            for row in db.execute(
                "SELECT b.id FROM text_blocks b WHERE b.project_id = :project AND NOT EXISTS (SELECT 1 FROM "
                "documents d WHERE d.id BETWEEN b.first AND b.last AND d.project_id = :project)",
                {"project": project_id},
            )
        ]
    for block in gone:
        with workspace.writing() as db:
            db.execute("DELETE FROM text_blocks WHERE id = ?", (block,))
            db.executemany(
                "DELETE FROM text_postings WHERE id = ?",
                [(_row(project_id, bucket, block),) for bucket in range(text_postings.BUCKETS)],
            )
    return len(gone)


def _next_block(db: sqlite3.Connection, project_id: int) -> list[sqlite3.Row]:
    """The documents of the next block; none where too little waits for one."""
    numbers = waiting(db, project_id)
    chosen: list[sqlite3.Row] = []
    length = 0
    for number in numbers:
        if chosen and number - chosen[0]["id"] >= text_postings.WIDEST:
            return chosen
        row = db.execute("SELECT id, text, content_hash FROM documents WHERE id = ?", (number,)).fetchone()
        if row is None:
            continue  # deleted since the numbers were read
        length += len(row["text"])
        if chosen and length > CHARACTERS:
            return chosen
        chosen.append(row)
    return chosen if len(numbers) == DOCUMENTS or length > CHARACTERS else []


def _candidates(db: sqlite3.Connection, project_id: int, search: str) -> Numbers:
    """The indexed documents that contain every pair of ``search``: exact up to two characters."""
    codes = text_postings.folded(search).tolist()
    if len(codes) == 1:
        return _found(db, project_id, codes[0], [None])[0]
    pairs = list(dict.fromkeys(pairwise(codes)))
    step = max(1, -(-len(pairs) // MOST_PAIRS))
    wanted: dict[int, list[int]] = {}
    for first, second in pairs[::step]:
        wanted.setdefault(first, []).append(second)
    found = [one for first, seconds in wanted.items() for one in _found(db, project_id, first, seconds)]
    return reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), found)


def _present(db: sqlite3.Connection, project_id: int, numbers: Numbers, trashed: bool) -> list[int]:
    """Those of them that are still there, in the trash or outside it."""
    rows = db.execute(
        "SELECT id FROM documents WHERE project_id = ? AND trashed IS NOT NULL", (project_id,)
    ).fetchall()
    in_trash = np.array([row[0] for row in rows], dtype=np.int64)
    if trashed:
        return np.intersect1d(numbers, in_trash, assume_unique=True).tolist()
    if len(in_trash):
        numbers = np.setdiff1d(numbers, in_trash, assume_unique=True)
    last = _last(db, project_id)
    indexed, outside = db.execute(
        "SELECT (SELECT sum(documents) FROM text_blocks WHERE project_id = :project), (SELECT count(*) FROM "
        "documents WHERE project_id = :project AND trashed IS NULL AND id <= :last)",
        {"project": project_id, "last": last},
    ).fetchone()
    if indexed == outside + int(np.count_nonzero(in_trash <= last)):
        return numbers.tolist()  # nothing that was indexed has been deleted for good: one question, not many
    wanted = json.dumps(numbers.tolist())
    rows = db.execute(
        "SELECT d.id FROM json_each(?) c CROSS JOIN documents d ON d.id = c.value", (wanted,)
    ).fetchall()
    return [row[0] for row in rows]


def _found(
    db: sqlite3.Connection, project_id: int, first: int, seconds: Sequence[int | None]
) -> list[Numbers]:
    bucket = text_postings.bucket(first)
    low = _row(project_id, bucket, 0)
    rows = db.execute(
        "SELECT b.first, t.postings FROM text_postings t JOIN text_blocks b ON b.id = t.id - :low "
        "WHERE t.id >= :low AND t.id < :high",
        {"low": low, "high": low + (1 << _BLOCK_BITS)},
    )
    return text_postings.found(rows, first, seconds)


def _row(project_id: int, bucket: int, block: int) -> int:
    return project_id << _PROJECT_BITS | bucket << _BLOCK_BITS | block


def _last(db: sqlite3.Connection, project_id: int) -> int:
    row = db.execute("SELECT max(last) FROM text_blocks WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0] or 0)


def _pattern(search: str) -> str:
    """``search`` anywhere, for LIKE, which takes ASCII letters of either case alike."""
    escaped = "".join(f"\\{char}" if char in "\\%_" else char for char in search)
    return f"%{escaped}%"
