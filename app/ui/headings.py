"""Headings: the name of a page (h1), of its sections and of the panels of a long page (h2)."""

from __future__ import annotations

import gradio as gr

from app.i18n import Message
from app.i18n.binding import Texts


def page_heading(texts: Texts, title: Message) -> gr.HTML:
    """The name of a page, for who listens: the tab in front says it to who sees."""
    return _heading(texts, title, 1, "ll-page-name")


def section_heading(texts: Texts, title: Message) -> gr.HTML:
    """The heading of a section of a page."""
    return _heading(texts, title, 2, "ll-section")


def panel_heading(texts: Texts, title: Message) -> gr.HTML:
    """The heading of a panel that the links above a long page lead to."""
    return _heading(texts, title, 2, "ll-panel-name")


def _heading(texts: Texts, title: Message, level: int, name: str) -> gr.HTML:
    # What becomes HTML is a message of the catalogue, never data.
    html = gr.HTML(
        html_template=f"<h{level}>${{value}}</h{level}>", apply_default_css=False, elem_classes=name
    )
    return texts.bind(html, value=title)
