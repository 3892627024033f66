"""A row of links to the parts of a long page; it stays in view while the page scrolls."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def panel_links(elem_id: str) -> gr.HTML:
    """An empty row; give it a list of ``{"name": what is written, "target": elem_id to scroll to}``."""
    return gr.HTML(
        value=[],
        html_template='<nav class="ll-panel-links"></nav>',
        js_on_load=(ASSETS / "panel_links.js").read_text(encoding="utf-8"),
        elem_id=elem_id,
        elem_classes="ll-panel-links-bar",
        container=False,
        padding=False,
    )
