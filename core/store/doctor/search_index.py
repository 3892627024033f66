"""The text index against the texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from core.store.doctor.finding import Finding
from core.store.document import text_index


def search_indexes(db: sqlite3.Connection) -> Iterator[Finding]:
    """Projects whose index is damaged, or not of their documents; searches would miss some."""
    for (project,) in db.execute("SELECT id FROM projects ORDER BY id").fetchall():
        try:
            wrong = text_index.out_of_step(db, project)
            what = f"{wrong} documents are not in it as they are"
        except sqlite3.DatabaseError as error:
            wrong, what = 1, f"is damaged ({error})"
        if wrong:
            yield Finding("search index", f"project {project}", what, "make it again", _rebuilding(project))


def _rebuilding(project: int) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        text_index.rebuild_in(db, project)

    return mend
