"""Queries of a project's word list: conditions, order, and the index to use."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.store.db.errors import PayloadError
from core.store.label.ids import LabelIds

LONGEST_SEARCH = 100
_LAST = "\U0010ffff"

SORTS = {
    "word": "word {0}, type {0}",
    "frequency": "frequency {0}, id {0}",
    "length": "length {0}, id {0}",
    "documents": "documents {0}, id {0}",  # uncounted ones come first or last
    "newest": "origin {0}, id {0}",
}
STATES = ("words", "removed", "conflict", "kept")
MATCHES = ("part", "prefix", "whole")


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A filter and an order of entries.

    Args:
        search: characters of the word; ``match``: anywhere, at its beginning, or the whole word.
        state: ``words`` (added), ``removed`` (from the base), ``conflict`` (several types) or ``kept``
            (several types, confirmed).
        type: only this type; "": without a type; None: any.
        source: only from this source; "": not from a file; None: any.
        sort: a name in ``SORTS``. descending: reverse order.
    """

    search: str = ""
    match: str = "part"
    state: str = "words"
    type: str | None = None
    source: str | None = None
    sort: str = "word"
    descending: bool = False

    def __post_init__(self) -> None:
        for name, choices in (("match", MATCHES), ("state", STATES), ("sort", tuple(SORTS))):
            if getattr(self, name) not in choices:
                raise PayloadError("{name} is one of {choices}", name=name, choices=choices)
        for name in ("search", "type", "source"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or len(value) > LONGEST_SEARCH):
                raise PayloadError(
                    "{name} is text of at most {longest} characters", name=name, longest=LONGEST_SEARCH
                )
            if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
                raise PayloadError("{name} contains an incomplete character; type it again", name=name)


def order(query: WordQuery, *, backwards: bool = False) -> str:
    """The ORDER BY clause of a query, optionally reversed."""
    return SORTS[query.sort].format("DESC" if query.descending != backwards else "ASC")


def conditions(number: int, query: WordQuery, label_map: LabelIds) -> tuple[str, tuple[object, ...]]:
    """The WHERE clause of a query on list ``number``, and its parameters.

    Args:
        label_map: the labels of the project, for queries by type.
    """
    clauses = ["list = ?"]
    values: list[object] = [number]
    clauses.append(f"masked = {int(query.state == 'removed')}")
    if query.state in ("conflict", "kept"):
        clauses.append(f"conflict > 0 AND conflict = {1 if query.state == 'conflict' else 2}")
    if query.search:
        if query.match == "whole":
            clauses.append("word = ?")
            values.append(query.search)
        elif query.match == "prefix":
            clauses.append("word >= ? AND word < ?")
            values += [query.search, query.search + _LAST]
        else:
            clauses.append("instr(word, ?) > 0")
            values.append(query.search)
    if query.type is not None:
        types = [id_ for id_, name in label_map.types.items() if name == query.type]
        if len(types) == 1:  # an index over types holds its words in order
            clauses.append("type = ?")
            values += types
        else:
            clauses.append("type IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(types))
    if query.source is not None:
        clauses.append(
            "origin IN (SELECT id FROM lexicon_batches WHERE source = ? AND project_id = "
            "(SELECT project_id FROM lexicon_lists WHERE id = ?))"
        )
        values += [query.source, number]
    return " AND ".join(clauses), tuple(values)


def index(db: sqlite3.Connection, number: int, query: WordQuery, label_map: LabelIds) -> str:
    """The index to use: SQLite has no statistics here, and sorting a million rows for one page is slow."""
    if query.state in ("conflict", "kept"):
        return "INDEXED BY lexicon_words_in_conflict"
    if query.search and query.match != "part":
        return "INDEXED BY lexicon_words_by_word"
    if query.type is not None and (
        query.sort == "word" or _is_rare(db, number, label_map, "type", query.type)
    ):
        return "INDEXED BY lexicon_words_by_type"
    if query.source is not None and _is_rare(db, number, label_map, "source", query.source):
        return "INDEXED BY lexicon_words_by_origin"
    # Batch ids increase with time.
    return f"INDEXED BY lexicon_words_by_{'origin' if query.sort == 'newest' else query.sort}"


def _is_rare(
    db: sqlite3.Connection, number: int, label_map: LabelIds, name: str, value: str, most: int = 20_000
) -> bool:
    query = WordQuery(type=value) if name == "type" else WordQuery(source=value)
    where, values = conditions(number, query, label_map)
    column = {"type": "type", "source": "origin"}[name]
    sql = (
        f"SELECT count(*) FROM (SELECT 1 FROM lexicon_words INDEXED BY lexicon_words_by_{column} "  # noqa: S608
        f"WHERE {where} LIMIT ?)"
    )
    return int(db.execute(sql, (*values, most + 1)).fetchone()[0]) <= most
