"""The widgets of three tabs of the Dictionary page: lists with actions that ask the server themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_script, page_styles, read
from app.ui.widgets.sentence import SENTENCE_FILES

SHARED = "dictionary/panel.js"


def dictionary_bench(name: str, functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """An empty bench; it asks the server by itself whenever it comes into sight or the session moves.

    Its tab is not drawn before it is opened, and gradio would forget what a value that comes earlier does not
    name; so it is given none.

    Its events: ``open`` carries the ``document`` to be opened, ``drawn`` says that there is something new to
    draw a figure of. Corpus text travels as data and is drawn as text nodes, never through a template.

    Args:
        name: of the tab: its script is ``assets/dictionary/NAME.js``, its words ``assets/messages/NAME.js``
        functions: the server functions it asks, by their names.
    """
    own = (f"messages/{name}.js", *SENTENCE_FILES, SHARED, f"dictionary/{name}.js")
    return gr.HTML(
        html_template='<div class="lla-root"><div class="ll-words"></div></div>',
        js_on_load=page_script(f"dictionary_{name}", read("messages.js", *own), events=("open", "drawn")),
        server_functions=list(functions),
        elem_id=elem_id,
        elem_classes=page_styles("annotator", "dictionary_tabs"),
        container=False,
        padding=False,
    )
