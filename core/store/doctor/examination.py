"""The whole examination, and mending what it found in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence

from core.store.db import audit
from core.store.db.workspace import Workspace
from core.store.doctor import counts, events, run_folders, search_index, tables
from core.store.doctor.finding import Finding

MOST_ROUNDS = 3  # mending one thing lays another bare: a deleted span, then the events it came from
More = Callable[[], Iterator[Finding]]


def examine(workspace: Workspace, more: Sequence[More] = (), *, folders: bool = True) -> list[Finding]:
    """Everything that is wrong, in the order in which it is mended; changes nothing.

    Args:
        more: further checks, of what the store knows nothing about. folders: whether runs have theirs here.
    """
    with workspace.writing() as db:  # nobody saves between two looks
        return list(_checks(workspace, db, more, folders))


def mend(workspace: Workspace, more: Sequence[More] = ()) -> tuple[list[Finding], list[Finding]]:
    """Mend what can be mended, in one transaction; make a backup first.

    Files are moved and deleted last, when the rows are as they should be.

    Returns:
        What was mended, and what is left.

    Raises:
        StoreError: a remedy did not work; nothing was changed in the database.
    """
    mended: list[Finding] = []
    with workspace.writing() as db:
        for _ in range(MOST_ROUNDS):
            found = list(_checks(workspace, db, more))
            now = [finding for finding in found if finding.mend is not None]
            if not now:
                break
            for finding in now:
                assert finding.mend is not None
                finding.mend(db)
            mended += now
        left = list(_checks(workspace, db, more))
        if mended:
            audit.record(db, "workspace.repaired", findings=len(mended))
    return mended, left


def _checks(
    workspace: Workspace, db: sqlite3.Connection, more: Sequence[More], folders: bool = True
) -> Iterator[Finding]:
    yield from tables.integrity(db)
    yield from tables.foreign_keys(db)
    yield from tables.orphans(db)
    yield from tables.damaged_rows(db)
    yield from events.texts(db)
    yield from events.views(db)
    yield from counts.counts(db)
    yield from search_index.search_indexes(db)
    if folders:
        yield from run_folders.runs_without_folders(workspace, db)
        yield from run_folders.folders_without_runs(workspace, db)
        yield from run_folders.leftovers(workspace)
    for check in more:
        yield from check()
