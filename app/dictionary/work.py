"""Long work on a project's word list, one at a time: it can be stopped, and then nothing of it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.services.session import Session
from app.services.tasks import ProjectTask, Task

Row = dict[str, Any]
WORK: ProjectTask[Row] = ProjectTask("word list", "dictionary.error.busy")


def start(session: Session, kind: str, work: Callable[[Task[Row]], Row]) -> Row:
    """Begin; gives what ``state`` gives.

    Raises:
        AppError: other work on this word list is under way.
    """
    WORK.start(session, work, kind)
    return state(session)


def state(session: Session) -> Row:
    """What is under way or was last: as `Task.state`, and its ``result``."""
    task = WORK.of(session)
    if task is None:
        return {"number": 0, "running": False}
    stands = task.state(session.language)
    return stands | {"result": None if stands["running"] else task.result}


def stop(session: Session) -> Row:
    """Ask it to end."""
    WORK.stop(session)
    return state(session)
