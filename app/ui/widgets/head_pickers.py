"""Two pickers: a layer with attention, and one of its heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from app.i18n import Language, _, text
from core.inspection.sentence.attention_view import MEAN, ROLLOUT


def layer_and_head(heads: Sequence[int], layer: int, head: int, language: Language) -> tuple[Any, Any]:
    """Updates of both pickers; ``heads`` is the number of heads of every layer."""
    layers = [(str(number), number) for number in range(len(heads))]
    choices = [
        (text(_("mean of heads"), language), MEAN),
        (text(_("rollout"), language), ROLLOUT),
        *((str(number), number) for number in range(heads[layer])),
    ]
    return gr.update(choices=layers, value=layer), gr.update(choices=choices, value=head)
