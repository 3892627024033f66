"""What labels of another time are called now, read from the changes since."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from core.store.db.workspace import Workspace
from core.store.label.labels import label_set
from core.store.project.projects import row_of

_NEVER = 2**62  # later than any time: a change that is being taken back


def present_names(db: sqlite3.Connection, project_id: int, since: int) -> dict[str, str | None]:
    """What labels of that time (UTC ms) are called now; None for those that are gone.

    A run goes on saying the labels it was trained with; this is how its answers are read. A rename that was
    taken back is a rename the other way; of a merge or a removal that was, nothing is left.
    """
    rows = db.execute(
        "SELECT id, kind, at, iif(state = 'returning', :never, undone) AS undone, "
        "json_extract(change, '$.old') AS old, json_extract(change, '$.new') AS new FROM label_changes "
        "WHERE project_id = :project AND (undone IS NULL OR (kind = 'rename' AND undone >= :since))",
        {"project": project_id, "since": since, "never": _NEVER},
    )
    turns: list[tuple[int, int, str, str | None]] = []
    for row in rows:
        is_back = row["undone"] is not None
        if row["at"] >= since and (not is_back or row["kind"] == "rename"):
            turns.append((row["at"], row["id"], row["old"], row["new"]))
        if is_back and row["kind"] == "rename":
            turns.append((row["undone"], row["id"], row["new"], row["old"]))
    names: dict[str, str | None] = {}
    for _, _, old, new in sorted(turns, key=lambda turn: turn[:2]):
        for name, now_called in names.items():
            if now_called == old:
                names[name] = new
        names.setdefault(old, new)
    return names


def successors(workspace: Workspace, project_id: int, names: Iterable[str]) -> dict[str, str | None]:
    """Those of ``names`` that are no labels of the project: what each was renamed or merged into, or None.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        known = label_set(db, project_id)
        changed = present_names(db, project_id, 0)
    gone = [name for name in dict.fromkeys(names) if name not in known]
    return {name: new if (new := changed.get(name)) is not None and new in known else None for name in gone}
