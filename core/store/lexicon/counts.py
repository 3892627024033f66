"""Cached word counts of a project's list: by query, type and source."""

from __future__ import annotations

import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock

from core.store.db.workspace import Workspace
from core.store.label.ids import LabelIds, label_ids
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon.query import WordQuery

# Counting stops here: the page shows "more than 10,000".
MOST_COUNTED = 10_000
_MOST_TOTALS = 200
_totals: OrderedDict[tuple[object, ...], int] = OrderedDict()
_counts: dict[int, tuple[tuple[str, int, int], WordCounts]] = {}
_totals_lock = Lock()


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of the whole list: entries; removed, conflicting and confirmed words; entries by type and
    source."""

    entries: int
    removed: int
    conflicts: int
    kept: int
    types: Mapping[str, int]
    sources: Mapping[str, int]


def stamp(workspace: Workspace, db: sqlite3.Connection, project_id: int) -> tuple[str, int, int]:
    """A cache key that changes with the list."""
    return str(workspace.file), project_id, lexicon_batches.revision(db, project_id)


def counts(workspace: Workspace, project_id: int) -> WordCounts:
    """Counts of the whole list, cached."""
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        mark = stamp(workspace, db, project_id)
        with _totals_lock:
            cached = _counts.get(project_id)
        if cached is not None and cached[0] == mark:
            return cached[1]
        counted = _count(db, number, label_ids(db, project_id))
    with _totals_lock:
        _counts[project_id] = (mark, counted)
    return counted


def _count(db: sqlite3.Connection, number: int, label_map: LabelIds) -> WordCounts:
    by_type: Counter[str] = Counter()
    for type_, entries in db.execute(
        "SELECT type, count(*) FROM lexicon_words WHERE list = ? AND masked = 0 GROUP BY type", (number,)
    ):
        by_type[label_map.types[type_]] += entries
    types = dict(sorted(by_type.items(), key=lambda item: (-item[1], item[0])))
    removed = db.execute(
        "SELECT count(*) FROM lexicon_words WHERE list = ? AND masked = 1", (number,)
    ).fetchone()[0]
    conflicts = dict(
        db.execute(
            "SELECT conflict, count(DISTINCT word) FROM lexicon_words "
            "WHERE list = ? AND conflict > 0 GROUP BY conflict",
            (number,),
        ).fetchall()
    )
    sources: dict[str, int] = {}
    for source, count in db.execute(
        "SELECT coalesce(b.source, ''), w.n FROM (SELECT origin, count(*) AS n FROM lexicon_words "
        "WHERE list = ? AND masked = 0 GROUP BY origin) w "
        "LEFT JOIN lexicon_batches b ON b.id = w.origin ORDER BY 1",
        (number,),
    ):
        sources[source] = sources.get(source, 0) + count
    return WordCounts(sum(types.values()), removed, conflicts.get(1, 0), conflicts.get(2, 0), types, sources)


def is_plain(query: WordQuery) -> bool:
    """Whether a query has no filter but the state; such queries are counted exactly."""
    return not query.search and query.type is None and query.source is None


def total(
    db: sqlite3.Connection,
    mark: tuple[str, int, int],
    query: WordQuery,
    where: str,
    values: tuple[object, ...],
) -> int:
    """Number of entries a query finds, cached, as counting a million takes longer than reading a page."""
    key = (mark, replace(query, sort="word", descending=False))
    with _totals_lock:
        if key in _totals:
            _totals.move_to_end(key)
            return _totals[key]
    limit = "" if is_plain(query) else f" LIMIT {MOST_COUNTED + 1}"
    sql = f"SELECT count(*) FROM (SELECT 1 FROM lexicon_words WHERE {where}{limit})"  # noqa: S608 - ours
    count = int(db.execute(sql, values).fetchone()[0])
    with _totals_lock:
        _totals[key] = count
        while len(_totals) > _MOST_TOTALS:
            _totals.popitem(last=False)
    return count
