"""Whether the spans of a project may overlap: flat or nested."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from core.store.db.workspace import Workspace
from core.store.project import settings
from core.store.project.projects import row_of
from core.text import Document
from core.text.outermost import has_overlap

KEY = "nested"
# A few overlapping spans in a large flat corpus are slips of its annotators; nested corpora have far more.
LEAST_SHARE = 0.01  # of the labelled documents


def is_nested(workspace: Workspace, project_id: int) -> bool:
    """Whether spans may overlap; a project without a choice is flat.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        return reads_nested(db, project_id)


def reads_nested(db: sqlite3.Connection, project_id: int) -> bool:
    """`is_nested` within an open transaction."""
    row = db.execute(
        "SELECT value FROM project_settings WHERE project_id = ? AND key = ?", (project_id, KEY)
    ).fetchone()
    return row is not None and row["value"] == "true"


def choose(workspace: Workspace, project_id: int, nested: bool) -> None:
    """Make the project nested or flat; no later import changes it.

    Raises:
        NotFound: no such project.
    """
    settings.write(workspace, project_id, KEY, nested)


def would_become_nested(workspace: Workspace, project_id: int, labelled: int, overlapping: int) -> bool:
    """Whether `guess` would make the project nested."""
    return looks_nested(labelled, overlapping) and settings.read(workspace, project_id, KEY) is None


def looks_nested(labelled: int, overlapping: int) -> bool:
    """Whether data is nested, by its numbers of documents with spans and with overlapping spans."""
    return overlapping > 0 and overlapping >= LEAST_SHARE * labelled


def guess(workspace: Workspace, project_id: int, labelled: int, overlapping: int) -> bool:
    """Make the project nested if imported data is and nobody has chosen; whether it became nested.

    Args:
        labelled: number of imported documents with spans. overlapping: of these, the number with overlapping
            spans.
    """
    if not would_become_nested(workspace, project_id, labelled, overlapping):
        return False
    choose(workspace, project_id, True)
    return True


def guess_from(workspace: Workspace, project_id: int, documents: Iterable[Document]) -> bool:
    """`guess` from the documents of an import."""
    overlaps = [has_overlap(document.spans) for document in documents if document.spans]
    return guess(workspace, project_id, len(overlaps), sum(overlaps))
