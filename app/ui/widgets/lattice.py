"""The lattice viewer: characters and dictionary words of one sentence, and what ties them together.

Drawn by assets/scripts/lattice in the browser. Corpus text travels as data and is drawn as text nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gradio as gr

from app.i18n import LANGUAGES, catalogue, text
from app.ui.widgets.lattice_links import MEAN, attends, attention_object, word_links
from app.ui.widgets.page_code import page_script
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Span

STRINGS = ("inspect_lattice.", "figure.")


def lattice_view(elem_id: str, attention: Callable[[Any], dict[str, Any]] | None = None) -> gr.HTML:
    """An empty viewer; give it ``lattice_value(...)`` as its value.

    Args:
        attention: answers the browser's ``{mark, layer, head}`` with an `attention_object`, as a server
            function of `Frame.server` called ``lattice_attention``; without one, the layer and head that
            come with the value are the only ones.
    """
    return gr.HTML(
        value={},
        html_template='<div class="ll-lattice"></div>',
        js_on_load=page_script("lattice/viewer.js", strings=lattice_strings()),
        server_functions=[attention] if attention is not None else None,
        elem_id=elem_id,
        container=False,
        padding=False,
    )


def lattice_strings() -> dict[str, dict[str, str]]:
    """The viewer's strings by language and short key."""
    keys = {key.partition(".")[2]: key for key in catalogue() if key.startswith(STRINGS)}
    return {language: {short: text(key, language) for short, key in keys.items()} for language in LANGUAGES}


def lattice_value(
    trace: Trace, colours: Mapping[str, str], *, mark: str = "", focus: Span | None = None
) -> dict[str, Any]:
    """What the viewer draws.

    Args:
        trace: of a lattice tagger. colours: hex colour by label name.
        mark: comes back with every question for more attention; another mark is another sentence.
        focus: the predicted span to outline.

    Raises:
        ValueError: the trace has no lattice.
    """
    lattice = trace.lattice
    if lattice is None:
        raise ValueError(f"the tagger {trace.tagger!r} has no lattice to draw")
    kind, links = word_links(trace)
    heads = [len(weights) for weights in trace.attention] if attends(trace) else []
    return {
        "mark": mark,
        "tagger": trace.tagger,
        "text": trace.text,
        "nodes": list(lattice.nodes),
        "head": lattice.head.tolist(),
        "tail": lattice.tail.tolist(),
        "characters": lattice.characters,
        "frequency": None if lattice.frequency is None else lattice.frequency.tolist(),
        "spans": [_span(span, colours, span == focus) for span in trace.spans],
        "touches": [touched(lattice, node, trace.spans) for node in range(len(lattice.nodes))],
        "heads": heads,
        "attention": attention_object(trace, 0, MEAN) if heads else None,
        "links": links,
        "kind": kind,
    }


def touched(lattice: LatticeTrace, node: int, spans: Sequence[Span]) -> list[int]:
    """Which spans share at least one character with a node."""
    head, tail = int(lattice.head[node]), int(lattice.tail[node])
    return [order for order, span in enumerate(spans) if span.start <= tail and head < span.end]


def _span(span: Span, colours: Mapping[str, str], focus: bool) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "label": span.label,
        "score": span.score,
        "colour": colours.get(span.label, "#666666"),
        "focus": focus,
    }
