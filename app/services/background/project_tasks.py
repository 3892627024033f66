"""Background tasks of a project, one at a time per kind, shared by all its sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.i18n import Message
from app.services.background.tasks import Task
from app.services.session import Session
from core.store.db.errors import StoreError
from core.store.project import settings as project_settings

LONGEST = 8_000_000  # longer results (JSON characters) are kept in memory only

Result = TypeVar("Result")
log = logging.getLogger("latticelens")


@dataclass(frozen=True)
class ProjectTask(Generic[Result]):
    """A kind of background task, one at a time per project, shared by all its sessions.

    Args:
        name: of the kind. busy: error message for a second start.
        dump, load: to and from JSON; if given, the last result is stored in the project. Anything ``load``
            cannot read is ignored.
    """

    name: str
    busy: Message
    dump: Callable[[Result], Any] | None = None
    load: Callable[[Any], Result] | None = None

    def of(self, session: Session) -> Task[Result] | None:
        """The latest task of the session's project, running or ended."""
        return session.workbench.tasks.latest(self._key(session))

    def start(self, session: Session, work: Callable[[Task[Result]], Result], kind: str = "") -> Task[Result]:
        """Begin.

        Raises:
            AppError: one is running.
        """
        project_id = session.project_id

        def kept(task: Task[Result]) -> Result:
            result = work(task)
            if self.dump is not None:
                self._keep(session, project_id, result)
            return result

        return session.workbench.tasks.start(self._key(session), kept, kind, busy=self.busy)

    def stop(self, session: Session) -> None:
        """Ask it to end after the current step."""
        task = self.of(session)
        if task is not None and task.running:
            task.stop()

    def last(self, session: Session) -> Result | None:
        """The last result, also from before a restart.

        Raises:
            NotFound: no such project.
        """
        results, key = session.workbench.tasks.results, self._key(session)
        # The task may end while the store is read.
        if key not in results:
            results.setdefault(key, self._read(session))
        result: Result | None = results[key]
        return result

    def _key(self, session: Session) -> tuple[str, int]:
        return self.name, session.project_id

    def _keep(self, session: Session, project_id: int, result: Result) -> None:
        session.workbench.tasks.results[self.name, project_id] = result
        assert self.dump is not None
        try:
            stored = self.dump(result)
            project_settings.write(session.workspace, project_id, self.name, stored, longest=LONGEST)
        except StoreError as error:
            log.warning("%s of project %d is not kept: %s", self.name, project_id, error)

    def _read(self, session: Session) -> Result | None:
        stored = project_settings.read(session.workspace, session.project_id, self.name)
        if stored is None or self.load is None:
            return None
        try:
            return self.load(stored)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):
            return None  # written by another version; the task can be repeated
