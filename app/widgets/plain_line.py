"""A line of text that may hold anything a person wrote: drawn as text, never read as markup."""

from __future__ import annotations

import gradio as gr

SCRIPT = """
const line = element.querySelector("p");
const show = () => { line.textContent = String(props.value ?? ""); };
watch("value", show);
show();
"""


def plain_line(elem_id: str) -> gr.HTML:
    """An empty line; give it a string as its value."""
    return gr.HTML(
        value="",
        html_template='<p class="ll-plain-line"></p>',
        js_on_load=SCRIPT,
        elem_id=elem_id,
        container=False,
        padding=False,
    )
