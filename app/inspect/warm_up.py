"""A first look in the background, so that torch, plotly and the tagger are loaded when a person asks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from app.inspect.panel import Look, Panel, PanelView, choices_of, draw_all
from app.services.session import Session
from app.services.tasks import Task
from core.text import Document

# Names an entity or two, so that most of what a look computes and draws is run once.
SAMPLE = "林知远先生昨天在北京出任青禾大学附属医院院长。"

# Loading torch takes seconds of a processor: a page that has just been turned to is filled first.
UNDISTURBED_SECONDS = 3.0

KEY = "first look"
_looking = threading.Lock()  # every visitor of a demo has a workbench: one of them at a time is enough


def begin(session: Session, panels: Sequence[tuple[Panel, PanelView]], run: str) -> Task[None] | None:
    """Trace a sample sentence with ``run`` in the background, after a delay, to warm up.

    Returns:
        The task; None if the tagger is loaded already, or another warm-up is running.
    """
    tasks = session.workbench.tasks
    before = tasks.latest(KEY)
    if session.workbench.taggers.is_loaded(run) or (before is not None and before.running):
        return None
    background = Session("", session.user, session.workbench, session.project_id, session.language)
    return tasks.start(KEY, lambda task: _look(task, background, panels, run))


def _look(task: Task[None], session: Session, panels: Sequence[tuple[Panel, PanelView]], run: str) -> None:
    task.pause(UNDISTURBED_SECONDS)
    if session.workbench.taggers.is_loaded(run) or not _looking.acquire(blocking=False):
        return
    try:
        with session.workbench.taggers.tagger(session.project_id, run) as tagger:
            trace = tagger.trace(tagger.collate([Document("warm-up", SAMPLE)]).to(tagger.device))[0]
        look = Look(run, trace, None, next(iter(trace.spans), None))
        session.memory["inspect"] = look
        draw_all(panels, session, look, *(getattr(choice, "value", None) for choice in choices_of(panels)))
    except Exception:  # errors are reported by the first real look
        logging.getLogger(__name__).debug("no first look through %s", run, exc_info=True)
    finally:
        _looking.release()
