"""Long work that a project does one at a time, found again by everybody who has the project open."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.i18n import Message
from app.services.session import Session
from app.services.tasks import Task
from core.store.db.errors import StoreError
from core.store.project import settings as project_settings

LONGEST = 8_000_000  # characters of a result's JSON; a longer one lasts as long as the app runs

Result = TypeVar("Result")
log = logging.getLogger("latticelens")


@dataclass(frozen=True)
class ProjectTask(Generic[Result]):
    """Work of one kind that a project does one at a time; everybody who has the project open finds it.

    Args:
        name: of the work. busy: what is said to who starts a second one.
        dump, load: between a result and what JSON holds: where they are given, the last result is kept in the
            project and outlasts the app. What ``load`` cannot read is no result.
    """

    name: str
    busy: Message
    dump: Callable[[Result], Any] | None = None
    load: Callable[[Any], Result] | None = None

    def of(self, session: Session) -> Task[Result] | None:
        """The last one in the project on the screen, at work or ended."""
        return session.workbench.tasks.latest(self._key(session))

    def start(self, session: Session, work: Callable[[Task[Result]], Result], kind: str = "") -> Task[Result]:
        """Begin.

        Raises:
            AppError: one is at work.
        """
        project_id = session.project_id

        def kept(task: Task[Result]) -> Result:
            result = work(task)
            if self.dump is not None:
                self._keep(session, project_id, result)
            return result

        return session.workbench.tasks.start(self._key(session), kept, kind, busy=self.busy)

    def stop(self, session: Session) -> None:
        """Ask it to end after the step it is in."""
        task = self.of(session)
        if task is not None and task.running:
            task.stop()

    def last(self, session: Session) -> Result | None:
        """What the last one that came to its end found, before the app was started too.

        Raises:
            NotFound: no such project.
        """
        results, key = session.workbench.tasks.results, self._key(session)
        # The task may come to its end while the store is read.
        if key not in results:
            results.setdefault(key, self._read(session))
        found: Result | None = results[key]
        return found

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
            return None  # another version wrote it; the work can be done again
