"""Search in the knowledge bases of a project, by id and by parts of names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.knowledge import name_index
from core.store.knowledge.rows import entry_of
from core.store.project.projects import checked_id
from core.text.knowledge_entry import KnowledgeEntry, folded

LONGEST_SEARCH = 200
MOST = 50
_EXAMINED = 2_000  # entries that have every pair of units, of which some have no name with the string
_LAST = "\U0010ffff"

Match = Literal["id", "whole", "prefix", "part"]
_BETTER: tuple[Match, ...] = ("id", "whole", "prefix", "part")


class Found(NamedTuple):
    """An entry, the knowledge base it is of, how it matches, and the name that does."""

    entry: KnowledgeEntry
    source: str
    match: Match
    name: str


def search(workspace: Workspace, project_id: int, text: str, *, limit: int = 20) -> list[Found]:
    """The entries with this id, or a name that is, begins with, or contains ``text``; the best first.

    Case, width and blanks make no difference. A single character finds beginnings only.

    Raises:
        PayloadError: the text is too long.
    """
    if not isinstance(text, str) or len(text) > LONGEST_SEARCH:
        raise PayloadError("search for at most {longest} characters", longest=LONGEST_SEARCH)
    wanted, limit = folded(text), min(limit, MOST)
    if not wanted:
        return []
    found: list[Found] = []
    with workspace.reading() as db:
        bases = db.execute(
            "SELECT name, current FROM knowledge_bases WHERE project_id = ? AND current IS NOT NULL "
            "ORDER BY name",
            (checked_id(project_id),),
        ).fetchall()
        for base in bases:
            found += _in_version(db, base["current"], base["name"], text.strip(), wanted, limit)
    found.sort(key=lambda one: (_BETTER.index(one.match), len(one.name), one.name, one.entry.id))
    return found[:limit]


def by_ids(workspace: Workspace, project_id: int, ids: Iterable[tuple[str, str]]) -> list[Found]:
    """The entries with these sources and ids, as far as they are there."""
    found = []
    with workspace.reading() as db:
        for source, identifier in ids:
            row = db.execute(
                "SELECT e.* FROM knowledge_bases b JOIN knowledge_entries e ON e.version = b.current "
                "WHERE b.project_id = ? AND b.name = ? AND e.identifier = ?",
                (checked_id(project_id), source, identifier),
            ).fetchone()
            if row is not None:
                entry = entry_of(row)
                found.append(Found(entry, source, "id", entry.name))
    return found


def _in_version(
    db: sqlite3.Connection, version: int, source: str, text: str, wanted: str, limit: int
) -> list[Found]:
    found: dict[int, Found] = {}
    row = db.execute(
        "SELECT * FROM knowledge_entries WHERE version = ? AND identifier = ?", (version, text)
    ).fetchone()
    if row is not None:
        found[row["id"]] = Found(entry_of(row), source, "id", row["name"])
    numbers = [
        each[0]
        for each in db.execute(
            "SELECT entry FROM knowledge_names WHERE version = ? AND folded >= ? AND folded < ? "
            "ORDER BY folded LIMIT ?",
            (version, wanted, wanted + _LAST, limit * 2),
        )
    ]
    for number in dict.fromkeys(numbers):
        found.setdefault(number, _found(db, number, source, wanted))
    for number in _containing(db, version, wanted):
        if len(found) >= limit * 2:
            break
        if number not in found:
            one = _found(db, number, source, wanted)
            if one.name:
                found[number] = one
    return list(found.values())


def _containing(db: sqlite3.Connection, version: int, wanted: str) -> Iterator[int]:
    for examined, number in enumerate(name_index.numbers(db, version, wanted)):
        if examined == _EXAMINED:
            return
        yield number


def _found(db: sqlite3.Connection, number: int, source: str, wanted: str) -> Found:
    """The entry with its best name; that is empty if none matches."""
    entry = entry_of(db.execute("SELECT * FROM knowledge_entries WHERE id = ?", (number,)).fetchone())
    best: tuple[int, int, str] | None = None
    for name in entry.names:
        spelt = folded(name)
        if wanted in spelt:
            rank = 1 if spelt == wanted else 2 if spelt.startswith(wanted) else 3
            best = min(best or (9, 0, ""), (rank, len(name), name))
    return Found(entry, source, _BETTER[best[0]] if best else "part", best[2] if best else "")
