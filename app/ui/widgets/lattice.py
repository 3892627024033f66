"""The lattice viewer: characters and dictionary words of one sentence, and their links.

Drawn by assets/scripts/lattice in the browser. Corpus text travels as data and is drawn as text nodes.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import gradio as gr
import numpy as np

from app.services.errors import AppError
from app.ui.payload import Payload, Text
from app.ui.server_function import Reply
from app.ui.widgets.page_code import page_widget
from core.inspection.sentence.attention_view import MEAN
from core.inspection.sentence.lattice_view import node_attention, nodes_attend
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.lattice_view import LatticeView
    from core.taggers.base.trace import Array, LatticeTrace, Trace

LEVELS = 65535


def lattice_viewer(elem_id: str, attention: Callable[[Any], dict[str, Any]] | None = None) -> gr.HTML:
    """An empty viewer; give it ``lattice_value(...)`` as its value.

    Args:
        attention: a server function of `Frame.server` named ``lattice_attention`` that answers
            ``{mark, layer, head}`` like `answer_attention`; without one, only the layer and head of the
            value are shown.
    """
    return page_widget(
        "lattice/viewer.js",
        '<div class="ll-lattice"></div>',
        functions=[attention] if attention is not None else [],
        value={},
        elem_id=elem_id,
    )


def lattice_value(
    view: LatticeView, colours: Mapping[str, str], *, mark: str = "", focus: Span | None = None
) -> dict[str, Any]:
    """The value of the viewer.

    Args:
        colours: hex colour by label name.
        mark: identifies the sentence in requests for more attention.
        focus: the predicted span to outline.
    """
    lattice = view.lattice
    return {
        "mark": mark,
        "tagger": view.tagger,
        "text": view.text,
        "nodes": list(lattice.nodes),
        "head": lattice.head.tolist(),
        "tail": lattice.tail.tolist(),
        "characters": lattice.characters,
        "frequency": None if lattice.frequency is None else lattice.frequency.tolist(),
        "spans": [_span(lattice, span, colours, span == focus) for span in view.spans],
        "touches": [list(spans) for spans in view.touches],
        "heads": list(view.heads),
        "attention": None if view.attention is None else packed_attention(view.attention, 0, MEAN),
        "links": [list(link) for link in view.links],
        "kind": view.link_kind,
    }


def packed_attention(weights: Array, layer: int, head: int) -> dict[str, Any]:
    """One matrix for the browser: 16-bit steps of its largest weight, row by row, in base64.

    A step is at most 1/65,535, so weights are exact to five decimals. Only the matrix in view travels: all
    heads of twelve layers over 350 nodes would be 24 MB, one is 0.3 MB and comes within milliseconds.
    """
    weights = np.nan_to_num(weights)
    largest = float(weights.max(initial=0.0))
    steps = np.rint(weights / largest * LEVELS) if largest else np.zeros_like(weights)
    return {
        "layer": layer,
        "head": head,
        "queries": weights.shape[0],
        "keys": weights.shape[1],
        "scale": largest / LEVELS,
        "weights": b64encode(steps.astype("<u2").tobytes()).decode("ascii"),
    }


def mark_of(run: str, trace: Trace) -> str:
    """A key of sentence, run and lexicon."""
    nodes = trace.lattice.nodes if trace.lattice is not None else ()
    return hashlib.sha256("\0".join((run, trace.text, *nodes)).encode("utf-8", "replace")).hexdigest()[:16]


class AttentionQuery(Payload):
    """A layer and a head (-1: the mean of the heads) of the sentence with a ``mark``."""

    mark: Text
    layer: int
    head: int


def answer_attention(traces: Mapping[str, Trace], asked: AttentionQuery) -> Reply:
    """The weights of another layer or head.

    Args:
        traces: the current ones, by mark.

    Raises:
        AppError: the page shows another sentence, or there is no such layer or head.
    """
    trace = traces.get(asked.mark)
    if trace is None or not nodes_attend(trace):
        raise AppError("The page now shows another sentence; press “Inspect sentence” again.")
    try:
        return packed_attention(node_attention(trace, asked.layer, asked.head), asked.layer, asked.head)
    except IndexError as error:
        raise AppError("There is no such layer or head.") from error


def _span(lattice: LatticeTrace, span: Span, colours: Mapping[str, str], focus: bool) -> dict[str, Any]:
    at = lattice.leading(span)
    return {
        "start": span.start,
        "end": span.end,
        "head": at.start,
        "tail": at.end - 1,
        "label": span.label,
        "score": span.score,
        "colour": colours.get(span.label, "#666666"),
        "focus": focus,
    }
