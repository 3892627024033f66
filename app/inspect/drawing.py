"""What the page shows of a look: the sentence, links to the panels that the tagger has, and these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from app.i18n import _
from app.inspect.correcting import is_correctable
from app.inspect.panel import HEADINGS, Look, Panel, PanelView, draw_all
from app.services.session import Session
from app.ui.widgets.sentence import sentence_row, sentences_value
from core.inspection.sentence.span_prediction import MOST_CHARACTERS
from core.store.label import labels


def drawn(
    session: Session,
    panels: Sequence[tuple[Panel, PanelView]],
    seen: Look | None,
    sentence: str,
    *choices: Any,
) -> dict[str, Any]:
    """Everything about a look, and its address; nothing if it came too late."""
    if seen is None:
        return {}
    return {
        **address_of(seen),
        "at_span": seen.extent,
        "notice": _too_long(session, sentence),
        "board": gr.update(visible=True),
        **_sentence(session, seen, sentence),
        "links": _links(session, seen, panels),
        **draw_all(panels, session, seen, *choices),
    }


def _sentence(session: Session, look: Look, sentence: str) -> dict[str, Any]:
    label_set = labels.get(session.workspace, session.project_id)
    may = is_correctable(session, look, sentence)
    row = sentence_row(look.trace.text, look.trace.spans, correct=may)
    how = (
        _("Click an entity to explain or correct it; select characters to add one.")
        if may
        else _("Click an entity to explain it; the figures below show the details.")
    )
    return {"how": session._(how), "view": sentences_value([row], label_set, run=look.run)}


def _links(
    session: Session, look: Look, panels: Sequence[tuple[Panel, PanelView]]
) -> list[dict[str, str | None]]:
    """Links to the panels this tagger has."""
    return [
        {"name": session._(HEADINGS[panel.NAME][0]), "target": view.group.elem_id}
        for panel, view in panels
        if panel.has(look.trace)
    ]


def address_of(look: Look) -> dict[str, str]:
    """What the address names: the document, or else the sentence."""
    if look.document is None:
        return {"at_document": "", "at_sentence": look.trace.text}
    return {"at_document": str(look.document), "at_sentence": ""}


def _too_long(session: Session, sentence: str) -> dict[str, Any]:
    notice = session.ngettext(
        "This text has {count} character; the page draws the first {limit}. Choose a "
        "shorter sentence to see all.",
        "This text has {count} characters; the page draws the first {limit}. Choose a "
        "shorter sentence to see all.",
        count=len(sentence),
        limit=MOST_CHARACTERS,
    )
    return gr.update(value=notice, visible=len(sentence) > MOST_CHARACTERS)
