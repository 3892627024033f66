"""The widgets of three tabs of the Dictionary page: lists with actions that ask the server themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget


def dictionary_bench(name: str, functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """An empty bench; it asks the server by itself whenever it comes into sight or the session moves.

    Its events: ``open`` carries the ``document`` to be opened, ``drawn`` says that there is something new to
    draw a figure of. Corpus text travels as data and is drawn as text nodes, never through a template.

    Args:
        name: of the tab: its module is ``dictionary/NAME.js``
        functions: the server functions it asks, by their names.
    """
    return page_widget(
        f"dictionary/{name}.js",
        '<div class="lla-root"><div class="ll-words"></div></div>',
        events=("open", "drawn"),
        functions=functions,
        styles=("annotator", "dictionary_tabs"),
        elem_id=elem_id,
    )
