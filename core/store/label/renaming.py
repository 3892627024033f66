"""Carries a rename of a label through documents, and back.

A label under a name that nothing has is the same label afterwards: every place is rewritten as it stands, and
the way back is the same way with the names changed over. A document in which the new name is written already,
by a label that was taken off the list when no span had it any more, would lose the difference; it goes the
way of a merge, which remembers what it held.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping

from core.store.db.cells import load_json
from core.store.label.carrying import PLACES, affected, carry, listed
from core.store.label.mapping import LabelMapping, Saved
from core.store.label.returning import take_back


def rename_documents(
    db: sqlite3.Connection, project_id: int, ids: list[int], mapping: LabelMapping
) -> dict[int, Saved]:
    """Apply ``mapping`` to everything about these documents, through an open transaction.

    Returns:
        What ``rename_back`` needs, by document; mostly nothing.
    """
    assert mapping.new is not None
    mixed = affected(db, project_id, mapping.new, ids)
    _rewrite(db, set(ids) - set(mixed), mapping.old, mapping.new)
    return {id_: {} for id_ in ids} | (carry(db, mixed, mapping) if mixed else {})


def rename_back(
    db: sqlite3.Connection,
    mapping: LabelMapping,
    known: Mapping[int, Saved],
    before: Collection[int],
) -> None:
    """Undo ``rename_documents`` of these documents, through an open transaction.

    Args:
        known: what it gave. before: documents in which the new name was written before the rename: what still
            stands there as it was then keeps that name.
    """
    assert mapping.new is not None
    mixed = {id_: saved for id_, saved in known.items() if saved or id_ in before}
    again = set(take_back(db, mapping, {id_: saved for id_, saved in mixed.items() if saved}))
    again |= _standing(db, mapping.new, mixed)
    if again:
        carry(db, sorted(again), LabelMapping(mapping.new, mapping.old))
    _rewrite(db, known.keys() - mixed.keys(), mapping.new, mapping.old)


def rename_project(db: sqlite3.Connection, project_id: int, old: str, new: str) -> None:
    """What is no document's and goes at once: patterns."""
    db.execute("UPDATE patterns SET label = ? WHERE label = ? AND project_id = ?", (new, old, project_id))


def _rewrite(db: sqlite3.Connection, ids: Collection[int], old: str, new: str) -> None:
    if not ids:
        return
    for table, column, is_json in PLACES:
        key = "id" if table == "documents" else "document_id"
        which = f"{key} IN (SELECT value FROM json_each(?))"  # noqa: S608 - a constant
        if is_json:
            _rewrite_json(db, (table, column, which), ids, old, new)
        else:
            db.execute(
                f"UPDATE {table} SET {column} = ? WHERE {column} = ? AND {which}",  # noqa: S608 - constants
                (new, old, *listed(ids)),
            )


def _rewrite_json(
    db: sqlite3.Connection, where: tuple[str, str, str], ids: Collection[int], old: str, new: str
) -> None:
    table, column, which = where

    def renamed(value: str | None) -> str | None:
        if value is None:
            return None
        if column == "meta":
            return LabelMapping(old, new).meta(value)
        spans = load_json(value)
        for item in [spans] if column in ("before", "after") else spans:
            item[2] = new if item[2] == old else item[2]
        return json.dumps(spans, ensure_ascii=False, separators=(",", ":"))

    db.create_function("renamed", 1, renamed, deterministic=True)
    db.execute(
        f"UPDATE {table} SET {column} = renamed({column}) "  # noqa: S608 - names of our own schema
        f"WHERE {which} AND instr({column}, ?) > 0",
        (*listed(ids), json.dumps(old, ensure_ascii=False)),
    )


def _standing(db: sqlite3.Connection, label: str, ids: Collection[int]) -> set[int]:
    """Those of these documents that have the label now, in the agreed annotation or in somebody's copy."""
    rows = db.execute(
        "SELECT document_id FROM spans WHERE label = ? AND document_id IN (SELECT value FROM json_each(?)) "
        "UNION SELECT document_id FROM copies WHERE instr(spans, ?) > 0 "
        "AND document_id IN (SELECT value FROM json_each(?))",
        (label, *listed(ids), json.dumps(label, ensure_ascii=False), *listed(ids)),
    )
    return {row[0] for row in rows}
