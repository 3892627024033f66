"""The widget of the table of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_script, page_styles


def document_table(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """An empty table; its value is that of `app.data.documents.show_page`.

    It triggers ``open`` with the ``document`` of a row, and ``changed`` when many documents were changed.

    Args:
        functions: the server functions of `app.data.bulk`.
    """
    return gr.HTML(
        value={},
        # Corpus text travels as data and is drawn as text nodes, never through a template.
        html_template='<div class="lla-root"><div class="ll-documents"></div></div>',
        js_on_load=page_script("data/table.js", events=("open", "changed")),
        server_functions=list(functions),
        elem_id=elem_id,
        elem_classes=page_styles("annotator", "documents"),
        container=False,
        padding=False,
    )
