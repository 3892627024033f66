"""Measure: coverage and precision of the dictionary against labels."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.frame import Frame

NAME = "measure"


@dataclass
class MeasureComponents:
    """What the tab shows."""

    purpose: gr.Markdown


def layout(frame: Frame) -> MeasureComponents:
    """Build the tab."""
    purpose = gr.Markdown(elem_classes="ll-how")
    return MeasureComponents(frame.texts.bind(purpose, value="dictionary_measure.purpose"))


def wire(components: MeasureComponents, frame: Frame) -> None:
    """Connect the tab's events."""
