"""Versions: every batch of changes, what differs between two, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.frame import Frame

NAME = "versions"


@dataclass
class VersionsComponents:
    """What the tab shows."""

    purpose: gr.Markdown


def layout(frame: Frame) -> VersionsComponents:
    """Build the tab."""
    purpose = gr.Markdown(elem_classes="ll-how")
    return VersionsComponents(frame.texts.bind(purpose, value="dictionary_versions.purpose"))


def wire(components: VersionsComponents, frame: Frame) -> None:
    """Connect the tab's events."""
