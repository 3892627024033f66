"""The widgets of the Dictionary page: the table of words, and the list of versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.i18n import LANGUAGES, catalogue
from app.ui.widgets.page_code import page_script, page_styles


def word_bench(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The words of a project; it begins once its ``page`` prop names one."""
    return _widget("dictionary/words.js", functions, "dictionary.", elem_id)


def version_list(functions: Sequence[Callable[[Any], Any]], *, elem_id: str) -> gr.HTML:
    """The versions of a project's word list; it asks for them whenever it comes into sight."""
    return _widget("dictionary/versions.js", functions, "dictionary", elem_id)


def _widget(module: str, functions: Sequence[Callable[[Any], Any]], prefix: str, elem_id: str) -> gr.HTML:
    return gr.HTML(
        # Words travel as data and are drawn as text nodes, never through a template.
        html_template='<div class="lla-root"><div class="ll-words"></div></div>',
        js_on_load=page_script(module, strings=_strings(prefix)),
        server_functions=list(functions),
        elem_id=elem_id,
        elem_classes=page_styles("annotator", "word_list"),
        container=False,
        padding=False,
        page=None,
    )


def _strings(prefix: str) -> dict[str, dict[str, str]]:
    wanted = {key: pair for key, pair in catalogue().items() if _belongs(key, prefix)}
    return {
        language: {key: pair[at] for key, pair in wanted.items()} for at, language in enumerate(LANGUAGES)
    }


def _belongs(key: str, prefix: str) -> bool:
    return key.startswith(prefix) if prefix.endswith(".") else key.startswith(f"{prefix}_versions.")
