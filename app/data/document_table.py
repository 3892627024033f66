"""The widget of the table of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget


def document_table(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """An empty table; its value is that of `app.data.documents.show_page`.

    It triggers ``open`` with the ``document`` of a row, and ``changed`` when many documents were changed.

    Args:
        functions: the server functions of `app.data.bulk`.
    """
    return page_widget(
        "data/table.js",
        '<div class="lla-root"><div class="ll-documents"></div></div>',
        events=("open", "changed"),
        functions=functions,
        styles=("annotator", "documents"),
        value={},
        elem_id=elem_id,
    )
