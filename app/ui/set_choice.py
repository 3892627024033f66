"""Work sets as a choice on a page: the whole project, or one of its sets."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app.i18n import Message
from app.services.session import Session
from core.store.queue import queue, work_sets

WHOLE = ""  # the value of the choice that stands for every document


def set_choices(session: Session, whole: Message, chosen: str | None = WHOLE) -> dict[str, Any]:
    """The update of a dropdown: ``whole`` and the project's work sets; one that is gone is not chosen."""
    sets = [(one.name, str(one.id)) for one in work_sets.all_sets(session.workspace, session.project_id)]
    value = chosen if chosen in {number for _, number in sets} else WHOLE
    return gr.update(choices=[(session._(whole), WHOLE), *sets], value=value, visible=bool(sets))


def documents_in(session: Session, chosen: str | None) -> list[int] | None:
    """The documents of the chosen work set, in order; None for all of the project.

    Raises:
        NotFound: the set is gone.
    """
    if not chosen:
        return None
    number = int(chosen) if chosen.isdecimal() else 0
    one = work_sets.get(session.workspace, session.project_id, number)
    return queue.matching(session.workspace, session.project_id, one.filter)
