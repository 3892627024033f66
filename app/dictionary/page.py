"""The Dictionary page: a row of tabs, each a module with a layout and its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr

from app.dictionary import find as dictionary_find
from app.dictionary import labels as dictionary_labels
from app.dictionary import learn as dictionary_learn
from app.dictionary import measure as dictionary_measure
from app.dictionary import versions as dictionary_versions
from app.dictionary import words as dictionary_words
from app.i18n import _
from app.ui.frame import Frame

TAB_NAMES = {
    "words": _("Words"),
    "find": _("Find words"),
    "measure": _("Measure"),
    "labels": _("Label text"),
    "learn": _("Learn"),
    "versions": _("Versions"),
}


class DictionaryTab(Protocol):
    """The module of a tab; its name is the tab's id and the end of its title's key."""

    NAME: str

    def layout(self, frame: Frame) -> Any:
        """Build the tab's components."""
        ...

    def wire(self, components: Any, frame: Frame) -> None:
        """Connect their events."""
        ...


TABS: tuple[DictionaryTab, ...] = (
    dictionary_words,
    dictionary_find,
    dictionary_measure,
    dictionary_labels,
    dictionary_learn,
    dictionary_versions,
)


@dataclass
class DictionaryComponents:
    """The row of tabs, and what each of them built."""

    tabs: gr.Tabs
    parts: list[tuple[DictionaryTab, gr.Tab, Any]]


def layout(frame: Frame) -> DictionaryComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.purpose(
        _(
            "The words the tagger matches in texts. Adding or removing a word takes effect at once, "
            "without retraining."
        )
    )
    parts: list[tuple[DictionaryTab, gr.Tab, Any]] = []
    with gr.Tabs(elem_id="dictionary-tabs") as tabs:
        for part in TABS:
            tab = gr.Tab(id=part.NAME, elem_id=f"dictionary-tab-{part.NAME}")
            with texts.bind(tab, label=TAB_NAMES[part.NAME]):
                parts.append((part, tab, part.layout(frame)))
    return DictionaryComponents(tabs, parts)


def wire(components: DictionaryComponents, frame: Frame) -> None:
    """Connect every tab; the Learn tab is filled again when it is opened."""
    for part, tab, built in components.parts:
        part.wire(built, frame)
        if part is dictionary_learn:
            dictionary_learn.refresh_on(tab, built, frame)
