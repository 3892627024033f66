"""Differences between two versions of a project's word list, word by word."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from core.store.db.workspace import Workspace
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon.batches import net_changes
from core.store.lexicon.entries import Change, WordEntry, change_of
from core.store.project.projects import row_of

_MOST_KEPT = 2


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A word that differs: entries removed and added."""

    word: str
    change: Change
    gone: tuple[WordEntry, ...]
    came: tuple[WordEntry, ...]


# A diff never changes except for label names, which change the revision.
_kept: OrderedDict[tuple[object, ...], tuple[DiffRow, ...]] = OrderedDict()
_lock = Lock()


def differences(workspace: Workspace, project_id: int, before: int, after: int) -> tuple[DiffRow, ...]:
    """Every word that differs from one version (0: the beginning) to another, in alphabetical order.

    Raises:
        NotFound: no such project. PayloadError: no such version.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        places = [lexicon_batches.check_version(db, project_id, version) for version in (before, after)]
        stamp = (str(workspace.file), project_id, lexicon_batches.revision(db, project_id))
        key = (stamp, before, after)
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        rows = tuple(_differences(db, project_id, *places))
    with _lock:
        _kept[key] = rows
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return rows


def _differences(db: sqlite3.Connection, project_id: int, before: int, after: int) -> list[DiffRow]:
    rows: list[tuple[str, tuple[WordEntry, ...], tuple[WordEntry, ...]]] = []
    for word, gone, came in net_changes(db, project_id, min(before, after), max(before, after)):
        sides = (tuple(gone), tuple(came))
        rows.append((word, *(sides if before <= after else sides[::-1])))
    # A word that lost or gained a type is in both versions.
    held_after = _held(db, project_id, after, [word for word, _, came in rows if not came])
    held_before = _held(db, project_id, before, [word for word, gone, _ in rows if not gone])
    return [
        DiffRow(
            word,
            "changed" if word in held_after or word in held_before else change_of(gone, came),
            gone,
            came,
        )
        for word, gone, came in rows
    ]


def _held(db: sqlite3.Connection, project_id: int, place: int, words: Sequence[str]) -> set[str]:
    """Which of these words were in the list after the batch at a place."""
    if not words or place == 0:
        return set()
    rows = db.execute(
        "SELECT word FROM lexicon_changes WHERE project_id = ? AND batch IN "
        "(SELECT id FROM lexicon_batches WHERE project_id = ? AND place <= ?) AND NOT masked "
        "AND word IN (SELECT value FROM json_each(?)) GROUP BY word HAVING sum(2 * came - 1) > 0",
        (project_id, project_id, place, json.dumps(list(words), ensure_ascii=False)),
    )
    return {row[0] for row in rows}
