"""A line of text that may hold anything a person wrote: drawn as text, never read as markup."""

from __future__ import annotations

import gradio as gr

from app.ui.widgets.page_code import page_widget

STYLE = "margin: 0; font-size: 15px; line-height: 1.6; overflow-wrap: anywhere"


def plain_line(elem_id: str) -> gr.HTML:
    """An empty line; give it a string as its value."""
    return page_widget("widgets/plain_line.js", f'<p style="{STYLE}"></p>', value="", elem_id=elem_id)
