"""Long work on a project's word list, one at a time a project: in a thread, with a bar, a stop and an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from app.services.background_work import BackgroundWork
from app.services.errors import AppError, sentence
from app.services.session import Session
from core.store.db.workspace import Workspace

Row = dict[str, Any]
# Given ``tell(what is being done, share)``, which raises once somebody asked to stop; returns its result.
Make = Callable[[Callable[[str, float], None]], Row]


@dataclass
class _Work:
    number: int
    kind: str
    background: BackgroundWork


_works: WeakKeyDictionary[Workspace, dict[int, _Work]] = WeakKeyDictionary()
_lock = Lock()


def start(session: Session, kind: str, make: Make) -> Row:
    """Begin; gives what ``state`` gives.

    Raises:
        AppError: other work on this word list is under way.
    """

    def rows(tell: Callable[[str, float], None]) -> Iterator[Row]:
        yield make(tell)

    with _lock:
        of_workspace = _works.setdefault(session.workspace, {})
        known = of_workspace.get(session.project_id)
        if known is not None and known.background.running:
            raise AppError("Other work on this word list is under way; wait until it has ended, or stop it.")
        work = _Work(known.number + 1 if known else 1, kind, BackgroundWork(rows))
        of_workspace[session.project_id] = work
    work.background.start()
    return state(session)


def state(session: Session) -> Row:
    """What is under way or was last: number, kind, running, doing, fraction, stopped, error, result."""
    with _lock:
        work = _works.get(session.workspace, {}).get(session.project_id)
    if work is None:
        return {"number": 0, "running": False}
    background = work.background
    running = background.running  # asked first: what ends meanwhile is told as running once more
    error = background.error
    return {
        "number": work.number,
        "kind": work.kind,
        "running": running,
        "doing": background.doing,
        "fraction": background.fraction,
        "stopped": background.stopped and not background.rows,
        "error": None if error is None or running else sentence(error, session.language),
        "result": None if running or not background.rows else background.rows[0],
    }


def stop(session: Session) -> Row:
    """Ask it to end: nothing of it is written."""
    with _lock:
        work = _works.get(session.workspace, {}).get(session.project_id)
    if work is not None:
        work.background.stop()
    return state(session)
