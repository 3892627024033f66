"""What can be chosen in the attention panel of one trace, and what of it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.services.session import Session
from app.ui.figures.attention import MEAN, ROLLOUT

if TYPE_CHECKING:
    from core.inspection.sentence.attention_units import Kind
    from core.taggers.base.trace import Trace

UNIT_NAMES = {
    "pieces": _("word pieces"),
    "nodes": _("characters and words"),
    "characters": _("characters"),
    "words": _("words"),
    "spans": _("entities"),
}


VIEW_NAMES = {
    "heatmap": _("heatmap"),
    "head": _("BertViz head view"),
    "model": _("BertViz model view"),
    "neuron": _("BertViz neuron view"),
}


BERTVIZ = ("head", "model", "neuron")


@dataclass(frozen=True)
class Chosen:
    """What is shown of a trace: choices that came from the page, made to fit it."""

    view: str
    kind: Kind
    special: bool
    layer: int
    head: int


def fitted(trace: Trace, view: Any, kind: Any, special: Any, layer: Any, head: Any) -> Chosen:
    """The choices, each as near as the trace allows: another run has other layers, heads and units."""
    from core.inspection.sentence.attention_units import kinds

    layers, heads = len(trace.attention), len(trace.attention[0])
    layer = layer if layer in range(layers) else 0
    head = head if head in (MEAN, ROLLOUT, *range(min(heads, len(trace.attention[layer])))) else MEAN
    known = kinds(trace)
    kind = kind if kind in known else ("characters" if trace.lattice is None else known[0])
    view = view if view in views_of(trace) else "heatmap"
    return Chosen(view, kind, bool(special) or not has_special(trace), layer, head)


def offered(session: Session, trace: Trace, chosen: Chosen) -> tuple[Any, ...]:
    """Updates of the pickers of view, units, special pieces, layer and head, with what this trace has."""
    from core.inspection.sentence.attention_units import kinds

    named = [(session._(VIEW_NAMES[view]), view) for view in views_of(trace)]
    nodes = "pieces" if trace.pieces is not None and trace.lattice is None else "nodes"
    kind_choices = [
        (session._(UNIT_NAMES[nodes if kind == "nodes" else kind]), kind) for kind in kinds(trace)
    ]
    return (
        gr.update(choices=named, value=chosen.view),
        gr.update(choices=kind_choices, value=chosen.kind),
        gr.update(visible=has_special(trace)),
        *layer_and_head(session, trace, chosen.layer, chosen.head),
    )


def layer_and_head(session: Session, trace: Trace, layer: int, head: int) -> tuple[Any, Any]:
    """Updates of two pickers: the layers of the trace, and the mean, rollout and heads of the chosen one."""
    heads = [
        (session._("mean of heads"), MEAN),
        (session._("rollout"), ROLLOUT),
        *((str(number), number) for number in range(len(trace.attention[layer]))),
    ]
    return (
        gr.update(choices=[(str(number), number) for number in range(len(trace.attention))], value=layer),
        gr.update(choices=heads, value=head),
    )


def views_of(trace: Trace) -> tuple[str, ...]:
    """The neuron view needs vectors whose dot products are the attention."""
    return ("heatmap", *BERTVIZ) if trace.query_key is not None else ("heatmap", *BERTVIZ[:2])


def has_special(trace: Trace) -> bool:
    """Whether some pieces, such as ``[CLS]``, cover no character and can be left out."""
    pieces = trace.pieces
    return pieces is not None and trace.lattice is None and bool((pieces.start == pieces.end).any())
