"""The components of the What if panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.inspect.what_if.trial import LONGEST
from app.inspect.what_if.variants import VARIANTS
from app.inspect.widgets.effect_rows import effect_rows
from app.inspect.widgets.variant_rows import VARIANT_NAMES, variant_rows
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.widgets.lattice import lattice_viewer
from app.ui.widgets.sentence import sentence_view

CONDITIONS = ("dictionary", "added", "asking", "label", "query")
RESULTS = ("removed", "sentences", "effects", "lattice_group", "lattice", "expected", "message", "open")


@dataclass
class WhatIfParts:
    """The panel's own components, from top to bottom."""

    text: gr.Textbox
    start_over: gr.Button
    dictionary: gr.Row
    added: gr.Dropdown
    removed: gr.Dropdown
    asking: gr.Row
    label: gr.Dropdown
    query: gr.Textbox
    sentences: gr.HTML
    effects: gr.HTML
    lattice_group: gr.Column
    lattice: gr.HTML
    buttons: dict[str, gr.Button]  # by variant
    try_all: gr.Button
    variants: gr.HTML
    expected: gr.CheckboxGroup
    keep: gr.Button
    message: gr.Markdown
    open: gr.Button

    @property
    def results(self) -> dict[str, Any]:
        """The outputs of every change; see `what_if.results`."""
        return {name: getattr(self, name) for name in RESULTS}

    @property
    def conditions(self) -> dict[str, Any]:
        """Rows shown for some taggers only, with their contents; see `what_if.conditions`."""
        return {name: getattr(self, name) for name in CONDITIONS}


def layout_parts(frame: Frame) -> WhatIfParts:
    """Build them, from top to bottom."""
    return WhatIfParts(**_changes(frame), **_effects(), **_variants(frame), **_case(frame))


def _changes(frame: Frame) -> dict[str, Any]:
    """The inputs to edit."""
    texts = frame.texts
    text = texts.bind(
        gr.Textbox(
            lines=2, max_lines=4, max_length=LONGEST, elem_id="inspect-what-if-text", elem_classes="ll-text"
        ),
        label=_("Sentence to edit"),
    )
    with gr.Row(elem_classes="ll-buttons"):
        start_over = texts.button(_("Start over"), size="sm", elem_id="inspect-what-if-start-over")
    with gr.Row(visible=False, equal_height=True) as dictionary:
        added = texts.bind(
            gr.Dropdown(
                choices=[],
                value=[],
                multiselect=True,
                allow_custom_value=True,
                elem_id="inspect-what-if-added",
            ),
            label=_("Words to add to the dictionary"),
            info=_("Type a word and press Enter. Words not seen in training have no vector of their own."),
        )
        removed = texts.bind(
            gr.Dropdown(
                choices=[],
                value=[],
                multiselect=True,
                allow_custom_value=True,
                elem_id="inspect-what-if-removed",
            ),
            label=_("Words to leave out"),
            info=_("Words that are matched here; only this trial goes without them."),
        )
    with gr.Row(visible=False, equal_height=True) as asking:
        label = texts.bind(
            gr.Dropdown(choices=[], elem_id="inspect-what-if-label", scale=1), label=_("Label to ask for")
        )
        query = texts.bind(
            gr.Textbox(max_lines=3, elem_id="inspect-what-if-query", scale=4), label=_("Its query")
        )
    return {
        "text": text, "start_over": start_over, "dictionary": dictionary, "added": added,
        "removed": removed, "asking": asking, "label": label, "query": query,
    }  # fmt: skip


def _effects() -> dict[str, Any]:
    """The effects."""
    sentences = sentence_view(elem_id="inspect-what-if-sentences")
    effects = effect_rows("inspect-what-if-effects")
    with gr.Column(visible=False, elem_id="inspect-what-if-lattice") as group:
        lattice = lattice_viewer("inspect-what-if-lattice-view")
    return {"sentences": sentences, "effects": effects, "lattice_group": group, "lattice": lattice}


def _variants(frame: Frame) -> dict[str, Any]:
    """The changes that need one click."""
    texts = frame.texts
    section_heading(texts, _("Variants"))
    texts.hint(
        _(
            "Each variant keeps the entity in focus but changes its surroundings or spelling. A robust "
            "tagger still finds it."
        )
    )
    with gr.Row(elem_classes="ll-buttons"):
        buttons = {
            name: texts.button(
                VARIANT_NAMES[name], size="sm", elem_id=f"inspect-what-if-{name.replace('_', '-')}"
            )
            for name in VARIANTS
        }
    with gr.Row(elem_classes="ll-buttons"):
        try_all = texts.button(_("Try all variants"), elem_id="inspect-what-if-try-all")
    variants = variant_rows("inspect-what-if-variants")
    return {"buttons": buttons, "variants": variants, "try_all": try_all}


def _case(frame: Frame) -> dict[str, Any]:
    """Saving the changed sentence as a test case."""
    texts = frame.texts
    section_heading(texts, _("Save as a test case"))
    texts.hint(
        _(
            "Tick the correct entities of the changed sentence. It is saved as a finished document with "
            "this run's prediction; the Ledger tests every later run on it. It is used for training unless "
            "you put it into the test set."
        )
    )
    expected = texts.bind(
        gr.CheckboxGroup(choices=[], elem_id="inspect-what-if-expected"),
        label=_("Gold spans of the changed sentence"),
    )
    message = gr.Markdown(visible=False, elem_id="inspect-what-if-message")
    with gr.Row(elem_classes="ll-buttons"):
        keep = texts.button(_("Save the test case"), variant="primary", elem_id="inspect-what-if-keep")
        opening = texts.button(_("Open it in Annotate"), visible=False, elem_id="inspect-what-if-open")
    return {"expected": expected, "keep": keep, "message": message, "open": opening}
