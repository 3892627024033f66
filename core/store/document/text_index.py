"""The text index: finds the documents of a project that contain a string.

SQLite's FTS5 over UTF-16 units, each a token of four hexadecimal digits. A search is a phrase of units, so
that words of one and two characters, punctuation and astral characters are found exactly. Texts are indexed
in the transaction that imports them. Every project has its own table.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from core.store.db.workspace import Workspace

CHUNK = 500  # texts held at once while documents are deleted
MOST_UNITS = 64  # longest phrase; longer searches also check the texts it finds
ELSEWHERE = ("full", "locked", "busy", "readonly", "unable to open", "disk i/o", "interrupted")
_CAPITALS = re.compile("[A-Z]+")
# Whether the text of d has `folded` in it. SQLite's lower() knows ASCII alone, too.
CONTAINS = "instr(lower(d.text), :folded) > 0"
log = logging.getLogger("latticelens")


class Hits(NamedTuple):
    """Ids of documents, ascending; correct even if the index is incomplete."""

    numbers: list[int]
    whole: bool = True


def add(db: sqlite3.Connection, project_id: int, texts: Iterable[tuple[int, str]]) -> None:
    """Index new documents (id and text), in the transaction that inserts them."""
    rows = [(number, _tokens(text)) for number, text in texts]
    try:
        with _flushed(db):
            _create(db, project_id)
            db.executemany(f"INSERT INTO {name_of(project_id)} (rowid, units) VALUES (?, ?)", rows)  # noqa: S608
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        _rebuild(db, project_id)


def remove(db: sqlite3.Connection, project_id: int, numbers: Sequence[int]) -> None:
    """Remove documents from the index, before they are deleted in the same transaction."""
    table = name_of(project_id)
    for first in range(0, len(numbers) if _exists(db, project_id) else 0, CHUNK):
        # FTS5's `delete` needs the indexed text: texts never change.
        rows = db.execute(
            "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(numbers[first : first + CHUNK]),),
        ).fetchall()
        try:
            with _flushed(db):
                db.executemany(
                    f"INSERT INTO {table} ({table}, rowid, units) VALUES ('delete', ?, ?)",  # noqa: S608
                    [(row["id"], _tokens(row["text"])) for row in rows],
                )
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            drop(db, project_id)  # the next search rebuilds it
            return


def drop(db: sqlite3.Connection, project_id: int) -> None:
    """Drop the index of a project."""
    table = name_of(project_id)
    try:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        # FTS5 cannot drop a table with damaged records, so these are replaced by those of an empty one.
        db.execute(f"REPLACE INTO {table}_config (k, v) VALUES ('version', 4)")  # noqa: S608
        db.execute(f"REPLACE INTO {table}_data (id, block) VALUES (1, X''), (10, X'00000000000000')")  # noqa: S608
        db.execute(f"DROP TABLE {table}")


def rebuild(workspace: Workspace, project_id: int) -> None:
    """Rebuild a damaged index. Takes half a minute for a million documents."""
    with workspace.writing() as db:
        _rebuild(db, project_id)


def out_of_step(db: sqlite3.Connection, project_id: int) -> int:
    """How many documents of a project the index lacks, has too much, or has with another number of units.

    Reads the whole index, in an open write transaction.

    Raises:
        sqlite3.DatabaseError: it is damaged.
    """
    units = {
        row["id"]: len(row["text"].encode("utf-16-le")) // 2
        for row in db.execute("SELECT id, text FROM documents WHERE project_id = ?", (project_id,))
    }
    wanted = {number: count for number, count in units.items() if count}
    if not _exists(db, project_id):
        return len(wanted)
    table = name_of(project_id)
    db.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")  # noqa: S608 - ours
    db.execute(f"CREATE VIRTUAL TABLE temp.indexed USING fts5vocab(main, {table}, instance)")
    try:
        held = dict(db.execute("SELECT doc, count(*) FROM temp.indexed GROUP BY doc").fetchall())
    finally:
        db.execute("DROP TABLE temp.indexed")
    return len(dict(wanted.items() ^ held.items()))


def rebuild_in(db: sqlite3.Connection, project_id: int) -> None:
    """``rebuild`` in an open write transaction."""
    _rebuild(db, project_id)


def hits(db: sqlite3.Connection, project_id: int, search: str, *, trashed: bool = False) -> Hits:
    """All documents whose text contains ``search``, ignoring the case of ASCII letters.

    If the index is damaged or missing, every text is read.

    Args:
        trashed: search the trash instead.
    """
    found = few_hits(db, project_id, search, -1, trashed=trashed)
    assert found is not None
    return found


def few_hits(
    db: sqlite3.Connection, project_id: int, search: str, most: int, *, trashed: bool = False
) -> Hits | None:
    """`hits`, or None if the index has more than ``most`` documents for the search (-1: there is no most)."""
    if has_lone_surrogate(search):
        return Hits([])  # no text contains one
    if not _exists(db, project_id):
        ids = scan(db, project_id, search, trashed=trashed)
        return Hits(ids, not ids)
    try:
        numbers = _indexed(db, project_id, search, trashed, most)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        log.warning("the text index of project %s is damaged (%s): every text is read", project_id, error)
        return Hits(scan(db, project_id, search, trashed=trashed), False)
    if numbers is None:
        return None
    if len(search) > MOST_UNITS and numbers:
        rows = db.execute(
            "SELECT d.id FROM json_each(:numbers) c CROSS JOIN documents d ON d.id = c.value "  # noqa: S608
            f"WHERE {CONTAINS}",
            {"folded": folded(search), "numbers": json.dumps(numbers)},
        )
        numbers = [row[0] for row in rows]
    return Hits(numbers)


def scan(db: sqlite3.Connection, project_id: int, search: str, *, trashed: bool = False) -> list[int]:
    """`hits` without the index: every text is read."""
    rows = db.execute(
        "SELECT d.id FROM documents d WHERE d.project_id = :project "  # noqa: S608 - ours
        f"AND d.trashed IS {'NOT ' if trashed else ''}NULL AND {CONTAINS} ORDER BY d.id",
        {"project": project_id, "folded": folded(search)},
    )
    return [row[0] for row in rows]


def name_of(project_id: int) -> str:
    """The project's table, in which ``rowid`` is the id of a document and ``MATCH`` takes a `phrase`."""
    return f"text_index_{int(project_id)}"


def phrase(search: str) -> str:
    """The units of a search, of a long one the first: `CONTAINS` says whether a text has them all."""
    return f'"{_tokens(search[:MOST_UNITS])}"'


def folded(text: str) -> str:
    """The text with its ASCII letters in lower case; a search as `CONTAINS` takes it."""
    return _CAPITALS.sub(lambda match: match[0].lower(), text)


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether an error is due to the index and not to the disk or another process."""
    message = str(error).lower()
    return not any(word in message for word in ELSEWHERE)


def has_lone_surrogate(search: str) -> bool:
    """Whether there is half of a surrogate pair in a search."""
    return any("\ud800" <= char <= "\udfff" for char in search)


@contextmanager
def _flushed(db: sqlite3.Connection) -> Iterator[None]:
    """A savepoint: without it FTS5 may write, and fail, as late as in the commit."""
    db.execute("SAVEPOINT text_index")
    try:
        yield
        db.execute("SAVEPOINT text_index_flushed")  # here FTS5 writes
    except BaseException:
        db.execute("ROLLBACK TO text_index")
        raise
    finally:
        db.execute("RELEASE text_index")


def _indexed(
    db: sqlite3.Connection, project_id: int, search: str, trashed: bool, most: int
) -> list[int] | None:
    table = name_of(project_id)
    rows = db.execute(
        # One value, as a row for each of the hits would cost more than the search.
        "SELECT count(*), json_group_array(rowid) FILTER (WHERE rowid "  # noqa: S608 - ours
        f"{'' if trashed else 'NOT '}IN "
        "(SELECT id FROM documents WHERE project_id = :project AND trashed IS NOT NULL)) "
        f"FROM (SELECT rowid FROM {table} WHERE {table} MATCH :phrase ORDER BY rowid LIMIT :most)",
        {"phrase": phrase(search), "project": project_id, "most": -1 if most < 0 else most + 1},
    )
    number, listed = rows.fetchone()
    numbers: list[int] = json.loads(listed)
    return None if 0 <= most < number else numbers


def _rebuild(db: sqlite3.Connection, project_id: int) -> None:
    drop(db, project_id)
    _create(db, project_id)
    rows = db.execute("SELECT id, text FROM documents WHERE project_id = ? ORDER BY id", (project_id,))
    db.executemany(
        f"INSERT INTO {name_of(project_id)} (rowid, units) VALUES (?, ?)",  # noqa: S608
        ((row["id"], _tokens(row["text"])) for row in rows),
    )


def _create(db: sqlite3.Connection, project_id: int) -> None:
    if _exists(db, project_id):
        return
    table = name_of(project_id)
    # Contentless and without lengths: only phrase queries are needed.
    db.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(units, content='', columnsize=0, tokenize='ascii')")
    # An import writes a segment for each of its transactions. Merging sixteen at a time instead of four costs
    # it a third less, and a search still looks into few.
    db.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 16)")  # noqa: S608


def _exists(db: sqlite3.Connection, project_id: int) -> bool:
    row = db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name_of(project_id),)).fetchone()
    return row is not None


def _tokens(text: str) -> str:
    return folded(text).encode("utf-16-be").hex(" ", 2)
