"""The text index is built behind everything else: by a thread, a block at a time, pausing in between."""

from __future__ import annotations

import time

from core.store.db.behind import Behind
from core.store.db.workspace import Workspace
from core.store.document import text_index

PAUSE = 0.02  # seconds between two blocks: whoever waits to save goes first


def keep_up(workspace: Workspace, project_id: int) -> None:
    """See to it that the project's texts get indexed; returns at once.

    Called after an import and by every search, so that a process that ended while it indexed is followed by
    one that goes on. Costs two look-ups where nothing is to do.
    """
    with workspace.reading() as db:
        if not text_index.is_behind(db, project_id):
            return
    BEHIND.begin(workspace)


def finish(workspace: Workspace, timeout: float | None = None) -> None:
    """Wait until nothing more is to do in this workspace; for tests and measurements."""
    BEHIND.finish(workspace, timeout)


def _catch_up(workspace: Workspace) -> None:
    busy = True
    while busy:
        with workspace.reading() as db:
            projects = [row[0] for row in db.execute("SELECT id FROM projects ORDER BY id")]
        busy = False
        for project_id in projects:
            text_index.forget_gone(workspace, project_id)
            while text_index.grow(workspace, project_id):
                busy = True
                time.sleep(PAUSE)


# Searches stay right without the index: where the work ends early, the next import or search goes on.
BEHIND = Behind("text index", _catch_up)
