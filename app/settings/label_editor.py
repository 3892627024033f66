"""The table of labels on the Settings page, with its server function."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.label_rows import LabelRows, editor_choices, labels_of
from app.ui.payload import Payload
from app.ui.server_function import Reply
from app.ui.widgets.page_code import page_widget
from core.store.label import labels
from core.text import LabelSet


class EditedLabels(Payload):
    """All labels of the project, in their order."""

    labels: LabelRows


def label_editor(frame: Frame) -> gr.HTML:
    """The table; it shows what `page_update` says, and triggers ``saved`` after it has saved."""
    return page_widget(
        "labels/editor.js",
        '<div class="lla-root"><div class="ll-labels-page"></div></div>',
        events=("saved",),
        functions=[frame.server(save_labels)],
        styles=("annotator", "labels"),
        elem_id="settings-labels",
        page=None,
    )


def page_update(session: Session, label_set: LabelSet) -> dict[str, Any]:
    """The update that makes the table show these labels."""
    return gr.update(
        page={
            "language": session.language,
            "project": session.project_id,
            "labels": label_set.to_json(),
            "may_change": may(session, "change_labels"),
            **editor_choices(),
        }
    )


@needs("change_labels")
def save_labels(session: Session, asked: EditedLabels) -> Reply:
    """Replace the project's labels.

    Raises:
        ServerError: a row is no label. LabelInUse: one that was left out is still on spans.
    """
    labels.put(session.workspace, session.project_id, labels_of(asked.labels))
    return {}
