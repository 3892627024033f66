"""The labels section of the Settings page: their table, and below it the changes that also update spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.session import Session
from app.settings import label_change
from app.settings.label_change import ChangeComponents, known_labels
from app.settings.label_editor import label_editor
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may


@dataclass
class LabelsComponents:
    """The table, and the form of a change."""

    table: gr.HTML
    message: gr.Markdown
    change: ChangeComponents


def layout(frame: Frame) -> LabelsComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Labels of this project"))
    texts.bind(
        gr.Markdown(elem_classes=["ll-how", needs_class("change_labels")]),
        value=_(
            "One row per label. The key labels a selection on the Annotate page; the guideline is shown "
            "beside the text. A label in use cannot be removed here: rename, merge or delete it below."
        ),
    )
    who_may(texts, "change_labels")
    table = label_editor(frame)
    return LabelsComponents(table, gr.Markdown(elem_id="settings-labels-message"), label_change.layout(frame))


def saved(session: Session) -> dict[str, Any]:
    """After the table has saved."""
    count = len(known_labels(session))
    message = session.ngettext("{count} label is saved.", "{count} labels are saved.", count=count)
    return {"message": message, **label_change.show(session)}


def wire(components: LabelsComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on(c.table.saved, saved, [], [c.message, c.table, *c.change.shown])
    label_change.wire(c.change, frame, c.table, c.message)
