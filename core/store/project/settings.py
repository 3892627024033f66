"""Small persistent settings of a project, by name."""

from __future__ import annotations

import json

from core.store.db.cells import load_json
from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.project.projects import row_of

LONGEST_KEY = 64
LONGEST_VALUE = 100_000  # characters of JSON


def read(workspace: Workspace, project_id: int, key: str, default: object = None) -> object:
    """The value of ``key``, or ``default``.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        row = db.execute(
            "SELECT value FROM project_settings WHERE project_id = ? AND key = ?", (project_id, key)
        ).fetchone()
        return default if row is None else load_json(row["value"])


def write(
    workspace: Workspace, project_id: int, key: str, value: object, *, longest: int = LONGEST_VALUE
) -> None:
    """Store ``value`` (JSON) under ``key``; None deletes it.

    Args:
        longest: maximum length of the JSON, in characters.

    Raises:
        PayloadError: not JSON, or too long. NotFound: no such project.
    """
    if not 0 < len(key) <= LONGEST_KEY:
        raise PayloadError(
            "the name of a setting has 1 to {longest} characters, got {length}",
            longest=LONGEST_KEY,
            length=len(key),
        )
    try:
        as_json = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PayloadError("setting {key} is not JSON ({reason})", key=repr(key), reason=error) from error
    if len(as_json) > longest:
        raise PayloadError(
            "setting {key} has {length} characters; {longest} are allowed",
            key=repr(key),
            length=len(as_json),
            longest=longest,
        )
    with workspace.writing() as db:
        row_of(db, project_id)
        if value is None:
            db.execute("DELETE FROM project_settings WHERE project_id = ? AND key = ?", (project_id, key))
        else:
            db.execute(
                "INSERT INTO project_settings (project_id, key, value) VALUES (?, ?, ?) "
                "ON CONFLICT (project_id, key) DO UPDATE SET value = excluded.value",
                (project_id, key, as_json),
            )
