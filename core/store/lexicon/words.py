"""Pages of a project's word list: searched, filtered, sorted and counted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.label.ids import LabelIds, label_ids
from core.store.label.words import touch
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import counts as lexicon_counts
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import query as lexicon_query
from core.store.lexicon import word_text
from core.store.lexicon.counts import MOST_COUNTED
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.query import WordQuery, conditions
from core.store.project.projects import checked_id, row_of

LARGEST_PAGE = 500
_BATCH = 10_000
_LISTED = " AND word IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class WordRow:
    """One current entry.

    Args:
        conflict: 0: none, 1: the word has several types, 2: a person confirmed them.
        documents: number of documents with the word, or None if not counted.
        source: the list it came from, "" if typed by hand. user, at: of its addition.
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
    """Some rows of a query; with a filter ``total`` stops at ``MOST_COUNTED`` + 1."""

    rows: tuple[WordRow, ...]
    total: int


def page(
    workspace: Workspace,
    project_id: int,
    query: WordQuery | None = None,
    *,
    offset: int = 0,
    limit: int = 100,
) -> WordPage:
    """A page of entries. Raises:
    NotFound: no such project. PayloadError: a negative offset.
    """
    query = query or WordQuery()
    if offset < 0 or offset >= 2**62:
        raise PayloadError("a page begins at 0 or later")
    limit = max(0, min(limit, LARGEST_PAGE))
    spelled = _spelled(workspace, project_id, query)
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        mark, label_map = lexicon_counts.stamp(workspace, db, project_id), label_ids(db, project_id)
        if spelled is not None and len(spelled) <= MOST_COUNTED:
            index = "INDEXED BY lexicon_words_by_word"
            where, values = _among(number, query, label_map, spelled)
        else:
            index = lexicon_query.index(db, number, query, label_map)
            where, values = conditions(number, query, label_map)
        total = None
        backwards = False
        if offset and lexicon_counts.is_plain(query):
            total = lexicon_counts.total(db, mark, query, where, values)
            limit = max(0, min(limit, total - offset))
            # The index is read from the nearer end.
            backwards = offset > total // 2
        order = lexicon_query.order(query, backwards=backwards)
        skipped = (total or 0) - offset - limit if backwards else offset
        sql = f"SELECT id FROM lexicon_words {index} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
        ids = [row[0] for row in db.execute(sql, (*values, limit, max(0, skipped)))]
        if backwards:
            ids.reverse()
        if total is None:
            whole = 0 < len(ids) < limit
            total = offset + len(ids) if whole else lexicon_counts.total(db, mark, query, where, values)
        rows = tuple(_rows(db, ids, label_map))
    if query.sort == "word":  # the index has types by id
        rows = tuple(sorted(rows, key=lambda row: (row.word, row.type), reverse=query.descending))
    return WordPage(rows, total)


def _spelled(workspace: Workspace, project_id: int, query: WordQuery) -> list[str] | None:
    """The words that contain these characters, at most one more than are counted; None if an index can find
    them. Searches the list as one string in memory: reading every row would take a tenth of a second."""
    if not query.search or query.match != "part" or query.state != "words":
        return None
    return word_text.containing(
        lexicon_changes.current(workspace, project_id), query.search, MOST_COUNTED + 1
    )


def _among(
    number: int, query: WordQuery, label_map: LabelIds, words: Sequence[str]
) -> tuple[str, tuple[object, ...]]:
    where, values = conditions(number, replace(query, search=""), label_map)
    # Lists are passed as one JSON value.
    listed = json.dumps(words, ensure_ascii=False)
    return where + _LISTED, (*values, listed)


def _rows(db: sqlite3.Connection, ids: Sequence[int], label_map: LabelIds) -> Iterator[WordRow]:
    marks = ",".join("?" * len(ids))
    rows_by_id = {
        row["id"]: row
        for row in db.execute(
            "SELECT w.*, coalesce(b.source, '') AS source, coalesce(b.user, '') AS user, "  # noqa: S608
            "coalesce(b.at, 0) AS at FROM lexicon_words w LEFT JOIN lexicon_batches b ON b.id = w.origin "
            f"WHERE w.id IN ({marks})",
            tuple(ids),
        )
    }
    for id_ in ids:
        row = rows_by_id[id_]
        yield WordRow(
            row["id"], row["word"], label_map.types[row["type"]], row["frequency"], bool(row["masked"]),
            row["conflict"], row["documents"], row["source"], row["user"], row["at"],
        )  # fmt: skip


def find(workspace: Workspace, project_id: int, ids: Sequence[int]) -> list[WordRow]:
    """Entries of the project by id; ids of other projects do not exist.

    Raises:
        PayloadError: malformed ids, or an entry no longer exists.
    """
    checked = [checked_id(id_) for id_ in dict.fromkeys(ids)]
    if not checked or len(checked) > LARGEST_PAGE:
        raise PayloadError("choose 1 to {largest} words", largest=LARGEST_PAGE)
    marks = ",".join("?" * len(checked))
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        row = db.execute(
            f"SELECT count(*) FROM lexicon_words WHERE list = ? AND id IN ({marks})",  # noqa: S608
            (number, *checked),
        ).fetchone()[0]
        if row < len(checked):
            raise PayloadError("a word has changed in the meantime; check the list again")
        return list(_rows(db, checked, label_ids(db, project_id)))


def entries(
    workspace: Workspace, project_id: int, query: WordQuery | None = None, after: tuple[str, str] = ("", "")
) -> Iterator[tuple[str, WordEntry]]:
    """All entries that ``query`` finds (None: all words), by word and type, read in chunks.

    Args:
        after: start after this word and type.
    """
    while True:
        with lexicon_lists.snapshot(workspace, project_id) as (db, number):
            label_map = label_ids(db, project_id)
            where, values = conditions(number, query or WordQuery(), label_map)
            rows = db.execute(
                "SELECT word, type, frequency, masked, origin FROM lexicon_words "  # noqa: S608
                f"WHERE {where} AND word >= ? ORDER BY word LIMIT {_BATCH}",
                (*values, after[0]),
            ).fetchall()
        last = rows[-1]["word"] if len(rows) == _BATCH else None  # its other types may be in the next chunk
        conflicts = {
            (row["word"], label_map.types[row["type"]]): row
            for row in rows
            if row["word"] != last and (row["word"], label_map.types[row["type"]]) > after
        }
        for word, type_ in sorted(conflicts):
            row = conflicts[word, type_]
            yield word, WordEntry(type_, row["frequency"], bool(row["masked"]), row["origin"])
            after = (word, type_)
        if last is None:
            return


def set_documents(workspace: Workspace, project_id: int, counts: Mapping[str, int]) -> None:
    """Store document counts of words, 0 for those not in ``found``; this makes no version.

    Written in short transactions: readers may see some of the new numbers early.
    """
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        rows = db.execute(
            "SELECT DISTINCT word, documents FROM lexicon_words WHERE list = ? AND masked = 0", (number,)
        ).fetchall()
    told = [(counts.get(word, 0), word) for word, stored in rows if stored != counts.get(word, 0)]
    for start in range(0, len(told), lexicon_lists.ROWS):
        with lexicon_lists.step(workspace) as db:
            number = lexicon_lists.current_list(db, project_id)
            db.executemany(
                "UPDATE lexicon_words SET documents = ? WHERE list = ? AND masked = 0 AND word = ?",
                [(count, number, word) for count, word in told[start : start + lexicon_lists.ROWS]],
            )


def resolve(workspace: Workspace, project_id: int, words: Sequence[str], *, kept: bool) -> int:
    """Confirm all types of these words, or mark them as conflicts again; returns the number of words."""
    with workspace.writing() as db:
        row_of(db, project_id)
        number = lexicon_lists.current_list(db, project_id)
        changed = 0
        for word in words:
            changed += bool(
                db.execute(
                    "UPDATE lexicon_words SET conflict = ? "
                    "WHERE list = ? AND masked = 0 AND word = ? AND conflict > 0",
                    (2 if kept else 1, number, word),
                ).rowcount
            )
        touch(db, project_id)
        return changed
