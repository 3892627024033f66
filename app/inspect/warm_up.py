"""A first look that nobody sees, so that torch, plotly and the tagger are loaded when somebody asks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from app.inspect.panel import Look, Panel, PanelView, choices_of, draw_all
from app.services.session import Session
from core.text import Document

# Names an entity or two, so that most of what a look computes and draws is run once.
SAMPLE = "林知远先生昨天在北京出任青禾大学附属医院院长。"

# Loading torch takes seconds of a processor: a page that has just been turned to is filled first.
UNDISTURBED_SECONDS = 3.0

_running = threading.Lock()


def begin(session: Session, panels: Sequence[tuple[Panel, PanelView]], run: str) -> threading.Thread | None:
    """Look at a sentence through ``run`` a little later, in a thread of its own; the session keeps nothing.

    Returns:
        The thread; None where the tagger is loaded already, or another first look is being taken.
    """
    if session.workbench.serving.is_loaded(run) or not _running.acquire(blocking=False):
        return None
    own = Session("", session.user, session.workbench, session.project_id, session.language)
    thread = threading.Timer(UNDISTURBED_SECONDS, _look, (own, panels, run))
    thread.daemon = True
    thread.start()
    return thread


def _look(session: Session, panels: Sequence[tuple[Panel, PanelView]], run: str) -> None:
    try:
        if session.workbench.serving.is_loaded(run):
            return
        with session.workbench.serving.tagger(session.project_id, run) as tagger:
            trace = tagger.trace(tagger.collate([Document("warm-up", SAMPLE)]).to(tagger.device))[0]
        look = Look(run, trace, None, next(iter(trace.spans), None))
        session.memory["inspect"] = look
        draw_all(panels, session, look, *(getattr(choice, "value", None) for choice in choices_of(panels)))
    except Exception:  # whoever looks is told what is wrong, in words
        logging.getLogger(__name__).debug("no first look through %s", run, exc_info=True)
    finally:
        _running.release()
