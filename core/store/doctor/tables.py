"""What SQLite and the schema say: integrity, foreign keys, orphans, cells that cannot be read."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator

from core.store.db import damage
from core.store.doctor.finding import RESTORE, Finding, Kind

_INDEX_ONLY = re.compile(r"(row \d+ missing from index |wrong # of entries in index )(\w+)")
# Rows of an annotator whose version is not there, in tables that no foreign key ties to it.
_OF_VERSIONS = ("spans", "events", "annotated_regions", "region_events")


def integrity(db: sqlite3.Connection) -> Iterator[Finding]:
    """`integrity_check`: an index that misses rows is made again; nothing else can be mended in place."""
    verdicts = [str(row[0]) for row in db.execute("PRAGMA integrity_check(100)")]
    if verdicts == ["ok"]:
        return
    by_index: dict[str, int] = {}
    for verdict in verdicts:
        matched = _INDEX_ONLY.match(verdict)
        if matched is None:
            yield Finding("integrity", "the file", verdict[:200], RESTORE)
        else:
            by_index[matched[2]] = by_index.get(matched[2], 0) + 1
    for index, count in by_index.items():
        yield Finding(
            "integrity", f"index {index}", f"misses rows or has others ({count} messages)", "make it again",
            _reindexing(index),
        )  # fmt: skip


def foreign_keys(db: sqlite3.Connection) -> Iterator[Finding]:
    """Rows that refer to a row that is not there."""
    broken = {(row[0], row[2], row[3]) for row in db.execute("PRAGMA foreign_key_check")}
    for table, parent, number in sorted(broken):
        (key,) = [row for row in db.execute(f'PRAGMA foreign_key_list("{table}")') if row["id"] == number]
        column, referred = f'"{key["from"]}"', f'SELECT "{key["to"]}" FROM "{parent}"'  # noqa: S608 - our schema
        lost = f"{column} IS NOT NULL AND {column} NOT IN ({referred})"
        yield _gone_rows(db, "foreign key", table, lost, f"rows refer to {parent} that are not there")


def orphans(db: sqlite3.Connection) -> Iterator[Finding]:
    """Spans, events and regions of a version that is not there; an active run that is not there."""
    for table in _OF_VERSIONS:
        mine = f"document_id = {table}.document_id AND"
        lost = f"annotator <> '' AND {_none('versions', mine, table, 'annotator')}"
        if table in ("annotated_regions", "region_events"):
            # Who only marked what they had read has no version yet.
            lost += f" AND {_none('assignments', mine, table, 'user')}"
        if db.execute(f"SELECT 1 FROM {table} WHERE {lost} LIMIT 1").fetchone():  # noqa: S608
            yield _gone_rows(db, "orphan", table, lost, "rows belong to a version that is not there")
    for project, column, run in db.execute(
        "SELECT id, 'active_run', active_run FROM projects WHERE active_run NOT IN (SELECT name FROM runs) "
        "UNION SELECT id, 'previous_run', previous_run FROM projects "
        "WHERE previous_run NOT IN (SELECT name FROM runs)"
    ).fetchall():
        yield Finding(
            "orphan", f"projects {project}, {column}", f"names the run {run}, which is not there",
            "let it name none", _clearing(project, column),
        )  # fmt: skip


def damaged_rows(db: sqlite3.Connection) -> Iterator[Finding]:
    """Cells that cannot be read; a span row beyond its text is deleted, and the events say what was there."""
    factory = db.text_factory
    try:
        rows = damage.damaged_rows(db)
    finally:
        db.text_factory = factory
    for row in rows:
        key = dict(row.key)
        where = f"{row.table} {', '.join(str(value)[:60] for value in key.values())}, column {row.column}"
        if row.table == "spans":
            kind: Kind = "span beyond the text" if row.column == "end" else "damaged row"
            yield Finding(
                kind, where, str(row.what), "delete the span, and make the spans again from the events",
                _deleting("spans", key),
            )  # fmt: skip
        else:
            yield Finding("damaged row", where, str(row.what), RESTORE)


def _none(other: str, mine: str, table: str, column: str) -> str:
    return f"NOT EXISTS (SELECT 1 FROM {other} o WHERE o.{mine} o.{column} = {table}.annotator)"  # noqa: S608


def _gone_rows(db: sqlite3.Connection, kind: Kind, table: str, lost: str, what: str) -> Finding:
    count = db.execute(f'SELECT count(*) FROM "{table}" WHERE {lost}').fetchone()[0]  # noqa: S608 - our schema

    def mend(db: sqlite3.Connection) -> None:
        db.execute(f'DELETE FROM "{table}" WHERE {lost}')  # noqa: S608

    return Finding(kind, table, f"{count} {what}", "delete them", mend)


def _reindexing(index: str) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        db.execute(f'REINDEX "{index}"')

    return mend


def _clearing(project: int, column: str) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        db.execute(f'UPDATE projects SET "{column}" = NULL WHERE id = ?', (project,))  # noqa: S608

    return mend


def _deleting(table: str, key: dict[str, object]) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        where = " AND ".join(f'"{name}" IS ?' for name in key)
        db.execute(f'DELETE FROM "{table}" WHERE {where}', tuple(key.values()))  # noqa: S608

    return mend
