"""What stands in a project's word list, a page at a time: searched, filtered, in an order, counted."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from core.store import lexicon_batches, lexicon_changes, word_text
from core.store.errors import PayloadError
from core.store.lexicon_entry import WordEntry
from core.store.projects import checked_id, row_of
from core.store.workspace import Workspace

LONGEST_SEARCH = 100
LARGEST_PAGE = 500
# Counting stops here: "more than 10,000" is all that a person needs, and a rare word is looked for in all.
MOST_COUNTED = 10_000
_MOST_TOTALS = 200
_totals: OrderedDict[tuple[object, ...], int] = OrderedDict()
_counts: dict[int, tuple[tuple[str, int, int], WordCounts]] = {}
_totals_lock = Lock()
_LAST = "\U0010ffff"
_BATCH = 10_000
_LISTED = " AND word IN (SELECT value FROM json_each(?))"

SORTS = {
    "word": "word {0}, type {0}",
    "frequency": "frequency {0}, id {0}",
    "length": "length {0}, id {0}",
    "documents": "documents {0}, id {0}",  # those nobody counted come first or last
    "newest": "id {0}",
}
STATES = ("words", "removed", "conflict", "kept")
MATCHES = ("part", "prefix", "whole")


@dataclass(frozen=True, slots=True)
class WordQuery:
    """Which entries, and in which order.

    Args:
        search: characters of the word, ``match`` says where: a part of it, its beginning, or all of it.
        state: ``words`` (those added), ``removed`` (taken out of the base), ``conflict`` (several types,
            nothing decided) or ``kept`` (several types, kept together).
        type: only this type; "" those without one; None any.
        source: only from this source; "" those that no file brought; None any.
        sort: a name of ``SORTS``. descending: the other way round.
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
                raise PayloadError(f"{name} is one of {', '.join(choices)}")
        for name in ("search", "type", "source"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or len(value) > LONGEST_SEARCH):
                raise PayloadError(f"{name} is text of at most {LONGEST_SEARCH} characters")
            if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
                raise PayloadError(f"{name} holds half a character; type it again")


@dataclass(frozen=True, slots=True)
class WordRow:
    """One entry as it stands.

    Args:
        conflict: 0 none, 1 the word has several types, 2 it has and a person kept them.
        documents: how many documents hold the word, or None where nobody counted.
        source: the list it came from, "" for one typed by hand. user, at: who brought it, and when.
    """

    id: int
    word: str
    type: str
    frequency: int
    masked: bool
    conflict: int
    documents: int | None
    source: str
    user: str
    at: int


@dataclass(frozen=True, slots=True)
class WordPage:
    """Some rows of all that a query finds; under a filter ``total`` stops at ``MOST_COUNTED`` + 1."""

    rows: tuple[WordRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class WordCounts:
    """The whole list: entries; words taken out, in conflict, kept together; entries by type and source."""

    entries: int
    removed: int
    conflicts: int
    kept: int
    types: Mapping[str, int]
    sources: Mapping[str, int]


def page(
    workspace: Workspace,
    project_id: int,
    query: WordQuery | None = None,
    *,
    offset: int = 0,
    limit: int = 100,
) -> WordPage:
    """The entries that ``query`` finds.

    Raises:
        NotFound: no such project. PayloadError: a negative offset.
    """
    query = query or WordQuery()
    if offset < 0 or offset >= 2**62:
        raise PayloadError("a page begins at 0 or later")
    limit = max(0, min(limit, LARGEST_PAGE))
    found = _spelled(workspace, project_id, query)
    with workspace.reading() as db:
        row_of(db, project_id)
        if found is not None and len(found) <= MOST_COUNTED:
            index = "INDEXED BY lexicon_words_by_word"
            where, values = _among(project_id, query, found)
        else:
            index = _index(db, project_id, query)
            where, values = conditions(project_id, query)
        order = SORTS[query.sort].format("DESC" if query.descending else "ASC")
        sql = f"SELECT id FROM lexicon_words {index} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
        ids = [row[0] for row in db.execute(sql, (*values, limit, offset))]
        if 0 < len(ids) < limit:
            total = offset + len(ids)
        else:
            stamp = (str(workspace.file), project_id, lexicon_batches.revision(db, project_id))
            total = _total(db, stamp, query, where, values)
        return WordPage(tuple(_rows(db, ids)), total)


def _spelled(workspace: Workspace, project_id: int, query: WordQuery) -> list[str] | None:
    """The words with these characters inside, at most one more than are counted; None where an index finds
    them. The list lies in memory as one string: looking at every row would take a tenth of a second."""
    if not query.search or query.match != "part" or query.state != "words":
        return None
    return word_text.containing(
        lexicon_changes.current(workspace, project_id), query.search, MOST_COUNTED + 1
    )


def _among(project_id: int, query: WordQuery, words: Sequence[str]) -> tuple[str, tuple[object, ...]]:
    where, values = conditions(project_id, replace(query, search=""))
    # A list of numbers or words goes in as one JSON value.
    listed = json.dumps(words, ensure_ascii=False)
    return where + _LISTED, (*values, listed)


def conditions(project_id: int, query: WordQuery) -> tuple[str, tuple[object, ...]]:
    """The WHERE clause of a query over ``lexicon_words``, and its values."""
    clauses = ["project_id = ?"]
    values: list[object] = [project_id]
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
        clauses.append("type = ?")
        values.append(query.type)
    if query.source is not None:
        clauses.append("origin IN (SELECT id FROM lexicon_batches WHERE project_id = ? AND source = ?)")
        values += [project_id, query.source]
    return " AND ".join(clauses), tuple(values)


def _index(db: sqlite3.Connection, project_id: int, query: WordQuery) -> str:
    """Which index to walk. SQLite has no statistics here, and sorting a million rows for one page is slow."""
    if query.state in ("conflict", "kept"):
        return "INDEXED BY lexicon_words_in_conflict"
    if query.search and query.match != "part":
        return "INDEXED BY lexicon_words_by_word"
    if query.type is not None and (query.sort == "word" or _is_rare(db, project_id, "type", query.type)):
        return "INDEXED BY lexicon_words_by_type"
    if query.source is not None and _is_rare(db, project_id, "source", query.source):
        return "INDEXED BY lexicon_words_by_origin"
    # Numbers of rows grow with time, so the newest are the last of the table.
    return "NOT INDEXED" if query.sort == "newest" else f"INDEXED BY lexicon_words_by_{query.sort}"


def _is_rare(db: sqlite3.Connection, project_id: int, name: str, value: str, most: int = 20_000) -> bool:
    query = WordQuery(type=value) if name == "type" else WordQuery(source=value)
    where, values = conditions(project_id, query)
    index = {"type": "type", "source": "origin"}[name]
    sql = (
        f"SELECT count(*) FROM (SELECT 1 FROM lexicon_words INDEXED BY lexicon_words_by_{index} "  # noqa: S608
        f"WHERE {where} LIMIT ?)"
    )
    return int(db.execute(sql, (*values, most + 1)).fetchone()[0]) <= most


def _total(
    db: sqlite3.Connection,
    stamp: tuple[str, int, int],
    query: WordQuery,
    where: str,
    values: tuple[object, ...],
) -> int:
    """How many entries a query finds; counting a million takes longer than reading a page, so it is kept."""
    key = (stamp, replace(query, sort="word", descending=False))
    with _totals_lock:
        if key in _totals:
            _totals.move_to_end(key)
            return _totals[key]
    plain = not query.search and query.type is None and query.source is None
    limit = "" if plain else f" LIMIT {MOST_COUNTED + 1}"
    sql = f"SELECT count(*) FROM (SELECT 1 FROM lexicon_words WHERE {where}{limit})"  # noqa: S608 - ours
    total = int(db.execute(sql, values).fetchone()[0])
    with _totals_lock:
        _totals[key] = total
        while len(_totals) > _MOST_TOTALS:
            _totals.popitem(last=False)
    return total


def _rows(db: sqlite3.Connection, ids: Sequence[int]) -> Iterator[WordRow]:
    marks = ",".join("?" * len(ids))
    found = {
        row["id"]: row
        for row in db.execute(
            "SELECT w.*, coalesce(b.source, '') AS source, coalesce(b.user, '') AS user, "  # noqa: S608
            "coalesce(b.at, 0) AS at FROM lexicon_words w LEFT JOIN lexicon_batches b ON b.id = w.origin "
            f"WHERE w.id IN ({marks})",
            tuple(ids),
        )
    }
    for id_ in ids:
        row = found[id_]
        yield WordRow(
            row["id"], row["word"], row["type"], row["frequency"], bool(row["masked"]), row["conflict"],
            row["documents"], row["source"], row["user"], row["at"],
        )  # fmt: skip


def counts(workspace: Workspace, project_id: int) -> WordCounts:
    """The list as a whole; kept until it changes."""
    with workspace.reading() as db:
        row_of(db, project_id)
        stamp = (str(workspace.file), project_id, lexicon_batches.revision(db, project_id))
        with _totals_lock:
            known = _counts.get(project_id)
        if known is not None and known[0] == stamp:
            return known[1]
        found = _count(db, project_id)
    with _totals_lock:
        _counts[project_id] = (stamp, found)
    return found


def _count(db: sqlite3.Connection, project_id: int) -> WordCounts:
    types = {
        row[0]: row[1]
        for row in db.execute(
            "SELECT type, count(*) AS n FROM lexicon_words WHERE project_id = ? AND masked = 0 "
            "GROUP BY type ORDER BY n DESC, type",
            (project_id,),
        )
    }
    removed = db.execute(
        "SELECT count(*) FROM lexicon_words WHERE project_id = ? AND masked = 1", (project_id,)
    ).fetchone()[0]
    conflicts = dict(
        db.execute(
            "SELECT conflict, count(DISTINCT word) FROM lexicon_words "
            "WHERE project_id = ? AND conflict > 0 GROUP BY conflict",
            (project_id,),
        ).fetchall()
    )
    sources: dict[str, int] = {}
    for source, number in db.execute(
        "SELECT coalesce(b.source, ''), w.n FROM (SELECT origin, count(*) AS n FROM lexicon_words "
        "WHERE project_id = ? AND masked = 0 GROUP BY origin) w "
        "LEFT JOIN lexicon_batches b ON b.id = w.origin ORDER BY 1",
        (project_id,),
    ):
        sources[source] = sources.get(source, 0) + number
    return WordCounts(sum(types.values()), removed, conflicts.get(1, 0), conflicts.get(2, 0), types, sources)


def find(workspace: Workspace, project_id: int, ids: Sequence[int]) -> list[WordRow]:
    """These entries of the project; numbers come from browsers, and others' are not there.

    Raises:
        PayloadError: that can be no numbers, or an entry is no longer there.
    """
    checked = [checked_id(id_) for id_ in dict.fromkeys(ids)]
    if not checked or len(checked) > LARGEST_PAGE:
        raise PayloadError(f"choose 1 to {LARGEST_PAGE} words")
    marks = ",".join("?" * len(checked))
    with workspace.reading() as db:
        row_of(db, project_id)
        own = {
            row[0]
            for row in db.execute(
                f"SELECT id FROM lexicon_words WHERE project_id = ? AND id IN ({marks})",  # noqa: S608
                (project_id, *checked),
            )
        }
        if len(own) < len(checked):
            raise PayloadError("a word was changed meanwhile; look at the list again")
        return list(_rows(db, checked))


def words_of(workspace: Workspace, project_id: int, query: WordQuery) -> list[str]:
    """Every word that ``query`` finds, each once, in order of the alphabet."""
    where, values = conditions(project_id, query)
    with workspace.reading() as db:
        row_of(db, project_id)
        sql = f"SELECT DISTINCT word FROM lexicon_words WHERE {where} ORDER BY word"  # noqa: S608 - ours
        return [row[0] for row in db.execute(sql, values)]


def entries(
    workspace: Workspace, project_id: int, query: WordQuery | None = None, after: tuple[str, str] = ("", "")
) -> Iterator[tuple[str, WordEntry]]:
    """Every entry that ``query`` finds (None: all words), by word and type, read in parts so that any number
    fits.

    Args:
        after: begin behind this word and type.
    """
    where, values = conditions(project_id, query or WordQuery())
    while True:
        with workspace.reading() as db:
            row_of(db, project_id)
            rows = db.execute(
                "SELECT word, type, frequency, masked, origin FROM lexicon_words "  # noqa: S608
                f"WHERE {where} AND (word, type) > (?, ?) ORDER BY word, type LIMIT {_BATCH}",
                (*values, *after),
            ).fetchall()
        for row in rows:
            yield row["word"], WordEntry(row["type"], row["frequency"], bool(row["masked"]), row["origin"])
        if len(rows) < _BATCH:
            return
        after = (rows[-1]["word"], rows[-1]["type"])


def set_documents(workspace: Workspace, project_id: int, found: Mapping[str, int]) -> None:
    """Note in how many documents words occur, 0 for those not in ``found``; it is no change of the list."""
    with lexicon_batches.long_writing(workspace) as db:
        row_of(db, project_id)
        db.execute(
            "UPDATE lexicon_words SET documents = 0 WHERE project_id = ? AND masked = 0 "
            "AND documents IS NOT 0",
            (project_id,),
        )
        db.executemany(
            "UPDATE lexicon_words SET documents = ? WHERE project_id = ? AND masked = 0 AND word = ?",
            [(number, project_id, word) for word, number in found.items()],
        )


def settle(workspace: Workspace, project_id: int, words: Sequence[str], *, kept: bool) -> int:
    """Say that all types of these words hold, or ask again; returns of how many words."""
    with workspace.writing() as db:
        row_of(db, project_id)
        changed = 0
        for word in words:
            changed += bool(
                db.execute(
                    "UPDATE lexicon_words SET conflict = ? "
                    "WHERE project_id = ? AND masked = 0 AND word = ? AND conflict > 0",
                    (2 if kept else 1, project_id, word),
                ).rowcount
            )
        lexicon_batches.touch(db, project_id)
        return changed
