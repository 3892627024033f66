"""Work of minutes that belongs to a project: one at a time, found again by whoever opens its page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from app.i18n import Message
from app.services.background_work import BackgroundWork, Row, Tell
from app.services.errors import AppError
from app.services.session import Session

Place = tuple[Path, int]


class ProjectWork:
    """The background work of one kind, at most one a project; its rows stay until the next one begins.

    Args:
        busy: the sentence for who starts a second one.
    """

    def __init__(self, busy: Message) -> None:
        self._busy = busy
        self._work: dict[Place, BackgroundWork] = {}
        self._lock = threading.Lock()

    def of(self, session: Session) -> BackgroundWork | None:
        """The latest work in the project on the screen, at work or ended."""
        return self._work.get(_place(session))

    def start(self, session: Session, make: Callable[[Tell], Iterator[Row]]) -> BackgroundWork:
        """Begin.

        Raises:
            AppError: the one before is still at work.
        """
        with self._lock:
            known = self.of(session)
            if known is not None and known.running:
                raise AppError(self._busy)
            fresh = self._work[_place(session)] = BackgroundWork(make)
            fresh.start()
        return fresh

    def stop(self, session: Session) -> None:
        """Ask the work of this project to end; the rows that came stay."""
        work = self.of(session)
        if work is not None:
            work.stop()

    def wait(self, session: Session) -> None:
        """Until nothing runs any more, for tests."""
        work = self.of(session)
        if work is not None:
            for _ in work.changes():
                pass


def _place(session: Session) -> Place:
    return session.workspace.folder, session.project_id
