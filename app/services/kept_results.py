"""The last result of long work in a project, found again after the app was started anew."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project import settings as project_settings

LONGEST = 8_000_000  # characters of JSON; more is shown while the app runs, and not kept
Result = TypeVar("Result")
_log = logging.getLogger(__name__)


class KeptResult(Generic[Result]):
    """The last result of one kind, one a project; from any thread.

    Args:
        key: among the project's settings.
        dump, load: between a result and what JSON holds. What ``load`` cannot read is no result.
    """

    def __init__(self, key: str, dump: Callable[[Result], Any], load: Callable[[Any], Result]) -> None:
        self._key, self._dump, self._load = key, dump, load
        self._known: WeakKeyDictionary[Workspace, dict[int, Result | None]] = WeakKeyDictionary()
        self._lock = Lock()

    def keep(self, workspace: Workspace, project_id: int, result: Result) -> None:
        """Make it the project's last one. Where there is no room for it, it lasts as long as the app runs."""
        with self._lock:
            self._known.setdefault(workspace, {})[project_id] = result
        try:
            project_settings.write(workspace, project_id, self._key, self._dump(result), longest=LONGEST)
        except StoreError as error:
            _log.warning("%s of project %d is not kept: %s", self._key, project_id, error)

    def last(self, workspace: Workspace, project_id: int) -> Result | None:
        """The project's last one, or None.

        Raises:
            NotFound: no such project.
        """
        with self._lock:
            of_workspace = self._known.setdefault(workspace, {})
            if project_id not in of_workspace:
                stored = project_settings.read(workspace, project_id, self._key)
                of_workspace[project_id] = self._read(stored)
            return of_workspace[project_id]

    def _read(self, stored: object) -> Result | None:
        if stored is None:
            return None
        try:
            return self._load(stored)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):
            return None  # written by another version; the work can be done again
