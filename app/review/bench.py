"""The widget of the Review page: a list of documents, versions side by side, differences one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget


def review_bench(functions: Sequence[Callable[[Any], Any]], *, elem_id: str | None = None) -> gr.HTML:
    """The widget; it starts once its ``page`` prop names a project.

    Corpus text travels as data and is drawn as text nodes, never through a template.

    Args:
        functions: the server functions it asks, by their names.
    """
    return page_widget(
        "review/bench.js",
        '<div class="lla-root"><div class="ll-review"></div></div>',
        functions=functions,
        styles=("annotator", "annotator_tools", "annotator_links", "review"),
        elem_id=elem_id,
        page=None,
    )
