"""Shared by the tabs of the Dictionary page: the state, navigation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from app.dictionary import word_changes
from app.i18n import _
from app.services import in_project
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Row, Task
from app.services.session import Session
from app.ui.frame import PAGES
from app.ui.progress import time_left
from app.ui.window.navigation import open_document

LIST_WORK: ProjectTask[Row] = ProjectTask(
    "word list", _("This word list is being processed; wait until that has finished, or stop it.")
)


def place_object(session: Session) -> dict[str, Any]:
    """The language and project of a response; when either changes, a widget starts afresh."""
    return {"language": session.language, "project": session.project_id}


def task_object(session: Session, kind: ProjectTask[Any]) -> dict[str, Any] | None:
    """The state of the project's last task of this kind, for a widget's progress bar, or None."""
    task = kind.of(session)
    return None if task is None else _told(session, task)


def start_list_work(session: Session, kind: str, work: Callable[[Task[Row]], Row]) -> Row:
    """Begin long work on the project's word list; returns its state. Nothing is written if it is stopped.

    Raises:
        AppError: other work on this word list is under way.
    """
    LIST_WORK.start(session, work, kind)
    return list_work(session)


def list_work(session: Session) -> Row:
    """The state of the last long work on the word list, as `Task.state`, with its ``result``."""
    task = LIST_WORK.of(session)
    if task is None:
        return {"number": 0, "running": False}
    state = _told(session, task)
    return state | {"result": None if state["running"] else task.result}


def _told(session: Session, task: Task[Any]) -> Row:
    """The state of a task, with the time left in words."""
    return task.state(session.language) | {"left": time_left(task.remaining, session.language)}


def stop_list_work(session: Session) -> Row:
    """Ask the work on the word list to end; returns its state."""
    LIST_WORK.stop(session)
    return list_work(session)


def last_object(session: Session) -> dict[str, Any] | None:
    """The step that undo would revert, or None."""
    step = word_changes.last(session)
    return None if step is None else {"kind": step.kind, "count": step.count, "word": step.word}


def go_to(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Open the document or the page that a widget names."""
    document, page = getattr(event, "document", None), getattr(event, "page", None)
    if isinstance(document, int) and not isinstance(document, bool):
        in_project.check_document(session, document)
        open_document(session, document)
        return gr.update(selected="annotate")
    return gr.update(selected=page) if page in PAGES else gr.skip()
