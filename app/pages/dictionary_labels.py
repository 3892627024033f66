"""Label text: distant labels by maximum matching."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.frame import Frame

NAME = "labels"


@dataclass
class LabelsComponents:
    """What the tab shows."""

    purpose: gr.Markdown


def layout(frame: Frame) -> LabelsComponents:
    """Build the tab."""
    purpose = gr.Markdown(elem_classes="ll-how")
    return LabelsComponents(frame.texts.bind(purpose, value="dictionary_labels.purpose"))


def wire(components: LabelsComponents, frame: Frame) -> None:
    """Connect the tab's events."""
