"""Find words: candidates from raw text and from corrections, to accept or refuse."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.frame import Frame

NAME = "find"


@dataclass
class FindComponents:
    """What the tab shows."""

    purpose: gr.Markdown


def layout(frame: Frame) -> FindComponents:
    """Build the tab."""
    purpose = gr.Markdown(elem_classes="ll-how")
    return FindComponents(frame.texts.bind(purpose, value="dictionary_find.purpose"))


def wire(components: FindComponents, frame: Frame) -> None:
    """Connect the tab's events."""
