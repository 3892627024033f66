"""The index of names: finds the entries of a version with a name that contains a string.

SQLite's FTS5 over pairs of UTF-16 units, each pair a token of eight hexadecimal digits, without positions: an
entry is found if it has every pair of the string, and its names are then read to be sure. FTS5's own trigrams
would miss Chinese names of two characters. Every version has its own table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

MOST_PAIRS = 40  # of a search; the names that are found are compared with all of it


def create(db: sqlite3.Connection, version: int) -> None:
    """Make the empty index of a version."""
    table = _table(version)
    db.execute(
        f"CREATE VIRTUAL TABLE {table} USING "
        "fts5(pairs, content='', columnsize=0, detail='none', tokenize='ascii')"
    )
    db.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 16)")  # noqa: S608 - ours


def add(db: sqlite3.Connection, version: int, entries: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Index the folded names of entries."""
    db.executemany(
        f"INSERT INTO {_table(version)} (rowid, pairs) VALUES (?, ?)",  # noqa: S608 - ours
        [(number, " ".join({pair for name in names for pair in _pairs(name)})) for number, names in entries],
    )


def drop(db: sqlite3.Connection, version: int) -> None:
    """Drop the index of a version."""
    db.execute(f"DROP TABLE IF EXISTS {_table(version)}")


def drop_of_project(db: sqlite3.Connection, project_id: int) -> None:
    """Drop the indexes of a project that is about to be deleted."""
    rows = db.execute(
        "SELECT v.id FROM knowledge_versions v JOIN knowledge_bases b ON b.id = v.base "
        "WHERE b.project_id = ?",
        (project_id,),
    ).fetchall()
    for row in rows:
        drop(db, row[0])


def numbers(db: sqlite3.Connection, version: int, search: str) -> Iterator[int]:
    """The entries whose names have every pair of units of ``search``, which is folded; ascending."""
    pairs = list(dict.fromkeys(_pairs(search)))[:MOST_PAIRS]
    if not pairs:
        return
    table = _table(version)
    rows = db.execute(
        f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid",  # noqa: S608 - ours
        (" ".join(f'"{pair}"' for pair in pairs),),
    )
    for row in rows:
        yield row[0]


def _pairs(name: str) -> Iterator[str]:
    units = name.encode("utf-16-be", "surrogatepass").hex()
    for at in range(0, len(units) - 4, 4):
        yield units[at : at + 8]


def _table(version: int) -> str:
    return f"knowledge_index_{int(version)}"
