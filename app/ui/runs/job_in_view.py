"""The job that a section of a page follows from tick to tick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.services.session import Session
from core.training.run.run_state import RunState


@dataclass(frozen=True, slots=True)
class JobInView:
    """Remembers in the session which job is in view and what has been drawn of it.

    Args:
        page: where the section is. section: its name in the memory of the session.
    """

    page: str
    section: str

    def turn_to(self, session: Session, job: str | None) -> None:
        """Another job, or none, has come into view, or this one is drawn anew."""
        session.memory[self.section] = {"job": job}

    def is_shown(self, session: Session, job: str | None) -> bool:
        """Whether this job is the one in view."""
        return self._memory(session).get("job") == job

    def is_new(self, session: Session, what: str, seen: object) -> bool:
        """Whether a part of the section was not yet drawn from this; it counts as drawn from now on."""
        memory = self._memory(session)
        if what in memory and memory[what] == seen:
            return False
        memory[what] = seen
        return True

    def has_moved(self, session: Session, state: RunState, *more: object) -> bool:
        """Whether the job has another state or progress than when last asked."""
        return self.is_new(session, "state", (state.status, state.fraction, state.message, *more))

    def tick(
        self, session: Session, job: str | None, news: Callable[[str], dict[str, Any]]
    ) -> dict[str, Any]:
        """What ``news`` says of the job, or nothing if it is not in view.

        It says nothing either if another job or project came into view while it was being found out: the
        answer would stay there.
        """
        if job is None or session.page != self.page or not self.is_shown(session, job):
            return {}
        found = news(job)
        return found if self.is_shown(session, job) else {}

    def _memory(self, session: Session) -> dict[str, Any]:
        found = session.memory.setdefault(self.section, {})
        assert isinstance(found, dict)
        return found
