"""The widgets of the Dictionary page: the table of words, and the list of versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget


def word_bench(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The words of a project; it begins once its ``page`` prop names one."""
    return _widget("dictionary/words.js", functions, elem_id)


def version_list(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The versions of a project's word list; it asks for them whenever it comes into sight."""
    return _widget("dictionary/versions.js", functions, elem_id)


def _widget(module: str, functions: Sequence[Callable[[Any], Any]], elem_id: str) -> gr.HTML:
    return page_widget(
        module,
        '<div class="lla-root"><div class="ll-words"></div></div>',
        functions=functions,
        styles=("annotator", "word_list"),
        elem_id=elem_id,
        page=None,
    )
