"""Entries of knowledge bases as rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from core.store.db.cells import load_json
from core.store.db.errors import UnreadableCell
from core.store.knowledge import name_index
from core.text.knowledge_entry import KnowledgeEntry, folded


def write_entries(db: sqlite3.Connection, version: int, entries: Sequence[KnowledgeEntry]) -> set[int]:
    """Insert the entries whose ids the version lacks, in an open transaction; returns their indices."""
    names: list[tuple[int, str, int]] = []
    indexed: list[tuple[int, Sequence[str]]] = []
    written: set[int] = set()
    for at, entry in enumerate(entries):
        made = db.execute(
            "INSERT OR IGNORE INTO knowledge_entries (version, identifier, name, aliases, type, description) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (version, entry.id, entry.name, json.dumps(entry.aliases, ensure_ascii=False), entry.type,
             entry.description),
        )  # fmt: skip
        if not made.rowcount:
            continue
        number = int(made.lastrowid or 0)
        written.add(at)
        spelt = list(dict.fromkeys(map(folded, entry.names)))
        names += [(version, name, number) for name in spelt]
        indexed.append((number, spelt))
    db.executemany("INSERT INTO knowledge_names (version, folded, entry) VALUES (?, ?, ?)", sorted(names))
    name_index.add(db, version, indexed)
    return written


def entry_of(row: sqlite3.Row) -> KnowledgeEntry:
    """The entry of a row.

    Raises:
        UnreadableCell: its aliases are no list of texts.
    """
    aliases = load_json(row["aliases"])
    try:
        return KnowledgeEntry(row["identifier"], row["name"], tuple(aliases), row["type"], row["description"])
    except (ValueError, TypeError) as error:
        raise UnreadableCell(row["aliases"]) from error
