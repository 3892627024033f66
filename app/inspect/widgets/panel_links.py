"""A row of links to the parts of a long page; it stays in view while the page scrolls."""

from __future__ import annotations

import gradio as gr

from app.ui.widgets.page_code import page_widget


def panel_links(elem_id: str) -> gr.HTML:
    """An empty row; give it a list of ``{"name": what is written, "target": elem_id to scroll to}``."""
    return page_widget(
        "widgets/panel_links.js",
        '<nav class="ll-panel-links"></nav>',
        classes=("ll-panel-links-bar",),
        value=[],
        elem_id=elem_id,
    )
