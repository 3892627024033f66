"""Long work that a person has asked for: it goes on when they turn to another page, and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.i18n import Message, _
from app.services.background.tasks import Task, Work
from app.services.limits.refusals import OverLimit
from app.services.session import Session

Result = TypeVar("Result")
SOON = 30.0  # seconds until some work may have ended


def begin(session: Session, work: Callable[[Task[Result]], Result], doing: Message, done: Message) -> Work:
    """Start work that stands in the status bar of this session until it ends.

    Raises:
        OverLimit: as much goes on already as one page may have.
    """
    most = session.workbench.limits.works
    if most is not None and len(going_on(session)) >= most:
        raise OverLimit(
            "works",
            _(
                "You have reached the limit of tasks running on one page. Wait until one ends, or cancel "
                "one in the bar below."
            ),
            seconds=SOON,
        )
    task = session.workbench.tasks.start(None, work, "work")
    begun = Work(next(session.work_numbers), task, session.project_id, doing, done)
    session.works[begun.id] = begun
    return begun


def going_on(session: Session) -> list[Work]:
    """The work that goes on, oldest first."""
    return [work for work in list(session.works.values()) if work.task.running]


def goes_on(session: Session, number: object) -> bool:
    """Whether the work of this number goes on."""
    return any(work.id == number for work in going_on(session))


def ended(session: Session) -> list[Work]:
    """The work that has ended since it was last asked for."""
    over = [work for work in list(session.works.values()) if not work.task.running]
    for work in over:
        session.works.pop(work.id, None)
    return over


def cancel(session: Session, number: int) -> None:
    """Ask it to stop after its current step; nothing happens if it has ended."""
    work = session.works.get(number)
    if work is not None:
        work.task.stop()
