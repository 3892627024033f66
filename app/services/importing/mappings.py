"""Mappings of fields that a project keeps by name, so that the next file of the same kind needs no second."""

from __future__ import annotations

from app.services.errors import AppError
from core.formats import FormatError
from core.formats.mapping.mapping import Mapping
from core.store.db.workspace import Workspace
from core.store.project import settings

SETTING = "mappings"
MOST, LONGEST_NAME = 50, 60


def saved(workspace: Workspace, project_id: int) -> dict[str, Mapping]:
    """The mappings of a project by name, in alphabetical order; damaged ones are left out."""
    stored = settings.read(workspace, project_id, SETTING)
    found: dict[str, Mapping] = {}
    for name, value in sorted(stored.items()) if isinstance(stored, dict) else ():
        try:
            found[name] = Mapping.from_json(value)
        except FormatError:
            continue
    return found


def save(workspace: Workspace, project_id: int, name: str, mapping: Mapping) -> None:
    """Keep a mapping under a name; one that has it is replaced.

    Raises:
        AppError: no name, a long one, or too many mappings.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise AppError("Give the mapping a name of 1 to {longest} characters.", longest=LONGEST_NAME)
    kept = saved(workspace, project_id) | {name: mapping}
    if len(kept) > MOST:
        raise AppError("A project keeps at most {most} mappings; delete one first.", most=MOST)
    _write(workspace, project_id, kept)


def remove(workspace: Workspace, project_id: int, name: str) -> None:
    """Forget a mapping; documents that were imported with it stay as they are."""
    kept = saved(workspace, project_id)
    kept.pop(name, None)
    _write(workspace, project_id, kept)


def _write(workspace: Workspace, project_id: int, kept: dict[str, Mapping]) -> None:
    value = {name: mapping.to_json() for name, mapping in kept.items()}
    settings.write(workspace, project_id, SETTING, value or None)
