"""The choices of two pickers: the layers with attention, and the heads of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from app.i18n import Language, text
from core.inspection.sentence.attention_view import MEAN, ROLLOUT


def layer_and_head(heads: Sequence[int], layer: int, head: int, language: Language) -> tuple[Any, Any]:
    """Updates of both pickers; ``heads`` is the number of heads of every layer."""
    layers = [(str(number), number) for number in range(len(heads))]
    choices = [
        (text("inspect.mean", language), MEAN),
        (text("inspect_attention.rollout", language), ROLLOUT),
        *((str(number), number) for number in range(heads[layer])),
    ]
    return gr.update(choices=layers, value=layer), gr.update(choices=choices, value=head)
