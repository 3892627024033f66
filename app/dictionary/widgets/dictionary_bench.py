"""The widgets of three tabs of the Dictionary page: lists with actions that ask the server themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.i18n import LANGUAGES, catalogue
from app.ui.widgets.page_code import page_script, page_styles


def dictionary_bench(name: str, functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """An empty bench; it asks the server by itself whenever it comes into sight or the session moves.

    Its events: ``open`` carries the ``document`` to be opened, ``drawn`` says that there is something new to
    draw a figure of. Corpus text travels as data and is drawn as text nodes, never through a template.

    Args:
        name: of the tab: its module is ``dictionary/NAME.js``, its strings begin ``dictionary_NAME.``
        functions: the server functions it asks, by their names.
    """
    return gr.HTML(
        html_template='<div class="lla-root"><div class="ll-words"></div></div>',
        js_on_load=page_script(
            f"dictionary/{name}.js", events=("open", "drawn"), strings=_strings(f"dictionary_{name}.")
        ),
        server_functions=list(functions),
        elem_id=elem_id,
        elem_classes=page_styles("annotator", "dictionary_tabs"),
        container=False,
        padding=False,
    )


def _strings(prefix: str) -> dict[str, dict[str, str]]:
    own = {
        key.removeprefix(prefix): pair
        for key, pair in catalogue().items()
        if key.startswith((prefix, "dictionary_panel."))
    }
    return {language: {key: pair[at] for key, pair in own.items()} for at, language in enumerate(LANGUAGES)}
