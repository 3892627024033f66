"""A line of text that may hold anything a person wrote: drawn as text, never read as markup."""

from __future__ import annotations

import gradio as gr

SCRIPT = """
const line = element.querySelector("p");
const show = () => { line.textContent = String(props.value ?? ""); };
watch("value", show);
show();
"""
STYLE = ".ll-plain-line { margin: 0; font-size: 15px; line-height: 1.6; overflow-wrap: anywhere; }"


def plain_line(elem_id: str) -> gr.HTML:
    """An empty line; give it a string as its value."""
    return gr.HTML(
        value="",
        html_template='<p class="ll-plain-line"></p>',
        css_template=STYLE,
        js_on_load=SCRIPT,
        elem_id=elem_id,
        container=False,
        padding=False,
    )
