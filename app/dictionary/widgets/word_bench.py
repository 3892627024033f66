"""The widgets of the Dictionary page: the table of words, and the list of versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_script, page_styles, read

SHARED = ("annotator/dom.js", "downloads.js", "dictionary/asking.js")
WORDS = ("table", "selection", "names", "bringing", "words", "words_entry")
VERSIONS = ("versions", "versions_entry")


def word_bench(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The words of a project; it begins once its ``page`` prop names one."""
    return _widget("word_bench", WORDS, functions, elem_id)


def version_list(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The versions of a project's word list; it asks for them whenever it comes into sight."""
    return _widget("version_list", VERSIONS, functions, elem_id)


def _widget(
    name: str, parts: Sequence[str], functions: Sequence[Callable[[Any], Any]], elem_id: str
) -> gr.HTML:
    files = [f"dictionary/{part}.js" for part in parts]
    return gr.HTML(
        # Words travel as data and are drawn as text nodes, never through a template.
        html_template='<div class="lla-root"><div class="ll-words"></div></div>',
        js_on_load=page_script(
            name, read("messages.js", f"messages/{parts[-1].removesuffix('_entry')}.js", *SHARED, *files)
        ),
        server_functions=list(functions),
        elem_id=elem_id,
        elem_classes=page_styles("annotator", "word_list"),
        container=False,
        padding=False,
        page=None,
    )
