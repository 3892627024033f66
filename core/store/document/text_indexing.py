"""Brings the text index up to date in the background, a block at a time, with pauses in between."""

from __future__ import annotations

from functools import partial

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.document import text_index

PAUSE = 0.02  # seconds between two blocks: whoever waits to save goes first
KEY = "text index"


def keep_up(workspace: Workspace, project_id: int) -> None:
    """See to it that the project's texts get indexed; returns at once.

    Called after an import and by every search, so that a process that ended while it indexed is followed by
    one that goes on. Costs two look-ups where nothing is to do.
    """
    with workspace.reading() as db:
        if not text_index.is_behind(db, project_id):
            return
    workspace.background.ask(KEY, partial(_catch_up, workspace))


def finish(workspace: Workspace, timeout: float | None = None) -> None:
    """Wait until nothing more is to do in this workspace; for tests and measurements."""
    workspace.background.finish(KEY, timeout)


def _catch_up(workspace: Workspace) -> None:
    try:
        busy = True
        while busy:
            with workspace.reading() as db:
                projects = [row[0] for row in db.execute("SELECT id FROM projects ORDER BY id")]
            busy = False
            for project_id in projects:
                text_index.forget_gone(workspace, project_id)
                while text_index.grow(workspace, project_id):
                    busy = True
                    workspace.background.pause(PAUSE)
    except StoreError:
        return  # the disk is full or busy: searches stay right without the index, and the next one goes on
